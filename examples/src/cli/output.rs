//! The output files: a line for each vertex, or a picture, there whole or not at all.

use std::fs::Permissions;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use onyx_runtime::graph::VertexIds;
use tempfile::{Builder, NamedTempFile};

use super::error::CliError;
use super::solution::Values;
use crate::image::{Picture, png};

/// What stands for standard output.
const STANDARD_OUTPUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// A file that appears under its name once everything is written; or standard output.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    /// None where everything goes to standard output.
    temporary: Option<NamedTempFile>,
}

impl OutputFile {
    /// Begins the file at `path`, so that a folder that cannot be written is known before the run.
    ///
    /// # Errors
    /// No file can be made there, or something other than a file is there.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        if STANDARD_OUTPUT.iter().any(|name| path == Path::new(name)) {
            return Self::standard(path);
        }
        if path.exists() && !path.is_file() {
            return Err(CliError::OutputNotAFile { path: path.to_owned() });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = builder().tempfile_in(folder).map_err(|source| error(path, source))?;
        Ok(Self { path: path.to_owned(), temporary: Some(temporary) })
    }

    /// Standard output, which one file alone may be.
    fn standard(path: &Path) -> Result<Self, CliError> {
        static IS_TAKEN: AtomicBool = AtomicBool::new(false);
        if IS_TAKEN.swap(true, Ordering::Relaxed) {
            return Err(CliError::OutputTwice);
        }
        Ok(Self { path: path.to_owned(), temporary: None })
    }

    /// Whether everything goes to standard output, so that reports have to go elsewhere.
    pub fn is_standard(&self) -> bool {
        self.temporary.is_none()
    }

    /// Writes `id value value ...` for each vertex, separated by tabs, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, ids: &VertexIds, values: &Values) -> Result<(), CliError> {
        self.finish(|writer| write_rows(writer, ids, values))
    }

    /// Writes lines, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_lines(self, mut lines: impl Iterator<Item = String>) -> Result<(), CliError> {
        self.finish(|writer| lines.try_for_each(|line| writeln!(writer, "{line}")))
    }

    /// Writes a picture as PNG, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_picture(self, picture: &Picture) -> Result<(), CliError> {
        self.finish(|mut writer| png::write(&mut writer, picture))
    }

    fn finish(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        let Self { path, temporary } = self;
        let Some(mut temporary) = temporary else { return to_standard_output(write) };
        let mut writer = BufWriter::new(temporary.as_file_mut());
        let written = write(&mut writer).and_then(|()| writer.flush());
        drop(writer);
        written.map_err(|source| error(&path, source))?;
        temporary.persist(&path).map_err(|failure| error(&path, failure.error))?;
        Ok(())
    }
}

/// Writes to standard output; a reader who has left, as `head` does, is no failure.
pub fn to_standard_output(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let mut writer = BufWriter::new(io::stdout().lock());
    match write(&mut writer).and_then(|()| writer.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Stdout(error)),
        _ => Ok(()),
    }
}

/// Temporary files are private unless told otherwise; this one is to be an ordinary file.
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".onyx-");
    #[cfg(unix)]
    builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    builder
}

fn error(path: &Path, source: io::Error) -> CliError {
    CliError::Output { path: path.to_owned(), source }
}

fn write_rows(writer: &mut dyn Write, ids: &VertexIds, values: &Values) -> io::Result<()> {
    for (vertex, row) in values.rows().enumerate() {
        write!(writer, "{}", ids.original(vertex as u32))?;
        row.iter().try_for_each(|value| write!(writer, "\t{value:?}"))?;
        writeln!(writer)?;
    }
    Ok(())
}
