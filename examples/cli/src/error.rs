//! What can go wrong between a command line and an answer; each error is one line.

mod label;

use std::io;
use std::path::PathBuf;

use onyx_runtime::RunError;
use onyx_runtime::graph::GraphError;
use onyx_runtime::graph::order::OrderError;
use onyx_runtime::memory::OutOfMemory;
use thiserror::Error;

pub use self::label::{LabelError, LabelProblem};
use super::interrupt;
use crate::image::ImageError;
use onyx_examples::edge_values::ValueError;
use onyx_examples::error::AlgorithmError;
use onyx_examples::markov::{self, LayoutError, NetworkError};
use onyx_examples::ratings::bipartite::Side;
use onyx_examples::ratings::{RatingsError, SolveError};
use onyx_examples::verification::Verification;

/// Why a binary fails.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CliError {
    /// The graph cannot be had.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There is no memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The vertices cannot be renumbered.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// A plot of several graphs.
    #[error("--plot takes one graph, and {graphs} were named")]
    PlotOfList {
        /// How many.
        graphs: usize,
    },
    /// A plot cannot be drawn.
    #[error("cannot draw the plot: {reason}")]
    Plot {
        /// What the plotting library said.
        reason: String,
    },
    /// The threads cannot be started.
    #[error("cannot start {threads} threads: {reason}; RAYON_NUM_THREADS=1 takes one alone")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The run cannot take place.
    #[error(transparent)]
    Run(RunError),
    /// An algorithm does not take what it was given.
    #[error(transparent)]
    Algorithm(AlgorithmError),
    /// More features than an algorithm takes, or none.
    #[error("--features {features}: ask for 1 to {widest}")]
    Features {
        /// What was asked for.
        features: usize,
        /// The greatest number.
        widest: usize,
    },
    /// More classes than an algorithm takes.
    #[error(
        "the labels have {classes} classes, from 0 to {}, and {widest} are possible: number the classes without gaps, or join some", classes - 1
    )]
    Classes {
        /// One more than the greatest label.
        classes: usize,
        /// The greatest number.
        widest: usize,
    },
    /// A few steps towards solutions, and solutions.
    #[error(
        "--steps goes steps of conjugate gradients, and --solver cholesky solves each system: leave one of them out"
    )]
    StepsAndCholesky,
    /// Edges with numbers for more features than an algorithm takes.
    #[error("the edges of {graph} have numbers for {features} features, and {widest} are possible")]
    EdgeFeatures {
        /// The graph, in words.
        graph: String,
        /// What the edges have.
        features: usize,
        /// The greatest number.
        widest: usize,
    },
    /// A push that is not possible.
    #[error("--direction push: {reason}; use --direction pull")]
    NoPush {
        /// Why.
        reason: String,
    },
    /// A cache of what is read once.
    #[error("--cache keeps the graph of a file, and --graph - is none: leave it out")]
    CacheOfInput,
    /// A cache that is no file.
    #[error("--cache -: a cache is a file that is read and written: name one")]
    CacheOnStandardOutput,
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
    Network(#[from] markov::FileError),
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
    #[error(
        "{} has lists of items without ratings: add --implicit, or if the third word of a line is a rating, put commas between the words",
        path.display()
    )]
    ListsAreImplicit {
        /// The file.
        path: PathBuf,
    },
    /// Implicit feedback that says nothing.
    #[error("{} has no rating above 0: with --implicit, a rating of 0 says that a user had nothing to do with an item", path.display())]
    NoFeedback {
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
    /// No lambda, where none fits all ratings.
    #[error(
        "give a --lambda: how much a factor is held back once, or for each sign of implicit feedback, depends on how many ratings there are"
    )]
    NoLambda,
    /// Factors that are no numbers, or an objective that rises.
    #[error(
        "the run diverged: a factor is no finite number, or the objective rises; give a greater --lambda, or fewer --features"
    )]
    FactorsDiverged,
    /// The same in the first sweep, where systems are solved by factorizing matrices.
    #[error(
        "the run diverged in its first sweep: a factor is no finite number; give --solver conjugate_gradients, which factorizes no matrix, \
         a greater --lambda, or fewer --features"
    )]
    FactorizationsDiverged,
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
    /// One file for two purposes, one of which is to be written.
    #[error(
        "--{option} may write {}, and --{other} names the same file: what is written needs a file of its own", path.display()
    )]
    SameFile {
        /// The option whose file would be written.
        option: String,
        /// The other option.
        other: String,
        /// The file.
        path: PathBuf,
    },
    /// A file of a folder that is read, and that is to be written.
    #[error(
        "--{option} may write {}, which lies in the folder that --{other} reads: what is written needs a file of its own", path.display()
    )]
    FileOfFolder {
        /// The option whose file would be written.
        option: String,
        /// The option that names the folder.
        other: String,
        /// The file.
        path: PathBuf,
    },
    /// An answer that is finished, and of which nothing says that it is right.
    #[error(
        "the answer could not be verified, since the run has not converged: {kept}; give more --iterations, or --no-verify to write it all the same"
    )]
    Unverified {
        /// What became of it.
        kept: String,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    /// The report does not become JSON.
    #[error("cannot write the report as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The result is no number.
    #[error("the run diverged: a value is infinite or not a number")]
    Diverged,
    /// The result is wrong.
    #[error(
        "the result differs by {:.3e} from what 64-bit floats give, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    Disagrees(Verification),
    /// Beliefs that are wrong.
    #[error(
        "the result differs by {:.3e} from exact elimination in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    NotExact(Verification),
    /// Values that are said to be at rest, and are not.
    #[error(
        "the result changes by {:.3e} in one more iteration in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    NotAtRest(Verification),
    /// Messages that follow from others in another way than they should.
    #[error(
        "one more iteration differs by {:.3e} from the same in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    OtherStep(Verification),
    /// Factors that have not gone as far as their steps should lead.
    #[error(
        "the last sweep's steps leave {:.3e} more of a system of equations than as many in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    StepsFallShort(Verification),
    /// Factors that do not solve their systems of equations.
    #[error(
        "the last sweep leaves {:.3e} of a system of equations unsolved in 64-bit floats, where {:.3e} can be explained", .0.difference, .0.allowed
    )]
    Unsolved(Verification),
    /// Ctrl-C.
    #[error("cancelled after {iterations} iterations")]
    Cancelled {
        /// How many have ended.
        iterations: usize,
    },
}

