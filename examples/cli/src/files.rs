//! The files that a command line names, or that lie in a folder that it names: none that is written may be one that is read, or be written twice.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use onyx_runtime::file::{beside, resolve};

use super::error::CliError;
use super::output::{INTERRUPTED, UNVERIFIED, is_standard};

/// What the values of options that name files are called in the help; a path may be that of a folder with the files of a data set.
const FILES: [&str; 2] = ["FILE", "PATH"];
/// The options whose files are written. All others are read.
const WRITTEN: [&str; 8] = ["output", "assignment", "cache", "noisy", "out", "plot", "save", "curve"];
/// The option whose file never has an answer beside it: a cache is written before there is one.
const ALONE: &str = "cache";
/// The options whose files are of what has been learned, which is never verified.
const LEARNED: [&str; 2] = ["save", "curve"];
/// The option whose file may be what an interrupted run has left: it is read before anything is learned.
const RESUMED: &str = "load";
/// How the names of files end that are read of a folder.
const TEXTS: [&str; 2] = [".txt", ".txt.gz"];

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

/// An option that names a file, or the folder that it lies in.
struct Named {
    option: String,
    path: PathBuf,
    is_in_folder: bool,
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
        for aside in asides(one) {
            let written = identity(&aside, true);
            let is_same =
                |other: &&Named| other.option != RESUMED && other.identity.is_some() && other.identity == written;
            if let Some(other) = others().find(is_same) {
                return Err(same(one, other, &aside));
            }
        }
    }
    Ok(())
}

fn same(one: &Named, other: &Named, path: &Path) -> CliError {
    let (option, other_option, path) = (one.option.clone(), other.option.clone(), path.to_owned());
    if other.is_in_folder {
        return CliError::FileOfFolder { option, other: other_option, path };
    }
    CliError::SameFile { option, other: other_option, path }
}

/// The options of the command line that name a file.
fn named(command: &Command, matches: &ArgMatches) -> Vec<Named> {
    let files = command.get_arguments().filter(|argument| {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().any(|name| name.split('|').any(|part| FILES.contains(&part)))
    });
    let values = files.flat_map(|argument| {
        let option = argument.get_id().as_str();
        matches.get_raw(option).into_iter().flatten().map(move |value| (option.to_owned(), PathBuf::from(value)))
    });
    values.flat_map(|(option, path)| files_of(option, path)).collect()
}

/// The file that an option names, or those that are read of a folder.
fn files_of(option: String, path: PathBuf) -> Vec<Named> {
    let is_written = WRITTEN.contains(&option.as_str());
    let is_in_folder = path.is_dir() && !is_written;
    let paths = if is_in_folder { texts(&path) } else { vec![path] };
    let named =
        |path: PathBuf| Named { identity: identity(&path, is_written), option: option.clone(), path, is_in_folder };
    paths.into_iter().map(named).collect()
}

/// What is read of a folder. One that cannot be listed is refused where it is loaded.
fn texts(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let is_text = |path: &PathBuf| TEXTS.iter().any(|end| path.to_string_lossy().ends_with(end));
    entries.filter(is_text).collect()
}

/// Where answers go that are not good.
fn asides(named: &Named) -> Vec<PathBuf> {
    let target = resolve(&named.path).unwrap_or_else(|_| named.path.clone());
    let suffixes: &[&str] = match named.option.as_str() {
        ALONE => &[],
        option if LEARNED.contains(&option) => &[INTERRUPTED],
        _ => &[INTERRUPTED, UNVERIFIED],
    };
    suffixes.iter().map(|suffix| beside(&target, suffix)).collect()
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
