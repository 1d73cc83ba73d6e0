//! Folds that read at an index that they compute, and add there.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod components;
pub mod distmult;
pub mod gather;
pub mod table;
#[cfg(not(target_arch = "nvptx64"))]
pub mod world;