impl From<RunError> for CliError {
    /// In the words of the command line where a person can do something about it.
    fn from(error: RunError) -> Self {
        let no_push = |reason: String| Self::NoPush { reason };
        match error {
            RunError::Features { features, widest, .. } | RunError::TooWide { features, widest, .. } => {
                Self::Features { features, widest }
            }
            RunError::PushExcluded { option, .. } => no_push(format!("{option} allows no push")),
            RunError::NotChangeDriven { .. } => no_push("the algorithm cannot send changes alone".to_owned()),
            RunError::Memory(error) => Self::Memory(error),
            error => Self::Run(error),
        }
    }
}

impl From<AlgorithmError> for CliError {
    fn from(error: AlgorithmError) -> Self {
        match error {
            AlgorithmError::Run(error) => error.into(),
            AlgorithmError::Graph(error) => error.into(),
            error => Self::Algorithm(error),
        }
    }
}

impl CliError {
    /// 1 for a result that is wrong or not verified, 130 after Ctrl-C, 2 for everything that the user can put right.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Disagrees(_)
            | Self::NotExact(_)
            | Self::NotAtRest(_)
            | Self::OtherStep(_)
            | Self::Unsolved(_)
            | Self::StepsFallShort(_)
            | Self::Unverified { .. } => 1,
            Self::Diverged | Self::FactorsDiverged | Self::FactorizationsDiverged => 1,
            Self::Cancelled { .. } => interrupt::EXIT_CODE,
            _ => 2,
        }
    }
}
