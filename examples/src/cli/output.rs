//! The output files: a line for each vertex, or a picture, there whole or not at all.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use onyx_runtime::graph::VertexIds;
use tempfile::{Builder, NamedTempFile};

use super::error::CliError;
use super::solution::Values;
use crate::image::{Picture, png};

/// A file that appears under its name once everything is written.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl OutputFile {
    /// Begins the file at `path`, so that a folder that cannot be written is known before the run.
    ///
    /// # Errors
    /// No file can be made there, or something other than a file is there.
    pub fn create(path: &Path) -> Result<Self, CliError> {
        if path.exists() && !path.is_file() {
            return Err(CliError::OutputNotAFile { path: path.to_owned() });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = builder().tempfile_in(folder).map_err(|source| error(path, source))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Writes `id value value ...` for each vertex, separated by tabs, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, ids: &VertexIds, values: &Values) -> Result<(), CliError> {
        let written = write_rows(&mut self.temporary, ids, values);
        self.finish(written)
    }

    /// Writes a picture as PNG, and gives the file its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_picture(mut self, picture: &Picture) -> Result<(), CliError> {
        let mut writer = BufWriter::new(self.temporary.as_file_mut());
        let written = png::write(&mut writer, picture).and_then(|()| writer.flush());
        drop(writer);
        self.finish(written)
    }

    fn finish(self, written: io::Result<()>) -> Result<(), CliError> {
        written.map_err(|source| error(&self.path, source))?;
        self.temporary.persist(&self.path).map_err(|failure| error(&self.path, failure.error))?;
        Ok(())
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

fn write_rows(file: &mut NamedTempFile, ids: &VertexIds, values: &Values) -> io::Result<()> {
    let mut writer = BufWriter::new(file.as_file_mut());
    for (vertex, row) in values.rows().enumerate() {
        write!(writer, "{}", ids.original(vertex as u32))?;
        row.iter().try_for_each(|value| write!(writer, "\t{value:?}"))?;
        writeln!(writer)?;
    }
    writer.flush()
}
