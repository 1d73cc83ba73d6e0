//! Data sets of the GNN benchmark: NumPy archives (`.npz`) of sparse matrices.
//!
//! | array | what it has |
//! | --- | --- |
//! | `adj_data`, `adj_indices`, `adj_indptr`, `adj_shape` | the adjacency matrix, as compressed rows |
//! | `attr_data`, `attr_indices`, `attr_indptr`, `attr_shape` | the features, a compressed row a vertex |
//! | `labels` | the class of each vertex |
//!
//! What else an archive has, such as the names of vertices, is not read. Shchur et al., "Pitfalls of Graph Neural Network Evaluation", 2018.

mod archive;
mod array;
mod matrix;

use std::path::Path;

use ndarray::Array2;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::memory;
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;

use crate::dataset::{Dataset, DatasetError, Split, classes, zeros};
use archive::Archive;
use matrix::Matrix;

/// The vertices of each class that are learned from.
pub const TRAIN: usize = 20;
/// The vertices of each class that are validated with.
pub const VALIDATION: usize = 30;

/// Reads the data set in the file at `path`. Entries of the adjacency matrix are edges both ways, whatever their value; equal ones are one edge,
/// and loops are left out. Such files have no split: [`TRAIN`] and [`VALIDATION`] vertices of each class are drawn by the `seed`, and all
/// others are tested with.
///
/// # Errors
/// The file cannot be read, is no such archive, or its arrays do not fit each other.
pub fn read(path: impl AsRef<Path>, seed: u64) -> Result<Dataset, DatasetError> {
    parse(&Text::open(path.as_ref(), UNWATCHED)?, seed)
}

/// Reads a data set from the content of a file, as [`read`] does.
///
/// # Errors
/// As [`read`].
pub fn parse(content: &Text, seed: u64) -> Result<Dataset, DatasetError> {
    let archive = Archive::open(content)?;
    let labels = labels(&archive)?;
    let adjacency = Matrix::read(&archive, "adj", labels.len())?;
    if adjacency.columns != adjacency.rows() {
        let reason = format!("is of {} rows and {} columns, and has to be square", adjacency.rows(), adjacency.columns);
        return Err(archive.error("adj_shape", reason));
    }
    let attributes = Matrix::read(&archive, "attr", labels.len())?;
    let Split { train, validation, test } = Split::of_classes(&labels, TRAIN, VALIDATION, seed);
    let (graph, features, classes) = (graph(&adjacency)?, features(&attributes)?, classes(&labels));
    Ok(Dataset { graph, features, labels, classes, train, validation, test })
}

fn labels(archive: &Archive<'_>) -> Result<Vec<u32>, DatasetError> {
    let labels = archive.array("labels")?.whole()?;
    let Some(place) = labels.iter().position(|label| *label >= labels.len() as u64) else {
        return Ok(memory::collect(labels.into_iter().map(|label| label as u32), "the labels")?);
    };
    let reason = format!(
        "has the label {} for vertex {place}, which is not below {}, the number of labels: number the classes from 0 without gaps",
        labels[place],
        labels.len()
    );
    Err(archive.error("labels", reason))
}

fn graph(adjacency: &Matrix) -> Result<Graph, DatasetError> {
    let mut edges = memory::vector(adjacency.values.len(), "the edges of the file")?;
    let entries = adjacency.entries().map(|(row, column, _)| (row as u32, column as u32));
    edges.extend(entries.filter(|(row, column)| row != column));
    Ok(GraphBuilder::new().vertices(adjacency.rows()).undirected(true).edges(edges).build()?)
}

fn features(attributes: &Matrix) -> Result<Array2<f32>, DatasetError> {
    let mut features = zeros(attributes.rows(), attributes.columns)?;
    attributes.entries().for_each(|(row, column, value)| features[[row, column]] += value);
    Ok(features)
}
