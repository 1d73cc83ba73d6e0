//! What can be wrong with a network, and with the files that describe one.

use std::path::PathBuf;

use onyx_runtime::graph::GraphError;
use onyx_runtime::memory::OutOfMemory;
use onyx_runtime::text;
use thiserror::Error;

/// What a network cannot have.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NetworkError {
    /// A variable without states, or with more than can be meant.
    #[error("variable {variable} has {states} states: 1 to {limit} are possible")]
    States {
        /// The variable.
        variable: usize,
        /// Its number of states.
        states: usize,
        /// The greatest number.
        limit: usize,
    },
    /// More states in all than fit into memory.
    #[error(
        "{variables} variables with {states} states in all need {bytes} bytes of memory, which cannot be allocated"
    )]
    Memory {
        /// The number of variables.
        variables: usize,
        /// All their states.
        states: usize,
        /// What they take.
        bytes: usize,
    },
    /// A factor of a variable that is not there.
    #[error("there is no variable {variable}: the network's variables are numbered from 0 and there are {variables}")]
    UnknownVariable {
        /// The number given.
        variable: usize,
        /// How many there are.
        variables: usize,
    },
    /// A pair of one variable.
    #[error("a factor joins variable {0} with itself")]
    Loop(usize),
    /// A table of another size than its variables say.
    #[error("the table has {found} values, but its variables have {expected} joint states")]
    TableSize {
        /// The product of the numbers of states.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// Beliefs of another network.
    #[error(
        "there are {found} shares, and the variables of the network have {expected} states: give one for each state, variable after variable"
    )]
    Shares {
        /// How many there are.
        found: usize,
        /// How many states all variables have.
        expected: usize,
    },
    /// A value below zero, infinite, or not a number.
    #[error("the potential {value} is not a finite number of 0 and more")]
    Potential {
        /// The value.
        value: f64,
    },
    /// A value that is not 0, but 64-bit floats have no number that near to 0.
    #[error("the potential {word} is nearer to 0 than any 64-bit float: multiply the factor's table by a number")]
    TooSmall {
        /// The number, as it stands.
        word: String,
    },
    /// Plus infinity, or not a number.
    #[error("{value} is not the logarithm of a finite potential")]
    Logarithm {
        /// The value.
        value: f64,
    },
    /// A table that allows nothing.
    #[error("every potential of the table is 0, so that no state is possible")]
    AllZero,
    /// Unary factors, or evidence, without a state in common.
    #[error("the factors and the evidence of variable {0} leave it no possible state")]
    NoState(usize),
    /// Factors of one pair without a joint state in common.
    #[error("the factors of variables {0} and {1} leave them no possible joint state")]
    NoJointState(usize, usize),
    /// An observation of a state that is not there.
    #[error(
        "variable {variable} is observed in state {state}, but its states are numbered from 0 and there are {states}"
    )]
    UnknownState {
        /// The variable.
        variable: usize,
        /// The state given.
        state: usize,
        /// How many there are.
        states: usize,
    },
    /// Rows too narrow for a variable.
    #[error("variable {variable} has {states} states, but there is room for {width}: ask for {states} or more")]
    Width {
        /// A variable with the most states.
        variable: usize,
        /// Its number of states.
        states: usize,
        /// What there is room for.
        width: usize,
    },
    /// A variable with more states than are compiled.
    #[error(
        "variable {variable} has {states} states, but belief propagation takes variables of up to {limit}: join states that matter little"
    )]
    TooWide {
        /// A variable with the most states.
        variable: usize,
        /// Its number of states.
        states: usize,
        /// The greatest number.
        limit: usize,
    },
    /// More room asked for than is compiled.
    #[error("there is no room for {width} states a variable: belief propagation takes variables of up to {limit}")]
    Room {
        /// What was asked for.
        width: usize,
        /// The greatest number.
        limit: usize,
    },
    /// Too many joint states to enumerate.
    #[error("the network has more than {limit} joint states, too many to enumerate")]
    TooManyStates {
        /// The greatest number.
        limit: usize,
    },
    /// No joint state is possible.
    #[error("the factors and the evidence contradict each other: no joint state is possible")]
    Contradiction,
}

/// Why a network cannot be laid out as a graph.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// Its states do not fit.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// There is no such graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The potentials of all edges take too much.
    #[error("{edges} edges of {width} x {width} potentials need {bytes} bytes of memory, which cannot be allocated")]
    Memory {
        /// The number of directed edges.
        edges: usize,
        /// The padded number of states.
        width: usize,
        /// What they take.
        bytes: u64,
    },
}

/// What is wrong with a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] text::FileError),
    /// There is no memory for what it says.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// It is no text.
    #[error("{} is not a text file", path.display())]
    NotText {
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
        problem: FileProblem,
    },
}

/// What is wrong at a line of a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file ends early.
    #[error("the file ends where {0} was expected")]
    Ends(String),
    /// Something else stands there.
    #[error("expected {expected}, found \"{found}\"")]
    Unexpected {
        /// What should stand there.
        expected: String,
        /// What does.
        found: String,
    },
    /// More follows than there should.
    #[error("\"{0}\" follows where the file should end")]
    Trailing(String),
    /// A factor of three variables and more.
    #[error(
        "factor {factor} joins {order} variables: only factors of one or two variables are supported, so that the network is pairwise; \
         join variables into one of more states to make it so"
    )]
    Order {
        /// The factor's number, from 0.
        factor: usize,
        /// How many variables it joins.
        order: usize,
    },
    /// A factor that does not fit the network.
    #[error("factor {factor}: {problem}")]
    Factor {
        /// The factor's number, from 0.
        factor: usize,
        /// What is wrong with it.
        problem: NetworkError,
    },
    /// A number of observations that the file does not have.
    #[error(
        "the file says {expected} observations, which are {expected} pairs \"variable state\", but {found} numbers follow"
    )]
    Observations {
        /// The number of observations.
        expected: usize,
        /// The numbers after it.
        found: usize,
    },
    /// A second observation.
    #[error("variable {0} is observed twice")]
    ObservedTwice(usize),
    /// Marginals of another network.
    #[error("the file has marginals of {found} variables, but the network has {expected}")]
    Variables {
        /// The network's.
        expected: usize,
        /// The file's.
        found: usize,
    },
    /// Marginals of a variable with other states.
    #[error("the marginal of variable {variable} has {found} states, but in the network it has {expected}")]
    MarginalStates {
        /// The variable.
        variable: usize,
        /// The network's.
        expected: usize,
        /// The file's.
        found: usize,
    },
    /// A marginal that is no distribution.
    #[error("the marginal of variable {variable} adds up to {total}, not to 1")]
    Total {
        /// The variable.
        variable: usize,
        /// The sum.
        total: f64,
    },
    /// Anything that a network cannot have.
    #[error(transparent)]
    Network(NetworkError),
}
