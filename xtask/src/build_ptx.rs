//! `build-ptx`: compiles the folds of a crate to PTX, one file for each architecture, and writes the manifest.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::manifest::{FORMAT, Kernel, Manifest, Target};

use crate::architecture::{ARCHITECTURES, Architecture};
use crate::artifacts::Artifacts;
use crate::error::{Error, Result};
use crate::metadata::{self, Project, Selection};
use crate::ptx::Ptx;
use crate::toolchain::{self, DeviceToolchain};
use crate::{check_ptx, compiler, folds, kernels, process, rustc};

/// Compile the folds of a crate to PTX
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Also assemble the result with ptxas and check its shape
    #[arg(long)]
    check: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let toolchain = toolchain::find()?;
    for project in metadata::select(&arguments.selection)? {
        build(&project, &toolchain, &ARCHITECTURES)?;
        if arguments.check {
            check_ptx::check(&project)?;
        }
    }
    Ok(())
}

/// Builds for some architectures and writes the manifest last, so that it never speaks of files that are not there.
pub fn build(project: &Project, toolchain: &DeviceToolchain, architectures: &[Architecture]) -> Result<()> {
    let artifacts = project.artifacts();
    fs::create_dir_all(artifacts.folder()).map_err(Error::file("make", artifacts.folder()))?;
    remove_file(&artifacts.manifest_path())?;
    compile(project, toolchain, architectures)?;
    let built = architectures.iter().map(|architecture| kernels_of(project, *architecture));
    let built = built.collect::<Result<Vec<_>>>()?;
    built.windows(2).try_for_each(|pair| same_kernels(project, &pair[0], &pair[1]))?;
    let kernels = built.into_iter().next().unwrap_or_default();
    let targets = architectures.iter().map(|architecture| target(project, *architecture)).collect();
    println!("kernels of {}: {}, in {}", project.package, kernels.len(), artifacts.folder().display());
    artifacts.write_manifest(&Manifest { format: FORMAT, package: project.package.clone(), targets, kernels })
}

fn target(project: &Project, architecture: Architecture) -> Target {
    let file = project.artifacts().ptx_name(architecture);
    Target { compute_capability: architecture.compute_capability, file }
}

fn same_kernels(project: &Project, left: &[Kernel], right: &[Kernel]) -> Result<()> {
    let different = kernels::differences(left, right);
    if different.is_empty() {
        return Ok(());
    }
    Err(Error::KernelsDiffer { package: project.package.clone(), names: different.join(", ") })
}

/// The kernels of the PTX of an architecture, under the names that the manifest has.
fn kernels_of(project: &Project, architecture: Architecture) -> Result<Vec<Kernel>> {
    let artifacts = project.artifacts();
    let path = artifacts.folder().join(artifacts.ptx_name(architecture));
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let text = folds::named(&path, &text)?;
    fs::write(&path, &text).map_err(Error::file("write", &path))?;
    let (kernels, others) = kernels::of(&Ptx::parse(&path, &text)?)?;
    if kernels.is_empty() {
        return Err(Error::NoKernels { package: project.package.clone(), path });
    }
    if !others.is_empty() {
        eprintln!("note: not in the manifest, for they belong to no fold: {}", others.join(", "));
    }
    Ok(kernels)
}

/// Writes the PTX of some architectures.
fn compile(project: &Project, toolchain: &DeviceToolchain, architectures: &[Architecture]) -> Result<()> {
    let artifacts = project.artifacts();
    remove_old(project, toolchain, &artifacts)?;
    let mut command = compile_command(project, toolchain, &["--release", "--crate-type", "cdylib"]);
    // This program compiles the crate for its architectures at the same time: see `rustc`.
    let program = env::current_exe().map_err(Error::file("find", "the running xtask"))?;
    command.env("RUSTC_WRAPPER", program);
    rustc::choose(&mut command, architectures);
    command.arg(format!("--emit=asm={}", artifacts.folder().join(&project.package).display()));
    compiler::run(&mut command, project.folder())
}

/// Has the compiler check the crate as for a GPU, and makes no kernels.
pub fn check(project: &Project, toolchain: &DeviceToolchain) -> Result<()> {
    compiler::run(&mut compile_command(project, toolchain, &["--profile", "check"]), project.folder())
}

/// Makes sure that the PTX which is there afterwards is this build's: a fresh crate would not be compiled again.
fn remove_old(project: &Project, toolchain: &DeviceToolchain, artifacts: &Artifacts) -> Result<()> {
    for architecture in ARCHITECTURES {
        remove_file(&artifacts.folder().join(artifacts.ptx_name(architecture)))?;
    }
    let folder = artifacts.build_folder();
    if !folder.exists() {
        return Ok(());
    }
    let mut command = toolchain::cargo(toolchain, project.folder());
    command.args(["clean", "--quiet", "--release", "--target", toolchain::TARGET]);
    command.args(["--package", &project.package, "--manifest-path"]).arg(&project.manifest_path);
    process::run(command.arg("--target-dir").arg(folder))
}

fn remove_file(path: &Path) -> Result<()> {
    if path.exists() { fs::remove_file(path).map_err(Error::file("remove", path)) } else { Ok(()) }
}

/// Cargo, which compiles the crate's library for a GPU.
fn compile_command(project: &Project, toolchain: &DeviceToolchain, how: &[&str]) -> Command {
    let mut command = toolchain::cargo(toolchain, project.folder());
    command.args(["rustc", "--lib", "-Zbuild-std=core"]).args(how);
    command.args(["--target", toolchain::TARGET, "--package", &project.package]);
    command.args(["--message-format", compiler::message_format()]);
    command.arg("--manifest-path").arg(&project.manifest_path);
    command.arg("--target-dir").arg(project.artifacts().build_folder()).arg("--");
    // The kernels' calling convention is unstable; users' crates need not say so.
    command.arg("-Zcrate-attr=feature(abi_ptx)");
    command
}
