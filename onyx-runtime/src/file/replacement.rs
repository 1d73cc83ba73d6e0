//! A file that takes the place of another.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::attributes::inherit;
use super::device::device;
use super::leftover;
use super::link::{folder_of, resolve};
use super::temporary::Temporary;

/// A new file that takes the place of the one at its path when [`finish`](Self::finish) is called, and never otherwise.
///
/// A symbolic link stays, and the file that it leads to is replaced; mode, owner and extended attributes of the old file are kept as far as
/// this process may give them.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    temporary: Temporary,
}

impl Replacement {
    /// Begins a file for `path`; what killed processes have left in its folder goes.
    ///
    /// # Errors
    /// No file can be made there, something other than a file is there, or the file that is there is write-protected.
    pub fn create(path: &Path) -> io::Result<Self> {
        check(path)?;
        let target = resolve(path)?;
        leftover::remove(folder_of(&target));
        let temporary = Temporary::create(folder_of(&target))?;
        // Now for the time in which it is written, and again at the end.
        inherit(&temporary.file, &target)?;
        Ok(Self { target, temporary })
    }

    /// Where the file will be: the path that it was created for, its links followed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The file, to be written without a buffer.
    pub fn file(&self) -> &File {
        &self.temporary.file
    }

    /// Puts the file into its place.
    ///
    /// # Errors
    /// It cannot be written to the disk, or be given its name.
    pub fn finish(self) -> io::Result<()> {
        let target = self.target.clone();
        self.finish_at(&target)
    }

    /// Puts the file beside its place, under the same name with `suffix` after it, and says where.
    ///
    /// # Errors
    /// It cannot be written to the disk, or be given its name.
    pub fn finish_beside(self, suffix: &str) -> io::Result<PathBuf> {
        let path = beside(&self.target, suffix);
        self.finish_at(&path)?;
        Ok(path)
    }

    fn finish_at(self, path: &Path) -> io::Result<()> {
        inherit(&self.temporary.file, &self.target)?;
        self.temporary.persist(path)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.file.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.temporary.file.seek(position)
    }
}

/// Replaces the file at `path`, or makes it; a character device there is written.
///
/// # Errors
/// As [`device()`], [`Replacement::create`] and [`Replacement::finish`].
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(mut device) = device(path)? {
        return device.write_all(content.as_ref());
    }
    let mut replacement = Replacement::create(path)?;
    replacement.write_all(content.as_ref())?;
    replacement.finish()
}

/// The path with `suffix` after its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn check(path: &Path) -> io::Result<()> {
    let Ok(metadata) = path.metadata() else { return Ok(()) };
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is there and not a regular file"));
    }
    if is_writable(path) { Ok(()) } else { Err(io::Error::new(ErrorKind::PermissionDenied, "it is write-protected")) }
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut dropped = Replacement::create(&path).unwrap();
        dropped.write_all(b"new").unwrap();
        drop(dropped);
        let mut beside = Replacement::create(&path).unwrap();
        beside.write_all(b"half").unwrap();
        assert_eq!(
            beside.finish_beside(".interrupted").unwrap(),
            folder.path().canonicalize().unwrap().join("file.interrupted")
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_to_string(folder.path().join("file.interrupted")).unwrap(), "half");
        assert_eq!(names(folder.path()), ["file", "file.interrupted"]);
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Replacement::create(folder.path()).unwrap_err().to_string().contains("not a regular file"));
        assert!(Replacement::create(&folder.path().join("none/file")).is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written() {
        replace(Path::new("/dev/null"), "new").unwrap();
        // This one is always full, so that it says whether anything was written.
        assert_eq!(replace(Path::new("/dev/full"), "new").unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(Replacement::create(Path::new("/dev/null")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_are_kept() {
        use std::fs::Permissions;
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), elsewhere.path().join("file"));
        symlink(&file, &link).unwrap();
        replace(&link, "first").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        replace(&link, "second").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "second");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o640);
        let mut replacement = Replacement::create(&link).unwrap();
        replacement.write_all(b"half").unwrap();
        let path = replacement.finish_beside(".interrupted").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o7777, 0o640);
        assert_eq!((names(folder.path()), names(elsewhere.path()).len()), (vec!["link".to_owned()], 2));
    }
}
