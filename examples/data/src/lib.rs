//! What the algorithms of Onyx read and generate, and what their answers are verified with: nothing here runs on a GPU.
#![deny(missing_docs)]

pub mod dataset;
pub mod edge_values;
pub mod fixed_point;
pub mod gnn_benchmark;
pub mod markov;
pub mod planetoid;
pub mod planted;
pub mod ratings;
pub mod small_graphs;
pub mod verification;
