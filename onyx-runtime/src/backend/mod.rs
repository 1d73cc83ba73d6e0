//! Where folds run: the CPU, and devices with memory of their own (an NVIDIA GPU, or the emulator in its place).

mod adjacency;
mod counters;
pub(crate) mod cpu;
pub mod cuda;
mod device;
#[cfg(feature = "emulator")]
pub(crate) mod emulator;
#[cfg(not(feature = "emulator"))]
#[path = "no_emulator.rs"]
pub(crate) mod emulator;
mod memory;
mod partials;
mod plan;
pub(crate) mod residency;
pub(crate) mod topology;
#[cfg(feature = "emulator")]
mod watched;
