//! Why an algorithm has no answer.

use onyx_runtime::RunError;
use onyx_runtime::graph::GraphError;
use thiserror::Error;

use crate::markov::{LayoutError, NetworkError};
use crate::ratings::SolveError;

/// What is wrong with what an algorithm was given, or with its run. Vertices are named by their number in the graph, from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AlgorithmError {
    /// The run could not take place, or failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The input makes no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A Markov network has no answer.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A Markov network cannot be laid out as a graph.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// There is no memory for factors.
    #[error(transparent)]
    Factors(#[from] SolveError),
    /// A graph without vertices.
    #[error("{algorithm}: the graph has no vertices, so that there is nothing to find: give one that has")]
    NoVertices {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// Nothing to start from.
    #[error("{algorithm} needs at least one {what} to start from, and there is none")]
    NoStart {
        /// The algorithm.
        algorithm: &'static str,
        /// What there is none of.
        what: &'static str,
    },
    /// A setting that is out of its range.
    #[error("the {setting} is {value}, and must be {needed}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        needed: &'static str,
    },
    /// A vertex that is not there.
    #[error("a {what} names vertex {vertex}, and the graph has {vertices} vertices, numbered from 0")]
    NoVertex {
        /// What names it.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A class beyond the features.
    #[error("the seed of vertex {vertex} has the class {class}, and there are {classes} classes, numbered from 0")]
    NoClass {
        /// The vertex.
        vertex: u32,
        /// Its class.
        class: usize,
        /// How many there are.
        classes: usize,
    },
    /// A row of another length.
    #[error("the {what} of vertex {vertex} has {found} values, and {expected} are needed, one for each feature")]
    Length {
        /// What the row is.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// How many values it has.
        found: usize,
        /// How many features there are.
        expected: usize,
    },
    /// Numbers of edges that are not as many as the graph needs.
    #[error("the edges have {found} weights, and {expected} are needed: {each} for each of the {edges} edges")]
    Weights {
        /// How many there are.
        found: usize,
        /// How many the graph needs.
        expected: usize,
        /// How many an edge needs.
        each: usize,
        /// The number of edges.
        edges: usize,
    },
    /// A value of a vertex that is out of its range, or no number.
    #[error("the {what} of vertex {vertex} is {value}, and must be {needed}")]
    Value {
        /// What the value is.
        what: &'static str,
        /// The vertex.
        vertex: u32,
        /// The value.
        value: f32,
        /// What it may be.
        needed: &'static str,
    },
    /// A weight of an edge that is out of its range, or no number.
    #[error("the weight of the edge from vertex {origin} to vertex {destination} is {weight}, and must be {needed}")]
    EdgeWeight {
        /// Where the edge begins.
        origin: u32,
        /// Where it ends.
        destination: u32,
        /// The weight.
        weight: f32,
        /// What it may be.
        needed: &'static str,
    },
    /// Weights that are all zero.
    #[error("the {what}s sum to 0: give at least one of them a weight above 0")]
    NoWeight {
        /// What has the weights.
        what: &'static str,
    },
}
