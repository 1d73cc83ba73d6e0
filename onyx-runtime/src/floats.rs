//! The numbers of a property, on the host: floats if nothing else is said.

use bytemuck::Pod;
use memmap2::MmapMut;
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
    /// Pages that nobody may ever touch, and that take no memory until then.
    Pages(MmapMut),
    Borrowed(*mut u8),
}

/// What the memory is for, in messages.
const PURPOSE: &str = "the values of a property";
/// From so many bytes on it pays to have pages of one's own.
const PAGES: usize = 1 << 20;

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
        let lines = memory::zeroed(lines(number, length), PURPOSE)?;
        Ok(Self { place: FloatsPlace::Own(lines), length, number })
    }

    /// The same where they may never be looked at: many take no memory before that.
    pub(crate) fn untouched(number: Number, length: usize) -> Result<Self, OutOfMemory> {
        let bytes = lines(number, length).saturating_mul(size_of::<Line>());
        if bytes < PAGES {
            return Self::zeroed_of(number, length);
        }
        Ok(Self { place: FloatsPlace::Pages(memory::pages(bytes as u64, PURPOSE)?), length, number })
    }

    /// Takes the memory of zeros that nobody has touched yet: before anybody writes, for it writes all of them.
    pub(crate) fn take_memory(&mut self) {
        if let FloatsPlace::Pages(pages) = &mut self.place {
            pages.fill(0);
        }
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
        if self.has_room(length) {
            return Ok(());
        }
        let lines = lines(self.number, length);
        match &mut self.place {
            FloatsPlace::Own(own) => {
                memory::reserve(own, lines - own.len(), PURPOSE)?;
                own.resize(lines, Line([0.0; 16]));
            }
            FloatsPlace::Pages(pages) => {
                let mut more = memory::pages((lines * size_of::<Line>()) as u64, PURPOSE)?;
                more[..pages.len()].copy_from_slice(pages);
                *pages = more;
            }
            FloatsPlace::Borrowed(_) => {}
        }
        Ok(())
    }

    /// Whether there is room for so many.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        match &self.place {
            FloatsPlace::Own(own) => length.saturating_mul(self.number.bytes()) <= size_of_val(&own[..]),
            FloatsPlace::Pages(pages) => length.saturating_mul(self.number.bytes()) <= pages.len(),
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
            FloatsPlace::Pages(pages) => &pages[..self.byte_count()],
            // SAFETY: the owner has promised so many numbers that nobody else writes.
            FloatsPlace::Borrowed(bytes) => unsafe { std::slice::from_raw_parts(*bytes, self.byte_count()) },
        }
    }

    /// The same, to be set.
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        let count = self.byte_count();
        match &mut self.place {
            FloatsPlace::Own(lines) => &mut bytemuck::cast_slice_mut(lines)[..count],
            FloatsPlace::Pages(pages) => &mut pages[..count],
            // SAFETY: the owner has promised so many numbers that nobody else reaches.
            FloatsPlace::Borrowed(bytes) => unsafe { std::slice::from_raw_parts_mut(*bytes, count) },
        }
    }

    /// Where they begin, for who writes there while nobody has a reference to them. No reference is made for it, through which nothing could be written.
    #[cfg(feature = "emulator")]
    pub(crate) fn address(&self) -> *mut u8 {
        match &self.place {
            FloatsPlace::Own(lines) => lines.as_ptr().cast_mut().cast(),
            FloatsPlace::Pages(pages) => pages.as_ptr().cast_mut(),
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

/// How many lines so many numbers take.
fn lines(number: Number, length: usize) -> usize {
    length.saturating_mul(number.bytes()).div_ceil(size_of::<Line>())
}

/// A clone has memory of its own.
impl Clone for Floats {
    fn clone(&self) -> Self {
        let lines = vec![Line([0.0; 16]); lines(self.number, self.length)];
        let mut copy = Self { place: FloatsPlace::Own(lines), length: self.length, number: self.number };
        copy.as_bytes_mut().copy_from_slice(self.as_bytes());
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "pages are the system's")]
    fn pages_that_nobody_has_touched_are_zeros() {
        for length in [0, 100, PAGES / 4, 2 * PAGES] {
            let mut floats = Floats::untouched(Number::F32, length).unwrap();
            assert!(floats.len() == length && floats.as_slice().iter().all(|value| *value == 0.0));
            assert!(floats.as_bytes().as_ptr().addr().is_multiple_of(64));
            floats.as_mut_slice().fill(2.0);
            let copy = floats.clone();
            floats.take_memory();
            assert!(copy.as_slice().iter().all(|value| *value == 2.0), "a clone has memory of its own");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "pages are the system's")]
    fn numbers_stay_where_there_is_more_room() {
        for length in [3, PAGES] {
            let mut floats = Floats::untouched(Number::F32, length).unwrap();
            floats.as_mut_slice().fill(3.0);
            floats.reserve(4 * length).unwrap();
            assert!(floats.has_room(4 * length) && floats.len() == length);
            floats.resize(4 * length);
            assert!(floats.as_slice()[..length].iter().all(|value| *value == 3.0));
            assert!(floats.as_slice()[length..].iter().all(|value| *value == 0.0));
        }
    }
}
