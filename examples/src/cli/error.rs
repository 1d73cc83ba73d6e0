//! What can go wrong between a command line and an answer; each error is one line.

use std::io;
use std::path::PathBuf;

use onyx_runtime::RunError;
use onyx_runtime::graph::GraphError;
use thiserror::Error;

use super::interrupt;
use crate::als::ModelError;
use crate::edge_values::ValueError;
use crate::image::ImageError;
use crate::markov::{FileError, LayoutError, NetworkError};
use crate::ratings::bipartite::Side;
use crate::ratings::{RatingsError, SolveError};
use crate::verification::Verification;

/// Why a binary fails.
#[derive(Debug, Error)]
pub enum CliError {
    /// The graph cannot be had.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The run cannot take place.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no model for the ratings.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A label file is wrong.
    #[error(transparent)]
    Labels(#[from] LabelError),
    /// A file of numbers for edges or vertices is wrong.
    #[error(transparent)]
    Values(#[from] ValueError),
    /// A cache of a graph whose edges have several numbers.
    #[error("--cache keeps one weight an edge, and here an edge has several: leave it out")]
    CacheOfValues,
    /// Another feature count than the graph's.
    #[error("--features {features}: the edges of {graph} have weights for {found} features; leave it out")]
    OtherFeatures {
        /// What was asked for.
        features: usize,
        /// The graph, in words.
        graph: String,
        /// What the edges have.
        found: usize,
    },
    /// An option names a vertex that is not there.
    #[error("{option} {id}: the graph has no vertex {id}")]
    UnknownVertex {
        /// The option.
        option: &'static str,
        /// The id.
        id: u64,
    },
    /// A distribution of nothing.
    #[error("the weights in {} sum to 0: a walker must jump somewhere", path.display())]
    NoRestart {
        /// The file.
        path: PathBuf,
    },
    /// A file of a Markov network is wrong.
    #[error(transparent)]
    Network(#[from] FileError),
    /// There is no picture.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A Markov network has no answer.
    #[error("{network}: {problem}")]
    Unsolvable {
        /// The network, in words.
        network: String,
        /// Why.
        problem: NetworkError,
    },
    /// A Markov network cannot be laid out as a graph.
    #[error("{network}: {problem}")]
    Layout {
        /// The network, in words.
        network: String,
        /// Why.
        problem: LayoutError,
    },
    /// A file of ratings is wrong.
    #[error(transparent)]
    Ratings(#[from] RatingsError),
    /// There are no factors.
    #[error(transparent)]
    Factors(#[from] SolveError),
    /// Lists of items, which do not say how they were liked.
    #[error("{} has lists of items without ratings: add --implicit", path.display())]
    ListsAreImplicit {
        /// The file.
        path: PathBuf,
    },
    /// A user without ratings.
    #[error("--user {user}: there is no such user in {ratings}")]
    UnknownUser {
        /// What was asked for.
        user: String,
        /// Where the ratings come from.
        ratings: String,
    },
    /// A system of equations that has no single solution.
    #[error(
        "the system of equations of the {side} {name} is singular or not positive definite with a lambda of {lambda}: give a greater \
         --lambda, or fewer --features"
    )]
    Singular {
        /// Whose.
        side: Side,
        /// The id in the file.
        name: String,
        /// What holds factors back.
        lambda: f32,
    },
    /// Factors that are no numbers, or an objective that rises.
    #[error(
        "the run diverged: a factor is no finite number, or the objective rises; give a greater --lambda, or fewer --features"
    )]
    FactorsDiverged,
    /// The graph has no vertices.
    #[error("{graph} has no vertices")]
    NoVertices {
        /// The graph, in words.
        graph: String,
    },
    /// The labels do not fit the rows.
    #[error(
        "{features} features are too few for {classes} classes: give --features {classes} or more, or leave it out"
    )]
    TooFewFeatures {
        /// What was asked for.
        features: usize,
        /// The number of label classes.
        classes: usize,
    },
    /// A share of labels that are not there.
    #[error("--known with a share keeps that share of --labels, which is not given")]
    ShareWithoutLabels,
    /// A weight with which sums of shares are no shares.
    #[error(
        "the edge from {source_id} to {destination_id} has the weight {weight}: label propagation needs weights of 0 and more"
    )]
    NegativeWeight {
        /// The id of the edge's source.
        source_id: u64,
        /// The id of its destination.
        destination_id: u64,
        /// The weight.
        weight: f32,
    },
    /// A feature count for an algorithm of scalars.
    #[error("--features {features}: a rank is one number, so that only --features 1 is possible")]
    ScalarFeatures {
        /// What was asked for.
        features: usize,
    },
    /// One output file for several graphs.
    #[error("--output takes the result of one graph, but --generate names {graphs}")]
    OutputOfList {
        /// The number of graphs.
        graphs: usize,
    },
    /// The output file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something that is not a file stands where the output should go.
    #[error("cannot write {}: it is there and not a regular file", path.display())]
    OutputNotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// The report does not become JSON.
    #[error("cannot write the report as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The result is no number.
    #[error("the run diverged: a value is infinite or not a number, perhaps because weights are very large")]
    Diverged,
    /// The result is wrong.
    #[error(
        "the result differs by {:.3e} from a serial loop of 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    Disagrees(Verification),
    /// Beliefs that are wrong.
    #[error(
        "the result differs by {:.3e} from exact elimination in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    NotExact(Verification),
    /// Messages that are said to have settled, and have not.
    #[error(
        "the result changes by {:.3e} in one more iteration in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    NotAtRest(Verification),
    /// Ctrl-C.
    #[error("cancelled after {iterations} iterations")]
    Cancelled {
        /// How many have ended.
        iterations: usize,
    },
}

impl CliError {
    /// 1 for a wrong result, 130 after Ctrl-C, 2 for everything that the user can put right.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Disagrees(_) | Self::NotExact(_) | Self::NotAtRest(_) | Self::Diverged | Self::FactorsDiverged => 1,
            Self::Cancelled { .. } => interrupt::EXIT_CODE,
            _ => 2,
        }
    }
}

/// What is wrong with a label file.
#[derive(Debug, Error)]
pub enum LabelError {
    /// It cannot be read.
    #[error("cannot read labels from {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
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
        line: usize,
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

/// What is wrong with a line of a label file.
#[derive(Debug, Error)]
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
}
