//! `build-ptx`: compiles the folds of a crate to PTX, one file for each architecture, and writes the manifest.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use crate::architecture::{ARCHITECTURES, Architecture};
use crate::compiler::Voice;
use crate::error::{Error, Result};
use crate::manifest::{FORMAT, Kernel, Manifest, Target};
use crate::metadata::{self, Project, Selection};
use crate::ptx::Ptx;
use crate::toolchain::{self, DeviceToolchain};
use crate::{check_ptx, compiler, folds, kernels, process, ptx};

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
        build(&project, &toolchain)?;
        if arguments.check {
            check_ptx::check(&project)?;
        }
    }
    Ok(())
}

/// Builds every architecture and writes the manifest last, so that it never speaks of files that are not there.
pub fn build(project: &Project, toolchain: &DeviceToolchain) -> Result<()> {
    let artifacts = project.artifacts();
    fs::create_dir_all(artifacts.folder()).map_err(Error::file("make", artifacts.folder()))?;
    remove_file(&artifacts.manifest_path())?;
    let built = build_architectures(project, toolchain)?;
    built.windows(2).try_for_each(|pair| same_kernels(project, &pair[0], &pair[1]))?;
    let kernels = built.into_iter().next().unwrap_or_default();
    let targets = ARCHITECTURES.map(|architecture| target(project, architecture)).into();
    println!("kernels of {}: {}, in {}", project.package, kernels.len(), artifacts.folder().display());
    artifacts.write_manifest(&Manifest { format: FORMAT, package: project.package.clone(), targets, kernels })
}

/// All of them at the same time, since each is compiled by a single thread. The kernels of each; an error is the first one's, if it has any.
fn build_architectures(project: &Project, toolchain: &DeviceToolchain) -> Result<Vec<Vec<Kernel>>> {
    thread::scope(|scope| {
        let start = |(index, architecture): (usize, Architecture)| {
            let voice = if index == 0 { Voice::Aloud } else { Voice::Silent };
            scope.spawn(move || build_architecture(project, toolchain, architecture, voice))
        };
        let running: Vec<_> = ARCHITECTURES.into_iter().enumerate().map(start).collect();
        let ended = running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.collect::<Vec<_>>().into_iter().collect()
    })
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

fn build_architecture(
    project: &Project,
    toolchain: &DeviceToolchain,
    architecture: Architecture,
    voice: Voice,
) -> Result<Vec<Kernel>> {
    let path = compile(project, toolchain, architecture, voice)?;
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let text = folds::named(&path, &text)?;
    let text = ptx::without_empty(&text, &Ptx::parse(&path, &text)?);
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

fn compile(
    project: &Project,
    toolchain: &DeviceToolchain,
    architecture: Architecture,
    voice: Voice,
) -> Result<PathBuf> {
    let artifacts = project.artifacts();
    let path = artifacts.folder().join(artifacts.ptx_name(architecture));
    let folder = artifacts.build_folder(architecture);
    remove_old(project, toolchain, architecture, &folder, &path)?;
    compiler::run(
        compile_command(project, toolchain, architecture, &folder)
            .arg(format!("--emit=asm={}", path.display()))
            // The kernels' calling convention is unstable; users' crates need not say so.
            .arg("-Zcrate-attr=feature(abi_ptx)"),
        project.folder(),
        voice,
    )?;
    Ok(path)
}

/// Makes sure that the PTX which is there afterwards is this build's: a fresh crate would not be compiled again.
fn remove_old(
    project: &Project,
    toolchain: &DeviceToolchain,
    architecture: Architecture,
    folder: &Path,
    path: &Path,
) -> Result<()> {
    remove_file(path)?;
    if !folder.exists() {
        return Ok(());
    }
    let mut command = toolchain::cargo(toolchain, architecture, project.folder());
    command.args(["clean", "--quiet", "--release", "--target", toolchain::TARGET]);
    command.args(["--package", &project.package, "--manifest-path"]).arg(&project.manifest_path);
    process::run(command.arg("--target-dir").arg(folder))
}

fn remove_file(path: &Path) -> Result<()> {
    if path.exists() { fs::remove_file(path).map_err(Error::file("remove", path)) } else { Ok(()) }
}

fn compile_command(
    project: &Project,
    toolchain: &DeviceToolchain,
    architecture: Architecture,
    folder: &Path,
) -> std::process::Command {
    let mut command = toolchain::cargo(toolchain, architecture, project.folder());
    command.args(["rustc", "--release", "--lib", "--crate-type", "cdylib", "-Zbuild-std=core"]);
    command.args(["--target", toolchain::TARGET, "--package", &project.package]);
    command.args(["--message-format", compiler::message_format()]);
    command.arg("--manifest-path").arg(&project.manifest_path).arg("--target-dir").arg(folder);
    command.arg("--");
    command
}
