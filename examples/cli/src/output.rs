//! What the programs write: a line for each vertex, or a picture; there whole or not at all.
//!
//! All of it goes by one rule. A file that is there is replaced by a finished, verified answer alone. Any other answer goes beside it, under
//! a name that says what it is. Standard output and devices, as `/dev/null` is one, get good answers alone.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use onyx_runtime::file::{Replacement, device};
use onyx_runtime::graph::VertexIds;

use super::complain;
use super::error::CliError;
use super::solution::Values;
use super::verdict::Verdict;

/// What is after the name of the file in which the answer of an interrupted run is.
pub const INTERRUPTED: &str = ".interrupted";
/// What is after the name of the file in which an answer is that is not verified.
pub const UNVERIFIED: &str = ".unverified";

/// The paths that stand for standard output.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// A place for an answer.
#[derive(Debug)]
pub enum Output {
    /// A file, by the path that it was asked for.
    File(PathBuf, Replacement),
    /// A device, by its path.
    Device(PathBuf, File),
    /// Standard output.
    Standard,
}

impl Output {
    /// Begins the output to `path`, so that a folder that cannot be written is known before the run.
    ///
    /// # Errors
    /// No file can be made there, or something other than a file or a device is there.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        if is_standard(path) {
            return Ok(Self::Standard);
        }
        let opened = device(path).map_err(|source| error(path, source))?;
        if let Some(device) = opened {
            return Ok(Self::Device(path.to_owned(), device));
        }
        let replacement = Replacement::create(path).map_err(|source| error(path, source))?;
        Ok(Self::File(path.to_owned(), replacement))
    }

    /// Whether everything goes to standard output, so that reports have to go elsewhere.
    pub fn is_standard(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// As [`create`](Self::create), if there is a path.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_if(path: Option<&PathBuf>) -> Result<Option<Self>, CliError> {
        path.map(|path| Self::create(path)).transpose()
    }

    /// Has `write` write the answer, and puts it where one that is worth `verdict` belongs.
    ///
    /// # Errors
    /// A good answer cannot be written; or it is finished and could not be verified.
    pub fn deliver(
        self,
        verdict: Verdict,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        match (self, verdict) {
            (Self::Standard, Verdict::Good) => to_standard_output(write),
            (Self::File(path, file), Verdict::Good) => {
                written(file, write).and_then(Replacement::finish).map_err(|source| error(&path, source))
            }
            (Self::Device(path, device), Verdict::Good) => {
                written(device, write).map(drop).map_err(|source| error(&path, source))
            }
            (_, Verdict::Diverged) => Ok(()),
            (output, Verdict::Unverified) => Err(CliError::Unverified { kept: output.keep(UNVERIFIED, write) }),
            (output, Verdict::Wrong(_)) => output.keep_and_say("does not agree", UNVERIFIED, write),
            (output, Verdict::Interrupted { .. }) => output.keep_and_say("is not finished", INTERRUPTED, write),
        }
    }

    /// Writes the answer beside its place, and says where, or why it could not be written.
    fn keep(self, suffix: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let (path, file) = match self {
            Self::File(path, file) => (path, file),
            Self::Device(path, _) => return format!("it was not written to {}", path.display()),
            Self::Standard => return "it was not written to standard output".to_owned(),
        };
        let old = if file.target().exists() { "was left as it is" } else { "was not written" };
        match written(file, write).and_then(|file| file.finish_beside(suffix)) {
            Ok(kept) => format!("it is in {}, and {} {old}", kept.display(), path.display()),
            Err(source) => format!("it could not be written beside {}, which {old}: {source}", path.display()),
        }
    }

    fn keep_and_say(
        self,
        what: &str,
        suffix: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), CliError> {
        let kept = self.keep(suffix, write);
        complain(&format!("note: the answer {what}: {kept}"));
        Ok(())
    }
}

/// Whether `path` stands for standard output.
pub fn is_standard(path: &Path) -> bool {
    STANDARD.iter().any(|name| path == Path::new(name))
}

fn written<W: Write>(mut file: W, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<W> {
    let mut writer = BufWriter::new(&mut file);
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    Ok(file)
}

/// Writes to standard output; a reader who has left, as `head` does, is no failure.
pub fn to_standard_output(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let mut writer = BufWriter::new(io::stdout().lock());
    match write(&mut writer).and_then(|()| writer.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

fn error(path: &Path, source: io::Error) -> CliError {
    CliError::Output { path: path.to_owned(), source }
}

/// Writes `id value value ...` for each vertex, separated by tabs.
///
/// # Errors
/// As `writer`.
pub fn write_rows(writer: &mut dyn Write, ids: &VertexIds, values: &Values) -> io::Result<()> {
    for (vertex, row) in values.rows().enumerate() {
        write!(writer, "{}", ids.original(vertex as u32))?;
        row.iter().try_for_each(|value| write!(writer, "\t{value:?}"))?;
        writeln!(writer)?;
    }
    Ok(())
}
