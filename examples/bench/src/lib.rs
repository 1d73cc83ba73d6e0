//! Programs that are timed, and that are no algorithms of their own.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

#[cfg(not(target_arch = "nvptx64"))]
pub mod batch;
#[cfg(not(target_arch = "nvptx64"))]
pub mod cusparse;
pub mod programs;
pub mod steady;
pub mod sums;
