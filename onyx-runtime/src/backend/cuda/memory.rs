//! Arrays in a GPU's memory, on one stream.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError};

use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};

/// A GPU's memory, as one stream reaches it.
#[derive(Clone, Debug)]
pub(crate) struct CudaMemory {
    stream: Arc<CudaStream>,
}

impl CudaMemory {
    /// The memory of the context's GPU, with a stream of its own.
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        // SAFETY: everything happens on one stream, so nothing needs to be ordered by events.
        unsafe { context.disable_event_tracking() };
        let doing = || "making a stream".to_owned();
        let stream = context.new_stream().map_err(|source| CudaError::Driver { doing: doing(), source })?;
        Ok(Self { stream })
    }

    /// The stream.
    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }
}

/// Says what was being done when the driver refused.
pub(super) fn failed(doing: impl Into<String>) -> impl FnOnce(DriverError) -> RunError {
    move |source| CudaError::Driver { doing: doing.into(), source }.into()
}

impl Memory for CudaMemory {
    type Array = CudaSlice<u8>;

    fn upload(&self, bytes: &[u8]) -> Result<CudaSlice<u8>, RunError> {
        let doing = || format!("copying {} bytes to the GPU", bytes.len());
        // The driver allocates no empty array; one byte gives an address that nothing is read from.
        let bytes_or_one = if bytes.is_empty() { &[0] } else { bytes };
        self.stream.clone_htod(bytes_or_one).map_err(failed(doing()))
    }

    fn zeroed(&self, bytes: usize) -> Result<CudaSlice<u8>, RunError> {
        self.stream.alloc_zeros(bytes.max(1)).map_err(failed(format!("allocating {bytes} bytes on the GPU")))
    }

    fn copy(&self, from: &CudaSlice<u8>, to: &mut CudaSlice<u8>) -> Result<(), RunError> {
        self.stream.memcpy_dtod(from, to).map_err(failed(format!("copying {} bytes on the GPU", from.len())))
    }

    fn download_part(&self, array: &CudaSlice<u8>, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let doing = format!("copying {} bytes from the GPU", bytes.len());
        let mut copy = || {
            self.stream.memcpy_dtoh(&array.slice(first..first + bytes.len()), bytes)?;
            self.stream.synchronize()
        };
        copy().map_err(failed(doing))
    }

    fn write(&self, array: &mut CudaSlice<u8>, bytes: &[u8]) -> Result<(), RunError> {
        let doing = format!("copying {} bytes to the GPU", bytes.len());
        self.stream.memcpy_htod(bytes, array).map_err(failed(doing))
    }

    fn clear(&self, array: &mut CudaSlice<u8>) -> Result<(), RunError> {
        self.stream.memset_zeros(array).map_err(failed("clearing an array on the GPU"))
    }

    fn address(&self, array: &CudaSlice<u8>) -> *mut u8 {
        array.device_ptr(&self.stream).0 as *mut u8
    }
}
