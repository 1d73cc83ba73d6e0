//! The language of Onyx and the code that runs it, for the host and for `nvptx64`.
//!
//! A user imports [`prelude`] and writes `#[graph_data]`, `#[edge_fn]`, `#[vertex_fn]` and `foldmap!`. Everything else here is what those
//! macros expand to: groups of lanes ([`Group`]), the machines the lanes run on ([`Machine`]), and the schedules ([`schedule`]) that bring
//! edges and vertices to groups.
//!
//! What runs for each edge or vertex is always inlined where the compiler optimises: into kernels, and into loops that are to have wide vectors. With debug assertions it is not,
//! for without optimisation every place of a call would be another copy to compile, which runs no faster.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(link_llvm_intrinsics, asm_experimental_arch, abi_unadjusted))]
#![deny(missing_docs)]

pub mod access;
pub mod agreement;
pub mod arguments;
pub mod block;
pub mod cholesky;
pub mod collaborative;
#[cfg_attr(not(target_arch = "x86_64"), path = "no_conversion.rs")]
mod conversion;
pub mod cpu;
pub mod elementary;
#[cfg(all(feature = "emulator", not(target_arch = "nvptx64")))]
pub mod emulator;
pub mod factorization;
pub mod fold;
mod forwarded;
pub mod function;
pub mod gather;
pub mod graph_matrix;
pub mod group;
pub mod half;
pub mod heads;
pub mod index;
pub mod joined;
pub mod launch;
pub mod linear;
pub mod local;
pub mod log_products;
pub mod logarithmic;
pub mod machine;
pub mod math;
pub mod matrix;
pub mod method;
#[cfg(target_arch = "nvptx64")]
pub mod nvptx;
pub mod operation;
pub mod operator;
#[cfg(not(target_arch = "nvptx64"))]
pub mod order;
pub mod outer_sum;
pub mod parts;
pub mod passed;
mod power;
pub mod prelude;
pub mod projection;
pub mod property;
pub mod reduction;
pub mod registers;
#[cfg(not(target_arch = "nvptx64"))]
mod root;
pub mod row;
pub mod run;
pub mod running;
pub mod scalar;
pub mod schedule;
mod sealed;
pub mod span;
pub mod stage;
pub mod state;
pub mod stored;
pub mod streamed;
pub mod table;
mod tile;
pub mod tile_sum;
pub mod total;
mod trigonometry;
pub mod unrolled;
pub mod value;
pub mod weighing;

pub use access::{EdgeAccess, VertexAccess};
pub use block::Block;
pub use fold::{Fold, FoldFacts, FoldOf, WidthVisitor};
pub use group::Group;
pub use index::{Edge, Feature, Reverse, Vertex};
pub use launch::Launch;
pub use machine::Machine;
pub use row::Row;
pub use stage::{EachStage, StageVisitor, Stages};

#[doc(hidden)]
pub use onyx_macros::compile_fold as __compile_fold;

/// A fingerprint of this crate's own source, part of every fold's fingerprint: a changed schedule makes compiled kernels stale.
pub const FINGERPRINT: u64 = parse_fingerprint(env!("ONYX_DEVICE_FINGERPRINT"));

const fn parse_fingerprint(digits: &str) -> u64 {
    match u64::from_str_radix(digits, 16) {
        Ok(value) => value,
        Err(_) => panic!("the build script writes hexadecimal digits"),
    }
}
