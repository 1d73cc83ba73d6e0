//! The algorithms of Onyx, one file each, and the command line that their binaries share.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

pub mod als;
pub mod belief_propagation;
pub mod bench_programs;
pub mod bench_thesis_folds;
#[cfg(not(target_arch = "nvptx64"))]
pub mod cli;
#[cfg(not(target_arch = "nvptx64"))]
pub mod edge_values;
#[cfg(not(target_arch = "nvptx64"))]
pub mod fixed_point;
#[cfg(not(target_arch = "nvptx64"))]
pub mod image;
pub mod label_propagation;
#[cfg(not(target_arch = "nvptx64"))]
pub mod markov;
pub mod multi_manifold_ranking;
pub mod multimodal_learning;
pub mod pagerank;
#[cfg(not(target_arch = "nvptx64"))]
pub mod planted;
#[cfg(not(target_arch = "nvptx64"))]
pub mod ratings;
pub mod steady;
#[cfg(not(target_arch = "nvptx64"))]
pub mod verification;
