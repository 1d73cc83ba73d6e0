//! Graphs, property stores and backends of Onyx.
//!
//! A single run is: load a [`Graph`](graph::Graph), make a [`Store`] for a fold's data, fill in what the algorithm starts from, and
//! [`converge`]. Several runs on the same data have a [`Session`], in whose memory graph and data stay between them.
#![deny(missing_docs)]

pub mod active;
mod backend;
mod block;
mod chooser;
mod decider;
mod divergence;
mod engine;
mod error;
#[doc(hidden)]
pub mod file;
pub mod graph;
#[doc(hidden)]
pub mod manifest;
#[doc(hidden)]
pub mod memory;
mod options;
pub mod progress;
mod requirements;
mod run;
mod session;
mod settlement;
mod store;
#[doc(hidden)]
pub mod text;
mod tile;
mod totals;
mod watch;

#[doc(hidden)]
pub use backend::cuda::{Driver, driver};
pub use error::{CudaError, RunError};
pub use ndarray;
pub use onyx_device::order::Order as EmulatedOrder;
pub use options::{Backend, Direction, Iteration, Observer, Options, Report, Schedule, Status};
pub use run::{converge, explain};
pub use session::{Data, ResidentGraph, RunFold, RunOn, Session, Shaped};
pub use store::Store;
