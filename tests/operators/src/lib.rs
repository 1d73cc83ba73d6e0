//! Reductions whose totals are states of more than a float: a user's crate of small folds, which the tests run on every backend.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod attention;
pub mod average;
#[cfg(not(target_arch = "nvptx64"))]
pub mod check;
pub mod own;
#[cfg(not(target_arch = "nvptx64"))]
pub mod serial;
#[cfg(not(target_arch = "nvptx64"))]
pub mod world;
