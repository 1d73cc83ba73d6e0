//! Programs that are timed, and that are no algorithms of their own.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![deny(missing_docs)]

#[cfg(not(target_arch = "nvptx64"))]
pub mod cusparse;
pub mod programs;
pub mod steady;
pub mod sums;

/// How many iterations, or products of cuSPARSE, a GPU has between two looks at its clock: as many as a run has between two looks at what is active, so that neither side waits for launches.
#[cfg(not(target_arch = "nvptx64"))]
pub const AT_ONCE: usize = 8;
