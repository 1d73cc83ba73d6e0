//! Folds whose properties are integers.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod census;
pub mod components;
pub mod core_number;
pub mod half;
pub mod reach;
