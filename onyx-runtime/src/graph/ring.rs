//! A ring: made row by row, without a list of edges, so that graphs with more than 2^32 edges are made as fast as memory takes them.

use rayon::prelude::*;

use super::csr::{Adjacency, EdgeIds, Indices, is_narrow};
use super::error::GraphError;
use super::statistics::Known;
use super::vertex_ids::VertexIds;
use super::{Graph, buffer::Buffer};
use crate::memory::{self, OutOfMemory};

/// What needs the memory.
const EDGES: &str = "the edges of the ring";

/// A ring of `vertices` vertices, fewer than 2^32, with edges into each one from the `degree` that follow it, fewer than there are vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) vertices: u32,
    pub(super) degree: u32,
}

impl Ring {
    /// The graph. Its edges are the same ones whatever the seed.
    pub(super) fn graph(self) -> Result<Graph, GraphError> {
        let count = self.vertices as usize;
        let offsets = || -> Result<Indices, OutOfMemory> {
            let ends = memory::collect((0..=count).map(|row| row * self.degree as usize), EDGES)?;
            Indices::narrowed(&ends, self.edge_count())
        };
        let incoming = Adjacency {
            offsets: offsets()?,
            neighbors: self.rows(|vertex, at| self.following(vertex, at))?,
            edge_ids: None,
        };
        let neighbors = self.rows(|vertex, at| self.leading(vertex, at))?;
        let outgoing = Adjacency { offsets: offsets()?, neighbors, edge_ids: Some(self.edge_ids()?) };
        let ids = VertexIds::Dense { first: 0, count };
        Ok(Graph {
            incoming,
            outgoing,
            weights: None,
            ids,
            symmetric: false,
            members: None,
            statistics: Known::default(),
        })
    }

    fn edge_count(self) -> usize {
        self.vertices as usize * self.degree as usize
    }

    /// What `entry` gives for each row and each place in it.
    fn rows<T: bytemuck::Pod + Send>(self, entry: impl Fn(u32, u32) -> T + Sync) -> Result<Buffer<T>, OutOfMemory> {
        let mut entries: Vec<T> = memory::zeroed(self.edge_count(), EDGES)?;
        let rows = entries.par_chunks_exact_mut(self.degree.max(1) as usize).zip(0..self.vertices);
        rows.for_each(|(row, vertex)| row.iter_mut().zip(0..).for_each(|(place, at)| *place = entry(vertex, at)));
        Ok(entries.into())
    }

    /// The source at place `at` of the edges into a vertex, ascending: what follows it, those beyond the end of the ring first.
    fn following(self, vertex: u32, at: u32) -> u32 {
        let beyond = self.beyond(vertex);
        if at < beyond { at } else { vertex + 1 + (at - beyond) }
    }

    /// The destination at place `at` of the edges out of a vertex, ascending: what goes before it, those before the beginning of the ring last.
    fn leading(self, vertex: u32, at: u32) -> u32 {
        let near = vertex.min(self.degree);
        if at < near { vertex - near + at } else { self.vertices - self.degree + at }
    }

    /// The place of `source` among the edges into `destination`.
    fn place(self, source: u32, destination: u32) -> u32 {
        if source > destination { source - destination - 1 + self.beyond(destination) } else { source }
    }

    /// How many of those that follow a vertex lie beyond the end of the ring.
    fn beyond(self, vertex: u32) -> u32 {
        let left = self.vertices - 1 - vertex;
        self.degree.saturating_sub(left)
    }

    fn edge_ids(self) -> Result<EdgeIds, OutOfMemory> {
        let id = |source: u32, at: u32| {
            let destination = self.leading(source, at);
            u64::from(destination) * u64::from(self.degree) + u64::from(self.place(source, destination))
        };
        Ok(if is_narrow(self.edge_count()) {
            Indices::U32(self.rows(|source, at| id(source, at) as u32)?)
        } else {
            Indices::U64(self.rows(id)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn rings_are_what_a_list_of_edges_makes() {
        for (vertices, degree) in [(1, 0), (2, 1), (5, 2), (5, 4), (9, 3), (40, 39), (100, 7)] {
            let edges = (0..vertices).flat_map(|to| (1..=degree).map(move |by| ((to + by) % vertices, to)));
            let expected = GraphBuilder::new().vertices(vertices as usize).edges(edges.collect()).build().unwrap();
            let found = Ring { vertices, degree }.graph().unwrap();
            assert_eq!(found.incoming(), expected.incoming(), "{vertices} vertices, degree {degree}");
            assert_eq!(found.outgoing(), expected.outgoing(), "{vertices} vertices, degree {degree}");
        }
    }
}
