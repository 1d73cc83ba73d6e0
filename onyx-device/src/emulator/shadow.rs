//! The histories of memory, by address: of words, and of single bytes where lanes reach those.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::Access;
use super::history::{Conflict, History, Now};

/// The bytes whose histories lie together.
const PAGE: usize = 256;
const WORD: usize = 4;

/// Histories of all of memory that a launch has reached.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    pages: HashMap<usize, Page, BuildHasherDefault<PageHasher>>,
}

/// The histories of a page: one a word, or one a byte.
#[derive(Debug)]
struct Page {
    bytes_each: usize,
    histories: Box<[History]>,
}

/// Multiplies page numbers: they differ in their low bits, and are few.
#[derive(Clone, Copy, Debug, Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, page: usize) {
        self.0 = (self.0 ^ page as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

impl Shadow {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.pages.clear();
    }

    /// The first address in `addresses` at which an access of a later launch has to wait for what was done there.
    pub(super) fn conflict(&self, access: Access, addresses: Range<usize>) -> Option<usize> {
        addresses.into_iter().find(|address| {
            let page = self.pages.get(&(address / PAGE));
            page.is_some_and(|page| page.histories[address % PAGE / page.bytes_each].concerns(access))
        })
    }

    /// Adds an access to `range`, which whole elements of `element_bytes` bytes fill. An error is of the address that it comes with.
    pub(super) fn add(
        &mut self,
        access: Access,
        range: Range<usize>,
        element_bytes: usize,
        now: &mut Now<'_>,
    ) -> Result<(), (usize, Conflict)> {
        let mut begin = range.start;
        while begin < range.end {
            let number = begin / PAGE;
            let end = range.end.min((number + 1) * PAGE);
            let page = self.pages.entry(number).or_insert_with(|| Page::new(WORD.min(element_bytes)));
            page.split(element_bytes, now);
            page.add(access, begin - number * PAGE..end - number * PAGE, now)
                .map_err(|(offset, conflict)| (number * PAGE + offset, conflict))?;
            begin = end;
        }
        Ok(())
    }
}

impl Page {
    fn new(bytes_each: usize) -> Self {
        Self { bytes_each, histories: vec![History::default(); PAGE / bytes_each].into() }
    }

    /// Gives each byte a history of its own where elements are smaller than a word.
    fn split(&mut self, element_bytes: usize, now: &mut Now<'_>) {
        if self.bytes_each > element_bytes {
            let words = self.histories.iter();
            let bytes = words.flat_map(|word| std::iter::repeat_n(word, self.bytes_each));
            self.histories = bytes.map(|word| word.duplicate(now.clocks, now.slots)).collect();
            self.bytes_each = 1;
        }
    }

    /// Adds an access to these bytes of the page.
    fn add(&mut self, access: Access, bytes: Range<usize>, now: &mut Now<'_>) -> Result<(), (usize, Conflict)> {
        let (first, end) = (bytes.start / self.bytes_each, bytes.end.div_ceil(self.bytes_each));
        for (number, history) in (first..).zip(&mut self.histories[first..end]) {
            history.add(access, now).map_err(|conflict| (number * self.bytes_each, conflict))?;
        }
        Ok(())
    }
}
