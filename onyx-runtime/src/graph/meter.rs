//! How far the sorting of edges is.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::progress::{Phase, Watch};

/// Counts edges as they are looked at.
pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    done: AtomicU64,
    total: u64,
}

impl<'a> Meter<'a> {
    /// Tells `watch` of `total` edges, at most.
    pub fn new(watch: Watch<'a>, total: usize) -> Self {
        Self { watch, done: AtomicU64::new(0), total: total as u64 }
    }

    /// That `edges` more were looked at.
    pub fn add(&self, edges: usize) {
        let done = self.done.fetch_add(edges as u64, Ordering::Relaxed) + edges as u64;
        (self.watch)(Phase::Build, done.min(self.total), self.total);
    }

    /// That it is over, though edges were fewer than they might have been.
    pub fn finish(&self) {
        (self.watch)(Phase::Build, self.total, self.total);
    }
}
