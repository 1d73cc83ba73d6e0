//! Small arrays that were freed, for the next ones of as many bytes: so a run that comes again has its arrays where they were, and replays what was recorded of it.

use std::collections::BTreeMap;

/// Larger arrays go back to the driver's pool at once, which may cut them.
const LARGEST: usize = 8 << 20;
/// The most bytes of all that are kept.
const MOST: usize = 64 << 20;

/// Arrays by their bytes and address. All that was asked for of them is done before what is asked for next.
pub(super) struct Freed<S> {
    slices: BTreeMap<(usize, u64), S>,
    bytes: usize,
}

impl<S> Default for Freed<S> {
    fn default() -> Self {
        Self { slices: BTreeMap::new(), bytes: 0 }
    }
}

impl<S> Freed<S> {
    /// Keeps an array of so many bytes at an address, or drops it where it is large or there are many.
    pub(super) fn add(&mut self, bytes: usize, address: u64, slice: S) {
        if bytes <= LARGEST && self.bytes + bytes <= MOST {
            self.bytes += bytes;
            self.slices.insert((bytes, address), slice);
        }
    }

    /// Of the arrays of so many bytes the one at the lowest address: runs that free the same ones take them in the same order.
    pub(super) fn take(&mut self, bytes: usize) -> Option<S> {
        let key = self.slices.range((bytes, 0)..=(bytes, u64::MAX)).next().map(|(key, _)| *key)?;
        self.bytes -= bytes;
        self.slices.remove(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_in_the_order_of_their_addresses() {
        let mut freed = Freed::default();
        for (bytes, address) in [(8, 300), (8, 100), (16, 50), (8, 200)] {
            freed.add(bytes, address, address);
        }
        assert_eq!(
            [8, 8, 8, 8, 16, 4].map(|bytes| freed.take(bytes)),
            [Some(100), Some(200), Some(300), None, Some(50), None]
        );
        assert_eq!(freed.bytes, 0);
    }

    #[test]
    fn large_arrays_and_too_many_are_not_kept() {
        let mut freed = Freed::default();
        freed.add(LARGEST + 1, 1, ());
        assert_eq!(freed.take(LARGEST + 1), None);
        (0..20).for_each(|address| freed.add(LARGEST, address, ()));
        assert_eq!((freed.slices.len(), freed.bytes), (MOST / LARGEST, MOST));
    }
}
