//! Memory that someone else owns, as the array of a property.

use std::ffi::c_void;

use thiserror::Error;

/// Floats that someone else owns, for [`Data::borrow`](super::Data::borrow).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Borrowed {
    pub(crate) address: usize,
    /// How many floats there are.
    pub(crate) length: usize,
    /// The stream that the owner uses; none for memory of the host.
    pub(crate) stream: Option<usize>,
}

impl Borrowed {
    /// `length` floats in the host's memory: for a session on the CPU, or in the emulator.
    pub fn host(floats: *mut f32, length: usize) -> Self {
        Self { address: floats.expose_provenance(), length, stream: None }
    }

    /// `length` floats in the memory of a GPU, at an address as the driver says it (`CUdeviceptr`, PyTorch's `data_ptr()`), and the stream on which
    /// their owner works with them (`CUstream`, PyTorch's `cuda_stream`; null for the default stream).
    pub fn device(address: u64, length: usize, stream: *mut c_void) -> Self {
        Self { address: address as usize, length, stream: Some(stream.expose_provenance()) }
    }
}

/// Why memory cannot be borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BorrowError {
    /// More or fewer floats than the property has.
    #[error("it has {found} floats, and the property {expected}, in rows of `data.width()`")]
    Length {
        /// How many floats are lent.
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
    #[error("it is in a GPU's memory, and the session on the host: make the session by `Session::cuda`")]
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
    #[error("the allocation at {address:#x} ends {missing} bytes before the property does")]
    TooShort {
        /// The address.
        address: usize,
        /// The bytes that it lacks.
        missing: u64,
    },
    /// Data of more features than the widest compiled width.
    #[error(
        "the data have more features than the widest compiled width, and run by tiles of it, which are cut from the host's copies"
    )]
    Tiled,
}
