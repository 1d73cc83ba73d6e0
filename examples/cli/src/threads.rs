//! The threads of a program, which are all there before anything is allocated that grows with the input.

use std::io::{self, ErrorKind};
use std::sync::mpsc;
use std::thread::{self, Builder};

use onyx_runtime::memory::{self, Bytes};
use rayon::{ThreadBuilder, ThreadPoolBuilder};

use super::error::CliError;

/// The stack of a thread. Without optimization, each operation on a matrix of 128 rows has 64 KiB there for itself.
const STACK: usize = if cfg!(debug_assertions) { 1 << 22 } else { 1 << 21 };
/// What a thread needs besides: a stack for signals, and what the allocator sets apart for it.
const BESIDES: usize = 1 << 19;
/// The stack of the main thread. It is there from the beginning, while the one that a process is given grows, and ends the process where it
/// cannot.
const MAIN_STACK: usize = 1 << 23;

/// More threads than this wait for each other longer than any work takes.
const MOST: usize = 4096;

/// Starts a thread for each core, or as many as `RAYON_NUM_THREADS` says.
///
/// # Errors
/// They cannot be started.
pub fn start() -> Result<(), CliError> {
    if count() > MOST {
        return Err(CliError::Threads { threads: count(), reason: format!("{MOST} are the most") });
    }
    share_memory();
    let pool = ThreadPoolBuilder::new().stack_size(STACK).spawn_handler(spawn);
    pool.build_global().map_err(|error| CliError::Threads { threads: count(), reason: error.to_string() })
}

/// Has all threads allocate from one place where addresses are limited: glibc sets 64 MiB of them apart for each thread otherwise.
fn share_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if memory::is_limited() {
        // SAFETY: changes a setting of the allocator. Where it is not possible, nothing is lost.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// How many threads there are to be.
fn count() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|count| count.parse().ok()).filter(|count| *count > 0);
    asked.or_else(|| thread::available_parallelism().ok().map(Into::into)).unwrap_or(1)
}

/// Starts a thread and waits until it runs: what a thread sets up for itself before that must not fail, so that nothing else may take the
/// memory meanwhile.
fn spawn(thread: ThreadBuilder) -> io::Result<()> {
    check(STACK)?;
    let (started, runs) = mpsc::sync_channel(1);
    let run = move || {
        // Nobody waits any more if the program is at its end.
        let _ = started.send(());
        thread.run();
    };
    Builder::new().stack_size(STACK).spawn(run)?;
    runs.recv().map_err(io::Error::other)
}

/// Whether there is room for a thread, besides the main one.
pub fn has_room() -> bool {
    check(STACK + MAIN_STACK).is_ok()
}

/// Whether there is room for a thread with a stack of so many bytes.
fn check(stack: usize) -> io::Result<()> {
    let needed = (stack + BESIDES) as u64;
    match memory::available() {
        Some(available) if available < needed => Err(io::Error::new(
            ErrorKind::OutOfMemory,
            format!("one more needs {} of memory, and {} available", Bytes(needed), Bytes(available)),
        )),
        _ => Ok(()),
    }
}

/// Runs `main` as the first work of the pool, which hands on work without going to sleep until the others have done it. Who waits for it is a thread whose stack is there from the
/// beginning.
///
/// # Errors
/// There is no room for it; or as `main`.
pub fn with_stack(main: impl FnOnce() -> Result<(), CliError> + Send) -> Result<(), CliError> {
    let failed = |error: io::Error| CliError::Threads { threads: 1, reason: error.to_string() };
    check(MAIN_STACK).map_err(failed)?;
    thread::scope(|scope| {
        let in_pool = || rayon::scope(|_| main());
        let thread = Builder::new().name("main".to_owned()).stack_size(MAIN_STACK).spawn_scoped(scope, in_pool);
        match thread.map_err(failed)?.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
