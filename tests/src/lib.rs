//! Programs, graphs and serial references that every backend is compared on.
//!
//! The programs are compiled for the GPU, too (`cargo xtask build-ptx --package onyx-tests`), so that the same checks run there.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod echo;
pub mod matrices;
pub mod mixing;
pub mod mosaic;
pub mod outers;
pub mod passing;
pub mod programs;
pub mod registers;
pub mod sequences;
pub mod wheel;

#[cfg(not(target_arch = "nvptx64"))]
pub mod algorithms;
#[cfg(not(target_arch = "nvptx64"))]
pub mod cases;
#[cfg(not(target_arch = "nvptx64"))]
pub mod check;
#[cfg(not(target_arch = "nvptx64"))]
pub mod gates;
#[cfg(not(target_arch = "nvptx64"))]
pub mod graphs;
#[cfg(not(target_arch = "nvptx64"))]
pub mod interpreter;
#[cfg(not(target_arch = "nvptx64"))]
pub mod linear;
#[cfg(not(target_arch = "nvptx64"))]
pub mod reference;
#[cfg(not(target_arch = "nvptx64"))]
pub mod relay;
#[cfg(not(target_arch = "nvptx64"))]
pub mod replies;
#[cfg(not(target_arch = "nvptx64"))]
pub mod schedules;
#[cfg(not(target_arch = "nvptx64"))]
pub mod tide;
#[cfg(not(target_arch = "nvptx64"))]
pub mod tiles;

/// The guide, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
pub mod guide {}

/// The reference of the language, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/language.md")]
pub mod language {}

/// The README, whose code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}
