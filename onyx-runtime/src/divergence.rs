//! Whether a run has left the range of floats: a value that is not a number, or a sum of finite numbers that is infinite.
//!
//! The values are looked at where they are, so that nothing is copied for it.

use onyx_device::stored::Number;
use onyx_device::{FoldFacts, stage};

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
    /// Looks at the values that a run of the fold starts from.
    pub(crate) fn begin(fold: &'static FoldFacts, engine: &mut dyn Engine) -> Result<Self, RunError> {
        let found = look(engine, starts_from(fold))?;
        Ok(Self { starts_infinite: found.iter().any(|(_, found)| found.infinite) })
    }

    /// The name of a property that has diverged in a run of the fold.
    pub(crate) fn find(
        self,
        fold: &'static FoldFacts,
        engine: &mut dyn Engine,
    ) -> Result<Option<&'static str>, RunError> {
        let found = look(engine, written(fold))?;
        let name = |(index, _): &(usize, Found)| property_name(fold, *index);
        let nan = found.iter().find(|(_, found)| found.nan).map(name);
        // Half precision has no room for great numbers, so that there an infinity is one that did not fit.
        let overflown =
            found.iter().find(|(index, found)| found.infinite && fold.properties[*index].number == Number::F16);
        if let Some(overflown) = overflown.filter(|_| nan.is_none()) {
            return Ok(Some(name(overflown)));
        }
        let infinite = found.iter().find(|(index, found)| found.infinite && fold.summed >> index & 1 == 1).map(name);
        match infinite {
            Some(_) if nan.is_none() && self.is_finite(fold, engine)? => Ok(infinite),
            _ => Ok(nan),
        }
    }

    /// Whether all that the sums were made of was finite at the start.
    fn is_finite(self, fold: &'static FoldFacts, engine: &mut dyn Engine) -> Result<bool, RunError> {
        Ok(!self.starts_infinite && look(engine, constant(fold))?.iter().all(|(_, found)| !found.infinite))
    }
}

/// The name of a property, or of the total of the graph that it is the contributions to.
fn property_name(fold: &'static FoldFacts, index: usize) -> &'static str {
    let total = fold.stages.iter().flat_map(|stage| stage.totals).find(|of| of.contributions == index);
    fold.properties[total.map_or(index, |of| of.total)].name
}

/// What is found in each of the properties whose bits are set, by position. Integers are numbers always.
fn look(engine: &mut dyn Engine, properties: u64) -> Result<Vec<(usize, Found)>, RunError> {
    let mut arrays = engine.arrays(properties);
    arrays.retain(|array| !array.number.is_integer());
    let found = engine.look(&arrays)?;
    Ok(arrays.iter().map(|array| array.property).zip(found).collect())
}

/// The properties that a run of the fold starts from, and writes.
fn starts_from(fold: &'static FoldFacts) -> u64 {
    let read = fold.edges.reads_source | fold.edges.reads_destination | stage::gathered(fold.stages);
    if fold.summed == 0 { 0 } else { read & fold.vertices.writes }
}

/// What functions of the fold write, no other function takes, and a run leaves in memory for every vertex and edge.
fn written(fold: &'static FoldFacts) -> u64 {
    let written = fold.vertices.writes | fold.edges.writes_edge | fold.edges.reduces & !fold.vertices.reads;
    written & totals::written(fold) & !(fold.edges.reduces & !totals::stored_everywhere(fold))
}

/// What edge functions of the fold read, and none writes.
fn constant(fold: &'static FoldFacts) -> u64 {
    let edges = fold.edges;
    let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
    (read | stage::gathered(fold.stages)) & !(fold.vertices.writes | edges.writes_edge | edges.reduces)
}
