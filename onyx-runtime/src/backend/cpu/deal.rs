//! Work dealt out to threads. The dealing is compiled once, not for every stage and width of every fold: those are handed in as `dyn`.

use onyx_device::Machine;
use onyx_device::property::GraphData;
use rayon::prelude::*;

use super::stage::Dealing;
use super::threads;

/// What is dealt out by numbers.
pub(super) trait Work: Sync {
    /// The data of the fold whose work it is.
    type Data: GraphData;
    /// What a number results in.
    type Output: Send;
    /// Whether wide vectors make it faster, so that it is worth the compiler's time to have it twice.
    const TAKES_VECTORS: bool;

    /// Does what has a number, on a machine of one lane. It must be inlined, to become instructions of the caller's processor.
    fn run<M: Machine>(&self, machine: M, number: usize) -> Self::Output;
}

/// Does the work of each number below `count`, on all threads, which `watch` hears.
pub(super) fn each<W: Work<Output = ()>>(count: usize, dealing: Dealing<'_>, work: &W) {
    deal(count, dealing, &|number| dealing.vectors.run(work, number));
}

/// The same, and what it returns, in order.
pub(super) fn words<W: Work<Output = u32>>(count: usize, dealing: Dealing<'_>, work: &W) -> Vec<u32> {
    deal_words(count, dealing, &|number| dealing.vectors.run(work, number))
}

/// Does something with each number below `count`, on all threads, or on the calling one where there is little to do.
pub(super) fn deal(count: usize, dealing: Dealing<'_>, work: &(dyn Fn(usize) + Sync)) {
    let Dealing { watch, features, is_small, .. } = dealing;
    let all = || {
        if is_small {
            let _here = watch.here();
            return (0..count).for_each(work);
        }
        (0..count).into_par_iter().for_each_init(|| watch.here(), |_here, number| work(number));
    };
    threads::install(features, all);
}

fn deal_words(count: usize, dealing: Dealing<'_>, work: &(dyn Fn(usize) -> u32 + Sync)) -> Vec<u32> {
    let Dealing { watch, features, is_small, .. } = dealing;
    let all = || {
        if is_small {
            let _here = watch.here();
            return (0..count).map(work).collect();
        }
        (0..count).into_par_iter().map_init(|| watch.here(), |_here, number| work(number)).collect()
    };
    threads::install(features, all)
}
