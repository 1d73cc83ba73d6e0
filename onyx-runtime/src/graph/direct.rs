//! Counting sort of edges among so few rows that each thread can count all of them.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::grouping::{Items, ROWS, Rows, sort_rows, split_mut};
use super::meter::Meter;
use crate::memory::{self, OutOfMemory};

/// At most this many threads count, as each has a counter for every row.
const RUNS: usize = 16;

/// Sorts `items`, at most `u32::MAX` edges, into `row_count` rows.
pub(super) fn group<I: Items>(row_count: usize, items: &I, meter: &Meter) -> Result<Rows<I::Payload>, OutOfMemory> {
    let runs = runs(items.parts());
    let count_run = |run: &Range<usize>| count(items, run.clone(), row_count, meter);
    let mut counters: Vec<Vec<u32>> = runs.par_iter().map(count_run).collect::<Result<_, _>>()?;
    let offsets = starts(&mut counters, row_count)?;
    let mut rows = scatter(items, runs, counters, offsets, meter)?;
    if !I::ASCENDING {
        sort_blocks(&mut rows)?;
    }
    Ok(rows)
}

/// Cuts the parts into one run of parts for each thread that counts.
fn runs(parts: usize) -> Vec<Range<usize>> {
    let count = rayon::current_num_threads().min(RUNS).min(parts);
    (0..count).map(|run| parts * run / count..parts * (run + 1) / count).collect()
}

fn count<I: Items>(items: &I, parts: Range<usize>, row_count: usize, meter: &Meter) -> Result<Vec<u32>, OutOfMemory> {
    let mut counters = memory::zeroed(row_count, ROWS)?;
    for part in parts {
        items.visit(part, |row, _, _| counters[row as usize] += 1);
        meter.add(items.size(part));
    }
    Ok(counters)
}

/// Turns each run's counters into the places of its first edges, and returns the offsets of the rows.
fn starts(counters: &mut [Vec<u32>], row_count: usize) -> Result<Vec<usize>, OutOfMemory> {
    let mut offsets = memory::vector(row_count + 1, ROWS)?;
    let mut next = 0u32;
    for row in 0..row_count {
        offsets.push(next as usize);
        for counters in &mut *counters {
            next += std::mem::replace(&mut counters[row], next);
        }
    }
    offsets.push(next as usize);
    Ok(offsets)
}

fn scatter<I: Items>(
    items: &I,
    runs: Vec<Range<usize>>,
    starts: Vec<Vec<u32>>,
    offsets: Vec<usize>,
    meter: &Meter,
) -> Result<Rows<I::Payload>, OutOfMemory> {
    let edge_count = offsets[offsets.len() - 1];
    let (mut neighbors, mut payload) = (memory::zeroed(edge_count, ROWS)?, memory::zeroed(edge_count, ROWS)?);
    let (neighbor_cells, payload_cells) = (Cells::of(&mut neighbors), Cells::of(&mut payload));
    runs.into_par_iter().zip(starts).for_each(|(parts, mut places)| {
        for part in parts {
            items.visit(part, |row, neighbor, payload| {
                let place = &mut places[row as usize];
                // SAFETY: a visit repeats what was counted, so every edge has a place of its own.
                unsafe {
                    neighbor_cells.write(*place as usize, neighbor);
                    payload_cells.write(*place as usize, payload);
                }
                *place += 1;
            });
            meter.add(items.size(part));
        }
    });
    Ok(Rows { offsets, neighbors, payload })
}

/// Sorts every row, blocks of rows in parallel.
fn sort_blocks<P: Copy + Send>(rows: &mut Rows<P>) -> Result<(), OutOfMemory> {
    let row_count = rows.offsets.len() - 1;
    let size = (row_count / (rayon::current_num_threads() * 8)).max(256);
    let blocks: Vec<&[usize]> = rows.offsets[1..].chunks(size).collect();
    let bounds: Vec<usize> =
        rows.offsets[..row_count].iter().step_by(size).copied().chain(rows.offsets.last().copied()).collect();
    let lengths: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let arrays = split_mut(&mut rows.neighbors, &lengths).into_iter().zip(split_mut(&mut rows.payload, &lengths));
    let blocks: Vec<_> = blocks.into_iter().zip(bounds).zip(arrays).collect();
    blocks.into_par_iter().try_for_each(|((ends, begin), (neighbors, payload))| {
        sort_rows(ends.iter().map(|end| end - begin), neighbors, payload)
    })
}

/// A slice that several threads write to, each to places of its own.
struct Cells<'a, T> {
    pointer: *mut T,
    length: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: values are only moved in, and `write` asks its callers to keep the threads apart.
unsafe impl<T: Send> Sync for Cells<'_, T> {}

impl<'a, T: Copy> Cells<'a, T> {
    fn of(slice: &'a mut [T]) -> Self {
        Self { pointer: slice.as_mut_ptr(), length: slice.len(), slice: PhantomData }
    }

    /// Sets element `index`; panics past the end.
    ///
    /// # Safety
    ///
    /// No other thread may write to `index` while the cells live.
    #[inline]
    unsafe fn write(&self, index: usize, value: T) {
        assert!(index < self.length, "place {index} of {}", self.length);
        // SAFETY: within the slice, and nobody else's by the contract.
        unsafe { self.pointer.add(index).write(value) }
    }
}
