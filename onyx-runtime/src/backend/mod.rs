//! Where folds run: the CPU, and devices with memory of their own (an NVIDIA GPU, or the emulator in its place).

mod adjacency;
pub(crate) mod arguments;
pub(crate) mod code;
mod counters;
pub(crate) mod cpu;
pub mod cuda;
pub(crate) mod device;
#[cfg(feature = "emulator")]
pub(crate) mod emulator;
#[cfg(not(feature = "emulator"))]
#[path = "no_emulator.rs"]
pub(crate) mod emulator;
pub(crate) mod launchable;
pub(crate) mod lent;
pub(crate) mod memory;
pub(crate) mod memory_plan;
mod partials;
pub(crate) mod residency;
pub(crate) mod topology;
#[cfg(feature = "emulator")]
mod watched;
