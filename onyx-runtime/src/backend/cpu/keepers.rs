//! Threads that look for work while a run goes on.
//!
//! A thread of the pool that finds no work goes to sleep after some 20 us, and takes about as long to wake up. Between two kernels one thread alone decides how to go on, for about
//! that time, so that in each iteration the others would have just fallen asleep.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::Yield;

/// After so long without work a thread goes to sleep.
const PATIENCE: Duration = Duration::from_millis(1);
/// How many pauses of the processor lie between two looks, which disturb those who have work.
const PAUSES: usize = 16;

/// How many runs keep threads awake. Where there are several at once, each finds work at those of the others.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Keeps the threads of the pool awake, all but the one that has made it, as long as it lives and has work for them.
pub(super) struct Keepers {
    is_over: Arc<AtomicBool>,
}

impl Keepers {
    pub(super) fn new() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        if RUNS.fetch_add(1, Ordering::Relaxed) == 0 && !cfg!(miri) {
            let (own, is_over) = (rayon::current_thread_index(), Arc::clone(&is_over));
            rayon::spawn_broadcast(move |thread| {
                if Some(thread.index()) != own {
                    look_for_work(&is_over, &RUNS);
                }
            });
        }
        Self { is_over }
    }
}

impl Drop for Keepers {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        RUNS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does what work there is in the pool, until the run is over, there are several, or there has long been nothing to do.
fn look_for_work(is_over: &AtomicBool, runs: &AtomicUsize) {
    let mut since = Instant::now();
    while !is_over.load(Ordering::Relaxed) && runs.load(Ordering::Relaxed) == 1 {
        match rayon::yield_now() {
            Some(Yield::Executed) => since = Instant::now(),
            _ if since.elapsed() >= PATIENCE => return,
            _ => (0..PAUSES).for_each(|_| hint::spin_loop()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    /// Whether work that waits is done by a thread that looks for it, until it has found none for long.
    fn finds_work(is_over: bool, runs: usize) -> bool {
        let is_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&is_done);
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(move || {
            rayon::spawn(move || done.store(true, Ordering::Relaxed));
            look_for_work(&AtomicBool::new(is_over), &AtomicUsize::new(runs));
            is_done.load(Ordering::Relaxed)
        })
    }

    #[test]
    fn work_is_found_as_long_as_there_is_one_run() {
        assert!(finds_work(false, 1));
        assert!(!finds_work(true, 1), "the run is over");
        assert!(!finds_work(false, 2), "another run has begun");
    }
}
