//! What can be wrong with ratings, and with the files that hold them.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::bipartite::Side;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum RatingsError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is compressed and broken.
    #[error("cannot decompress {}: the gzip data is truncated or corrupt ({source})", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        source: io::Error,
    },
    /// It is no text.
    #[error("{} is not a text file in UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// It holds nothing.
    #[error("{} holds no {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
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
pub enum LineProblem {
    /// A column is missing.
    #[error("{found} of the columns user, item and rating: a line needs all three")]
    Columns {
        /// How many there are.
        found: usize,
    },
    /// A title is missing.
    #[error("an item without a title: a line needs the item and its title")]
    Title,
    /// An id is missing.
    #[error("the {0} has no id")]
    NoId(Side),
    /// The rating is no number.
    #[error("the rating \"{0}\" is not a finite number")]
    Rating(String),
    /// The columns cannot be told apart.
    #[error("the quotes do not separate columns")]
    Quotes,
}

/// Why there are no factors.
#[derive(Clone, Debug, Error, PartialEq)]
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
    #[error(
        "{vertices} matrices of {rows} x {width}, one for each user and item, need {bytes} bytes of memory, which cannot be allocated: \
         give fewer features"
    )]
    Memory {
        /// How many users and items there are.
        vertices: usize,
        /// How many rows each of them has.
        rows: usize,
        /// The compiled width.
        width: usize,
        /// What they take.
        bytes: usize,
    },
}
