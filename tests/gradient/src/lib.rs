//! Folds that reduce into the sources of their edges, layers with derived gradients, and what checks both.
#![cfg_attr(target_arch = "nvptx64", no_std)]

#[cfg(not(target_arch = "nvptx64"))]
pub mod differences;
pub mod golden;
#[cfg(not(target_arch = "nvptx64"))]
pub mod graphs;
pub mod heads;
pub mod layers;
pub mod matrices;
pub mod outward;
pub mod pools;
pub mod products;
pub mod rectangular;
pub mod rules;
#[cfg(not(target_arch = "nvptx64"))]
pub mod smooth;
pub mod training;
