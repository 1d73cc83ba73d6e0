//! A look after each iteration at vertices that have said that nothing changed: the emulator's check of what `edges = changed` asks for.

use onyx_device::FoldFacts;

use crate::active::ActiveSet;
use crate::backend::device::{Device, DeviceEngine};
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;
use crate::look::Found;

/// An engine of a fold whose untracked properties in [`FoldFacts::watched`] may only change where a vertex says so.
pub(crate) struct Watched<'a, Q: Device> {
    fold: &'static FoldFacts,
    graph: &'a Graph,
    engine: DeviceEngine<'a, Q>,
    /// The watched properties, with their values after the last iteration.
    values: Vec<(usize, Floats)>,
}

impl<'a, Q: Device> Watched<'a, Q> {
    /// Watches `engine` from now on.
    pub(crate) fn new(
        fold: &'static FoldFacts,
        graph: &'a Graph,
        mut engine: DeviceEngine<'a, Q>,
    ) -> Result<Self, RunError> {
        let watched = (0..fold.properties.len()).filter(|index| fold.watched >> index & 1 == 1);
        let values = watched.map(|index| Ok((index, engine.values(index)?))).collect::<Result<_, RunError>>()?;
        Ok(Self { fold, graph, engine, values })
    }

    fn check(&mut self) -> Result<(), RunError> {
        let active = self.engine.active()?;
        for (index, before) in &mut self.values {
            let now = self.engine.values(*index)?;
            let changed = first_changed(&active, before.as_bytes(), now.as_bytes());
            if let Some(vertex) = changed {
                let (vertex, property) = (self.graph.ids().original(vertex), self.fold.properties[*index].name);
                return Err(RunError::Unsaid { fold: self.fold.declared_name, vertex, property });
            }
            *before = now;
        }
        Ok(())
    }
}

/// The first vertex that is not active although one of its values has changed.
fn first_changed(active: &ActiveSet, before: &[u8], now: &[u8]) -> Option<u32> {
    let width = (now.len() / active.len().max(1)).max(1);
    let rows = before.chunks_exact(width).zip(now.chunks_exact(width));
    let changed = (0..).zip(rows).filter(|(_, (before, now))| before != now);
    changed.map(|(vertex, _)| vertex).find(|vertex| !active.contains(*vertex))
}

impl<Q: Device> Engine for Watched<'_, Q> {
    /// One iteration.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        let ran = self.engine.run(Batch { count: 1, ..batch })?;
        self.check()?;
        Ok(ran)
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        self.engine.active()
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.engine.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        self.engine.copy(array, first, bytes)
    }

    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError> {
        self.engine.look(arrays)
    }

    fn finish(&mut self) -> Result<(), RunError> {
        self.engine.finish()
    }

    fn schedule(&self) -> String {
        self.engine.schedule()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vertices_that_are_not_active_count() {
        let active = ActiveSet::of(3, [1]);
        let before = [1, 2, 3, 4, 5, 6];
        assert_eq!(first_changed(&active, &before, &before), None);
        assert_eq!(first_changed(&active, &before, &[1, 2, 3, 9, 5, 6]), None);
        assert_eq!(first_changed(&active, &before, &[1, 2, 3, 9, 5, 9]), Some(2));
    }
}
