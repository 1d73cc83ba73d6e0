//! What can be wrong with a file of numbers for edges or vertices.

use std::path::PathBuf;

use onyx_runtime::graph::GraphError;
use onyx_runtime::memory::OutOfMemory;
use onyx_runtime::text::{FileError, Text};
use thiserror::Error;

/// Why a file of numbers cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no memory for the numbers.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It has no line that counts.
    #[error("{} holds no line of numbers", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A Matrix Market file where several numbers an edge were asked for.
    #[error(
        "{} is a Matrix Market file, which has one weight an edge, for one feature, and {features} features were asked for: write an edge list \
         with a weight for each, \"source destination weight weight ...\"", path.display()
    )]
    OneWeight {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        features: usize,
    },
    /// A Matrix Market file without numbers.
    #[error("{} is a pattern matrix, whose edges have no weights: write a real one, or an edge list with weights", path.display())]
    Pattern {
        /// The file.
        path: PathBuf,
    },
    /// An entry of a Matrix Market file with which a mean is no mean.
    #[error(
        "{}: the entry ({row}, {column}) is {weight}, below 0: a vertex takes the mean of its neighbors, by weights of 0 and more", path.display()
    )]
    NegativeEntry {
        /// The file.
        path: PathBuf,
        /// The row, which is where the edge starts.
        row: u64,
        /// The column, which is where it ends.
        column: u64,
        /// The value.
        weight: f32,
    },
    /// A line does not say what it should.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        problem: ValueProblem,
    },
    /// The edges make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl ValueError {
    /// What is wrong with the line that begins at byte `begin`.
    pub(super) fn line(text: &Text, begin: usize, problem: ValueProblem) -> Self {
        match problem {
            ValueProblem::Memory(error) => error.into(),
            problem => Self::Line { path: text.path().to_owned(), line: text.line_number(begin), problem },
        }
    }
}

/// What is wrong with a line of numbers.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ValueProblem {
    /// No two ids.
    #[error("expected \"source destination weight weight ...\"")]
    NotAnEdge,
    /// Nothing is where a comma says that there is a field.
    #[error("nothing stands before, between or after the commas: fill the field, or take its comma out")]
    EmptyField,
    /// The first line has the sizes of a matrix.
    #[error(
        "these look like the rows, columns and entries of a Matrix Market file: put its first line, %%MatrixMarket and so on, back, or \
         remove this one; if it is an edge, let another one stand before it"
    )]
    SizesInList,
    /// The numbers are no square matrix.
    #[error("{0} weights are no matrix of as many rows as columns: expected 1, 4, 9, 16 and so on, row after row")]
    NotSquare(usize),
    /// Too many or too few numbers.
    #[error("expected {expected} numbers after the vertex ids, and found {found}")]
    Length {
        /// As many as the first line has, or as were asked for.
        expected: usize,
        /// As many as there are.
        found: usize,
    },
    /// The id is no number.
    #[error("\"{0}\" is not a vertex id")]
    Id(String),
    /// The value is no number.
    #[error("\"{0}\" is not a finite number")]
    Number(String),
    /// The value is not 0, but 32-bit floats have no number that near to 0.
    #[error("\"{0}\" is nearer to 0 than any 32-bit float: multiply all weights by the same number")]
    TooSmall(String),
    /// A weight with which a mean is no mean.
    #[error("the weight {0} is below 0: a vertex takes the mean of its neighbors, by weights of 0 and more")]
    Negative(f32),
    /// A weight with which a distribution is none.
    #[error("the weight {0} is below 0")]
    BelowZero(f32),
    /// The id is not in the graph.
    #[error("the graph has no vertex {0}")]
    UnknownVertex(u64),
    /// The vertex has a line already.
    #[error("vertex {0} stands on an earlier line")]
    Again(u64),
    /// An undirected edge has other numbers than on an earlier line.
    #[error(
        "the edge between {one} and {other} stands on line {line} with other numbers: an undirected edge that is given more than once, in \
         whichever direction, is one edge"
    )]
    Differs {
        /// The id of one end.
        one: u64,
        /// That of the other.
        other: u64,
        /// The earlier line's number, from 1.
        line: u64,
    },
    /// There is no memory for what it says.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
