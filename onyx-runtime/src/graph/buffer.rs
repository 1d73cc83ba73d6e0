//! Arrays that are owned, or lie in a memory-mapped file.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;

/// A read-only array of `T`: a vector, or a section of a memory-mapped file that it keeps open.
///
/// Reads as `[T]`. A mapped buffer shows later changes of its file, so a mapped file must be replaced, never rewritten.
#[derive(Clone)]
pub struct Buffer<T: Pod>(Storage<T>);

#[derive(Clone)]
enum Storage<T: Pod> {
    Owned(Vec<T>),
    Mapped { _map: Arc<Mmap>, pointer: *const T, length: usize },
}

// SAFETY: the pointer leads into the map beside it, which is read-only and may be read from any thread.
unsafe impl<T: Pod + Send> Send for Buffer<T> {}
// SAFETY: as above; no method writes through the pointer.
unsafe impl<T: Pod + Sync> Sync for Buffer<T> {}

impl<T: Pod> Buffer<T> {
    /// The `bytes` of `map` as an array; none if they are out of range, misaligned or no whole number of elements.
    pub(super) fn mapped(map: &Arc<Mmap>, bytes: Range<usize>) -> Option<Self> {
        let section: &[T] = bytemuck::try_cast_slice(map.get(bytes)?).ok()?;
        let (pointer, length) = (section.as_ptr(), section.len());
        Some(Self(Storage::Mapped { _map: Arc::clone(map), pointer, length }))
    }

    /// Whether the array lies in a memory-mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, Storage::Mapped { .. })
    }
}

impl<T: Pod> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(values) => values,
            // SAFETY: `mapped` took both from a slice of the map, which lives as long as `self`.
            Storage::Mapped { pointer, length, .. } => unsafe { std::slice::from_raw_parts(*pointer, *length) },
        }
    }
}

impl<T: Pod> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Storage::Owned(values))
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

    fn map_of(bytes: &[u8]) -> Arc<Mmap> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        // SAFETY: nobody else knows the temporary file.
        Arc::new(unsafe { Mmap::map(&file) }.unwrap())
    }

    #[test]
    fn a_mapped_buffer_outlives_the_callers_map() {
        let map = map_of(bytemuck::cast_slice(&[1u32, 2, 3]));
        let buffer = Buffer::<u32>::mapped(&map, 4..12).unwrap();
        drop(map);
        assert!(buffer.is_mapped());
        assert_eq!(*buffer, [2, 3]);
        assert_eq!(buffer, Buffer::from(vec![2, 3]));
    }

    #[test]
    fn sections_that_do_not_fit_are_refused() {
        let map = map_of(&[0; 16]);
        assert!(Buffer::<u32>::mapped(&map, 8..20).is_none());
        assert!(Buffer::<u32>::mapped(&map, 0..6).is_none());
        assert!(Buffer::<u32>::mapped(&map, 2..6).is_none());
    }
}
