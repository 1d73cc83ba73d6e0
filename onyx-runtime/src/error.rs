//! What can go wrong between a graph in memory and an answer.

use std::path::PathBuf;

use onyx_device::emulator::EmulatorError;
use onyx_device::tile::Obstacle;
use thiserror::Error;

use crate::memory::OutOfMemory;

/// Why a run did not take place, or did not end.
#[derive(Debug, Error)]
pub enum RunError {
    /// A feature count that no compiled width holds.
    #[error("{fold} has no kernel for {features} features: ask for 1 to {widest}")]
    Features {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
        /// The widest compiled width.
        widest: usize,
    },
    /// More features than the widest compiled width, in a fold that needs all of them at once.
    #[error(
        "{fold} has no kernel for {features} features, and cannot run them by tiles of {widest}, because {obstacle}: ask for 1 to {widest}"
    )]
    TooWide {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
        /// The widest compiled width.
        widest: usize,
        /// What needs all features at once.
        obstacle: Obstacle,
    },
    /// The store was made for another graph, or for another fold's data.
    #[error("the store does not belong to this graph and to the data of {fold}: make it with Store::new for both")]
    Store {
        /// The fold.
        fold: &'static str,
    },
    /// A direction that the fold does not allow.
    #[error(
        "{fold} cannot be pushed: it is not change-driven, because an edge function reads something that the fold writes and that is not \
         Tracked, or reads it elsewhere than at the source; use pull"
    )]
    NotChangeDriven {
        /// The fold.
        fold: &'static str,
    },
    /// A push where the options leave none.
    #[error("{fold} cannot be pushed: {option} allows no push; use pull, or leave that option out")]
    PushExcluded {
        /// The fold.
        fold: &'static str,
        /// The option.
        option: &'static str,
    },
    /// A push of more features than the widest compiled width.
    #[error(
        "{fold} cannot be pushed with {features} features: more than the widest compiled width, {widest}, run by tiles, which pull alone; \
         use pull"
    )]
    TiledPush {
        /// The fold.
        fold: &'static str,
        /// What was asked for.
        features: usize,
        /// The widest compiled width.
        widest: usize,
    },
    /// A first active set for a fold that always starts with all vertices.
    #[error(
        "{fold} starts with all vertices: its sums are over all edges; write `edges = active` in its foldmap!, or leave the start out"
    )]
    Start {
        /// The fold.
        fold: &'static str,
    },
    /// A first active set of another graph.
    #[error("the start has {found} vertices, and the graph has {expected}")]
    StartSize {
        /// How many vertices the set has.
        found: usize,
        /// How many the graph has.
        expected: usize,
    },
    /// An edge that no edge runs back along, in a fold that reads at the reverse edge.
    #[error(
        "{fold} reads at `e.rev`, but no edge runs back along the edge from {origin} to {destination}: symmetrize the graph, such as by \
         `GraphBuilder::undirected`, or `--undirected` where it is read from a file"
    )]
    NoReverse {
        /// The fold.
        fold: &'static str,
        /// The original id of the edge's source.
        origin: u64,
        /// The original id of the edge's destination.
        destination: u64,
    },
    /// The emulator found lanes that do not meet.
    #[error("kernel {kernel} in the emulator: {source}")]
    Emulator {
        /// The kernel.
        kernel: String,
        /// What the emulator found.
        source: EmulatorError,
    },
    /// There is no memory for the values, or for what a run needs besides.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The CUDA backend failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// Why the CUDA backend cannot run, or failed.
#[derive(Debug, Error)]
pub enum CudaError {
    /// There is no driver on the machine.
    #[error("no NVIDIA driver: libcuda.so was not found; `cargo xtask doctor` says what is missing")]
    NoDriver,
    /// The driver has no device.
    #[error("the NVIDIA driver has no usable GPU ({source})")]
    NoDevice {
        /// What the driver said.
        source: cudarc::driver::DriverError,
    },
    /// There are no compiled kernels.
    #[error(
        "no compiled kernels of package {package}: {manifest} was not found in {searched}; run cargo xtask build-ptx"
    )]
    NoPtx {
        /// The package.
        package: &'static str,
        /// The manifest's file name.
        manifest: String,
        /// The folders that were searched.
        searched: String,
    },
    /// The manifest or a PTX file beside it cannot be read.
    #[error("{path}: {reason}; run cargo xtask build-ptx")]
    UnreadablePtx {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The kernels were compiled from other source than this program.
    #[error(
        "stale: run cargo xtask build-ptx ({fold} in {path} was compiled from source {found}, this program from {expected})"
    )]
    Stale {
        /// The fold.
        fold: &'static str,
        /// The manifest.
        path: PathBuf,
        /// The fingerprint in the manifest.
        found: String,
        /// The fingerprint of the program.
        expected: String,
    },
    /// The device is older than every PTX file.
    #[error("{device} has compute capability {found}, but the kernels need {needed} at least")]
    OldDevice {
        /// The device's name.
        device: String,
        /// Its compute capability, times ten.
        found: u32,
        /// The lowest one there is PTX for, times ten.
        needed: u32,
    },
    /// The graph and its properties do not fit the device's memory.
    #[error(
        "the run needs {needed} bytes of GPU memory, of which {largest} for {largest_name}, but {device} has {free} bytes free"
    )]
    Memory {
        /// The device's name.
        device: String,
        /// All that would be allocated, in bytes.
        needed: u64,
        /// What is free, in bytes.
        free: u64,
        /// The largest single array, in bytes.
        largest: u64,
        /// What that array holds.
        largest_name: String,
    },
    /// The driver refused an operation.
    #[error("{doing}: {source}")]
    Driver {
        /// What was being done, with the kernel's name where there is one.
        doing: String,
        /// What the driver said.
        source: cudarc::driver::DriverError,
    },
}
