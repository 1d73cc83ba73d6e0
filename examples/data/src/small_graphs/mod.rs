//! Collections of many small graphs, each with a class: molecules, proteins, networks of people.
//!
//! [`read`] takes what a path leads to: a file in the text form of GIN ([`gin`]), or a folder in the raw form of TU Dortmund ([`tu`]).
//! A [`GraphCollection`] keeps all of them as one disconnected graph, of which a [`Batch`] has some. A [`Loader`] shuffles them, and makes each
//! batch while the one before it is learned from.

mod collection;
pub mod gin;
mod loader;
mod names;
pub mod tu;

use std::path::Path;

use crate::dataset::DatasetError;

pub use collection::{Batch, GraphCollection};
pub use loader::{Batches, Loader};

/// Reads the collection that `path` leads to: a folder in the form of TU Dortmund, or a file in that of GIN, plain or gzip-compressed.
///
/// # Errors
/// As [`tu::read`] or [`gin::read`].
pub fn read(path: impl AsRef<Path>) -> Result<GraphCollection, DatasetError> {
    let path = path.as_ref();
    if path.is_dir() { tu::read(path) } else { gin::read(path) }
}
