//! What can be wrong with a file of labels.

use std::path::PathBuf;

use onyx_runtime::memory::OutOfMemory;
use onyx_runtime::text::{FileError, Text};
use thiserror::Error;

/// What is wrong with a label file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no memory for the labels.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It holds no label.
    #[error("{} holds no label", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line does not say what it should.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        problem: LabelProblem,
    },
    /// A file without ids has another number of labels than there are vertices.
    #[error(
        "{} has {labels} labels for {vertices} vertices: with a label alone on each line there must be one for every vertex, in id order",
        path.display()
    )]
    Count {
        /// The file.
        path: PathBuf,
        /// The number of labels.
        labels: usize,
        /// The number of vertices.
        vertices: usize,
    },
}

impl LabelError {
    /// What is wrong with the line that begins at byte `begin`.
    pub(crate) fn line(text: &Text, begin: usize, problem: LabelProblem) -> Self {
        match problem {
            LabelProblem::Memory(error) => error.into(),
            problem => Self::Line { path: text.path().to_owned(), line: text.line_number(begin), problem },
        }
    }
}

/// What is wrong with a line of a label file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelProblem {
    /// Too many or too few words.
    #[error("expected \"id label\" on every line or a label alone on every line")]
    Form,
    /// The id is no number.
    #[error("\"{0}\" is not a vertex id")]
    Id(String),
    /// The label is no class.
    #[error("\"{0}\" is not a class: classes are numbered 0, 1, 2 and so on")]
    Class(String),
    /// The id is not in the graph.
    #[error("the graph has no vertex {0}")]
    UnknownVertex(u64),
    /// The vertex has a label already.
    #[error("vertex {0} has a label on an earlier line")]
    Again(u64),
    /// There is no memory for what it says.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
