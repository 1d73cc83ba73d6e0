//! In the emulator's place where its feature is off, so that no fold is compiled for its lanes.

use crate::backend::code::AnyFold;
use crate::backend::device::{Queued, Recorder};
use crate::backend::lent::Lent;
use crate::backend::memory::Memory;
use crate::engine::Task;
use crate::error::RunError;
use crate::graph::Graph;
use crate::options::Options;
use crate::run::Ran;
use crate::session::Borrowed;
use crate::store::Store;

/// Says what to switch on.
pub(crate) fn run(
    fold: AnyFold,
    _task: Task<'_>,
    _store: &mut Store,
    _lent: Option<Lent<'_, '_, EmulatedArray>>,
) -> Result<Ran, RunError> {
    Err(RunError::NoEmulator { fold: fold.facts.declared_name })
}

/// Says what to switch on.
pub(crate) fn ready(
    fold: AnyFold,
    _graph: &Graph,
    _store: &Store,
    _options: &Options,
    _lent: Lent<'_, '_, EmulatedArray>,
    _earlier: Option<Box<dyn Queued<EmulatedMemory>>>,
) -> Result<Box<dyn Queued<EmulatedMemory>>, RunError> {
    Err(RunError::NoEmulator { fold: fold.facts.declared_name })
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

    unsafe fn borrow(&self, _memory: Borrowed, _property: &'static str) -> Result<EmulatedArray, RunError> {
        Err(RunError::NoEmulator { fold: "what is borrowed" })
    }

    unsafe fn give_back(&self, _memory: Borrowed) -> Result<(), RunError> {
        Ok(())
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

    fn resize(&self, array: &mut EmulatedArray, _bytes: usize) -> bool {
        match *array {}
    }

    fn bytes(&self, array: &EmulatedArray) -> usize {
        match *array {}
    }

    fn address(&self, array: &EmulatedArray) -> *mut u8 {
        match *array {}
    }
}

impl Recorder for EmulatedMemory {
    type Recorded = ();
    type Place = ();
    const IS_AT_ONCE: bool = true;

    fn record(&self) -> bool {
        false
    }

    fn recorded(&self) -> Option<()> {
        None
    }

    fn replay(&self, (): &()) -> Result<(), RunError> {
        Ok(())
    }
}
