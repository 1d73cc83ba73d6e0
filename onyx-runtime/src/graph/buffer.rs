//! Arrays of their own, or within a block that was read at once.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;

use crate::block::Block;

/// A read-only array of `T`: a vector, or a section of the bytes of a cache, which it keeps in memory.
///
/// Reads as `[T]`. A clone is the same array.
#[derive(Clone)]
pub struct Buffer<T: Pod> {
    _owner: Owner<T>,
    pointer: *const T,
    length: usize,
}

/// What keeps the array in memory.
#[derive(Clone)]
enum Owner<T: Pod> {
    Vector { _values: Arc<Vec<T>> },
    Block { _block: Arc<Block> },
}

// SAFETY: the pointer leads into what the owner beside it keeps, which is read-only and may be read from any thread.
unsafe impl<T: Pod + Send> Send for Buffer<T> {}
// SAFETY: as above; no method writes through the pointer.
unsafe impl<T: Pod + Sync> Sync for Buffer<T> {}

impl<T: Pod> Buffer<T> {
    /// The `bytes` of `block` as an array; none if they are out of range, misaligned or no whole number of elements.
    pub(super) fn section(block: &Arc<Block>, bytes: Range<usize>) -> Option<Self> {
        let section: &[T] = bytemuck::try_cast_slice(block.get(bytes)?).ok()?;
        let (pointer, length) = (section.as_ptr(), section.len());
        Some(Self { _owner: Owner::Block { _block: Arc::clone(block) }, pointer, length })
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: both were taken from a slice of what the owner keeps, which lives as long as `self` and stays where it is.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }
}

impl<T: Pod> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        let values = Arc::new(values);
        let (pointer, length) = (values.as_ptr(), values.len());
        Self { _owner: Owner::Vector { _values: values }, pointer, length }
    }
}

impl<T: Pod + PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    use crate::progress::UNWATCHED;

    fn block_of(bytes: &[u8]) -> Arc<Block> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Arc::new(Block::read(&file, bytes.len() as u64, UNWATCHED).unwrap())
    }

    #[test]
    fn a_section_outlives_the_callers_block() {
        let block = block_of(bytemuck::cast_slice(&[1u32, 2, 3]));
        let buffer = Buffer::<u32>::section(&block, 4..12).unwrap();
        drop(block);
        assert_eq!(*buffer, [2, 3]);
        assert_eq!(buffer, Buffer::from(vec![2, 3]));
    }

    #[test]
    fn a_clone_is_the_same_array_and_outlives_the_first() {
        let buffer = Buffer::from(vec![1u32, 2, 3]);
        let clone = buffer.clone();
        assert_eq!(clone.as_ptr(), buffer.as_ptr());
        drop(buffer);
        assert_eq!(*clone, [1, 2, 3]);
    }

    #[test]
    fn sections_that_do_not_fit_are_refused() {
        let block = block_of(&[0; 16]);
        assert!(Buffer::<u32>::section(&block, 8..20).is_none());
        assert!(Buffer::<u32>::section(&block, 0..6).is_none());
        assert!(Buffer::<u32>::section(&block, 2..6).is_none());
    }
}
