//! The files of a data set that is a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::DatasetError;

/// What the name of a compressed file has besides.
const COMPRESSED: &str = ".gz";

/// A folder with the files of one data set, each of which is called `NAME` and something that says what it has.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    name: String,
}

impl Folder {
    /// Finds the name of the data set in the folder at `path` by its one file `NAME{part}`, which serves a `purpose`.
    ///
    /// # Errors
    /// The folder cannot be listed, or has no such file, or several.
    pub fn find(path: &Path, part: &str, purpose: &'static str) -> Result<Self, DatasetError> {
        let mut names = names(path, part).map_err(|source| DatasetError::Folder { path: path.to_owned(), source })?;
        names.sort();
        names.dedup();
        let folder = path.to_owned();
        match <[String; 1]>::try_from(names) {
            Ok([name]) => Ok(Self { path: folder, name }),
            Err(names) => Err(match &names[..] {
                [one, other, ..] => DatasetError::Several { folder, one: one.clone(), other: other.clone() },
                _ => DatasetError::Missing { folder, file: format!("NAME{part}[{COMPRESSED}]"), purpose },
            }),
        }
    }

    /// The path of the file `NAME{part}`, plain or compressed, which serves a `purpose`.
    ///
    /// # Errors
    /// There is none.
    pub fn file(&self, part: &str, purpose: &'static str) -> Result<PathBuf, DatasetError> {
        let missing = || DatasetError::Missing {
            folder: self.path.clone(),
            file: format!("{}{part}[{COMPRESSED}]", self.name),
            purpose,
        };
        self.optional(part).ok_or_else(missing)
    }

    /// As [`file`](Self::file), if there is one.
    pub fn optional(&self, part: &str) -> Option<PathBuf> {
        let plain = format!("{}{part}", self.name);
        let paths = [self.path.join(&plain), self.path.join(plain + COMPRESSED)];
        paths.into_iter().find(|path| path.exists())
    }
}

/// What stands before `part` in the names of files.
fn names(folder: &Path, part: &str) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.file_name();
        let file = file.to_string_lossy();
        names.extend(file.strip_suffix(COMPRESSED).unwrap_or(&file).strip_suffix(part).map(str::to_owned));
    }
    Ok(names)
}
