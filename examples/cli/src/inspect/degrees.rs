//! How many vertices have how many edges.

use onyx_runtime::memory::{self, OutOfMemory};
use rayon::prelude::*;
use serde::Serialize;

/// The distribution of numbers such as degrees or sizes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// The least; 0 if there are none.
    pub minimum: u32,
    /// The one that half of them do not exceed.
    pub median: u32,
    /// Their mean; 0 if there are none.
    pub mean: f64,
    /// The one that 99 % of them do not exceed.
    pub p99: u32,
    /// The greatest.
    pub maximum: u32,
    /// How many there are of each, by powers of two; up to the bin of the greatest.
    pub histogram: Vec<Bin>,
    /// How many there are of each number, ascending.
    #[serde(skip)]
    pub counts: Vec<(u32, u64)>,
}

/// How many numbers lie between two powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The least number that counts.
    pub from: u32,
    /// The greatest number that counts.
    pub to: u32,
    /// How many there are.
    pub count: u64,
}

impl Distribution {
    /// The distribution of `numbers`.
    ///
    /// # Errors
    /// There is no memory to sort them.
    pub fn of(numbers: impl Iterator<Item = u32>) -> Result<Self, OutOfMemory> {
        let mut sorted = memory::collect(numbers, "a distribution")?;
        sorted.par_sort_unstable();
        let counts = counts(&sorted);
        let sum: u64 = counts.iter().map(|(number, count)| u64::from(*number) * count).sum();
        Ok(Self {
            minimum: sorted.first().copied().unwrap_or(0),
            median: quantile(&sorted, 50),
            mean: sum as f64 / sorted.len().max(1) as f64,
            p99: quantile(&sorted, 99),
            maximum: sorted.last().copied().unwrap_or(0),
            histogram: histogram(&counts),
            counts,
        })
    }
}

/// The least of the sorted numbers that at least `percent` of them do not exceed; 0 if there are none.
fn quantile(sorted: &[u32], percent: usize) -> u32 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or(0)
}

/// How many there are of each number.
fn counts(sorted: &[u32]) -> Vec<(u32, u64)> {
    sorted.chunk_by(|one, next| one == next).map(|equal| (equal[0], equal.len() as u64)).collect()
}

/// The counts by powers of two: 0, 1, 2 to 3, 4 to 7, and so on.
fn histogram(counts: &[(u32, u64)]) -> Vec<Bin> {
    let bin_of = |number: u32| number.checked_ilog2().map_or(0, |power| power as usize + 1);
    let last = counts.last().map_or(0, |(greatest, _)| bin_of(*greatest) + 1);
    let mut bins: Vec<Bin> = (0..last).map(bin).collect();
    counts.iter().for_each(|(number, count)| bins[bin_of(*number)].count += count);
    bins
}

/// The bin of a place, without anything in it.
fn bin(place: usize) -> Bin {
    let from = if place == 0 { 0 } else { 1 << (place - 1) };
    // A bin has as many numbers as its least one says.
    Bin { from, to: from + from.saturating_sub(1), count: 0 }
}

impl std::fmt::Display for Bin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.from == self.to { write!(f, "{}", self.from) } else { write!(f, "{} to {}", self.from, self.to) }
    }
}
