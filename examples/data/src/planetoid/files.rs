//! The files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dataset::DatasetError;

/// How the name of the file ends by which a data set is found.
const ADJACENCY: &str = ".adjlist.txt";
/// What the name of a compressed file has besides.
const COMPRESSED: &str = ".gz";

/// The files of a data set.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    name: String,
    /// Each vertex with its neighbors.
    pub adjacency: PathBuf,
    /// The classes.
    pub labels: PathBuf,
    /// The vertices to test with.
    pub split: PathBuf,
}

impl Files {
    /// Finds the files in `folder` by the name of the one with the neighbors.
    pub fn find(folder: &Path) -> Result<Self, DatasetError> {
        let name = name(folder)?;
        let file = |part: &str, purpose| file(folder, &name, part, purpose);
        Ok(Self {
            adjacency: file("adjlist", "it has a vertex and its neighbors on each line")?,
            labels: file("labels", "it has the class of each vertex, one a line")?,
            split: file("split", "it has a vertex to test with on each line, and says which to train with")?,
            folder: folder.to_owned(),
            name,
        })
    }

    /// The file with the features, which not every data set has.
    pub fn features(&self) -> Result<PathBuf, DatasetError> {
        let purpose = "the vertices of this copy have no features; `read_without_features` reads the graph, the labels and the split alone";
        file(&self.folder, &self.name, "features", purpose)
    }
}

/// The name of the one data set in `folder`.
fn name(folder: &Path) -> Result<String, DatasetError> {
    let failed = |source| DatasetError::Folder { path: folder.to_owned(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.file_name();
        let file = file.to_string_lossy();
        names.extend(file.strip_suffix(COMPRESSED).unwrap_or(&file).strip_suffix(ADJACENCY).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    let folder = folder.to_owned();
    match <[String; 1]>::try_from(names) {
        Ok([name]) => Ok(name),
        Err(names) => Err(match &names[..] {
            [one, other, ..] => DatasetError::Several { folder, one: one.clone(), other: other.clone() },
            _ => {
                let purpose = "it has a vertex and its neighbors on each line, and gives the other files their name";
                DatasetError::Missing { folder, file: format!("NAME{ADJACENCY}[{COMPRESSED}]"), purpose }
            }
        }),
    }
}

/// The file of a part, plain or compressed.
fn file(folder: &Path, name: &str, part: &str, purpose: &'static str) -> Result<PathBuf, DatasetError> {
    let plain = format!("{name}.{part}.txt");
    let paths = [folder.join(&plain), folder.join(plain.clone() + COMPRESSED)];
    let found = paths.into_iter().find(|path| path.exists());
    found.ok_or_else(|| DatasetError::Missing {
        folder: folder.to_owned(),
        file: format!("{plain}[{COMPRESSED}]"),
        purpose,
    })
}
