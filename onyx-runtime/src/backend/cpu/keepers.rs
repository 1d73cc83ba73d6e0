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
                    look_for_work(&is_over);
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

/// Does what work there is in the pool, until the run is over, another one begins, or there has long been none.
fn look_for_work(is_over: &AtomicBool) {
    let mut since = Instant::now();
    while !is_over.load(Ordering::Relaxed) && RUNS.load(Ordering::Relaxed) == 1 && since.elapsed() < PATIENCE {
        match rayon::yield_now() {
            Some(Yield::Executed) => since = Instant::now(),
            _ => (0..PAUSES).for_each(|_| hint::spin_loop()),
        }
    }
}
