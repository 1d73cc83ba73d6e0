//! The allocator of programs: when memory ends, they say so and exit, in place of being aborted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Write};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::thread;
use std::time::Duration;

use super::{Bytes, available};

/// The exit status of a program that has no memory.
const STATUS: i32 = 2;
/// What is set apart for the end: messages and the removal of files need some memory, too.
const RESERVE: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("the size is no multiple of the alignment"),
};

thread_local! {
    /// Whether this thread asks for memory that it can do without.
    static TRYING: Cell<bool> = const { Cell::new(false) };
    /// Whether this thread is ending the program.
    static ENDING: Cell<bool> = const { Cell::new(false) };
}

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static IS_ENDING: AtomicBool = AtomicBool::new(false);
static LAST: OnceLock<fn()> = OnceLock::new();

/// The system's allocator. Where it has no memory, and who asks for it cannot do without, the program says in one line what was needed and
/// what is available, and exits with the status 2.
///
/// ```
/// use onyx_runtime::memory::ExitingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: ExitingAllocator = ExitingAllocator;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExitingAllocator;

/// Has `last` run before [`ExitingAllocator`] ends the program, to remove what it would leave; sets some memory apart for that. Only the first
/// call counts.
pub fn before_exit(last: fn()) {
    if LAST.set(last).is_ok() {
        // SAFETY: the layout has a size. Without a reserve the end has to do with what there is.
        RESERVED.store(unsafe { System.alloc(RESERVE) }, Ordering::SeqCst);
    }
}

/// Runs `ask`, which can do without the memory that it asks for: there [`ExitingAllocator`] ends no program.
pub fn trying<T>(ask: impl FnOnce() -> T) -> T {
    let was = TRYING.replace(true);
    let answer = ask();
    TRYING.set(was);
    answer
}

/// What the system has given; where that is nothing, and who asked cannot do without, the program ends.
fn given(address: *mut u8, size: usize) -> *mut u8 {
    if address.is_null() && !TRYING.try_with(Cell::get).unwrap_or(false) {
        end(size);
    }
    address
}

#[cold]
fn end(size: usize) -> ! {
    if !ENDING.replace(true) {
        if IS_ENDING.swap(true, Ordering::SeqCst) {
            wait();
        }
        say(size);
        release();
        LAST.get().inspect(|last| last());
    }
    // SAFETY: ends the process, without its exit handlers, which may ask for memory.
    unsafe { libc::_exit(STATUS) }
}

/// Waits for the thread that is ending the program.
fn wait() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1));
    }
}

/// Gives the reserve back.
fn release() {
    let reserved = RESERVED.swap(ptr::null_mut(), Ordering::SeqCst);
    if !reserved.is_null() {
        // SAFETY: allocated by `before_exit` with this layout, and taken by no other thread.
        unsafe { System.dealloc(reserved, RESERVE) };
    }
}

/// Writes the message without memory of its own.
fn say(size: usize) {
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    let needed = Bytes(size as u64);
    let _ = match available() {
        Some(available) => {
            writeln!(rest, "error: the memory is used up: another {needed} needed, and {} available", Bytes(available))
        }
        None => writeln!(rest, "error: the memory is used up: another {needed} needed"),
    };
    let left = rest.len();
    let _ = io::stderr().write_all(&line[..line.len() - left]);
}

// SAFETY: all is the system allocator's, and a null pointer is handed on only where `trying` says that it is expected.
unsafe impl GlobalAlloc for ExitingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.realloc(address, layout, size) }, size)
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) }
    }
}
