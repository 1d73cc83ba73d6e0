//! Files that appear whole or not at all.

use std::path::Path;
use std::{fs, io, process};

/// Writes a file under another name, which then takes the place of the old one, where a symbolic link leads.
pub fn replace(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> io::Result<()> {
    let path = path.as_ref();
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", process::id()));
    let beside = path.with_file_name(name);
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // It is not there where it could not be written.
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::replace;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        replace(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_replaced_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("folder/file");
        fs::create_dir_all(&inner).unwrap();
        assert!(replace(inner.parent().unwrap(), "text").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
