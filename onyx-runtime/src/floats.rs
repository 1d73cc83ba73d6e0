//! The floats of a property, on the host.

use crate::memory::{self, OutOfMemory};
use crate::session::Borrowed;

/// One cache line: rows of 4 features and more begin at a multiple of 16 bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Line([f32; 16]);

/// Floats that begin at a cache line, or in memory of another owner.
pub(crate) struct Floats {
    place: FloatsPlace,
    length: usize,
}

enum FloatsPlace {
    Own(Vec<Line>),
    Borrowed(*mut f32),
}

// SAFETY: who lends memory promises that nobody else reaches it, from whichever thread it is used.
unsafe impl Send for Floats {}
// SAFETY: as above; it is written by exclusive references alone.
unsafe impl Sync for Floats {}

impl Floats {
    /// So many zeros.
    pub(crate) fn zeroed(length: usize) -> Result<Self, OutOfMemory> {
        let lines = memory::zeroed(length.div_ceil(16), "the values of a property")?;
        Ok(Self { place: FloatsPlace::Own(lines), length })
    }

    /// Memory of another owner.
    ///
    /// # Safety
    /// As [`Data::borrow`](crate::Data::borrow).
    pub(crate) unsafe fn borrowed(memory: Borrowed) -> Self {
        let floats = std::ptr::with_exposed_provenance_mut(memory.address);
        Self { place: FloatsPlace::Borrowed(floats), length: memory.length }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether someone else owns the memory.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self.place, FloatsPlace::Borrowed(_))
    }

    /// The floats.
    pub(crate) fn as_slice(&self) -> &[f32] {
        match &self.place {
            FloatsPlace::Own(lines) => &bytemuck::cast_slice(lines)[..self.length],
            // SAFETY: the owner has promised so many floats that nobody else writes.
            FloatsPlace::Borrowed(floats) => unsafe { std::slice::from_raw_parts(*floats, self.length) },
        }
    }

    /// The floats, to be set.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f32] {
        match &mut self.place {
            FloatsPlace::Own(lines) => &mut bytemuck::cast_slice_mut(lines)[..self.length],
            // SAFETY: the owner has promised so many floats that nobody else reaches.
            FloatsPlace::Borrowed(floats) => unsafe { std::slice::from_raw_parts_mut(*floats, self.length) },
        }
    }
}

/// A clone has memory of its own.
impl Clone for Floats {
    fn clone(&self) -> Self {
        let mut lines = vec![Line([0.0; 16]); self.length.div_ceil(16)];
        bytemuck::cast_slice_mut(&mut lines)[..self.length].copy_from_slice(self.as_slice());
        Self { place: FloatsPlace::Own(lines), length: self.length }
    }
}
