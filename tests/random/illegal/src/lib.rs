//! Random programs that must not compile.
//!
//! Without a feature there are none. With `types` or `folds` every module breaks one rule, and `tests/refusals.rs` looks for the message of each.
#![allow(warnings, clippy::all)]

/// What the programs call.
pub mod helpers {
    include!(concat!(env!("OUT_DIR"), "/helpers.rs"));
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));
