//! Why files are no data set.

use std::io;
use std::path::PathBuf;

use onyx_runtime::graph::GraphError;
use onyx_runtime::memory::OutOfMemory;
use onyx_runtime::text::FileError;
use thiserror::Error;

/// Why there is no data set.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The edges make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The folder cannot be listed.
    #[error("cannot list {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the data set is not there.
    #[error("{} has no file {file}: {purpose}", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// The file's name, or the form of it.
        file: String,
        /// What it should hold, and what to do without it.
        purpose: &'static str,
    },
    /// The folder has the files of several data sets.
    #[error("{} holds several data sets, {one} and {other}: give each a folder of its own", folder.display())]
    Several {
        /// The folder.
        folder: PathBuf,
        /// The name of one.
        one: String,
        /// The name of another.
        other: String,
    },
    /// A file says nothing.
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
    /// A text ends before it has said everything.
    #[error("{} ends after {found} {what}, and {expected} were expected", path.display())]
    Short {
        /// The file.
        path: PathBuf,
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Two files are not of the same data set.
    #[error("{} is for {found} {what}, but {} is for {expected}", path.display(), other.display())]
    Sizes {
        /// The file.
        path: PathBuf,
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// The file that it is compared with.
        other: PathBuf,
        /// How many that one has.
        expected: usize,
    },
    /// The file is no archive of arrays.
    #[error("{} is no npz archive of arrays: {reason}", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// An array of an archive is not what it should be.
    #[error("{}: the array {array} {reason}", path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// The array's name.
        array: String,
        /// What it has and what was expected.
        reason: String,
    },
    /// A batch without graphs.
    #[error("a batch needs at least one graph")]
    NoGraph,
    /// A graph that the collection does not have.
    #[error("graph {graph} is not one of the collection's {graphs} graphs, which are numbered from 0")]
    NotAGraph {
        /// The number.
        graph: usize,
        /// How many graphs there are.
        graphs: usize,
    },
    /// Cross-validation without folds.
    #[error("what has labels is cut into one fold at least: give a greater number")]
    NoFold,
    /// The thread that makes batches cannot be started.
    #[error("cannot start the thread that makes the next batch: {0}")]
    Thread(io::Error),
}

/// What is wrong with a line.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line has another form.
    #[error("expected {0}")]
    Form(&'static str),
    /// A word is no whole number.
    #[error("\"{word}\" is not a {what}")]
    Number {
        /// The word.
        word: String,
        /// What it should be: a "vertex".
        what: &'static str,
    },
    /// A number is beyond the last of what it counts.
    #[error("there is no {what} {number}: they are numbered from {first} to {last}")]
    Range {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        number: u64,
        /// The least one.
        first: u64,
        /// The greatest one; below `first` where there is none.
        last: u64,
    },
    /// The same stands on an earlier line.
    #[error("{what} {number} stands on an earlier line")]
    Again {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        number: u64,
    },
    /// The same stands twice on this line.
    #[error("{what} {number} stands twice on this line")]
    Repeated {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        number: u64,
    },
    /// A vertex is tested with, and learned from.
    #[error("vertex {0} is to be tested with, but is among those that are learned from or validated with")]
    Overlap(u64),
    /// More labels than vertices.
    #[error("the label {label} is not below {most}, the number of labels: number the classes from 0 without gaps")]
    Label {
        /// The label.
        label: u64,
        /// The number of labels.
        most: usize,
    },
    /// A line declares another number of words than it has.
    #[error(
        "{found} numbers follow, and {expected} were expected: the tag, the number of neighbors, and each neighbor"
    )]
    Neighbors {
        /// As many as the line has.
        found: usize,
        /// As many as it declares.
        expected: u64,
    },
    /// The vertices of a graph are not one after the other.
    #[error(
        "graph {graph} follows graph {before}: the vertices have to be in the order of their graphs, without a graph left out"
    )]
    Order {
        /// The graph of this line.
        graph: u64,
        /// The graph of the line before.
        before: u64,
    },
    /// An edge between two graphs.
    #[error("the edge from {origin} to {destination} leads from graph {one} to graph {other}")]
    Between {
        /// Where it starts, as the file says.
        origin: u64,
        /// Where it ends.
        destination: u64,
        /// The graph that it leaves.
        one: u64,
        /// The graph that it enters.
        other: u64,
    },
    /// Lines after the last that the file declares.
    #[error("the file goes on after the {0} graphs that its first line declares")]
    After(usize),
}
