//! The arrays of one property in a device's memory.

use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::packing;
use crate::store::Store;

/// The arrays of one property.
pub(crate) struct DeviceProperty<A> {
    pub(crate) current: A,
    pub(crate) previous: Option<A>,
    /// The changes that a push has collected.
    pub(crate) pending: Option<A>,
    /// Which of the arrays someone else owns.
    pub(super) borrowed: Option<Role>,
}

/// What the array that someone else owns is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Current,
    Previous,
}

impl<A> DeviceProperty<A> {
    pub(super) fn exchange(&mut self) {
        let Some(previous) = &mut self.previous else { return };
        std::mem::swap(&mut self.current, previous);
        self.borrowed = self.borrowed.map(|role| if role == Role::Current { Role::Previous } else { Role::Current });
    }
}

/// The first array of a property: zeros are made on the device, whatever else the store has is copied. What was discarded may have any values.
pub(super) fn first<M: Memory>(memory: &M, store: &Store, index: usize) -> Result<M::Array, RunError> {
    let (bytes, room) = (store.bytes(index), packing::room(store, index));
    if !is_blank(store, index) {
        return copied(memory, bytes, room);
    }
    let (mut array, is_zero) = blank(memory, store, index)?;
    if !is_zero && !store.is_discarded(index) {
        memory.clear(&mut array)?;
    }
    Ok(array)
}

/// An array for the property at `index`: one that others have left, or else a new one, which is zero.
pub(super) fn blank<M: Memory>(memory: &M, store: &Store, index: usize) -> Result<(M::Array, bool), RunError> {
    let (bytes, room) = (store.bytes(index).len(), packing::room(store, index));
    match memory.spare(bytes, room)? {
        Some(array) => Ok((array, false)),
        None => Ok((memory.with_room(bytes, room)?, true)),
    }
}

/// Whether the property at `index` has no values that came from outside: it is zero, or was discarded.
pub(super) fn is_blank(store: &Store, index: usize) -> bool {
    store.is_discarded(index) || store.is_untouched(index)
}

fn copied<M: Memory>(memory: &M, bytes: &[u8], room: usize) -> Result<M::Array, RunError> {
    if room == 0 {
        return memory.upload(bytes);
    }
    let mut array = memory.with_room(bytes.len(), room)?;
    memory.write(&mut array, bytes)?;
    Ok(array)
}
