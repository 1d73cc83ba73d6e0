//! The algorithms of Onyx.
#![deny(missing_docs)]
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod label_propagation;
pub mod pagerank;
