//! Work dealt out to threads. It is compiled once, not for every stage and width of every fold: those are handed in as `dyn`.

use rayon::prelude::*;

use crate::watch::Watch;

/// Calls `work` with each number below `count`, on all threads, which `watch` hears.
pub(super) fn each(count: usize, watch: &Watch, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each_init(|| watch.here(), |_here, number| work(number));
}

/// The same, and what it returns, in order.
pub(super) fn words(count: usize, watch: &Watch, work: &(dyn Fn(usize) -> u32 + Sync)) -> Vec<u32> {
    (0..count).into_par_iter().map_init(|| watch.here(), |_here, number| work(number)).collect()
}
