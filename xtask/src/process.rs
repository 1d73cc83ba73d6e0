//! Starting other programs, and saying which one failed.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::error::{Error, Result};

/// The cargo that runs this command, or else the one in PATH.
pub fn cargo_path() -> PathBuf {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")).into()
}

/// A cargo command in a folder.
pub fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo_path());
    command.current_dir(folder).args(arguments);
    command
}

/// Runs a command with this terminal as its output.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(start_error(command))?;
    checked(command, status, String::new())
}

/// Runs a command and returns what it wrote to its standard output.
pub fn output(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8_lossy(&captured(command)?.stdout).into_owned())
}

/// Runs a command and returns everything it wrote.
pub fn captured(command: &mut Command) -> Result<Output> {
    let output = command.output().map_err(start_error(command))?;
    checked(command, output.status, format!(":\n{}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(output)
}

/// Runs a command, shows its standard output as it comes and returns it.
pub fn shown(command: &mut Command) -> Result<String> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(start_error(command))?;
    let mut text = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(std::io::Result::ok) {
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
        }
    }
    let status = child.wait().map_err(start_error(command))?;
    checked(command, status, String::new())?;
    Ok(text)
}

/// Asks git for the commit of a checkout, which ends in `-dirty` where files have been edited.
pub fn commit(checkout: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(checkout).args(["describe", "--always", "--dirty", "--exclude=*"]);
    command
}

/// The command line as a person would type it.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// What it means that a command could not be started.
pub fn start_error(command: &Command) -> impl FnOnce(std::io::Error) -> Error + use<> {
    let command = line(command);
    move |source| Error::Start { command, source }
}

/// An error if a command has failed.
pub fn checked(command: &Command, status: ExitStatus, stderr: String) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(Error::Command { command: line(command), status: status.to_string(), stderr: stderr.trim_end().to_string() })
}
