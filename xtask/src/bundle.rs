//! `bundle`: everything a machine with a GPU driver and no Rust needs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Artifact, Message, TargetKind};

use crate::architecture::ARCHITECTURES;
use crate::error::{Error, Result};
use crate::metadata::{self, BENCH_COMMAND, BENCHES, NETWORK_PROGRAMS, PROGRAMS, TESTED_ON_GPU, TESTS};
use crate::{build_ptx, process, toolchain};

const MARKER: &str = ".onyx-bundle";
const GPU_TEST_PREFIX: &str = "gpu";
const FOLDERS: [&str; 5] = ["bin", "ptx", "tests", "sessions", "bench"];
/// Where the scripts of comparisons are.
const SCRIPTS: &str = "examples/bench";
/// The file that names the commit.
const COMMIT: &str = "COMMIT";
const RUN_TESTS: (&str, &str) = ("run-tests.sh", include_str!("../templates/bundle/run-tests.sh"));
const README: (&str, &str) = ("README.txt", include_str!("../templates/bundle/README.txt"));

/// Gather binaries, PTX and GPU tests for a machine without Rust
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to fill: a new one, an empty one or an earlier bundle
    directory: PathBuf,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = std::path::absolute(&arguments.directory).map_err(Error::file("resolve", &arguments.directory))?;
    refuse_other(&folder)?;
    let toolchain = toolchain::find()?;
    let projects = metadata::with_folds()?;
    projects.iter().try_for_each(|project| build_ptx::build(project, &toolchain, &ARCHITECTURES))?;
    let packages =
        [PROGRAMS, BENCHES, NETWORK_PROGRAMS, BENCH_COMMAND].into_iter().flat_map(|package| ["--package", package]);
    let binaries = build(&["build", "--release", "--bins"].into_iter().chain(packages).collect::<Vec<_>>())?;
    let tests = build_gpu_tests()?;
    let sessions = build_session_tests()?;
    prepare(&folder)?;
    copy_programs(&binaries, &folder.join("bin"))?;
    copy_programs(&tests, &folder.join("tests"))?;
    copy_programs(&sessions, &folder.join("sessions"))?;
    projects.iter().try_for_each(|project| copy_kernels(project, &folder.join("ptx")))?;
    copy_scripts(&folder.join("bench"))?;
    write_texts(&folder)?;
    let tests = tests.len() + sessions.len();
    println!("{}: binaries {}, GPU test binaries {tests}", folder.display(), binaries.len());
    Ok(())
}

/// The integration tests that need a GPU, by name.
pub fn gpu_test_names() -> Result<Vec<String>> {
    let packages = metadata::onyx()?.packages;
    let targets =
        packages.into_iter().filter(|package| package.name.as_str() == TESTS).flat_map(|package| package.targets);
    let tests = targets.filter(|target| target.kind.contains(&TargetKind::Test));
    Ok(tests.map(|target| target.name).filter(|name| name.starts_with(GPU_TEST_PREFIX)).collect())
}

fn build_gpu_tests() -> Result<Vec<Program>> {
    let names = gpu_test_names()?;
    if names.is_empty() {
        eprintln!("note: there is no GPU test; run-tests.sh of this bundle will fail");
        return Ok(Vec::new());
    }
    let mut arguments = vec!["test", "--release", "--no-run", "--no-default-features", "--package", TESTS];
    arguments.extend(names.iter().flat_map(|name| ["--test", name]));
    build(&arguments)
}

/// The tests whose sessions are on the GPU as well where one is asked for. Several packages have tests of one name, which stays.
fn build_session_tests() -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for package in TESTED_ON_GPU {
        let built = build(&["test", "--release", "--no-run", "--tests", "--package", package])?;
        programs.extend(
            built.into_iter().map(|program| Program { name: format!("{package}-{}", program.name), ..program }),
        );
    }
    Ok(programs)
}

/// A program that cargo built.
struct Program {
    name: String,
    path: PathBuf,
}

