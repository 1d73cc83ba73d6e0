//! What can go wrong with an order.

use super::super::error::GraphError;
use crate::memory::OutOfMemory;

/// Why there is no order, or why it does not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// There is no memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The renumbered graph cannot be built.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The numbers given are no order.
    #[error(
        "vertex {vertex} is to become {number}, which is beyond the last of {vertices} vertices, or another vertex's number: each number has to be given once"
    )]
    NotAnOrder {
        /// The vertex.
        vertex: usize,
        /// The number that it was to have.
        number: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// The order is of another graph.
    #[error("an order of {ordered} vertices was given for a graph of {vertices}: make the order of this graph")]
    Vertices {
        /// How many vertices are ordered.
        ordered: usize,
        /// How many the graph has.
        vertices: usize,
    },
    /// The values are of another graph.
    #[error("{found} values were given, and {expected} were expected: give {width} for each of what is ordered")]
    Values {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// The number of values of each vertex or edge.
        width: usize,
    },
}
