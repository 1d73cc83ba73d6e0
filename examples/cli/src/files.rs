//! The files that a command line names: none that is written may be one that is read, or be written twice.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use onyx_runtime::file::{beside, resolve};

use super::error::CliError;
use super::output::{INTERRUPTED, UNVERIFIED, is_standard};

/// What the values of options that name files are called in the help.
const FILE: &str = "FILE";
/// The options whose files are written. All others are read.
const WRITTEN: [&str; 5] = ["output", "cache", "noisy", "out", "plot"];
/// The option whose file is written before there is an answer, so that no answer is ever beside it.
const CACHE: &str = "cache";

/// A file, by whatever name.
#[derive(Debug, PartialEq)]
enum Identity {
    /// Standard output.
    Standard,
    /// The device and the number on it.
    #[cfg(unix)]
    Inode(u64, u64),
    /// Where it would be, or is.
    Path(PathBuf),
}

/// An option that names a file.
struct Named {
    option: String,
    path: PathBuf,
    /// None of what is no file, as a terminal.
    identity: Option<Identity>,
}

/// Refuses a command line of which one file would be written, and is read or written by another option, too.
///
/// # Errors
/// There are two such options.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<(), CliError> {
    let named = named(command, matches);
    for (index, one) in named.iter().enumerate().filter(|(_, one)| WRITTEN.contains(&one.option.as_str())) {
        let others = || named.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
        if let Some(other) = others().find(|other| one.identity.is_some() && other.identity == one.identity) {
            return Err(same(one, other, &one.path));
        }
        let asides = if one.option == CACHE { Vec::new() } else { asides(&one.path) };
        for aside in asides {
            if let Some(other) =
                others().find(|other| other.identity.is_some() && other.identity == identity(&aside, true))
            {
                return Err(same(one, other, &aside));
            }
        }
    }
    Ok(())
}

fn same(one: &Named, other: &Named, path: &Path) -> CliError {
    CliError::SameFile { option: one.option.clone(), other: other.option.clone(), path: path.to_owned() }
}

/// The options of the command line that name a file.
fn named(command: &Command, matches: &ArgMatches) -> Vec<Named> {
    let files = command.get_arguments().filter(|argument| {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().any(|name| name.split('|').any(|part| part == FILE))
    });
    let values = files.flat_map(|argument| {
        let option = argument.get_id().as_str();
        matches.get_raw(option).into_iter().flatten().map(move |value| (option.to_owned(), PathBuf::from(value)))
    });
    let is_written = |option: &str| WRITTEN.contains(&option);
    values.map(|(option, path)| Named { identity: identity(&path, is_written(&option)), option, path }).collect()
}

/// Where answers go that are not good.
fn asides(path: &Path) -> Vec<PathBuf> {
    let target = resolve(path).unwrap_or_else(|_| path.to_owned());
    [INTERRUPTED, UNVERIFIED].map(|suffix| beside(&target, suffix)).into()
}

fn identity(path: &Path, is_written: bool) -> Option<Identity> {
    match path.metadata() {
        _ if is_standard(path) => is_written.then_some(Identity::Standard),
        Ok(metadata) if !metadata.is_file() => None,
        #[cfg(unix)]
        Ok(metadata) => {
            use std::os::unix::fs::MetadataExt;

            Some(Identity::Inode(metadata.dev(), metadata.ino()))
        }
        _ => Some(Identity::Path(resolve(path).unwrap_or_else(|_| path.to_owned()))),
    }
}
