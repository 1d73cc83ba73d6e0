//! Some of a graph's components, as a graph of their own.

use std::ops::Range;

use super::csr::{Adjacency, Indices};
use super::error::GraphError;
use super::size::check_size;
use super::statistics::Known;
use super::vertex_ids::VertexIds;
use super::{Graph, members};
use crate::memory::{self, OutOfMemory};

/// What needs the memory.
const EXCERPT: &str = "the excerpt of the graph";

impl Graph {
    /// The graph of the vertices in `ranges`, in time linear in its size: those of the first range from 0, then those of the second, and so on.
    /// A range may come more than once. Edges keep their order, and their weights. Each range is a [member](Graph::members) of the batch that this makes.
    ///
    /// # Errors
    ///
    /// A range is not one of vertices, an edge leads into or out of one, or there is not enough memory.
    pub fn excerpt(&self, ranges: &[Range<u32>]) -> Result<Self, GraphError> {
        ranges.iter().try_for_each(|range| self.check_closed(range))?;
        let vertices: u64 = ranges.iter().map(|range| range.len() as u64).sum();
        let edges: u64 = ranges.iter().map(|range| positions(&self.incoming, range).len() as u64).sum();
        check_size(vertices, edges)?;
        let weights =
            self.weights.as_ref().map(|weights| gathered(ranges, |range| &weights[positions(&self.incoming, range)]));
        Ok(Self {
            incoming: rows(&self.incoming, ranges)?,
            outgoing: Adjacency { edge_ids: Some(self.moved_ids(ranges)?), ..rows(&self.outgoing, ranges)? },
            weights: weights.transpose()?.map(Into::into),
            ids: VertexIds::Dense { first: 0, count: vertices as usize },
            symmetric: self.symmetric,
            members: members::of_ranges(ranges)?,
            statistics: Known::default(),
        })
    }

    /// Refuses a range that is none, or that edges lead into or out of.
    pub(super) fn check_closed(&self, range: &Range<u32>) -> Result<(), GraphError> {
        let vertices = self.vertex_count();
        if range.start > range.end || range.end as usize > vertices {
            return Err(GraphError::NotARange { begin: range.start, end: range.end, vertices });
        }
        let leads_out = |adjacency: &Adjacency, vertex: u32| {
            adjacency.row(vertex).iter().copied().find(|neighbor| !range.contains(neighbor))
        };
        for vertex in range.clone() {
            let there = leads_out(&self.outgoing, vertex).map(|destination| (vertex, destination));
            let edge = there.or_else(|| leads_out(&self.incoming, vertex).map(|source| (source, vertex)));
            if let Some((origin, destination)) = edge {
                return Err(GraphError::OpenRange { begin: range.start, end: range.end, origin, destination });
            }
        }
        Ok(())
    }

    /// The ids that the edges of the ranges have in the excerpt, in the order of outgoing edges.
    fn moved_ids(&self, ranges: &[Range<u32>]) -> Result<Indices, OutOfMemory> {
        let (mut ids, mut base) = (Vec::new(), 0);
        for range in ranges {
            // The edges into a range have ids in a row, and there are no others out of it.
            let first = positions(&self.incoming, range).start;
            let part = positions(&self.outgoing, range);
            let count = part.len();
            memory::grow(&mut ids, count, EXCERPT)?;
            ids.extend(part.map(|position| self.outgoing.edge_id(position) - first + base));
            base += count;
        }
        Indices::narrowed(&ids, base)
    }
}

/// The positions of the edges in the rows of `range`.
fn positions(adjacency: &Adjacency, range: &Range<u32>) -> Range<usize> {
    adjacency.offsets.get(range.start as usize)..adjacency.offsets.get(range.end as usize)
}

/// The rows of the ranges one after the other, without edge ids.
fn rows(adjacency: &Adjacency, ranges: &[Range<u32>]) -> Result<Adjacency, OutOfMemory> {
    let vertices: usize = ranges.iter().map(|range| range.len()).sum();
    let mut offsets = memory::vector(vertices + 1, EXCERPT)?;
    let mut neighbors = gathered(ranges, |range| &adjacency.neighbors[positions(adjacency, range)])?;
    offsets.push(0);
    let mut begin = 0;
    for range in ranges {
        let (vertices, edges) = (offsets.len() - 1, positions(adjacency, range));
        for neighbor in &mut neighbors[begin..begin + edges.len()] {
            *neighbor = *neighbor - range.start + vertices as u32;
        }
        let ends = (range.start..range.end).map(|vertex| adjacency.offsets.get(vertex as usize + 1));
        offsets.extend(ends.map(|end| end - edges.start + begin));
        begin += edges.len();
    }
    Ok(Adjacency { offsets: Indices::narrowed(&offsets, begin)?, neighbors: neighbors.into(), edge_ids: None })
}

/// What `part` has for each range, one after the other.
fn gathered<'a, T: Copy + 'a>(
    ranges: &[Range<u32>],
    part: impl Fn(&Range<u32>) -> &'a [T],
) -> Result<Vec<T>, OutOfMemory> {
    let mut values = memory::vector(ranges.iter().map(|range| part(range).len()).sum(), EXCERPT)?;
    ranges.iter().for_each(|range| values.extend_from_slice(part(range)));
    Ok(values)
}
