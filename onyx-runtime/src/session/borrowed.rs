//! Memory that someone else owns, as the array of a property.

use std::ffi::c_void;

use onyx_device::property::{Descriptor, Element, Key};
use onyx_device::stored::{Number, Stored};
use thiserror::Error;

use super::any_data::{AnyData, DataPlace};
use super::{Data, Processor, Shaped};
use crate::backend::emulator::EmulatedMemory;
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::floats::Floats;

/// Numbers that someone else owns, for [`Data::borrow`](super::Data::borrow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Borrowed {
    pub(crate) address: usize,
    /// How many numbers there are.
    pub(crate) length: usize,
    /// Their type.
    pub(crate) number: Number,
    /// The stream that the owner uses; none for memory of the host.
    pub(crate) stream: Option<usize>,
}

impl Borrowed {
    /// `length` numbers in the host's memory, floats or integers: for a session on the CPU, or in the emulator.
    pub fn host<T: Stored>(numbers: *mut T, length: usize) -> Self {
        Self { address: numbers.expose_provenance(), length, number: T::NUMBER, stream: None }
    }

    /// `length` floats in the memory of a GPU, at an address as the driver says it (`CUdeviceptr`, PyTorch's `data_ptr()`), and the stream on which
    /// their owner works with them (`CUstream`, PyTorch's `cuda_stream`; null for the default stream).
    pub fn device(address: u64, length: usize, stream: *mut c_void) -> Self {
        Self { address: address as usize, length, number: Number::F32, stream: Some(stream.expose_provenance()) }
    }

    /// The same memory with `length` numbers of another type in it, for a property that has such: `Borrowed::device(..).of::<u32>()`.
    pub fn of<T: Stored>(self) -> Self {
        Self { number: T::NUMBER, ..self }
    }

    /// How many bytes there are.
    pub(crate) fn bytes(self) -> usize {
        self.length.saturating_mul(self.number.bytes())
    }
}

/// Why memory cannot be borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BorrowError {
    /// Numbers of another type than the property's.
    #[error("it has {} values, and the property {}: lend memory of the property's type, `Borrowed::device(..).of::<u32>()`", found.name(), expected.name())]
    Number {
        /// The type of what is lent.
        found: Number,
        /// The property's.
        expected: Number,
    },
    /// More or fewer numbers than the property has.
    #[error(
        "it has {found} values, and the property {expected}, padding included: lend as many as `data.length(key)` says, in rows of `data.width()`"
    )]
    Length {
        /// How many numbers are lent.
        found: usize,
        /// How many the property has, padding included.
        expected: usize,
    },
    /// An address between the accesses of a row.
    #[error(
        "its address {address:#x} is not a multiple of {needed} bytes: allocate it so, or lend a part that begins at one"
    )]
    Alignment {
        /// The address.
        address: usize,
        /// What it must be a multiple of, in bytes.
        needed: usize,
    },
    /// Host memory for a GPU.
    #[error(
        "it is in the host's memory, and the session on a GPU: lend it by `Borrowed::device`, or write its values by `data.write`"
    )]
    OnHost,
    /// GPU memory for the host.
    #[error(
        "it is in a GPU's memory, and the session on the host: make the session by `Session::cuda`, or lend memory of the host by `Borrowed::host`"
    )]
    OnDevice,
    /// An address that the driver knows as nothing, or as something else than memory of this GPU.
    #[error(
        "at {address:#x} there is no memory of GPU {device}, but {found}: lend what was allocated there, in this process"
    )]
    NotOfDevice {
        /// The address.
        address: usize,
        /// The number of the session's GPU.
        device: usize,
        /// What the driver says of it.
        found: &'static str,
    },
    /// Memory that ends before the property does.
    #[error(
        "the allocation at {address:#x} ends {missing} bytes before the property does: allocate as many numbers as `data.length(key)` says, or correct the \
         length that was given with the address"
    )]
    TooShort {
        /// The address.
        address: usize,
        /// The bytes that it lacks.
        missing: u64,
    },
}

