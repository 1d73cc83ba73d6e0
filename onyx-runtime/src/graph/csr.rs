//! One direction of a graph's edges, as compressed rows.

use std::ops::Range;

use rayon::prelude::*;

use super::buffer::Buffer;
use super::grouping::ROWS;
use crate::memory::{self, OutOfMemory};

/// Positions among the edges, 32 bits wide where the number of edges allows it.
#[derive(Clone, Debug)]
pub enum Indices {
    /// For at most `u32::MAX` edges.
    U32(Buffer<u32>),
    /// For more.
    U64(Buffer<u64>),
}

/// Where each row begins: one entry a vertex and the number of edges as the last, ascending.
pub type Offsets = Indices;

/// The edge id of each position of a row order.
pub type EdgeIds = Indices;

impl Indices {
    /// `values` in the width that `edge_count` edges need.
    pub(super) fn narrowed(values: &[usize], edge_count: usize) -> Result<Self, OutOfMemory> {
        Ok(if is_narrow(edge_count) {
            Self::U32(mapped(values, |value| value as u32)?.into())
        } else {
            Self::U64(mapped(values, |value| value as u64)?.into())
        })
    }

    /// Entry `i`; panics past the end.
    #[inline]
    pub fn get(&self, i: usize) -> usize {
        match self {
            Self::U32(values) => values[i] as usize,
            Self::U64(values) => values[i] as usize,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
        }
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Of offsets: the positions of row `vertex`; panics past the last row.
    #[inline]
    pub fn row(&self, vertex: usize) -> Range<usize> {
        match self {
            Self::U32(values) => values[vertex] as usize..values[vertex + 1] as usize,
            Self::U64(values) => values[vertex] as usize..values[vertex + 1] as usize,
        }
    }

    /// The size of an entry: 4 or 8 bytes.
    pub fn entry_bytes(&self) -> u32 {
        match self {
            Self::U32(_) => 4,
            Self::U64(_) => 8,
        }
    }

    /// The entries as they lie in memory.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::U32(values) => bytemuck::cast_slice(values),
            Self::U64(values) => bytemuck::cast_slice(values),
        }
    }
}

/// The values in another width.
fn mapped<T: Send>(values: &[usize], width: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, OutOfMemory> {
    let mut mapped = memory::vector(values.len(), ROWS)?;
    values.par_iter().map(|&value| width(value)).collect_into_vec(&mut mapped);
    Ok(mapped)
}

impl PartialEq for Indices {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|i| self.get(i) == other.get(i))
    }
}

/// Whether positions among `edge_count` edges are stored in 32 bits.
pub(super) fn is_narrow(edge_count: usize) -> bool {
    u32::try_from(edge_count).is_ok()
}

/// The edges of a graph, one row a vertex.
///
/// Invariants: `offsets` has one entry more than there are vertices, starts at 0, never falls and ends at
/// `neighbors.len()`; each neighbor is a vertex; each row is ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjacency {
    pub(super) offsets: Offsets,
    pub(super) neighbors: Buffer<u32>,
    pub(super) edge_ids: Option<EdgeIds>,
}

impl Adjacency {
    /// The number of rows.
    pub fn vertex_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of positions in all rows together.
    pub fn edge_count(&self) -> usize {
        self.neighbors.len()
    }

    /// Where each row begins, `vertex_count() + 1` entries.
    pub fn offsets(&self) -> &Offsets {
        &self.offsets
    }

    /// The other end of each edge, row after row.
    pub fn neighbors(&self) -> &[u32] {
        &self.neighbors
    }

    /// The edge id of each position; none where the position is the id.
    pub fn edge_ids(&self) -> Option<&EdgeIds> {
        self.edge_ids.as_ref()
    }

    /// The edge id of `position`; panics past the last edge.
    #[inline]
    pub fn edge_id(&self, position: usize) -> usize {
        self.edge_ids.as_ref().map_or(position, |ids| ids.get(position))
    }

    /// The number of edges in the row of `vertex`; panics if there is no such vertex.
    #[inline]
    pub fn degree(&self, vertex: u32) -> usize {
        self.offsets.row(vertex as usize).len()
    }

    /// The neighbors of `vertex`, ascending; panics if there is no such vertex.
    #[inline]
    pub fn row(&self, vertex: u32) -> &[u32] {
        &self.neighbors[self.offsets.row(vertex as usize)]
    }

    /// At most `parts` ranges of rows with about equally many edges and rows each, in order.
    pub(crate) fn balanced_rows(&self, parts: usize) -> Vec<Range<usize>> {
        let (rows, parts) = (self.vertex_count(), parts.max(1));
        let total = rows + self.edge_count();
        let mut bounds: Vec<usize> = (0..=parts).map(|part| self.row_at(total / parts * part)).collect();
        bounds[parts] = rows;
        bounds.windows(2).map(|pair| pair[0]..pair[1]).filter(|range| !range.is_empty()).collect()
    }

    /// The first row before which lie at least `work` edges and rows.
    fn row_at(&self, work: usize) -> usize {
        let (mut low, mut high) = (0, self.vertex_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.offsets.get(middle) + middle < work { low = middle + 1 } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjacency(offsets: Vec<usize>) -> Adjacency {
        let edge_count = *offsets.last().unwrap();
        let neighbors = vec![0; edge_count].into();
        Adjacency { offsets: Indices::narrowed(&offsets, edge_count).unwrap(), neighbors, edge_ids: None }
    }

    #[test]
    fn balanced_rows_cover_every_row_once() {
        let adjacency = adjacency(vec![0, 0, 100, 100, 101, 105, 300]);
        for parts in 0..20 {
            let rows: Vec<usize> = adjacency.balanced_rows(parts).into_iter().flatten().collect();
            assert_eq!(rows, (0..6).collect::<Vec<_>>(), "{parts} parts");
        }
    }

    #[test]
    fn wide_and_narrow_indices_read_alike() {
        let wide = Indices::U64(vec![0, 2, 5].into());
        let narrow = Indices::narrowed(&[0, 2, 5], 5).unwrap();
        assert!(matches!(narrow, Indices::U32(_)));
        assert_eq!(wide, narrow);
        assert_eq!(wide.row(1), narrow.row(1));
    }
}
