//! Whether a run has left the range of floats: a value that is not a number, or a sum of finite numbers that is infinite.
//!
//! The values are looked at where they are, so that nothing is copied for it.

use onyx_device::stored::Number;
use onyx_device::{Fold, stage};

use crate::engine::Engine;
use crate::error::RunError;
use crate::look::Found;
use crate::totals;

/// What was known before the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divergence {
    /// Whether what edges read and vertices write had an infinity in it, so that one in a sum says nothing.
    starts_infinite: bool,
}

impl Divergence {
    /// Looks at the values that a run of fold `F` starts from.
    pub(crate) fn begin<F: Fold>(engine: &mut dyn Engine) -> Result<Self, RunError> {
        let found = look(engine, starts_from::<F>())?;
        Ok(Self { starts_infinite: found.iter().any(|(_, found)| found.infinite) })
    }

    /// The name of a property that has diverged in a run of fold `F`.
    pub(crate) fn find<F: Fold>(self, engine: &mut dyn Engine) -> Result<Option<&'static str>, RunError> {
        let found = look(engine, written::<F>())?;
        let name = |(index, _): &(usize, Found)| F::PROPERTIES[*index].name;
        let nan = found.iter().find(|(_, found)| found.nan).map(name);
        // Half precision has no room for great numbers, so that there an infinity is one that did not fit.
        let overflown =
            found.iter().find(|(index, found)| found.infinite && F::PROPERTIES[*index].number == Number::F16);
        if let Some(overflown) = overflown.filter(|_| nan.is_none()) {
            return Ok(Some(name(overflown)));
        }
        let infinite = found.iter().find(|(index, found)| found.infinite && F::SUMMED >> index & 1 == 1).map(name);
        match infinite {
            Some(_) if nan.is_none() && self.is_finite::<F>(engine)? => Ok(infinite),
            _ => Ok(nan),
        }
    }

    /// Whether all that the sums were made of was finite at the start.
    fn is_finite<F: Fold>(self, engine: &mut dyn Engine) -> Result<bool, RunError> {
        Ok(!self.starts_infinite && look(engine, constant::<F>())?.iter().all(|(_, found)| !found.infinite))
    }
}

/// What is found in each of the properties whose bits are set, by position. Integers are numbers always.
fn look(engine: &mut dyn Engine, properties: u64) -> Result<Vec<(usize, Found)>, RunError> {
    let mut arrays = engine.arrays(properties);
    arrays.retain(|array| !array.number.is_integer());
    let found = engine.look(&arrays)?;
    Ok(arrays.iter().map(|array| array.property).zip(found).collect())
}

/// The properties that a run of fold `F` starts from, and writes.
fn starts_from<F: Fold>() -> u64 {
    let read = F::EDGES.reads_source | F::EDGES.reads_destination | stage::gathered(F::STAGES);
    if F::SUMMED == 0 { 0 } else { read & F::VERTICES.writes }
}

/// What functions of fold `F` write, no other function takes, and a run leaves in memory for every vertex and edge.
fn written<F: Fold>() -> u64 {
    let written = F::VERTICES.writes | F::EDGES.writes_edge | F::EDGES.reduces & !F::VERTICES.reads;
    written & totals::written::<F>() & !(F::EDGES.reduces & !totals::stored_everywhere::<F>())
}

/// What edge functions of fold `F` read, and none writes.
fn constant<F: Fold>() -> u64 {
    let edges = F::EDGES;
    let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
    (read | stage::gathered(F::STAGES)) & !(F::VERTICES.writes | edges.writes_edge | edges.reduces)
}
