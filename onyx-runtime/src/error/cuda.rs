//! What can go wrong with a GPU.

use std::path::PathBuf;

use thiserror::Error;

/// Why the CUDA backend cannot run, or failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no driver on the machine.
    #[error("no NVIDIA driver: libcuda.so was not found; `cargo xtask doctor` says what is missing")]
    NoDriver,
    /// The driver has no device.
    #[error(
        "the NVIDIA driver has no usable GPU ({source}): take one that `nvidia-smi` lists, by its number from 0, and that the variable \
         CUDA_VISIBLE_DEVICES does not hide, or run on the CPU"
    )]
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
    #[error(
        "{device} has compute capability {}, but the kernels need {} at least: run on a newer GPU, or on the CPU",
        capability(*.found), capability(*.needed)
    )]
    OldDevice {
        /// The device's name.
        device: String,
        /// Its compute capability, times ten.
        found: u32,
        /// The lowest one there is PTX for, times ten.
        needed: u32,
    },
    /// What a run adds to the graph and the properties that are there does not fit the device's memory.
    #[error(
        "the run needs {needed} more bytes of GPU memory, of which {largest} for {largest_name}, but {device} has {free} bytes free: end other programs that \
         `nvidia-smi` lists, drop data that are not needed, take a smaller graph or fewer features, or run on the CPU"
    )]
    Memory {
        /// The device's name.
        device: String,
        /// All that would be allocated besides what is there, in bytes.
        needed: u64,
        /// What is free, in bytes.
        free: u64,
        /// The largest single array, in bytes.
        largest: u64,
        /// What that array holds.
        largest_name: String,
    },
    /// The machine has no cuBLAS.
    #[error(
        "products of matrices on a GPU need cuBLAS of CUDA 12, which was not found: get it with cargo xtask doctor --install, or name the folder of \
         libcublas.so.12 in LD_LIBRARY_PATH"
    )]
    NoBlas,
    /// More rows, columns or floats from row to row than cuBLAS counts.
    #[error(
        "{doing} by cuBLAS: {size} is more than it counts, {}: take fewer rows at once, by `Matrix::rows`",
        i32::MAX
    )]
    BlasSize {
        /// What was being done.
        doing: String,
        /// How many there are.
        size: usize,
    },
    /// cuBLAS refused an operation.
    #[error("{doing} by cuBLAS: {source}")]
    Blas {
        /// What was being done.
        doing: String,
        /// What cuBLAS said.
        source: cudarc::cublas::result::CublasError,
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

/// A compute capability as NVIDIA writes it: `8.0`.
fn capability(times_ten: u32) -> String {
    format!("{}.{}", times_ten / 10, times_ten % 10)
}