fn build(arguments: &[&str]) -> Result<Vec<Program>> {
    let mut command = process::cargo(&metadata::checkout(), arguments);
    command.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let messages = process::output(&mut command)?;
    let messages = Message::parse_stream(messages.as_bytes()).filter_map(io::Result::ok);
    Ok(messages.filter_map(program).collect())
}

fn program(message: Message) -> Option<Program> {
    let Message::CompilerArtifact(Artifact { target, executable, .. }) = message else { return None };
    Some(Program { name: target.name, path: executable?.into() })
}

fn refuse_other(folder: &Path) -> Result<()> {
    let is_empty = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(Error::file("read", folder)(error)),
    };
    if is_empty || folder.join(MARKER).is_file() {
        Ok(())
    } else {
        Err(Error::NotABundle { path: folder.to_path_buf() })
    }
}

/// Empties the folders of an earlier bundle and leaves whatever else somebody put beside them.
fn prepare(folder: &Path) -> Result<()> {
    for name in FOLDERS {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::file("remove", &path))?;
        }
        fs::create_dir_all(&path).map_err(Error::file("make", &path))?;
    }
    let marker = folder.join(MARKER);
    fs::write(&marker, "").map_err(Error::file("write", marker))
}

fn copy_programs(programs: &[Program], folder: &Path) -> Result<()> {
    for program in programs {
        let path = folder.join(&program.name);
        copy(&program.path, &path)?;
        if which::which("strip").is_ok() {
            process::run(Command::new("strip").arg(&path))?;
        }
    }
    Ok(())
}

fn copy_kernels(project: &metadata::Project, folder: &Path) -> Result<()> {
    let artifacts = project.artifacts();
    let files = artifacts.read_manifest()?.targets.into_iter().map(|target| artifacts.folder().join(target.file));
    for file in files.chain([artifacts.manifest_path()]) {
        copy(&file, &folder.join(file.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn copy_scripts(folder: &Path) -> Result<()> {
    let scripts = metadata::checkout().join(SCRIPTS);
    for entry in fs::read_dir(&scripts).map_err(Error::file("read", &scripts))? {
        let path = entry.map_err(Error::file("read", &scripts))?.path();
        if path.extension().is_some_and(|extension| extension == "py") {
            copy(&path, &folder.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(Error::file("copy", from))
}

/// The texts, and the commit, where git knows it: benches name it in what they write.
fn write_texts(folder: &Path) -> Result<()> {
    let commit =
        process::output(&mut process::commit(&metadata::checkout())).unwrap_or_else(|_| "unknown\n".to_owned());
    for (name, text) in [RUN_TESTS, README, (COMMIT, &*commit)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::file("write", &path))?;
    }
    process::run(Command::new("chmod").arg("755").arg(folder.join(RUN_TESTS.0)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{COMMIT, FOLDERS, copy_scripts, prepare, refuse_other, write_texts};

    #[test]
    fn only_new_empty_and_earlier_folders_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        assert!(refuse_other(&folder.path().join("new")).is_ok());
        assert!(refuse_other(folder.path()).is_ok());
        prepare(folder.path()).unwrap();
        assert!(refuse_other(folder.path()).is_ok());
    }

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("thesis.txt");
        fs::write(&file, "").unwrap();
        assert!(refuse_other(folder.path()).unwrap_err().to_string().contains("not a bundle"));
        assert!(refuse_other(&file).is_err());
    }

    #[test]
    fn comparisons_come_along_with_what_they_import_and_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        copy_scripts(folder.path()).unwrap();
        write_texts(folder.path()).unwrap();
        for name in ["pagerank_scikit_network.py", "comparison.py", "cusparse.py", COMMIT] {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }

    #[test]
    fn an_earlier_bundle_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path()).unwrap();
        let old = folder.path().join(FOLDERS[0]).join("old");
        fs::write(&old, "").unwrap();
        prepare(folder.path()).unwrap();
        assert!(!old.exists());
    }
}
