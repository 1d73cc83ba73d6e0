//! An allocator that knows how much is allocated, and has only so much to give.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// More than this is refused: a reader that cannot do without is aborted, and so found.
const LIMIT: usize = 3 << 30;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
static BEGIN: AtomicUsize = AtomicUsize::new(0);

/// Counts what is allocated.
pub struct Meter;

/// Begins to count.
pub fn begin() {
    let now = NOW.load(Relaxed);
    BEGIN.store(now, Relaxed);
    MOST.store(now, Relaxed);
}

/// The most that was allocated at once since the beginning, more than then.
pub fn taken() -> usize {
    MOST.load(Relaxed) - BEGIN.load(Relaxed)
}

fn add(size: usize) -> bool {
    let now = NOW.fetch_add(size, Relaxed).saturating_add(size);
    if now > LIMIT {
        NOW.fetch_sub(size, Relaxed);
        return false;
    }
    MOST.fetch_max(now, Relaxed);
    true
}

fn given(address: *mut u8, size: usize) -> *mut u8 {
    if address.is_null() {
        NOW.fetch_sub(size, Relaxed);
    }
    address
}

// SAFETY: all is the system allocator's, or a null pointer.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !add(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !add(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there for a moment.
        if !add(size) {
            return ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        let moved = given(unsafe { System.realloc(address, layout, size) }, size);
        if !moved.is_null() {
            NOW.fetch_sub(layout.size(), Relaxed);
        }
        moved
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(address, layout) }
    }
}
