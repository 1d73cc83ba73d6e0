//! Who may read and write a file: what a replacement takes over from the file that it replaces.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Gives `file` the owner, the extended attributes and the mode of the file at `path`; where there is none, it stays as it is.
///
/// # Errors
/// The mode cannot be set. An owner or an attribute that this process may not give is left out.
#[cfg(unix)]
pub(super) fn inherit(file: &File, path: &Path) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let Ok(model) = path.metadata() else { return Ok(()) };
    own(file, &model)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    extended::copy(path, file);
    let given = file.metadata()?;
    let mode = mode(&model, &given);
    if mode == given.permissions().mode() & 0o7777 {
        Ok(())
    } else {
        file.set_permissions(Permissions::from_mode(mode))
    }
}

/// There is nothing to take over where files have no mode.
#[cfg(not(unix))]
pub(super) fn inherit(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Owner and group where this process may give them, otherwise the group alone where it may.
#[cfg(unix)]
fn own(file: &File, model: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};

    let given = file.metadata()?;
    if (given.uid(), given.gid()) != (model.uid(), model.gid())
        && fchown(file, Some(model.uid()), Some(model.gid())).is_err()
    {
        // What was not permitted is not needed either: the mode below takes it into account.
        let _ = fchown(file, None, Some(model.gid()));
    }
    Ok(())
}

/// The mode of the `model`; but nobody may do more than before because the file's owner or group could not be kept.
#[cfg(unix)]
fn mode(model: &Metadata, given: &Metadata) -> u32 {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let mode = model.permissions().mode() & 0o7777;
    let (owner, group) = (model.uid() == given.uid(), model.gid() == given.gid());
    let mode = if owner && group { mode } else { mode & 0o777 };
    if group { mode } else { mode & (0o707 | (mode & 0o007) << 3) }
}

/// Lists of access rights and what else the file system keeps for a file.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod extended {
    use std::ffi::CStr;
    use std::fs::File;
    use std::path::Path;

    use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};

    /// The system allows no more, for the names of a file's attributes together and for each value.
    const LIMIT: usize = 1 << 16;

    /// Copies what can be copied.
    pub fn copy(from: &Path, to: &File) {
        let mut names = vec![0u8; LIMIT];
        let Ok(length) = listxattr(from, &mut names) else { return };
        let names = names[..length].split_inclusive(|&byte| byte == 0);
        names.filter_map(|name| CStr::from_bytes_with_nul(name).ok()).for_each(|name| copy_one(from, to, name));
    }

    fn copy_one(from: &Path, to: &File, name: &CStr) {
        let mut value = vec![0u8; LIMIT];
        if let Ok(length) = getxattr(from, name, &mut value) {
            // Some attributes are the system's own; those that a user may set are set.
            let _ = fsetxattr(to, name, &value[..length], XattrFlags::empty());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_mode_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "").unwrap();
        for mode in [0o640, 0o600, 0o666, 0o444, 0o755] {
            fs::set_permissions(&old, Permissions::from_mode(mode)).unwrap();
            let file = File::create(&new).unwrap();
            inherit(&file, &old).unwrap();
            assert_eq!(new.metadata().unwrap().permissions().mode() & 0o7777, mode);
            fs::remove_file(&new).unwrap();
        }
    }

    #[test]
    fn without_a_file_nothing_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("new")).unwrap();
        let before = file.metadata().unwrap().permissions();
        inherit(&file, &folder.path().join("old")).unwrap();
        assert_eq!(file.metadata().unwrap().permissions(), before);
    }
}
