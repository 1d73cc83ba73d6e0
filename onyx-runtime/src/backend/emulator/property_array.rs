//! Arrays of properties, of which a launch reaches and writes no more than it was said to.

use std::ops::Range;
use std::slice;

/// An array of a property, alive as long as the run that has named it.
#[derive(Clone, Debug)]
pub(super) struct PropertyArray {
    name: String,
    first: *const u8,
    bytes: usize,
}

impl PropertyArray {
    /// What arrays of the property are called, but for the sums of cut rows, which are the run's own.
    pub(super) fn is_named(name: &str, property: &str) -> bool {
        name.strip_prefix(property).is_some_and(|rest| matches!(rest, "" | " (pending)" | " (tracked)"))
    }

    pub(super) fn new(name: &str, first: *const u8, bytes: usize) -> Self {
        Self { name: name.to_owned(), first, bytes }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn address(&self) -> usize {
        self.first.addr()
    }

    pub(super) fn addresses(&self) -> Range<u64> {
        let first = self.first.addr() as u64;
        first..first + self.bytes as u64
    }

    /// What it holds between launches.
    pub(super) fn bytes(&self) -> Vec<u8> {
        // SAFETY: whoever has named the array has it, and forgets its name before it is gone; all of its bytes hold something, and no lane runs.
        unsafe { slice::from_raw_parts(self.first, self.bytes) }.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_cut_rows_are_no_arrays_of_their_property() {
        assert!(["rank", "rank (tracked)", "rank (pending)"].iter().all(|name| PropertyArray::is_named(name, "rank")));
        assert!(["rank (partial)", "ranks", "the marks"].iter().all(|name| !PropertyArray::is_named(name, "rank")));
    }
}
