//! Where small copies from a GPU land: memory of the host that the GPU writes by itself, where the driver would go by way of memory of its own (`docs/performance.md`).

use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, result};

/// Page-locked memory of the host.
pub(super) struct Landing {
    context: Arc<CudaContext>,
    first: NonNull<u8>,
}

// SAFETY: it is plain memory, and the context may be used by any thread.
unsafe impl Send for Landing {}

impl Landing {
    /// How many bytes it has: the counters of 31 iterations. More is copied as before.
    const BYTES: usize = 1 << 16;

    /// Memory for copies from a GPU of the context.
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: the memory is freed once, when this is dropped.
        let first = unsafe { result::malloc_host(Self::BYTES, 0)? }.cast::<u8>();
        // SAFETY: so many bytes were allocated: from here on they hold something.
        unsafe { first.write_bytes(0, Self::BYTES) };
        // SAFETY: an allocation has an address.
        Ok(Self { context: Arc::clone(context), first: unsafe { NonNull::new_unchecked(first) } })
    }

    /// Its first bytes, if it has so many.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&mut [u8]> {
        // SAFETY: the memory is this alone's, all of it was written, and no copy that was asked for is under way: whoever asks waits for it.
        let all = unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), Self::BYTES) };
        all.get_mut(..count)
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        // What the driver says to it nobody can act on.
        let _ = self.context.bind_to_thread();
        // SAFETY: nothing uses the memory after this.
        let _ = unsafe { result::free_host(self.first.as_ptr().cast()) };
    }
}
