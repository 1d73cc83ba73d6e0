//! A parallel stable counting sort of edges into rows.
//!
//! Edges go to buckets of neighboring rows first, then each bucket, which fits a processor cache, is counted and
//! placed row by row. Both steps keep the order of equal rows, so the result does not depend on the number of threads.

use std::slice::IterMut;

use rayon::prelude::*;

/// Edges that arrive in parts, each of which one thread visits in order.
pub(super) trait Items: Sync {
    /// What each edge carries besides its ends.
    type Payload: Copy + Default + Send + Sync;

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

/// Rows are cut into at most this many buckets.
const BUCKETS: u32 = 512;

type Moved<P> = (u32, u32, P);

/// Sorts `items` into `row_count` rows; every row visited must be below `row_count`.
pub(super) fn group<I: Items>(row_count: usize, items: &I) -> Rows<I::Payload> {
    let shift = bucket_shift(row_count);
    let bucket_count = row_count.div_ceil(1 << shift);
    let histograms: Vec<Vec<usize>> =
        (0..items.parts()).into_par_iter().map(|part| histogram(items, part, bucket_count, shift)).collect();
    let moved = scatter(items, &histograms, bucket_count, shift);
    let lengths: Vec<usize> =
        (0..bucket_count).map(|bucket| histograms.iter().map(|histogram| histogram[bucket]).sum()).collect();
    place_buckets(row_count, shift, &lengths, &moved)
}

/// The power of two of rows that make a bucket.
fn bucket_shift(row_count: usize) -> u32 {
    let mut shift = 0;
    while row_count.div_ceil(1 << shift) > BUCKETS as usize {
        shift += 1;
    }
    shift
}

fn histogram<I: Items>(items: &I, part: usize, bucket_count: usize, shift: u32) -> Vec<usize> {
    let mut counts = vec![0; bucket_count];
    items.visit(part, |row, _, _| counts[(row >> shift) as usize] += 1);
    counts
}

/// Moves each edge to its bucket; within a bucket, parts follow each other in order.
fn scatter<I: Items>(items: &I, histograms: &[Vec<usize>], buckets: usize, shift: u32) -> Vec<Moved<I::Payload>> {
    let total = histograms.iter().flatten().sum();
    let mut moved = vec![Moved::default(); total];
    let mut cursors: Vec<Vec<IterMut<Moved<I::Payload>>>> =
        histograms.iter().map(|_| Vec::with_capacity(buckets)).collect();
    let mut rest = &mut moved[..];
    for bucket in 0..buckets {
        for (part, histogram) in histograms.iter().enumerate() {
            cursors[part].push(rest.split_off_mut(..histogram[bucket]).expect("the counts add up").iter_mut());
        }
    }
    cursors.into_par_iter().enumerate().for_each(|(part, mut cursors)| {
        items.visit(part, |row, neighbor, payload| {
            let place = cursors[(row >> shift) as usize].next().expect("counted before");
            *place = (row, neighbor, payload);
        });
    });
    moved
}

fn place_buckets<P: Copy + Default + Send + Sync>(
    row_count: usize,
    shift: u32,
    lengths: &[usize],
    moved: &[Moved<P>],
) -> Rows<P> {
    let mut offsets = vec![0; row_count + 1];
    let (mut neighbors, mut payload) = (vec![0; moved.len()], vec![P::default(); moved.len()]);
    offsets[row_count] = moved.len();
    let mut begin = 0;
    let buckets: Vec<Bucket<P>> = offsets[..row_count]
        .chunks_mut(1 << shift)
        .zip(lengths)
        .zip(split_mut(&mut neighbors, lengths).into_iter().zip(split_mut(&mut payload, lengths)))
        .enumerate()
        .map(|(index, ((offsets, &length), (neighbors, payload)))| {
            begin += length;
            let moved = &moved[begin - length..begin];
            Bucket { first_row: index << shift, begin: begin - length, moved, offsets, neighbors, payload }
        })
        .collect();
    buckets.into_par_iter().for_each(Bucket::place);
    Rows { offsets, neighbors, payload }
}

/// One bucket's edges and the places its rows get.
struct Bucket<'a, P> {
    first_row: usize,
    begin: usize,
    moved: &'a [Moved<P>],
    offsets: &'a mut [usize],
    neighbors: &'a mut [u32],
    payload: &'a mut [P],
}

impl<P: Copy> Bucket<'_, P> {
    fn place(self) {
        let mut ends = vec![0; self.offsets.len()];
        for (row, _, _) in self.moved {
            ends[*row as usize - self.first_row] += 1;
        }
        let mut next = 0;
        for (offset, end) in self.offsets.iter_mut().zip(&mut ends) {
            *offset = self.begin + next;
            next += std::mem::replace(end, next);
        }
        for &(row, neighbor, payload) in self.moved {
            let end = &mut ends[row as usize - self.first_row];
            self.neighbors[*end] = neighbor;
            self.payload[*end] = payload;
            *end += 1;
        }
        let mut begin = 0;
        for end in ends {
            sort_row(&mut self.neighbors[begin..end], &mut self.payload[begin..end]);
            begin = end;
        }
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
