//! Graphs to learn on: what every vertex is known by, the class it has, and which vertices are learned from.
//!
//! [`planetoid`](crate::planetoid) and [`gnn_benchmark`](crate::gnn_benchmark) read a [`Dataset`] of one graph,
//! [`small_graphs`](crate::small_graphs) collections of many graphs. All of them say what is wrong by a [`DatasetError`], with file and line.

mod error;
mod folder;
mod label;
mod line;
mod split;

use ndarray::Array2;
use onyx_runtime::graph::Graph;
use onyx_runtime::memory;

pub use error::{DatasetError, LineProblem};
pub(crate) use folder::Folder;
pub(crate) use label::read_labels;
pub(crate) use line::{Line, lines, some_lines};
pub use split::{Fold, Split, folds};

/// A graph whose vertices have features and classes.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The graph: undirected, each edge once each way, without loops.
    pub graph: Graph,
    /// The features, a row a vertex; without columns where the files have none.
    pub features: Array2<f32>,
    /// The class of each vertex, from 0.
    pub labels: Vec<u32>,
    /// The number of classes, one more than the greatest label.
    pub classes: usize,
    /// The vertices to learn from.
    pub train: Vec<u32>,
    /// The vertices that say when to stop.
    pub validation: Vec<u32>,
    /// The vertices that say how well it was learned.
    pub test: Vec<u32>,
}

/// The number of classes: one more than the greatest label.
pub(crate) fn classes(labels: &[u32]) -> usize {
    labels.iter().max().map_or(0, |greatest| *greatest as usize + 1)
}

/// A matrix of zeros.
pub(crate) fn zeros(rows: usize, columns: usize) -> Result<Array2<f32>, DatasetError> {
    const FEATURES: &str = "the features of the vertices";
    let values = memory::zeroed(rows.saturating_mul(columns), FEATURES)?;
    // The shape is that of the values, so that it is never another one.
    Ok(Array2::from_shape_vec((rows, columns), values).unwrap_or_default())
}
