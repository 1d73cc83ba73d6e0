//! The arrays of the emulator, in the memory of the host, with floats around each that belong to none.

use crate::backend::device::Recorder;
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::floats::Floats;
use crate::session::Borrowed;

/// The floats before and after each array that belong to none, so that what is a row out of bounds of one is not in another: as many as a
/// matrix of width 32 has.
const GUARD: usize = 1024;

/// Bytes of an array, aligned as the GPU's are; the length is kept apart since floats are whole words.
pub(crate) struct EmulatedArray {
    /// The array's own, and the guards.
    floats: Floats,
    /// How many floats are before the array's own.
    guard: usize,
    bytes: usize,
    /// How many bytes of room are after those.
    room: usize,
}

impl EmulatedArray {
    fn zeroed(bytes: usize, room: usize) -> Result<Self, RunError> {
        let floats = Floats::zeroed((bytes + room).div_ceil(4) + 2 * GUARD)?;
        Ok(Self { floats, guard: GUARD, bytes, room })
    }

    /// How many bytes are before the array's own.
    fn before(&self) -> usize {
        self.guard * size_of::<f32>()
    }

    fn address(&self) -> *mut u8 {
        self.floats.address().wrapping_add(self.before())
    }

    fn bytes(&self) -> &[u8] {
        &self.floats.as_bytes()[self.before()..][..self.bytes]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let before = self.before();
        &mut self.floats.as_bytes_mut()[before..][..self.bytes]
    }
}

/// The host's memory in place of a GPU's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmulatedMemory;

impl Memory for EmulatedMemory {
    type Array = EmulatedArray;

    fn upload(&self, bytes: &[u8]) -> Result<EmulatedArray, RunError> {
        let mut array = EmulatedArray::zeroed(bytes.len(), 0)?;
        array.bytes_mut().copy_from_slice(bytes);
        Ok(array)
    }

    fn zeroed(&self, bytes: usize) -> Result<EmulatedArray, RunError> {
        EmulatedArray::zeroed(bytes, 0)
    }

    fn with_room(&self, bytes: usize, room: usize) -> Result<EmulatedArray, RunError> {
        EmulatedArray::zeroed(bytes, room)
    }

    fn room(&self, array: &EmulatedArray) -> usize {
        array.room
    }

    unsafe fn borrow(&self, memory: Borrowed, _property: &'static str) -> Result<EmulatedArray, RunError> {
        // SAFETY: the caller's.
        let floats = unsafe { Floats::borrowed(memory) };
        Ok(EmulatedArray { floats, guard: 0, bytes: memory.bytes(), room: 0 })
    }

    unsafe fn give_back(&self, _memory: Borrowed) -> Result<(), RunError> {
        Ok(())
    }

    fn copy(&self, from: &EmulatedArray, to: &mut EmulatedArray) -> Result<(), RunError> {
        to.bytes_mut().copy_from_slice(from.bytes());
        Ok(())
    }

    fn download_part(&self, array: &EmulatedArray, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        bytes.copy_from_slice(&array.bytes()[first..first + bytes.len()]);
        Ok(())
    }

    fn write(&self, array: &mut EmulatedArray, bytes: &[u8]) -> Result<(), RunError> {
        array.bytes_mut().copy_from_slice(bytes);
        Ok(())
    }

    fn clear(&self, array: &mut EmulatedArray) -> Result<(), RunError> {
        array.bytes_mut().fill(0);
        Ok(())
    }

    fn resize(&self, array: &mut EmulatedArray, bytes: usize) -> bool {
        let has_room = array.guard > 0 && array.floats.has_room(bytes.div_ceil(4) + 2 * GUARD);
        if has_room {
            array.floats.resize(bytes.div_ceil(4) + 2 * GUARD);
            (array.bytes, array.room) = (bytes, 0);
        }
        has_room
    }

    fn is_spared(&self, array: &EmulatedArray) -> bool {
        array.guard > 0
    }

    /// Of numbers that are none, so that what reads them before they are written is seen.
    fn spare(&self, bytes: usize, room: usize) -> Result<Option<EmulatedArray>, RunError> {
        let mut array = EmulatedArray::zeroed(bytes, room)?;
        array.bytes_mut().fill(0xFF);
        Ok(Some(array))
    }

    fn spare_of_at_least(&self, bytes: usize) -> Result<Option<EmulatedArray>, RunError> {
        self.spare(bytes, 0)
    }

    fn bytes(&self, array: &EmulatedArray) -> usize {
        array.bytes
    }

    fn address(&self, array: &EmulatedArray) -> *mut u8 {
        array.address()
    }
}

/// The emulator runs everything at once.
impl Recorder for EmulatedMemory {
    type Recorded = ();
    type Place = ();
    const IS_AT_ONCE: bool = true;

    fn record(&self) -> bool {
        false
    }

    fn recorded(&self) -> Option<()> {
        None
    }

    fn replay(&self, (): &()) -> Result<(), RunError> {
        Ok(())
    }
}
