//! Vertices `0..n` for whatever ids an edge list uses.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::error::GraphError;
use super::size::check_size;
use super::text::{Id, Parts};
use super::vertex_ids::VertexIds;
use crate::memory::{self, OutOfMemory};

/// Edges by the positions of their ends, in the chunks in which they were read.
type Chunks = Vec<Vec<(u32, u32)>>;

/// What needs the memory.
const IDS: &str = "the ids of the vertices";

impl VertexIds {
    /// Vertices for all ids that occur in `edges`, which come in parts, in ascending order of id; and the edges between these vertices, in the
    /// same parts.
    ///
    /// # Errors
    /// More vertices than 32 bits can number, or not enough memory.
    pub fn of_edges(edges: Vec<Vec<(u64, u64)>>) -> Result<(Self, Chunks), GraphError> {
        if edges.iter().all(Vec::is_empty) {
            return Ok((Self::Dense { first: 0, count: 0 }, Vec::new()));
        }
        compact(edges)
    }
}

/// Renames the ids of `edges`, of which there must be one at least, to vertices in ascending order of id.
pub(super) fn compact<I: Id>(edges: Parts<I>) -> Result<(VertexIds, Parts<u32>), GraphError> {
    let (lowest, highest) = bounds(&edges);
    let edge_count: u64 = edges.iter().map(|part| part.len() as u64).sum();
    // A bit for each possible id, while that takes no more memory than the edges do.
    if (highest - lowest) / 64 <= edge_count + 1024 {
        let present = Present::of(&edges, lowest, highest)?;
        check_size(present.count, edge_count)?;
        if present.count == highest - lowest + 1 {
            let ids = VertexIds::Dense { first: lowest, count: present.count as usize };
            return Ok((ids, shift(edges, lowest)?));
        }
        let ids = VertexIds::Listed(present.ids()?.into());
        return Ok((ids, rename(edges, |id| present.rank(id))?));
    }
    let ids = distinct(&edges)?;
    check_size(ids.len() as u64, edge_count)?;
    let edges = rename(edges, |id| ids.partition_point(|&listed| listed < id) as u64)?;
    Ok((VertexIds::Listed(ids.into()), edges))
}

/// The least and the greatest id.
fn bounds<I: Id>(edges: &Parts<I>) -> (u64, u64) {
    let widen = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
    let bounds_of = |part: &Vec<(I, I)>| {
        let ends = part.iter().map(|&(source, destination)| {
            let (source, destination) = (source.into(), destination.into());
            (source.min(destination), source.max(destination))
        });
        ends.fold((u64::MAX, 0), widen)
    };
    edges.par_iter().map(bounds_of).reduce(|| (u64::MAX, 0), widen)
}

/// Takes `lowest` from each id.
fn shift<I: Id>(edges: Parts<I>, lowest: u64) -> Result<Parts<u32>, OutOfMemory> {
    // Most files number their vertices from 0, and then their edges need not be touched.
    let edges = if lowest == 0 { I::as_vertices(edges) } else { Err(edges) };
    edges.or_else(|edges| rename(edges, |id| id - lowest))
}

fn rename<I: Id>(edges: Parts<I>, vertex: impl Fn(u64) -> u64 + Sync) -> Result<Parts<u32>, OutOfMemory> {
    let vertex = |id: I| vertex(id.into()) as u32;
    let rename_part = |part: Vec<(I, I)>| {
        let length = part.len();
        let edges = part.into_iter().map(|(source, destination)| (vertex(source), vertex(destination)));
        if size_of::<I>() == size_of::<u32>() {
            // Takes the place of the ids.
            return Ok(edges.collect());
        }
        let mut renamed = memory::vector(length, IDS)?;
        renamed.extend(edges);
        Ok(renamed)
    };
    edges.into_par_iter().map(rename_part).collect()
}

