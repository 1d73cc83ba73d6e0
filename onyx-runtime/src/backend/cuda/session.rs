//! One GPU for as many runs as one likes: its context, its stream, and the kernels that it has loaded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cudarc::driver::{CudaContext, sys};
use onyx_device::FoldFacts;

use super::blas::Blas;
use super::kernels::Kernels;
use super::memory::CudaMemory;
use super::modules;
use super::pool::Pool;
use crate::error::{CudaError, RunError};
use crate::schedule::Form;

/// A fold for rows of one form: module, name and form.
type Which = (&'static str, &'static str, Form);

/// A GPU, with what its runs share.
#[derive(Clone)]
pub(crate) struct CudaSession {
    context: Arc<CudaContext>,
    memory: CudaMemory,
    pool: Arc<Pool>,
    kernels: Arc<Mutex<HashMap<Which, Arc<Kernels>>>>,
    blas: Arc<OnceLock<Option<Blas>>>,
}

impl CudaSession {
    /// The GPU with this number.
    pub(crate) fn new(device: usize) -> Result<Self, CudaError> {
        let context = context(device)?;
        let memory = CudaMemory::new(&context)?;
        let pool = Arc::new(Pool::keeping(&context));
        Ok(Self { context, memory, pool, kernels: Arc::default(), blas: Arc::default() })
    }

    /// The context that everything on the GPU belongs to.
    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The GPU's memory.
    pub(crate) fn memory(&self) -> &CudaMemory {
        &self.memory
    }

    /// cuBLAS on the session's stream, where the machine has it.
    pub(crate) fn blas(&self) -> Option<&Blas> {
        self.blas.get_or_init(|| Blas::new(&self.memory, self.memory.stream())).as_ref()
    }

    /// The GPU's name.
    pub(super) fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "NVIDIA GPU".to_owned())
    }

    /// The kernels of a fold for rows of this form, loaded by the first run that asks for them.
    pub(super) fn kernels(&self, fold: &'static FoldFacts, form: Form) -> Result<Arc<Kernels>, CudaError> {
        let form = Form { heads: 1, ..form };
        let which = (fold.module, fold.name, form);
        let mut loaded = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = loaded.get(&which) {
            return Ok(Arc::clone(known));
        }
        let kernels = Arc::new(Kernels::load(fold, &self.context, form)?);
        loaded.insert(which, Arc::clone(&kernels));
        Ok(kernels)
    }

    /// The bytes that are free on the GPU.
    pub(super) fn free_memory(&self) -> Result<u64, CudaError> {
        let driver = |source| CudaError::Driver { doing: "asking for free GPU memory".to_owned(), source };
        self.context.mem_get_info().map(|(free, _)| free as u64).map_err(driver)
    }

    /// The most bytes that arrays have had at a time, if the driver says so.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        self.pool.peak()
    }

    /// Has that be what arrays have now.
    pub(crate) fn forget_peak_memory(&self) {
        self.pool.forget_peak();
    }

    /// Waits until all is done that was asked for.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let driver = |source| CudaError::Driver { doing: "waiting for the GPU".to_owned(), source };
        self.memory.stream().synchronize().map_err(driver)
    }

    /// Waits as well, and gives back to the system what no property has.
    pub(super) fn release(&self) -> Result<(), CudaError> {
        self.memory.free_spares();
        self.synchronize()?;
        self.pool.trim();
        Ok(())
    }

    /// What the driver has been asked for. Forgets all kernels where it failed: after a failed launch the driver refuses whatever follows in the
    /// same context.
    pub(crate) fn noticing<T>(&self, done: Result<T, RunError>) -> Result<T, RunError> {
        done.inspect_err(|error| {
            if let RunError::Cuda(CudaError::Driver { .. }) = error {
                self.forget();
            }
        })
    }

    fn forget(&self) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).clear();
        modules::forget();
    }
}

/// The context of the GPU with this number.
pub(super) fn context(device: usize) -> Result<Arc<CudaContext>, CudaError> {
    // SAFETY: asks whether the library can be opened, which runs its constructors as every use of it does.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    CudaContext::new(device).map_err(|source| CudaError::NoDevice { source })
}
