//! Random programs, compiled, and what they compute on every backend.
//!
//! `build.rs` prints the programs of `programs.txt`, or those that `ONYX_RANDOM` lists, such as `plain:0..20,history:7`; each becomes a module here and
//! a test in `tests/programs.rs`. `cargo xtask random` runs many of them, a chunk at a time.
#![cfg_attr(target_arch = "nvptx64", no_std)]

#[cfg(not(target_arch = "nvptx64"))]
pub mod case;
#[cfg(not(target_arch = "nvptx64"))]
pub mod check;
#[cfg(not(target_arch = "nvptx64"))]
pub mod graphs;
#[cfg(not(target_arch = "nvptx64"))]
pub mod trial;

/// What the programs call.
pub mod helpers {
    include!(concat!(env!("OUT_DIR"), "/helpers.rs"));
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));
