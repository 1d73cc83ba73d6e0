//! The numbers of a property, on the host: floats if nothing else is said.

use bytemuck::Pod;
use onyx_device::stored::Number;

use crate::memory::{self, OutOfMemory};
use crate::session::Borrowed;

/// One cache line: rows of 4 features and more begin at a multiple of 16 bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Line([f32; 16]);

/// Numbers of one type that begin at a cache line, or in memory of another owner.
pub(crate) struct Floats {
    place: FloatsPlace,
    length: usize,
    number: Number,
}

enum FloatsPlace {
    Own(Vec<Line>),
    Borrowed(*mut u8),
}

// SAFETY: who lends memory promises that nobody else reaches it, from whichever thread it is used.
unsafe impl Send for Floats {}
// SAFETY: as above; it is written by exclusive references alone.
unsafe impl Sync for Floats {}

impl Floats {
    /// So many zeros.
    pub(crate) fn zeroed(length: usize) -> Result<Self, OutOfMemory> {
        Self::zeroed_of(Number::F32, length)
    }

    /// So many zeros of a type.
    pub(crate) fn zeroed_of(number: Number, length: usize) -> Result<Self, OutOfMemory> {
        let lines = length.saturating_mul(number.bytes()).div_ceil(size_of::<Line>());
        let lines = memory::zeroed(lines, "the values of a property")?;
        Ok(Self { place: FloatsPlace::Own(lines), length, number })
    }

    /// Memory of another owner.
    ///
    /// # Safety
    /// As [`Data::borrow`](crate::Data::borrow).
    pub(crate) unsafe fn borrowed(memory: Borrowed) -> Self {
        let bytes = std::ptr::with_exposed_provenance_mut(memory.address);
        Self { place: FloatsPlace::Borrowed(bytes), length: memory.length, number: memory.number }
    }

    /// Makes room for so many. Numbers and length stay as they are.
    pub(crate) fn reserve(&mut self, length: usize) -> Result<(), OutOfMemory> {
        let lines = length.saturating_mul(self.number.bytes()).div_ceil(size_of::<Line>());
        if let FloatsPlace::Own(own) = &mut self.place
            && let Some(more @ 1..) = lines.checked_sub(own.len())
        {
            memory::reserve(own, more, "the values of a property")?;
            own.resize(lines, Line([0.0; 16]));
        }
        Ok(())
    }

    /// Whether there is room for so many.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        match &self.place {
            FloatsPlace::Own(own) => length.saturating_mul(self.number.bytes()) <= size_of_val(&own[..]),
            FloatsPlace::Borrowed(_) => length <= self.length,
        }
    }

    /// Gives it another length, for which there is room: numbers stay where they are.
    pub(crate) fn resize(&mut self, length: usize) {
        assert!(self.has_room(length), "{length} numbers have no room");
        self.length = length;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// How many bytes they have.
    fn byte_count(&self) -> usize {
        self.length * self.number.bytes()
    }

    /// Whether someone else owns the memory.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self.place, FloatsPlace::Borrowed(_))
    }

    /// The numbers as they lie in memory.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.place {
            FloatsPlace::Own(lines) => &bytemuck::cast_slice(lines)[..self.byte_count()],
            // SAFETY: the owner has promised so many numbers that nobody else writes.
            FloatsPlace::Borrowed(bytes) => unsafe { std::slice::from_raw_parts(*bytes, self.byte_count()) },
        }
    }

    /// The same, to be set.
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        let count = self.byte_count();
        match &mut self.place {
            FloatsPlace::Own(lines) => &mut bytemuck::cast_slice_mut(lines)[..count],
            // SAFETY: the owner has promised so many numbers that nobody else reaches.
            FloatsPlace::Borrowed(bytes) => unsafe { std::slice::from_raw_parts_mut(*bytes, count) },
        }
    }

    /// Where they begin, for who writes there while nobody has a reference to them. No reference is made for it, through which nothing could be written.
    #[cfg(feature = "emulator")]
    pub(crate) fn address(&self) -> *mut u8 {
        match &self.place {
            FloatsPlace::Own(lines) => lines.as_ptr().cast_mut().cast(),
            FloatsPlace::Borrowed(bytes) => *bytes,
        }
    }

    /// The numbers, of the type that they have. Panics if that has another size.
    pub(crate) fn numbers<T: Pod>(&self) -> &[T] {
        assert_eq!(size_of::<T>(), self.number.bytes(), "these are {} values", self.number.name());
        bytemuck::cast_slice(self.as_bytes())
    }

    /// The same, to be set.
    pub(crate) fn numbers_mut<T: Pod>(&mut self) -> &mut [T] {
        assert_eq!(size_of::<T>(), self.number.bytes(), "these are {} values", self.number.name());
        bytemuck::cast_slice_mut(self.as_bytes_mut())
    }

    /// The floats.
    pub(crate) fn as_slice(&self) -> &[f32] {
        self.numbers()
    }

    /// The floats, to be set.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [f32] {
        self.numbers_mut()
    }
}

/// A clone has memory of its own.
impl Clone for Floats {
    fn clone(&self) -> Self {
        let lines = vec![Line([0.0; 16]); self.byte_count().div_ceil(size_of::<Line>())];
        let mut copy = Self { place: FloatsPlace::Own(lines), length: self.length, number: self.number };
        copy.as_bytes_mut().copy_from_slice(self.as_bytes());
        copy
    }
}
