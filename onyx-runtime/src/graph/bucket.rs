//! Counting sort of edges among so many rows that their counters outgrow the processor's caches.
//!
//! Edges go to buckets of neighboring rows first, then each bucket is counted and placed row by row.

use std::slice::IterMut;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::grouping::{Items, ROWS, Rows, sort_rows, split_mut};
use super::meter::Meter;
use crate::memory::{self, OutOfMemory};

/// Rows are cut into at most this many buckets.
const BUCKETS: u32 = 512;

type Moved<P> = (u32, u32, P);

/// Sorts `items` into `row_count` rows, bucket by bucket.
pub(super) fn group<I: Items>(row_count: usize, items: &I, meter: &Meter) -> Result<Rows<I::Payload>, OutOfMemory> {
    let shift = bucket_shift(row_count);
    let bucket_count = row_count.div_ceil(1 << shift);
    let histogram = |part| histogram(items, part, bucket_count, shift, meter);
    let histograms: Vec<Vec<usize>> =
        (0..items.parts()).into_par_iter().map(histogram).collect::<Result<_, OutOfMemory>>()?;
    let moved = scatter(items, &histograms, bucket_count, shift, meter)?;
    let lengths: Vec<usize> =
        (0..bucket_count).map(|bucket| histograms.iter().map(|histogram| histogram[bucket]).sum()).collect();
    place_buckets(row_count, shift, &lengths, &moved, I::ASCENDING)
}

/// The power of two of rows that make a bucket.
fn bucket_shift(row_count: usize) -> u32 {
    let mut shift = 0;
    while row_count.div_ceil(1 << shift) > BUCKETS as usize {
        shift += 1;
    }
    shift
}

fn histogram<I: Items>(
    items: &I,
    part: usize,
    bucket_count: usize,
    shift: u32,
    meter: &Meter,
) -> Result<Vec<usize>, OutOfMemory> {
    let mut counts = memory::zeroed(bucket_count, ROWS)?;
    items.visit(part, |row, _, _| counts[(row >> shift) as usize] += 1);
    meter.add(items.size(part));
    Ok(counts)
}

/// Moves each edge to its bucket; within a bucket, parts follow each other in order.
fn scatter<I: Items>(
    items: &I,
    histograms: &[Vec<usize>],
    buckets: usize,
    shift: u32,
    meter: &Meter,
) -> Result<Vec<Moved<I::Payload>>, OutOfMemory> {
    let total = histograms.iter().flatten().sum();
    let mut moved = memory::zeroed(total, ROWS)?;
    let mut cursors: Vec<Vec<IterMut<Moved<I::Payload>>>> =
        histograms.iter().map(|_| memory::vector(buckets, ROWS)).collect::<Result<_, _>>()?;
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
        meter.add(items.size(part));
    });
    Ok(moved)
}

fn place_buckets<P: Copy + Zeroable + Send + Sync>(
    row_count: usize,
    shift: u32,
    lengths: &[usize],
    moved: &[Moved<P>],
    ascending: bool,
) -> Result<Rows<P>, OutOfMemory> {
    let mut offsets = memory::zeroed(row_count + 1, ROWS)?;
    let (mut neighbors, mut payload) = (memory::zeroed(moved.len(), ROWS)?, memory::zeroed(moved.len(), ROWS)?);
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
    buckets.into_par_iter().try_for_each(|bucket| bucket.place(ascending))?;
    Ok(Rows { offsets, neighbors, payload })
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
    fn place(self, ascending: bool) -> Result<(), OutOfMemory> {
        let mut ends = self.starts()?;
        for &(row, neighbor, payload) in self.moved {
            let end = &mut ends[row as usize - self.first_row];
            self.neighbors[*end] = neighbor;
            self.payload[*end] = payload;
            *end += 1;
        }
        for (offset, end) in self.offsets[1..].iter_mut().zip(&ends) {
            *offset = self.begin + end;
        }
        self.offsets[0] = self.begin;
        if ascending { Ok(()) } else { sort_rows(ends, self.neighbors, self.payload) }
    }

    /// Where each row begins within the bucket.
    fn starts(&self) -> Result<Vec<usize>, OutOfMemory> {
        let mut counts = memory::zeroed(self.offsets.len(), ROWS)?;
        for (row, _, _) in self.moved {
            counts[*row as usize - self.first_row] += 1;
        }
        let mut next = 0;
        for count in &mut counts {
            next += std::mem::replace(count, next);
        }
        Ok(counts)
    }
}
