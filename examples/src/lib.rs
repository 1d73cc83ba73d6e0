//! The algorithms of Onyx, one file each, and the command line that their binaries share.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

pub mod bench_programs;
pub mod bench_thesis_folds;
#[cfg(not(target_arch = "nvptx64"))]
pub mod cli;
#[cfg(not(target_arch = "nvptx64"))]
pub mod image;
pub mod label_propagation;
#[cfg(not(target_arch = "nvptx64"))]
pub mod markov;
pub mod pagerank;
pub mod steady;
#[cfg(not(target_arch = "nvptx64"))]
pub mod verification;
