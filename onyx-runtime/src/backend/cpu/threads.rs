//! Threads with large stacks. Without optimization each operation on a matrix has room of its own there, 64 KiB for 128 features, and a few dozen of them are
//! more than the 2 MiB that threads have otherwise.

use std::sync::OnceLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::memory;

/// The most compiled features whose matrices fit the usual stacks.
const FEATURES: usize = 32;
/// The stack of a thread: addresses, of which memory is taken where they are used.
const STACK: usize = 1 << 24;

/// Does `work` that deals itself out, for folds that are compiled for so many features: on threads whose stacks are large enough for it. What is called from a
/// thread of a pool stays in that pool.
pub(super) fn install<T: Send>(features: usize, work: impl FnOnce() -> T + Send) -> T {
    let is_deep = cfg!(debug_assertions) && features > FEATURES && rayon::current_thread_index().is_none();
    match is_deep.then(deep).flatten() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// As many threads as there are otherwise; none where addresses are limited, or they cannot be started.
fn deep() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let builder = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).stack_size(STACK);
        if memory::is_limited() { None } else { builder.build().ok() }
    };
    POOL.get_or_init(start).as_ref()
}
