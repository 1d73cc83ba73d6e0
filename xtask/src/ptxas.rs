//! NVIDIA's assembler: where it is, and what it says about a PTX file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::architecture::gpu_name;
use crate::error::{Error, Result};
use crate::metadata;
use crate::process;
use crate::usage::{self, Usage};

const PROGRAM: &str = "ptxas";

/// The assembler: CUDA_HOME's, PATH's, the usual folder's, or the one that `doctor --install` unpacked.
pub fn find() -> Result<PathBuf> {
    let home = env::var_os("CUDA_HOME").map(|home| Path::new(&home).join("bin").join(PROGRAM));
    let in_path = which::which(PROGRAM).ok();
    let usual = Path::new("/usr/local/cuda/bin").join(PROGRAM);
    let known = home.into_iter().chain(in_path).chain([usual]).find(|path| path.is_file());
    known.or_else(|| unpacked(&install_folder().ok()?)).ok_or(Error::NoPtxas)
}

/// Where `doctor --install` unpacks the wheel: in this checkout, for every crate that uses it.
pub fn install_folder() -> Result<PathBuf> {
    let target = metadata::onyx()?.target_directory;
    Ok(PathBuf::from(target).join("onyx").join(PROGRAM))
}

/// The assembler inside of an unpacked wheel: `nvidia/<CUDA version>/bin/ptxas`.
pub fn unpacked(folder: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(folder.join("nvidia")).ok()?;
    let programs = versions.flatten().map(|version| version.path().join("bin").join(PROGRAM));
    programs.filter(|path| path.is_file()).max()
}

/// Assembles a PTX file for the architecture it was made for, and reports each kernel's resources.
pub fn assemble(program: &Path, compute_capability: u32, file: &Path) -> Result<Vec<Usage>> {
    let mut command = Command::new(program);
    command
        .args(["--gpu-name", &gpu_name(compute_capability), "--verbose"])
        .arg(file)
        .args(["--output-file", "/dev/null"]);
    let output = process::captured(&mut command)?;
    let report = [output.stdout, output.stderr].concat();
    Ok(usage::parse(&String::from_utf8_lossy(&report)))
}

/// The release, as in `release 13.0`.
pub fn release(program: &Path) -> Option<String> {
    let text = process::output(Command::new(program).arg("--version")).ok()?;
    let (_, rest) = text.split_once("release ")?;
    rest.split(',').next().map(str::to_string)
}
