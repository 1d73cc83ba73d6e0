//! Devices that take what is written as it comes, such as `/dev/null` or a terminal.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// The character device at `path`, to be written; none if something else is there, or nothing. There is no old file to keep, and none to replace.
///
/// # Errors
/// It cannot be opened.
pub fn device(path: &Path) -> io::Result<Option<File>> {
    if is_device(path) { OpenOptions::new().write(true).open(path).map(Some) } else { Ok(None) }
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    path.metadata().is_ok_and(|metadata| metadata.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}
