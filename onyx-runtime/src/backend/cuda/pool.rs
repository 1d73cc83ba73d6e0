//! The driver's pool, out of which arrays are allocated in the order of a stream.
//!
//! Left alone it gives back to the system what no array has whenever somebody waits for the GPU, and mapping it again takes longer than many kernels run. So a
//! session has it keep all of that, for arrays to come: until memory runs short, or the session ends.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::result::{device, mem_pool};
use cudarc::driver::{CudaContext, DriverError, sys};

use sys::CUmemPool_attribute::{CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as THRESHOLD, CU_MEMPOOL_ATTR_USED_MEM_HIGH as PEAK};

/// The pool of a session's GPU. When dropped, it gives back what no array has.
pub(super) struct Pool {
    context: Arc<CudaContext>,
}

impl Pool {
    /// The pool, which keeps what is freed from here on. A GPU without one, or whose driver refuses, goes on as it is.
    pub(super) fn keeping(context: &Arc<CudaContext>) -> Self {
        let (pool, mut most) = (Self { context: Arc::clone(context) }, u64::MAX);
        // SAFETY: the pool is the driver's own, and the attribute a number of 64 bits.
        pool.with(|pool| unsafe { mem_pool::set_attribute(pool, THRESHOLD, ptr::from_mut(&mut most).cast()) });
        pool
    }

    /// Gives back to the system what no array has.
    pub(super) fn trim(&self) {
        // SAFETY: the pool is the driver's own.
        self.with(|pool| unsafe { mem_pool::trim_to(pool, 0) });
    }

    /// The most bytes that arrays have had at a time, if the driver says so.
    pub(super) fn peak(&self) -> Option<u64> {
        let mut bytes = 0_u64;
        // SAFETY: as for the threshold.
        self.with(|pool| unsafe { mem_pool::get_attribute(pool, PEAK, ptr::from_mut(&mut bytes).cast()) })?;
        Some(bytes)
    }

    /// Has the peak be what arrays have now.
    pub(super) fn forget_peak(&self) {
        let mut none = 0_u64;
        // SAFETY: as for the threshold. The driver takes no other number.
        self.with(|pool| unsafe { mem_pool::set_attribute(pool, PEAK, ptr::from_mut(&mut none).cast()) });
    }

    /// Nothing that is right depends on what comes of it.
    fn with(&self, act: impl FnOnce(sys::CUmemoryPool) -> Result<(), DriverError>) -> Option<()> {
        if !self.context.has_async_alloc() {
            return None;
        }
        // SAFETY: the device is the context's.
        unsafe { device::get_mem_pool(self.context.cu_device()) }.and_then(act).ok()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.trim();
    }
}
