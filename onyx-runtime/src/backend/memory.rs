//! The memory of a device: arrays of bytes, which outlive the runs that use them.

use crate::error::RunError;
use crate::session::Borrowed;

/// Makes arrays in a device's memory, and copies to and from them.
pub(crate) trait Memory {
    /// An array on the device; freed when dropped.
    type Array;

    /// Copies bytes to a new array.
    fn upload(&self, bytes: &[u8]) -> Result<Self::Array, RunError>;
    /// A new array of so many bytes, all zero.
    fn zeroed(&self, bytes: usize) -> Result<Self::Array, RunError>;
    /// The same, with room after it, which belongs to the array and which nobody else reads or writes.
    fn with_room(&self, bytes: usize, _room: usize) -> Result<Self::Array, RunError> {
        self.zeroed(bytes)
    }
    /// How many bytes of room there are after an array.
    fn room(&self, _array: &Self::Array) -> usize {
        0
    }
    /// An array that someone else owns, which is checked as far as that is possible. It is not freed when dropped.
    ///
    /// # Safety
    /// As [`Data::borrow`](crate::Data::borrow).
    unsafe fn borrow(&self, memory: Borrowed, property: &'static str) -> Result<Self::Array, RunError>;
    /// Has the owner of an array wait for all that was asked for.
    ///
    /// # Safety
    /// The owner's stream exists.
    unsafe fn give_back(&self, memory: Borrowed) -> Result<(), RunError>;
    /// Copies an array to another of the same length.
    fn copy(&self, from: &Self::Array, to: &mut Self::Array) -> Result<(), RunError>;
    /// Copies bytes of an array back, from number `first` on.
    fn download_part(&self, array: &Self::Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError>;
    /// Copies bytes to an array of as many.
    fn write(&self, array: &mut Self::Array, bytes: &[u8]) -> Result<(), RunError>;
    /// Sets all bytes of an array to zero.
    fn clear(&self, array: &mut Self::Array) -> Result<(), RunError>;
    /// Gives an array so many bytes, if it has memory for as many; which they are, nobody says.
    fn resize(&self, array: &mut Self::Array, bytes: usize) -> bool;
    /// Whether arrays of so many bytes go from one use to another. Small ones stay apart, so that nobody waits for them.
    fn is_large(&self, _bytes: usize) -> bool {
        true
    }
    /// Whether an array that nobody needs any more is to be kept for others: it is large, and not someone else's.
    fn is_spared(&self, _array: &Self::Array) -> bool {
        false
    }
    /// Keeps an array for [`Memory::spare`].
    fn keep(&self, _array: Self::Array) {}
    /// An array that was kept, of as many bytes and as much room: which they are, nobody says.
    fn spare(&self, _bytes: usize, _room: usize) -> Result<Option<Self::Array>, RunError> {
        Ok(None)
    }
    /// The smallest of those that were kept of as many bytes or more, without room.
    fn spare_of_at_least(&self, _bytes: usize) -> Result<Option<Self::Array>, RunError> {
        Ok(None)
    }
    /// Whether there is one of exactly as many.
    fn has_spare(&self, _bytes: usize, _room: usize) -> bool {
        false
    }
    /// How many bytes an array has.
    fn bytes(&self, array: &Self::Array) -> usize;
    /// Where an array lies, for kernels.
    fn address(&self, array: &Self::Array) -> *mut u8;

    /// An array of these bytes: the one that is not needed any more, if it has memory for as many.
    fn upload_over(&self, old: Option<Self::Array>, bytes: &[u8]) -> Result<Self::Array, RunError> {
        let Some(mut array) = old.and_then(|array| self.resized(array, bytes.len())) else { return self.upload(bytes) };
        if !bytes.is_empty() {
            self.write(&mut array, bytes)?;
        }
        Ok(array)
    }

    /// An array of so many bytes, all zero, in the same way.
    fn zeroed_over(&self, old: Option<Self::Array>, bytes: usize) -> Result<Self::Array, RunError> {
        let Some(mut array) = old.and_then(|array| self.resized(array, bytes)) else { return self.zeroed(bytes) };
        self.clear(&mut array)?;
        Ok(array)
    }

    /// The array with so many bytes, if it has memory for as many.
    fn resized(&self, mut array: Self::Array, bytes: usize) -> Option<Self::Array> {
        self.resize(&mut array, bytes).then_some(array)
    }

    /// Copies an array back.
    fn download(&self, array: &Self::Array, bytes: &mut [u8]) -> Result<(), RunError> {
        self.download_part(array, 0, bytes)
    }
}
