//! In the emulator's place where its feature is off, so that no fold is compiled for its lanes.

use onyx_device::Fold;

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
) -> Result<Ran, RunError> {
    Err(RunError::NoEmulator { fold: F::NAME })
}
