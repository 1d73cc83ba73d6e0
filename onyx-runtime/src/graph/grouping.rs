//! A parallel stable counting sort of edges into rows.
//!
//! A stable sort has one result only, so that it depends neither on the number of threads nor on the way it is done:
//! directly where there are few rows, through buckets of rows where there are many.

use rayon::prelude::*;

use super::{bucket, direct};

/// Up to this many rows, a thread's counters about fit its share of the processor's caches.
const DIRECT_ROWS: usize = 1 << 19;

/// Edges that arrive in parts, each of which one thread visits in order.
pub(super) trait Items: Sync {
    /// What each edge carries besides its ends.
    type Payload: Copy + Default + Send + Sync;

    /// Whether the edges of each row are visited in ascending order of neighbor, so that rows need no sorting.
    const ASCENDING: bool;

    /// At least the number of edges that all visits together place.
    fn most(&self) -> usize;

    /// The number of parts.
    fn parts(&self) -> usize;

    /// Calls `place(row, neighbor, payload)` for each edge of `part`, each time in the same order.
    fn visit(&self, part: usize, place: impl FnMut(u32, u32, Self::Payload));
}

/// Edges by row: `offsets` has one entry more than rows; each row is ascending by neighbor, equal ones in visiting order.
pub(super) struct Rows<P> {
    pub offsets: Vec<usize>,
    pub neighbors: Vec<u32>,
    pub payload: Vec<P>,
}

/// Sorts `items` into `row_count` rows; every row visited must be below `row_count`.
pub(super) fn group<I: Items>(row_count: usize, items: &I) -> Rows<I::Payload> {
    if row_count <= DIRECT_ROWS && u32::try_from(items.most()).is_ok() {
        direct::group(row_count, items)
    } else {
        bucket::group(row_count, items)
    }
}

/// Sorts each row by neighbor, equal ones in the order they came; `ends` are where the rows end.
pub(super) fn sort_rows<P: Copy>(ends: impl IntoIterator<Item = usize>, neighbors: &mut [u32], payload: &mut [P]) {
    let mut begin = 0;
    for end in ends {
        sort_row(&mut neighbors[begin..end], &mut payload[begin..end]);
        begin = end;
    }
}

/// Sorts one row by neighbor, equal ones in the order they came.
fn sort_row<P: Copy>(neighbors: &mut [u32], payload: &mut [P]) {
    if neighbors.is_sorted() {
        return;
    }
    if size_of::<P>() == 0 {
        return neighbors.sort_unstable();
    }
    let mut pairs: Vec<(u32, P)> = neighbors.iter().copied().zip(payload.iter().copied()).collect();
    pairs.sort_by_key(|pair| pair.0);
    for (place, pair) in neighbors.iter_mut().zip(payload).zip(pairs) {
        (*place.0, *place.1) = pair;
    }
}

/// Cuts `slice` into consecutive pieces of the given `lengths`, which must not add up to more than there is.
pub(super) fn split_mut<'a, T>(mut slice: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    lengths.iter().map(|&length| slice.split_off_mut(..length).expect("the lengths add up")).collect()
}

impl<P: Copy + Send + Sync> Rows<P> {
    /// Keeps the first of the equal neighbors of each row.
    pub fn merged(self) -> Self {
        let rows_of_block = (self.offsets.len() / (rayon::current_num_threads() * 8)).max(1024);
        let blocks: Vec<Rows<P>> = self.offsets[..self.offsets.len() - 1]
            .par_chunks(rows_of_block)
            .enumerate()
            .map(|(block, rows)| self.merge_rows(block * rows_of_block, rows.len()))
            .collect();
        Self::joined(blocks)
    }

    /// The merged rows `first..first + count`, with offsets that are the rows' lengths.
    fn merge_rows(&self, first: usize, count: usize) -> Rows<P> {
        let mut merged = Rows { offsets: Vec::with_capacity(count), neighbors: Vec::new(), payload: Vec::new() };
        for row in first..first + count {
            let begin = merged.neighbors.len();
            for position in self.offsets[row]..self.offsets[row + 1] {
                if merged.neighbors[begin..].last() != Some(&self.neighbors[position]) {
                    merged.neighbors.push(self.neighbors[position]);
                    merged.payload.push(self.payload[position]);
                }
            }
            merged.offsets.push(merged.neighbors.len() - begin);
        }
        merged
    }

    /// Puts `blocks`, whose offsets are row lengths, one after the other.
    fn joined(blocks: Vec<Rows<P>>) -> Self {
        let mut offsets = vec![0];
        let (mut neighbors, mut payload) = (Vec::new(), Vec::new());
        for block in blocks {
            for length in block.offsets {
                offsets.push(offsets[offsets.len() - 1] + length);
            }
            neighbors.extend_from_slice(&block.neighbors);
            payload.extend_from_slice(&block.payload);
        }
        Self { offsets, neighbors, payload }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Edges in parts of seven, each with its place in the list.
    struct Listed(Vec<(u32, u32)>);

    impl Items for Listed {
        type Payload = u32;
        const ASCENDING: bool = false;

        fn most(&self) -> usize {
            self.0.len()
        }

        fn parts(&self) -> usize {
            self.0.len().div_ceil(7)
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
            prop_assert_eq!(&entries(&direct::group(2000, &items)), &sorted);
            prop_assert_eq!(&entries(&bucket::group(2000, &items)), &sorted);
        }
    }
}
