//! Where symbolic links lead.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// More links than this in a row are taken for a circle, as the system does.
const LINKS: usize = 40;

/// Where `path` leads through symbolic links, from the root; nothing need be there, but its folder must.
///
/// # Errors
/// There is no such folder, or the links lead in a circle.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return from_root(&path),
        }
    }
    Err(io::Error::other("too many symbolic links, perhaps in a circle"))
}

fn from_root(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| io::Error::from(ErrorKind::IsADirectory))?;
    Ok(folder_of(path).canonicalize()?.join(name))
}

/// The folder that `path` lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_files_that_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("deep")).unwrap();
        symlink("deep/second", root.join("first")).unwrap();
        symlink("../file", root.join("deep/second")).unwrap();
        assert_eq!(resolve(&root.join("first")).unwrap(), root.join("file"));
        assert_eq!(resolve(&root.join("deep/../file")).unwrap(), root.join("file"));
        assert!(resolve(&root.join("none/file")).is_err());
    }

    #[test]
    fn links_in_a_circle_end() {
        let folder = tempfile::tempdir().unwrap();
        symlink("second", folder.path().join("first")).unwrap();
        symlink("first", folder.path().join("second")).unwrap();
        assert!(resolve(&folder.path().join("first")).unwrap_err().to_string().contains("circle"));
    }
}
