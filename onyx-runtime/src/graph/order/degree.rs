//! Degree order: what is read most lies together.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::super::Graph;
use super::ORDER;
use super::error::OrderError;
use super::vertex_order::VertexOrder;
use crate::memory;

/// The vertices by falling number of edges, in and out together; those of the same number stay in their order.
///
/// # Errors
/// There is not enough memory.
pub fn by_degree(graph: &Graph) -> Result<VertexOrder, OrderError> {
    let mut sequence = memory::collect(0..graph.vertex_count() as u32, ORDER)?;
    // With the vertex as part of the key this is stable, and takes no memory.
    sequence.par_sort_unstable_by_key(|vertex| (Reverse(degree(graph, *vertex)), *vertex));
    VertexOrder::of_sequence(sequence)
}

/// The number of ends of edges at a vertex.
pub(super) fn degree(graph: &Graph, vertex: u32) -> usize {
    graph.in_degree(vertex) + graph.out_degree(vertex)
}

/// The vertices by rising number of edges.
pub(super) fn rising(graph: &Graph) -> Result<Vec<u32>, OrderError> {
    let mut sequence = memory::collect(0..graph.vertex_count() as u32, ORDER)?;
    sequence.par_sort_unstable_by_key(|vertex| (degree(graph, *vertex), *vertex));
    Ok(sequence)
}
