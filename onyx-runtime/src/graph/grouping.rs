//! A parallel stable counting sort of edges into rows.
//!
//! A stable sort has one result only, so that it depends neither on the number of threads nor on the way it is done:
//! directly where there are few rows, through buckets of rows where there are many.

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::meter::Meter;
use super::{bucket, direct};
use crate::memory::{self, OutOfMemory};

/// Up to this many rows, a thread's counters about fit its share of the processor's caches.
const DIRECT_ROWS: usize = 1 << 19;
/// What needs the memory.
pub(super) const ROWS: &str = "the rows of the graph";

/// Edges that arrive in parts, each of which one thread visits in order.
pub(super) trait Items: Sync {
    /// What each edge carries besides its ends.
    type Payload: Copy + Zeroable + Send + Sync;

    /// Whether the edges of each row are visited in ascending order of neighbor, so that rows need no sorting.
    const ASCENDING: bool;

    /// The number of parts.
    fn parts(&self) -> usize;

    /// At least the number of edges that a visit of `part` places.
    fn size(&self, part: usize) -> usize;

    /// Calls `place(row, neighbor, payload)` for each edge of `part`, each time in the same order.
    fn visit(&self, part: usize, place: impl FnMut(u32, u32, Self::Payload));

    /// At least the number of edges that all visits together place.
    fn most(&self) -> usize {
        (0..self.parts()).map(|part| self.size(part)).sum()
    }
}

/// Edges by row: `offsets` has one entry more than rows; each row is ascending by neighbor, equal ones in visiting order.
pub(super) struct Rows<P> {
    pub offsets: Vec<usize>,
    pub neighbors: Vec<u32>,
    pub payload: Vec<P>,
}

/// Sorts `items` into `row_count` rows; every row visited must be below `row_count`.
pub(super) fn group<I: Items>(row_count: usize, items: &I, meter: &Meter) -> Result<Rows<I::Payload>, OutOfMemory> {
    if row_count <= DIRECT_ROWS && u32::try_from(items.most()).is_ok() {
        direct::group(row_count, items, meter)
    } else {
        bucket::group(row_count, items, meter)
    }
}

/// Sorts each row by neighbor, equal ones in the order they came; `ends` are where the rows end.
pub(super) fn sort_rows<P: Copy>(
    ends: impl IntoIterator<Item = usize>,
    neighbors: &mut [u32],
    payload: &mut [P],
) -> Result<(), OutOfMemory> {
    let mut begin = 0;
    for end in ends {
        sort_row(&mut neighbors[begin..end], &mut payload[begin..end])?;
        begin = end;
    }
    Ok(())
}

/// Sorts one row by neighbor, equal ones in the order they came.
fn sort_row<P: Copy>(neighbors: &mut [u32], payload: &mut [P]) -> Result<(), OutOfMemory> {
    if neighbors.is_sorted() {
        return Ok(());
    }
    if size_of::<P>() == 0 {
        neighbors.sort_unstable();
        return Ok(());
    }
    let pairs = neighbors.iter().copied().zip(payload.iter().copied()).enumerate();
    let mut pairs = memory::collect(pairs.map(|(place, (neighbor, payload))| (neighbor, place, payload)), ROWS)?;
    // With the place as part of the key this is stable, and takes no memory.
    pairs.sort_unstable_by_key(|&(neighbor, place, _)| (neighbor, place));
    for ((neighbor, payload), pair) in neighbors.iter_mut().zip(payload).zip(pairs) {
        (*neighbor, *payload) = (pair.0, pair.2);
    }
    Ok(())
}

/// Cuts `slice` into consecutive pieces of the given `lengths`, which must not add up to more than there is.
pub(super) fn split_mut<'a, T>(mut slice: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    lengths.iter().map(|&length| slice.split_off_mut(..length).expect("the lengths add up")).collect()
}

/// Why equal edges did not become one.
#[derive(Debug)]
pub(super) enum MergeError<P> {
    /// There is no memory.
    Memory(OutOfMemory),
    /// Two of them carry what does not agree.
    Differ {
        /// Their row.
        row: usize,
        /// Their neighbor.
        neighbor: u32,
        /// What the first of them carries.
        first: P,
        /// What another one carries.
        second: P,
    },
}

impl<P> From<OutOfMemory> for MergeError<P> {
    fn from(error: OutOfMemory) -> Self {
        Self::Memory(error)
    }
}

