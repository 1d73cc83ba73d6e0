//! The missing parts that can be installed without asking.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result, indented};
use crate::process;
use crate::{cublas, ptxas, toolchain};

const NIGHTLY: &str = "nightly";
const APT_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
const PTXAS_WHEEL: &str = "nvidia-cuda-nvcc";
const CUBLAS_WHEEL: &str = "nvidia-cublas-cu12";

/// The one command that gets a device toolchain here, for people to read.
pub fn device_toolchain_command() -> String {
    let is_debian = which::which("rustup").is_err() && which::which("apt-get").is_ok();
    let command = if is_debian { apt_command(&install_words()) } else { rustup_command() };
    process::line(&command).replace("sudo -n", "sudo")
}

/// Installs a toolchain for the GPU: by rustup where that works, else from the distribution.
pub fn device_toolchain() -> Result<()> {
    let mut attempts = Vec::new();
    if which::which("rustup").is_ok() && attempt(&mut attempts, &mut [rustup_command()]) {
        return Ok(());
    }
    if which::which("apt-get").is_ok()
        && attempt(&mut attempts, &mut [apt_command(&["update"]), apt_command(&install_words())])
    {
        return Ok(());
    }
    Err(Error::Install { what: "a Rust toolchain for the GPU", attempts: indented(attempts) })
}

/// Runs commands until one fails; true where a device toolchain is there afterwards.
fn attempt(attempts: &mut Vec<String>, commands: &mut [Command]) -> bool {
    for command in commands {
        eprintln!("running: {}", process::line(command));
        attempts.push(process::line(command));
        if let Err(error) = process::run(command) {
            eprintln!("{error}");
            return false;
        }
    }
    toolchain::find().is_ok()
}

fn rustup_command() -> Command {
    let mut command = Command::new("rustup");
    if has_nightly() {
        command.args(["component", "add", "rust-src", "--toolchain", NIGHTLY]);
    } else {
        command.args(["toolchain", "install", NIGHTLY, "--profile", "minimal", "--component", "rust-src"]);
    }
    command
}

fn has_nightly() -> bool {
    let listed = process::output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    listed.lines().any(|line| line.starts_with(NIGHTLY))
}

fn install_words() -> Vec<&'static str> {
    ["install", "-y"].into_iter().chain(APT_PACKAGES).collect()
}

fn apt_command(words: &[&str]) -> Command {
    let mut command = if is_root() { Command::new("apt-get") } else { sudo_apt_get() };
    command.args(words);
    command
}

/// Without -n, sudo would wait for a password that nobody types.
fn sudo_apt_get() -> Command {
    let mut command = Command::new("sudo");
    command.args(["-n", "apt-get"]);
    command
}

fn is_root() -> bool {
    process::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}

/// The one command that gets what NVIDIA has as wheels, for people to read.
pub fn wheel_command() -> String {
    "cargo xtask doctor --install".to_string()
}

/// Downloads the assembler into the target folder.
pub fn ptxas() -> Result<()> {
    let folder = ptxas::install_folder()?;
    unpack(PTXAS_WHEEL, &folder)?;
    make_executable(&ptxas::unpacked(&folder).ok_or(Error::NoPtxas)?)
}

/// Downloads the products of matrices into the target folder: some 600 MB, and as much again unpacked.
pub fn cublas() -> Result<()> {
    let folder = cublas::install_folder();
    unpack(CUBLAS_WHEEL, &folder)?;
    cublas::unpacked(&folder).map(|_| ()).ok_or(Error::NoCublas { folder })
}

/// Downloads one of NVIDIA's wheels and unpacks it.
fn unpack(wheel: &str, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    download(wheel, folder)?;
    for wheel in wheels(folder) {
        process::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(folder))?;
        fs::remove_file(&wheel).map_err(Error::file("remove", &wheel))?;
    }
    Ok(())
}

/// Debian's python3 comes without pip.
fn pip() -> Result<()> {
    let has_pip = process::captured(Command::new("python3").args(["-m", "pip", "--version"]));
    if has_pip.is_ok() || which::which("apt-get").is_err() {
        return Ok(());
    }
    eprintln!("running: apt-get install -y python3-pip");
    process::run(&mut apt_command(&["update"]))?;
    process::run(&mut apt_command(&["install", "-y", "python3-pip"]))
}

fn download(wheel: &str, folder: &Path) -> Result<()> {
    pip()?;
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", wheel, "--dest"]).arg(folder);
    eprintln!("running: {}", process::line(&command));
    process::run(&mut command)
}

fn wheels(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect()
}

/// Python's zipfile does not keep permissions.
fn make_executable(program: &Path) -> Result<()> {
    process::run(Command::new("chmod").arg("755").arg(program))
}
