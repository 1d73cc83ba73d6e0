//! Graphs as small as molecules, drawn by a seed: of 16 to 30 vertices, 23 in the mean, which are a tree of few branches and one to three rings.

use onyx_runtime::graph::{Graph, GraphBuilder, GraphError};

use crate::random::bits;

/// The fewest vertices of a graph, and how many sizes there are.
const LEAST: u32 = 16;
const SIZES: u32 = 15;
/// A vertex of a tree is joined to one of so many before it, mostly the last.
const BRANCHES: u32 = 4;
/// How far it is around a ring, less one.
const RING: u32 = 5;

/// So many graphs as one batch.
///
/// # Errors
/// There is no memory for it, or there are more vertices than can be numbered.
pub fn batch(graphs: usize, seed: u32) -> Result<Graph, GraphError> {
    let (mut edges, mut offsets) = (Vec::new(), vec![0]);
    for graph in 0..graphs as u32 {
        let first = offsets[graph as usize];
        let size = LEAST + bits(seed, graph, 0, 0) % SIZES;
        edges.extend((1..size).map(|vertex| {
            let back = bits(seed, graph, vertex, 1) % (2 * BRANCHES);
            (first + vertex, first + vertex.saturating_sub(if back < BRANCHES { 1 + back } else { 1 }))
        }));
        let rings = 1 + bits(seed, graph, 0, 2) % 3;
        edges.extend((0..rings).map(|ring| {
            let vertex = bits(seed, graph, ring, 3) % (size - RING);
            (first + vertex, first + vertex + RING)
        }));
        offsets.push(first + size);
    }
    let vertices = offsets[graphs] as usize;
    GraphBuilder::new().vertices(vertices).undirected(true).edges(edges).build()?.with_members(offsets)
}
