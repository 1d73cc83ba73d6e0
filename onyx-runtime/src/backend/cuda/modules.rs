//! The modules that this process has loaded: the driver compiles all kernels of a package at once, which takes longer than most runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;

use super::kernels::unreadable;
use crate::error::CudaError;

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// A module, and what it was loaded from. It keeps its context, and so the GPU's memory of the module, alive.
struct Loaded {
    context: Arc<CudaContext>,
    path: PathBuf,
    /// When the file was written.
    written: SystemTime,
    module: Arc<CudaModule>,
}

/// The module of the PTX file at `path`: the same one each time, until the file is written anew.
pub(super) fn load(context: &Arc<CudaContext>, path: &Path) -> Result<Arc<CudaModule>, CudaError> {
    let written = fs::metadata(path).and_then(|file| file.modified()).map_err(|error| unreadable(path, &error))?;
    // Held while the driver compiles, so that two threads do not compile the same.
    let mut loaded = loaded();
    loaded.retain(|known| known.context != *context || known.path != path || known.written == written);
    if let Some(known) = loaded.iter().find(|known| known.context == *context && known.path == path) {
        return Ok(Arc::clone(&known.module));
    }
    let module = compile(context, path)?;
    loaded.push(Loaded { context: Arc::clone(context), path: path.to_owned(), written, module: Arc::clone(&module) });
    Ok(module)
}

/// Forgets all modules, so that the next run starts afresh: behind a failed launch the driver refuses whatever follows in the same context.
pub(super) fn forget() {
    loaded().clear();
}

fn loaded() -> MutexGuard<'static, Vec<Loaded>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn compile(context: &Arc<CudaContext>, path: &Path) -> Result<Arc<CudaModule>, CudaError> {
    let source = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let doing = || format!("loading {}", path.display());
    context.load_module(Ptx::from_src(source)).map_err(|source| CudaError::Driver { doing: doing(), source })
}
