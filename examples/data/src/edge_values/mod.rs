//! Graphs whose edges carry several numbers: a vector, a weight for each feature, or a matrix.
//!
//! The text form is an edge list: `source destination`, then the numbers of the edge, separated by blanks, tabs or commas; those of a matrix
//! row after row. Every line has as many numbers as the first. Rows of numbers for vertices, such as queries, have the same form with one id.
//! Blank lines and lines that start with `#` or `%` are skipped; files may be gzip-compressed. A Matrix Market file is read, too: its edges
//! have one number.

mod edges;
mod error;
mod matrix;
mod number;
mod rows;

use onyx_runtime::graph::{Graph, VertexIds};

pub use edges::{parse, read, read_with_progress};
pub use error::{ValueError, ValueProblem};
pub use rows::again;
pub use rows::{Rows, parse as parse_rows, parse_weights, read as read_rows, read_weights};

/// What the numbers of an edge are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A weight of at least 0 for each of K features.
    Vector,
    /// A matrix of K rows of K weights.
    Matrix,
}

impl Shape {
    /// How many numbers an edge has.
    pub fn length(self, features: usize) -> usize {
        match self {
            Self::Vector => features,
            Self::Matrix => features.saturating_mul(features),
        }
    }

    /// How many features give an edge `length` numbers, if any do.
    pub fn features(self, length: usize) -> Option<usize> {
        let features = match self {
            Self::Vector => length,
            Self::Matrix => length.isqrt(),
        };
        (features > 0 && self.length(features) == length).then_some(features)
    }
}

/// A graph with the numbers of its edges.
#[derive(Clone, Debug)]
pub struct ValuedGraph {
    /// The graph.
    pub graph: Graph,
    /// The ids that the vertices had where they come from.
    pub ids: VertexIds,
    /// The numbers, edge after edge, by edge number.
    pub values: Vec<f32>,
    /// The features K that an edge's numbers are for.
    pub features: usize,
}

/// Edges with their numbers, in any order.
#[derive(Clone, Debug)]
pub struct ValuedEdges {
    /// Each edge as (source, destination).
    pub edges: Vec<(u32, u32)>,
    /// The numbers, edge after edge.
    pub values: Vec<f32>,
    /// What they are.
    pub shape: Shape,
    /// The features K.
    pub features: usize,
}

impl ValuedEdges {
    /// No edges yet.
    pub fn new(shape: Shape, features: usize) -> Self {
        Self { edges: Vec::new(), values: Vec::new(), shape, features }
    }

    /// Adds an edge.
    pub fn push(&mut self, source: u32, destination: u32, values: &[f32]) {
        self.edges.push((source, destination));
        self.values.extend_from_slice(values);
    }

    /// Adds an edge and its reverse: with the same weights, or with the transposed matrix. A loop is added once.
    pub fn push_both(&mut self, one: u32, other: u32, values: &[f32]) {
        self.push(one, other, values);
        if one != other {
            let back = self.reversed(values);
            self.push(other, one, &back);
        }
    }

    fn reversed(&self, values: &[f32]) -> Vec<f32> {
        let rows = self.features;
        match self.shape {
            Shape::Vector => values.to_vec(),
            Shape::Matrix => (0..values.len()).map(|index| values[index % rows * rows + index / rows]).collect(),
        }
    }
}
