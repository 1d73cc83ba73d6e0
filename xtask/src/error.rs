//! What can go wrong in a command, what was being done, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The result of every command and helper.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("could not {action} `{path}`: {source}")]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("could not start `{command}`: {source}; is it installed and in PATH? `cargo xtask doctor` tells")]
    Start { command: String, source: io::Error },
    #[error("`{command}` failed ({status}){stderr}")]
    Command { command: String, status: String, stderr: String },
    #[error("could not read the cargo workspace: {0}\nrun this inside a crate, or name one with --manifest-path")]
    Metadata(#[from] cargo_metadata::Error),
    #[error("no package to build in `{workspace}`; name one with --package: {packages}")]
    NoPackage { workspace: PathBuf, packages: String },
    #[error("package `{package}` has no library; put the folds in its src/lib.rs")]
    NoLibrary { package: String },
    #[error("this does not compile for a GPU, which has no standard library:{advice}")]
    NotForDevice { advice: String },
    #[error("no Rust toolchain here can compile for the GPU:{reasons}\nget one with: cargo xtask doctor --install")]
    NoDeviceToolchain { reasons: String },
    #[error("ptxas is not on this machine; get it with: cargo xtask doctor --install")]
    NoPtxas,
    #[error("NVIDIA's wheel has no libcublas.so.12 for this machine: there is none in `{folder}`")]
    NoCublas { folder: PathBuf },
    #[error("could not install {what}; tried:{attempts}\nrun one of these by hand, with the rights it needs")]
    Install { what: &'static str, attempts: String },
    #[error("no PTX of `{package}`: `{path}` is missing; make it with: cargo xtask build-ptx")]
    NoManifest { package: String, path: PathBuf },
    #[error("`{path}` is not a manifest of this version of Onyx ({reason}); rebuild it with: cargo xtask build-ptx")]
    StaleManifest { path: PathBuf, reason: String },
    #[error("`{path}` holds no kernel; declare a `foldmap!` with features in the library of `{package}`")]
    NoKernels { package: String, path: PathBuf },
    #[error(
        "these folds have kernels but no fingerprint: {folds}; rebuild with the macros and the xtask of one checkout"
    )]
    NoFingerprint { folds: String },
    #[error(
        "{path}, line {line}: cannot read the fingerprint `{text}`; rebuild with the macros and the xtask of one checkout"
    )]
    BadFingerprint { path: PathBuf, line: usize, text: String },
    #[error(
        "the kernels of `{package}` differ between architectures: {names}; only schedules may depend on onyx_sm_90"
    )]
    KernelsDiffer { package: String, names: String },
    #[error(
        "{path}: several folds are named {name}:{places}\nname them differently, or put them into modules of their own"
    )]
    SameName { path: PathBuf, name: String, places: String },
    #[error("tests failed: {0}; what they wrote is above")]
    Tests(String),
    #[error("{count} violations in the PTX of `{package}`:{list}{advice}")]
    Violations { package: String, count: usize, list: String, advice: &'static str },
    #[error("no fold here is named `{name}`; there are:{folds}")]
    NoFold { name: String, folds: String },
    #[error("several folds end in `{name}`:{folds}\nname one of them in full")]
    ManyFolds { name: String, folds: String },
    #[error("the PTX of `{package}` has no description of {fold}; rebuild it with: cargo xtask build-ptx")]
    NoDescription { package: String, fold: String },
    #[error(
        "no gradient was derived of {fold}: ask for it by `gradient = [..]` after its functions, and rebuild it with: cargo xtask build-ptx"
    )]
    NoGradient { fold: String },
    #[error("`{path}` is not empty and is not a bundle; name a new folder, or empty this one")]
    NotABundle { path: PathBuf },
    #[error("`{path}` exists and is not empty; choose a new folder")]
    PathTaken { path: PathBuf },
    #[error("`{path}` lies inside the Onyx checkout; choose a folder outside of `{checkout}`")]
    InsideCheckout { path: PathBuf, checkout: PathBuf },
    #[error("`{name}` is not a crate name: {reason}; choose one with --name")]
    BadName { name: String, reason: &'static str },
    #[error("ONYX_DATA is `{path}`, which is not a folder; unset it, or point it at the data")]
    NoData { path: PathBuf },
    #[error("{0}")]
    NoProgram(String),
    #[error("no GPU test ran; they live in tests/tests/gpu*.rs, are named `gpu_*` and are marked #[ignore]")]
    NoGpuTest,
    #[error("no test ran{which}")]
    NoTest { which: String },
    #[error("{0}")]
    NoMiri(&'static str),
    #[error("the CPU road is incomplete; run the commands in the last column")]
    Incomplete,
    #[error("failed: {0}")]
    Steps(String),
    #[error("a reader does not survive damaged files:\n{0}")]
    Fuzz(String),
    #[error("could not write {what}: {source}")]
    Encode { what: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
}

/// Says what went wrong, if anything did, and how the program ends.
pub fn exit(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

impl Error {
    /// 2 for something wrong with the input or the machine, 1 for a check that failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Command { .. }
            | Error::NotForDevice { .. }
            | Error::NoKernels { .. }
            | Error::NoFingerprint { .. }
            | Error::BadFingerprint { .. }
            | Error::KernelsDiffer { .. }
            | Error::SameName { .. }
            | Error::Violations { .. }
            | Error::NoGpuTest
            | Error::NoTest { .. }
            | Error::Incomplete
            | Error::Steps(_)
            | Error::Fuzz(_) => 1,
            _ => 2,
        }
    }

    /// Wraps an input/output error with the file and what was being done to it.
    pub fn file(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Error {
        let path = path.as_ref().to_path_buf();
        move |source| Error::File { action, path, source }
    }
}

/// One indented line for each item, for the lists in messages.
pub fn indented<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| format!("\n  {}", item.to_string())).collect()
}
