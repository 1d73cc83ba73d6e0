//! The manifest beside the PTX: which kernels it holds, and from which source they were made.

use serde::{Deserialize, Serialize};

/// The version of the manifest's form; another version reads as stale.
pub const FORMAT: u32 = 2;

/// What `cargo xtask build-ptx` wrote for one package, as `<package>.json` beside its PTX files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] at the time of writing.
    pub format: u32,
    /// The cargo package whose folds these are.
    pub package: String,
    /// One PTX file for each GPU architecture, in ascending order of architecture.
    pub targets: Vec<Target>,
    /// One entry for each fold, schedule and width.
    pub kernels: Vec<Kernel>,
}

/// One PTX file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The compute capability that the file needs at least, times ten: 80 for `sm_80`.
    pub compute_capability: u32,
    /// The file's name, beside the manifest.
    pub file: String,
}

/// One kernel entry of the PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The name of the `.entry` in the PTX: `{fold}__{schedule}__k{width}`.
    pub entry: String,
    /// The fold, as `{data}__{fold}`, both in snake case; [`qualified`] where another module has a fold of the same name.
    pub fold: String,
    /// The path of the module that the fold stands in.
    pub module: String,
    /// The schedule the kernel runs: `pull`, `push`, `vertex` and so on.
    pub schedule: String,
    /// The compiled feature width.
    pub width: u32,
    /// The fingerprint of the source the kernel was compiled from, in hexadecimal.
    pub fingerprint: String,
}

/// The name of a fold with that of its module, without the crate's: `{module}_{data}__{fold}`.
pub fn qualified(module: &str, fold: &str) -> String {
    let inner: Vec<&str> = module.split("::").skip(1).chain([fold]).collect();
    inner.join("_")
}