/// All ids, each once, ascending.
fn distinct<I: Id>(edges: &Parts<I>) -> Result<Vec<u64>, OutOfMemory> {
    let ends = |part: &Vec<(I, I)>| {
        let mut ids = memory::vector(2 * part.len(), IDS)?;
        ids.extend(part.iter().flat_map(|edge| [edge.0.into(), edge.1.into()]));
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    };
    let parts: Vec<Vec<u64>> = edges.par_iter().map(ends).collect::<Result<_, OutOfMemory>>()?;
    let mut ids = memory::concat(&parts, IDS)?;
    ids.par_sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Which ids from `first` on occur, a bit each.
struct Present {
    first: u64,
    words: Vec<u64>,
    /// The number of ids that occur before each word.
    before: Vec<u32>,
    count: u64,
}

impl Present {
    fn of<I: Id>(edges: &Parts<I>, first: u64, last: u64) -> Result<Self, OutOfMemory> {
        let mut words: Vec<u64> = memory::zeroed(((last - first) / 64 + 1) as usize, IDS)?;
        let shared = atomic(&mut words);
        edges.par_iter().flatten_iter().for_each(|&(source, destination)| {
            mark(shared, source.into() - first);
            mark(shared, destination.into() - first);
        });
        let mut count = 0;
        let mut before = memory::vector(words.len(), IDS)?;
        for word in &words {
            before.push(count as u32);
            count += u64::from(word.count_ones());
        }
        Ok(Self { first, words, before, count })
    }

    fn rank(&self, id: u64) -> u64 {
        let (word, bit) = (((id - self.first) / 64) as usize, (id - self.first) % 64);
        let below = self.words[word] & ((1 << bit) - 1);
        u64::from(self.before[word]) + u64::from(below.count_ones())
    }

    fn ids(&self) -> Result<Vec<u64>, OutOfMemory> {
        let has = |index: &u64| self.words[(index / 64) as usize] >> (index % 64) & 1 == 1;
        let mut ids = memory::vector(self.count as usize, IDS)?;
        ids.extend((0..self.words.len() as u64 * 64).filter(has).map(|index| self.first + index));
        Ok(ids)
    }
}

/// The words as several threads may change them.
fn atomic(words: &mut [u64]) -> &[AtomicU64] {
    // SAFETY: both types have the same form in memory, and the borrow keeps everybody else away.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU64]) }
}

#[inline]
fn mark(words: &[AtomicU64], index: u64) {
    let (word, bit) = (&words[(index / 64) as usize], 1 << (index % 64));
    // Most ids were seen before, and a load does not take the cache line away from the other threads.
    if word.load(Ordering::Relaxed) & bit == 0 {
        word.fetch_or(bit, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(edges: Vec<(u64, u64)>) -> VertexIds {
        let (ids, renamed) = compact(vec![edges.clone(), Vec::new()]).unwrap();
        for (edge, vertices) in edges.iter().zip(&renamed[0]) {
            assert_eq!(*edge, (ids.original(vertices.0), ids.original(vertices.1)));
            assert_eq!((Some(vertices.0), Some(vertices.1)), (ids.lookup(edge.0), ids.lookup(edge.1)));
        }
        assert!((1..ids.len() as u32).all(|vertex| ids.original(vertex - 1) < ids.original(vertex)));
        ids
    }

    #[test]
    fn a_dense_range_stays_in_place() {
        assert!(matches!(check(vec![(5, 7), (6, 8)]), VertexIds::Dense { first: 5, count: 4 }));
    }

    #[test]
    fn near_ids_are_ranked() {
        assert_eq!(check(vec![(900, 3), (70, 3), (64, 128)]).len(), 5);
    }

    #[test]
    fn far_ids_are_searched() {
        assert_eq!(check(vec![(u64::MAX, 0), (1 << 40, 0)]).len(), 3);
        assert_eq!(check(vec![(0, u64::MAX)]).len(), 2);
    }
}
