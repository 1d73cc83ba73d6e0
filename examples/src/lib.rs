//! The algorithms of Onyx: the folds of each in one file, what the host does in the folder of its name. What they read, generate and are verified
//! with is in `onyx_data`, their command line in `onyx_cli`.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

pub mod als;
pub mod belief_propagation;
#[cfg(not(target_arch = "nvptx64"))]
pub mod error;
#[cfg(not(target_arch = "nvptx64"))]
mod input;
pub mod label_propagation;
pub mod multi_manifold_ranking;
pub mod multimodal_learning;
pub mod pagerank;
pub mod thesis_folds;

#[cfg(not(target_arch = "nvptx64"))]
pub use onyx_data::{edge_values, fixed_point, markov, planted, ratings, small_graphs, verification};
