//! What can be wrong with ratings, and with the files that hold them.

use std::path::PathBuf;

use onyx_runtime::memory::OutOfMemory;
use onyx_runtime::text::FileError;
use thiserror::Error;

use super::bipartite::Side;
use super::csv::Separator;

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RatingsError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no memory for the ratings.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It holds nothing.
    #[error("{} holds no {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// Its lines are not cut into columns.
    #[error(
        "{} holds no rating: nothing stands between columns; user, item and rating may be separated by commas, semicolons, tabs or ::, and \
         lists of a user and items by blanks", path.display()
    )]
    NotSeparated {
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
        problem: LineProblem,
    },
}

/// What is wrong with a line of a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// A column is missing.
    #[error(
        "{found} of the columns user, item and rating, separated by {separator} as the first line has them: a line needs all three; \
         commas, semicolons, tabs and :: are possible"
    )]
    Columns {
        /// How many there are.
        found: usize,
        /// What the first line has between its columns.
        separator: Separator,
    },
    /// A title is missing.
    #[error("an item without a title: a line needs the item and its title")]
    Title,
    /// An id is missing.
    #[error("the {0} has no id")]
    NoId(Side),
    /// An id is no text.
    #[error("the id of the {0} is not in UTF-8")]
    NotText(Side),
    /// The rating is no number.
    #[error("the rating \"{0}\" is not a finite number")]
    Rating(String),
    /// The rating has a comma where numbers have a point.
    #[error("the rating \"{0}\" has a comma: write a point in its place")]
    DecimalComma(String),
    /// The rating is not 0, but 32-bit floats have no number that near to 0.
    #[error("the rating \"{0}\" is nearer to 0 than any 32-bit float: multiply all ratings by the same number")]
    TooSmall(String),
    /// A line is a comment, and may be meant as a rating.
    #[error(
        "a line that starts with # is a comment, and this one has a rating: if it is one, quote the user's id or let it start with something \
         else; if not, put a blank after the #"
    )]
    Hidden,
    /// The columns cannot be told apart.
    #[error("the quotes do not separate columns")]
    Quotes,
    /// There is no memory for what it says.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// Why there are no factors.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SolveError {
    /// A user or item with fewer ratings than features, which nothing holds back.
    #[error(
        "the {side} {name} has fewer ratings than features, {ratings} of {features}, so that its system of equations is singular with a \
         lambda of {lambda}: give a lambda above 0, or fewer features"
    )]
    TooFew {
        /// Whose.
        side: Side,
        /// The id in the file.
        name: String,
        /// How many there are.
        ratings: usize,
        /// How many are needed.
        features: usize,
        /// What holds factors back.
        lambda: f32,
    },
    /// A system of equations that has no single solution.
    #[error(
        "the system of equations of vertex {vertex} is singular or not positive definite with a lambda of {lambda}: give a greater lambda, \
         or fewer features"
    )]
    Singular {
        /// The vertex of the bipartite graph.
        vertex: u32,
        /// What holds factors back.
        lambda: f32,
    },
    /// Implicit feedback below zero, which would be a confidence below that in nothing.
    #[error("{user} has rated {item} by {value}: implicit feedback needs values of 0 and more")]
    Negative {
        /// The user's id.
        user: String,
        /// The item's id.
        item: String,
        /// The value.
        value: f32,
    },
    /// Matrices, or the rows of conjugate gradients, that do not fit.
    #[error("{0}: give fewer features")]
    Memory(#[from] OutOfMemory),
}
