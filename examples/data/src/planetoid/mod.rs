//! Citation networks in the text form of Planetoid: Cora, Citeseer, Pubmed.
//!
//! A folder has the files of one data set `NAME`, each plain or gzip-compressed (`.gz`):
//!
//! | file | a line |
//! | --- | --- |
//! | `NAME.adjlist.txt` | a vertex and its neighbors, if it has any |
//! | `NAME.features.txt` | a vertex and its columns, each with `:value` unless it is 1; a comment `N nodes M features` says how many columns there are |
//! | `NAME.labels.txt` | the class of vertex 0, then of vertex 1, and so on |
//! | `NAME.split.txt` | a vertex to test with; a comment `train A..B ; val C..D` says which are learned from and validated with |
//!
//! Yang, Cohen and Salakhutdinov, "Revisiting Semi-Supervised Learning with Graph Embeddings", 2016, have made the splits.

mod adjacency;
mod features;
mod split;

use std::path::{Path, PathBuf};

use ndarray::Array2;
use onyx_runtime::progress::UNWATCHED;
use onyx_runtime::text::Text;

use crate::dataset::{Dataset, DatasetError, Folder, classes, read_labels};

/// How the name of the file ends by which a data set is found.
const ADJACENCY: &str = ".adjlist.txt";

/// Reads the data set in `folder`. An edge that is given more than once, in whichever direction, is one edge; loops are left out.
///
/// # Errors
/// A file is missing or cannot be read, a line does not say what it should, or the files do not fit each other. Where only the features are
/// missing, [`read_without_features`] reads the others.
pub fn read(folder: impl AsRef<Path>) -> Result<Dataset, DatasetError> {
    let folder = find(folder.as_ref())?;
    let dataset = read_parts(&folder)?;
    let purpose = "it has a vertex and its columns on each line, and there is nothing to learn from without it: add the file, or take a copy of the data set that has it";
    let text = open(&folder.file(".features.txt", purpose)?)?;
    Ok(Dataset { features: features::parse(&text, dataset.labels.len(), &labels(&folder)?)?, ..dataset })
}

/// As [`read`], but for the features: they have no columns, and the file may be missing.
///
/// # Errors
/// As [`read`].
pub fn read_without_features(folder: impl AsRef<Path>) -> Result<Dataset, DatasetError> {
    read_parts(&find(folder.as_ref())?)
}

fn find(folder: &Path) -> Result<Folder, DatasetError> {
    Folder::find(
        folder,
        ADJACENCY,
        "it has a vertex and its neighbors on each line, and gives the other files their name",
    )
}

/// The path of the file with the labels.
fn labels(folder: &Folder) -> Result<PathBuf, DatasetError> {
    folder.file(".labels.txt", "it has the class of each vertex, one a line")
}

fn read_parts(folder: &Folder) -> Result<Dataset, DatasetError> {
    let labels = read_labels(&open(&labels(folder)?)?)?;
    let vertices = labels.len();
    let purpose = "it has a vertex to test with on each line, and says which to train with";
    let split = split::parse(&open(&folder.file(".split.txt", purpose)?)?, vertices)?;
    let adjacency = open(&folder.file(ADJACENCY, "it has a vertex and its neighbors on each line")?)?;
    Ok(Dataset {
        graph: adjacency::parse(&adjacency, vertices)?,
        features: Array2::zeros((vertices, 0)),
        classes: classes(&labels),
        labels,
        train: split.train,
        validation: split.validation,
        test: split.test,
    })
}

fn open(path: &Path) -> Result<Text, DatasetError> {
    Ok(Text::open(path, UNWATCHED)?)
}