impl<P: Copy + Send + Sync> Rows<P> {
    /// Keeps the first of the equal neighbors of each row, with which the others must `agree`.
    pub fn merged(self, agree: impl Fn(P, P) -> bool + Sync) -> Result<Self, MergeError<P>> {
        let rows_of_block = (self.offsets.len() / (rayon::current_num_threads() * 8)).max(1024);
        let blocks: Vec<Result<Rows<P>, MergeError<P>>> = self.offsets[..self.offsets.len() - 1]
            .par_chunks(rows_of_block)
            .enumerate()
            .map(|(block, rows)| self.merge_rows(block * rows_of_block, rows.len(), &agree))
            .collect();
        // The first one that is found in the order of rows, whatever the number of threads.
        let blocks = blocks.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Self::joined(&blocks)?)
    }

    /// The merged rows `first..first + count`, with offsets that are the rows' lengths.
    fn merge_rows(&self, first: usize, count: usize, agree: &impl Fn(P, P) -> bool) -> Result<Rows<P>, MergeError<P>> {
        let most = self.offsets[first + count] - self.offsets[first];
        let (neighbors, payload) = (memory::vector(most, ROWS)?, memory::vector(most, ROWS)?);
        let mut merged = Rows { offsets: memory::vector(count, ROWS)?, neighbors, payload };
        for row in first..first + count {
            let begin = merged.neighbors.len();
            for position in self.offsets[row]..self.offsets[row + 1] {
                let (neighbor, payload) = (self.neighbors[position], self.payload[position]);
                if merged.neighbors[begin..].last() != Some(&neighbor) {
                    merged.neighbors.push(neighbor);
                    merged.payload.push(payload);
                } else if let Some(first) = merged.payload.last().copied().filter(|first| !agree(*first, payload)) {
                    return Err(MergeError::Differ { row, neighbor, first, second: payload });
                }
            }
            merged.offsets.push(merged.neighbors.len() - begin);
        }
        Ok(merged)
    }

    /// Puts `blocks`, whose offsets are row lengths, one after the other.
    fn joined(blocks: &[Rows<P>]) -> Result<Self, OutOfMemory> {
        let sum = |length: fn(&Rows<P>) -> usize| blocks.iter().map(length).sum();
        let edges = sum(|block| block.neighbors.len());
        let mut offsets = memory::vector(sum(|block| block.offsets.len()) + 1, ROWS)?;
        offsets.push(0);
        let (mut neighbors, mut payload) = (memory::vector(edges, ROWS)?, memory::vector(edges, ROWS)?);
        for block in blocks {
            for length in &block.offsets {
                offsets.push(offsets[offsets.len() - 1] + length);
            }
            neighbors.extend_from_slice(&block.neighbors);
            payload.extend_from_slice(&block.payload);
        }
        Ok(Self { offsets, neighbors, payload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::UNWATCHED;
    use proptest::prelude::*;

    /// Edges in parts of seven, each with its place in the list.
    struct Listed(Vec<(u32, u32)>);

    impl Items for Listed {
        type Payload = u32;
        const ASCENDING: bool = false;

        fn parts(&self) -> usize {
            self.0.len().div_ceil(7)
        }

        fn size(&self, part: usize) -> usize {
            (self.0.len() - part * 7).min(7)
        }

        fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, u32)) {
            for (index, &(row, neighbor)) in self.0.iter().enumerate().skip(part * 7).take(7) {
                place(row, neighbor, index as u32);
            }
        }
    }

    fn entries(rows: &Rows<u32>) -> Vec<(u32, u32, u32)> {
        let row = |row: usize| (rows.offsets[row]..rows.offsets[row + 1]).map(move |at| (row as u32, at));
        let places = (0..rows.offsets.len() - 1).flat_map(row);
        places.map(|(row, at)| (row, rows.neighbors[at], rows.payload[at])).collect()
    }

    proptest! {
        #[test]
        fn both_ways_are_one_stable_sort(edges in prop::collection::vec((0u32..2000, 0u32..30), 0..200)) {
            let mut sorted: Vec<_> = edges.iter().zip(0..).map(|(edge, index)| (edge.0, edge.1, index)).collect();
            sorted.sort_unstable();
            let items = Listed(edges);
            let meter = Meter::new(UNWATCHED, 2 * items.most());
            prop_assert_eq!(&entries(&direct::group(2000, &items, &meter).unwrap()), &sorted);
            prop_assert_eq!(&entries(&bucket::group(2000, &items, &meter).unwrap()), &sorted);
        }
    }
}
