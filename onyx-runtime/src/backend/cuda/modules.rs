//! The modules that this process has loaded: the driver compiles the kernels of a fold at one width, which takes longer than many runs.
//!
//! A package's PTX has the kernels of all of its folds; only those that are asked for are handed to the driver.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DriverError};
use cudarc::nvrtc::Ptx;

use super::kernels::unreadable;
use super::ptx::{self, Index};
use super::registers::{Bounds, Taken};
use crate::error::CudaError;

static KNOWN: Mutex<Known> = Mutex::new(Known { modules: Vec::new(), files: Vec::new() });

/// What this process knows of PTX.
struct Known {
    modules: Vec<Loaded>,
    files: Vec<PtxFile>,
}

/// A file of PTX, and where its kernels are: it is read as a whole once.
struct PtxFile {
    path: PathBuf,
    written: SystemTime,
    index: Index,
}

impl PtxFile {
    fn read(path: &Path, written: SystemTime) -> io::Result<Self> {
        let index = Index::of(&fs::read_to_string(path)?);
        Ok(Self { path: path.to_owned(), written, index })
    }

    /// The text with those kernels alone.
    fn only(&self, kernels: &HashSet<String>) -> io::Result<String> {
        let (mut file, mut text) = (File::open(&self.path)?, Vec::new());
        for bytes in self.index.only(kernels) {
            let begin = text.len();
            text.resize(begin + bytes.len(), 0);
            file.seek(SeekFrom::Start(bytes.start as u64))?;
            file.read_exact(&mut text[begin..])?;
        }
        String::from_utf8(text).map_err(io::Error::other)
    }
}

/// A module, and what it was loaded from. It keeps its context, and so the GPU's memory of the module, alive.
struct Loaded {
    context: Arc<CudaContext>,
    path: PathBuf,
    /// The kernels in it.
    entries: HashSet<String>,
    /// When the file was written.
    written: SystemTime,
    compiled: Arc<Compiled>,
}

/// Compiled kernels.
pub(super) struct Compiled {
    /// All of them, as the driver compiles them by itself.
    plain: Arc<CudaModule>,
    /// Those that run more warps with a bound on their registers.
    bounded: HashMap<String, CudaFunction>,
}

impl Compiled {
    /// The kernel of this name.
    pub(super) fn function(&self, name: &str) -> Result<CudaFunction, DriverError> {
        self.bounded.get(name).cloned().map_or_else(|| self.plain.load_function(name), Ok)
    }
}

/// The kernels `entries` of the PTX file at `path`: the same ones each time, until the file is written again.
pub(super) fn load(
    context: &Arc<CudaContext>,
    path: &Path,
    entries: HashSet<String>,
) -> Result<Arc<Compiled>, CudaError> {
    let written = fs::metadata(path).and_then(|file| file.modified()).map_err(|error| unreadable(path, &error))?;
    // Held while the driver compiles, so that two threads do not compile the same.
    let mut known = known();
    let Known { modules, files } = &mut *known;
    modules.retain(|module| module.context != *context || module.path != path || module.written == written);
    let is_same = |module: &&Loaded| module.context == *context && module.path == path && module.entries == entries;
    if let Some(module) = modules.iter().find(is_same) {
        return Ok(Arc::clone(&module.compiled));
    }
    let text = only(files, path, written, &entries).map_err(|error| unreadable(path, &error))?;
    let compiled = compile(context, &text, &entries)
        .map_err(|source| CudaError::Driver { doing: format!("loading {}", path.display()), source })?;
    let (context, path, compiled) = (Arc::clone(context), path.to_owned(), Arc::new(compiled));
    modules.push(Loaded { context, path, entries, written, compiled: Arc::clone(&compiled) });
    Ok(compiled)
}

/// Forgets all modules, so that the next run starts afresh: after a failed launch the driver refuses whatever follows in the same context.
pub(super) fn forget() {
    known().modules.clear();
}

fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a file with those kernels alone.
fn only(files: &mut Vec<PtxFile>, path: &Path, written: SystemTime, kernels: &HashSet<String>) -> io::Result<String> {
    files.retain(|file| file.path != path || file.written == written);
    if let Some(file) = files.iter().find(|file| file.path == path) {
        return file.only(kernels);
    }
    let file = PtxFile::read(path, written)?;
    let text = file.only(kernels)?;
    files.push(file);
    Ok(text)
}

fn compile(context: &Arc<CudaContext>, text: &str, entries: &HashSet<String>) -> Result<Compiled, DriverError> {
    let plain = context.load_module(Ptx::from_src(text))?;
    let bounded = bound(context, text, &plain, entries)?;
    Ok(Compiled { plain, bounded })
}

/// The kernels that are better with a bound on their registers, compiled with that.
fn bound(
    context: &Arc<CudaContext>,
    text: &str,
    plain: &Arc<CudaModule>,
    entries: &HashSet<String>,
) -> Result<HashMap<String, CudaFunction>, DriverError> {
    let mut before = HashMap::new();
    for name in entries {
        before.insert(name, taken(&plain.load_function(name)?)?);
    }
    let bounds = before.iter().filter_map(|(name, taken)| Some(((*name).clone(), taken.bound()?)));
    let bounds: Bounds = bounds.collect();
    if bounds.is_empty() {
        return Ok(HashMap::new());
    }
    let text = ptx::bounded(&ptx::only(text, &bounds.keys().cloned().collect()), &bounds);
    // What cannot be compiled so stays as it is.
    let Ok(module) = context.load_module(Ptx::from_src(text)) else { return Ok(HashMap::new()) };
    let mut better = HashMap::new();
    for name in bounds.into_keys() {
        let function = module.load_function(&name)?;
        if before[&name].is_worse_than(taken(&function)?) {
            better.insert(name, function);
        }
    }
    Ok(better)
}

/// What a kernel takes, as it was compiled.
fn taken(function: &CudaFunction) -> Result<Taken, DriverError> {
    let asked = |attribute| function.get_attribute(attribute).map(i32::unsigned_abs);
    Ok(Taken {
        registers: asked(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
        local_bytes: asked(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "it reads a file")]
    fn some_kernels_of_a_file_are_those_of_its_text() {
        let source = ".version 8.6\n.visible .entry a()\n{\n\tret; // é\n}\n.visible .entry b()\n{\n\tret;\n}\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.ptx");
        fs::write(&path, source).unwrap();
        let file = PtxFile::read(&path, SystemTime::UNIX_EPOCH).unwrap();
        for kernels in [&["a"][..], &["b"], &["a", "b"], &[]] {
            let kernels = kernels.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(file.only(&kernels).unwrap(), ptx::only(source, &kernels));
        }
        // A file that has become shorter is no text.
        fs::write(&path, &source[..40]).unwrap();
        let all = HashSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(file.only(&all).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
