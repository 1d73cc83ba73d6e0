//! Developer commands of Onyx, one file each, and what `bench` and `random`, packages of their own, share with them.

pub mod architecture;
pub mod artifacts;
pub mod build_ptx;
pub mod bundle;
pub mod check_ptx;
pub mod ci;
pub mod compiler;
mod console;
pub mod cublas;
mod derived;
pub mod description;
pub mod doctor;
pub mod elsewhere;
pub mod error;
pub mod explain;
pub mod file;
pub mod folds;
pub mod fuzz;
pub mod gpu;
pub mod install;
pub mod kernels;
pub mod loads;
pub mod local;
#[path = "../../onyx-runtime/src/manifest.rs"]
pub mod manifest;
pub mod metadata;
#[path = "../../onyx-macros/src/lower/methods.rs"]
mod methods;
pub mod miri;
pub mod name;
pub mod new;
pub mod panics;
pub mod process;
pub mod ptx;
pub mod ptxas;
pub mod registers;
pub mod rows;
pub mod rustc;
pub mod shape;
pub mod source;
mod suite;
pub mod test;
pub mod toolchain;
pub mod usage;
