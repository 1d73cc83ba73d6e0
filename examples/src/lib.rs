//! The algorithms of Onyx.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod label_propagation;
pub mod pagerank;
