//! Graphs, property stores and backends of Onyx.
//!
//! Load a [`Graph`](graph::Graph), take it into a [`Session`], make [`Data`] for a fold there, write what the algorithm starts from, run
//! `fold.on(&graph, &mut data).until_settled(&options)` ([`RunFold`]), and read what it has come to.
#![deny(missing_docs)]

pub mod active;
mod backend;
mod batch_length;
mod bins;
mod bits;
mod block;
mod chooser;
mod decider;
mod divergence;
mod engine;
mod error;
#[doc(hidden)]
pub mod file;
mod floats;
mod forecast;
pub mod graph;
mod half;
mod look;
#[doc(hidden)]
pub mod manifest;
#[doc(hidden)]
pub mod memory;
mod miss;
mod options;
mod packing;
mod plan;
mod product;
pub mod progress;
mod pushing;
mod requirements;
mod run;
mod schedule;
mod session;
mod settlement;
mod store;
#[doc(hidden)]
pub mod text;
mod total;
mod totals;
mod watch;
mod widths;

#[doc(hidden)]
pub use active::ActiveSet;
pub use backend::cuda::{Driver, driver};
pub use bins::Bins;
pub use error::{CudaError, RunError};
pub use forecast::{Gpu, forecast};
pub use ndarray;
pub use onyx_device::order::Order as EmulatedOrder;
pub use options::{Backend, Direction, Iteration, Observer, Options, Report, Status};
pub use packing::Packing;
#[doc(hidden)]
pub use run::{converge, explain};
pub use schedule::Schedule;
pub use session::{
    BorrowError, Borrowed, Data, InPlace, Lender, LenderOfTwo, Matrix, MatrixMut, Recording, ResidentGraph, Rows,
    RunFold, RunOn, Sequence, Session, Shaped, Tensor, Values,
};
#[doc(hidden)]
pub use store::Store;