impl<D> Data<D> {
    /// Keeps a property in memory that someone else owns, such as a tensor of another library: runs read the values that are there, and leave theirs
    /// there. [`Data::give_back`] ends it. Nothing is copied.
    ///
    /// On a GPU the session first waits for what the owner's stream was asked for so far.
    ///
    /// # Errors
    /// [`RunError::Borrow`] if the memory has not as many numbers as [`Data::length`] says, of the property's type, is not aligned (to 16 bytes, or the size of a narrower row), or
    /// is not memory of the session's processor, as far as the driver knows.
    ///
    /// # Safety
    /// Until [`Data::give_back`] has returned or the data are dropped, and in a session on a GPU until [`Session::finish`](super::Session::finish) has returned
    /// after that:
    /// - the memory stays where it is, may be read and written, from any thread, and holds numbers, in its padding, too;
    /// - nobody else reads or writes it, other data or properties included;
    /// - on a GPU, the stream exists, is of the device's primary context (as those of CUDA's runtime are), and is asked for nothing that reaches the memory.
    pub unsafe fn borrow<P: Shaped>(&mut self, key: Key<D, P>, memory: Borrowed) -> Result<(), RunError> {
        // SAFETY: the caller's.
        unsafe { self.untyped.borrow(key.index, memory) }
    }

    /// Gives the memory of a property back to its owner, with the values: to have some again, the property must be written, or borrow memory. Does
    /// nothing to a property that has borrowed none.
    ///
    /// On a GPU the owner's stream waits for what the session was asked for so far; the host does not.
    ///
    /// # Errors
    /// [`RunError::Memory`] if the host has no memory for the property's own values on the CPU; what the driver fails with.
    pub fn give_back<P: Shaped>(&mut self, key: Key<D, P>) -> Result<(), RunError> {
        self.untyped.give_back(key.index)
    }
}

impl AnyData {
    /// # Safety
    /// As [`Data::borrow`].
    unsafe fn borrow(&mut self, index: usize, memory: Borrowed) -> Result<(), RunError> {
        let property = self.descriptor(index).name;
        self.check_borrowed(index, memory).map_err(|source| RunError::Borrow { property, source })?;
        self.session.touch();
        // The earlier owner's stream waits for what the session was asked for.
        self.give_back(index)?;
        let count = self.store.properties().len();
        match (&mut self.place, self.session.processor()) {
            // SAFETY: the caller's.
            (DataPlace::Cpu, _) => drop(self.store.exchange(index, unsafe { Floats::borrowed(memory) })),
            (DataPlace::Emulator(residency), _) => {
                // SAFETY: the caller's.
                residency.borrow(index, count, unsafe { EmulatedMemory.borrow(memory, property) }?);
            }
            (DataPlace::Cuda(residency), Processor::Cuda(session)) => {
                // SAFETY: the caller's.
                residency.borrow(index, count, unsafe { session.memory().borrow(memory, property) }?);
            }
            _ => {}
        }
        self.store.give(index);
        self.lost &= !(1 << index);
        (self.borrowed[index], self.failed[index]) = (Some(memory), None);
        Ok(())
    }

    pub(super) fn give_back(&mut self, index: usize) -> Result<(), RunError> {
        let Some(memory) = self.borrowed[index] else { return Ok(()) };
        self.session.touch();
        match (&mut self.place, self.session.processor()) {
            (DataPlace::Cpu, _) => {
                let own = self.store.room(index)?;
                drop(self.store.exchange(index, own));
                self.lost |= 1 << index;
            }
            (DataPlace::Emulator(residency), _) => residency.give_back(index),
            (DataPlace::Cuda(residency), Processor::Cuda(session)) => {
                // SAFETY: who has lent the memory keeps the stream until this returns.
                unsafe { session.memory().give_back(memory) }?;
                residency.give_back(index);
            }
            _ => {}
        }
        (self.borrowed[index], self.failed[index]) = (None, None);
        Ok(())
    }

    fn check_borrowed(&self, index: usize, memory: Borrowed) -> Result<(), BorrowError> {
        let (address, found, expected) = (memory.address, memory.length, self.store.length(index));
        let Descriptor { element, number, .. } = self.descriptor(index);
        let bytes = number.bytes();
        let needed = match element {
            _ if element.is_scalar() => bytes,
            Element::VertexInputs | Element::EdgeInputs => bytes * self.store.row_width(index).min(4),
            _ => (bytes * self.store.tile_width()).min(16),
        };
        match (memory.stream, &self.place) {
            (None, DataPlace::Cuda(_)) => return Err(BorrowError::OnHost),
            (Some(_), DataPlace::Cpu | DataPlace::Emulator(_)) => return Err(BorrowError::OnDevice),
            _ => {}
        }
        if memory.number != number {
            return Err(BorrowError::Number { found: memory.number, expected: number });
        }
        if found != expected {
            return Err(BorrowError::Length { found, expected });
        }
        if address == 0 || !address.is_multiple_of(needed) {
            return Err(BorrowError::Alignment { address, needed });
        }
        Ok(())
    }
}
