//! In the emulator's place where its feature is off, so that no fold is compiled for its lanes.

use onyx_device::Fold;

use crate::backend::memory::Memory;
use crate::backend::residency::Lent;
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::{Observer, Options};
use crate::run::Ran;
use crate::store::Store;

/// Says what to switch on.
pub(crate) fn run<F: Fold>(
    _fold: F,
    _graph: &Graph,
    _store: &mut Store,
    _options: &Options,
    _observer: Observer<'_>,
    _lent: Option<Lent<'_, EmulatedArray>>,
) -> Result<Ran, RunError> {
    Err(RunError::NoEmulator { fold: F::NAME })
}

/// An array of the emulator: there is none.
pub(crate) enum EmulatedArray {}

/// The emulator's memory, in which nothing is ever made, since no run reaches it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmulatedMemory;

impl Memory for EmulatedMemory {
    type Array = EmulatedArray;

    fn upload(&self, _bytes: &[u8]) -> Result<EmulatedArray, RunError> {
        Err(RunError::NoEmulator { fold: "what is copied there" })
    }

    fn zeroed(&self, _bytes: usize) -> Result<EmulatedArray, RunError> {
        Err(RunError::NoEmulator { fold: "what is made there" })
    }

    fn copy(&self, from: &EmulatedArray, _to: &mut EmulatedArray) -> Result<(), RunError> {
        match *from {}
    }

    fn download_part(&self, array: &EmulatedArray, _first: usize, _bytes: &mut [u8]) -> Result<(), RunError> {
        match *array {}
    }

    fn write(&self, array: &mut EmulatedArray, _bytes: &[u8]) -> Result<(), RunError> {
        match *array {}
    }

    fn clear(&self, array: &mut EmulatedArray) -> Result<(), RunError> {
        match *array {}
    }

    fn address(&self, array: &EmulatedArray) -> *mut u8 {
        match *array {}
    }
}
