//! A look after each iteration at vertices that have said that nothing changed: the emulator's check of what `edges = changed` asks for.

use std::marker::PhantomData;

use onyx_device::Fold;
use onyx_device::property::GraphData;

use crate::active::ActiveSet;
use crate::backend::device::{DeviceEngine, Launcher};
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;
use crate::look::Found;

/// An engine whose untracked properties in `F::WATCHED` may only change where a vertex says so.
pub(crate) struct Watched<'a, F, D, Q: Launcher<D>> {
    graph: &'a Graph,
    engine: DeviceEngine<'a, F, D, Q>,
    /// The watched properties, with their values after the last iteration.
    values: Vec<(usize, Floats)>,
    fold: PhantomData<F>,
}

impl<'a, F: Fold, D: GraphData, Q: Launcher<D>> Watched<'a, F, D, Q> {
    /// Watches `engine` from now on.
    pub(crate) fn new(graph: &'a Graph, mut engine: DeviceEngine<'a, F, D, Q>) -> Result<Self, RunError> {
        let watched = (0..F::PROPERTIES.len()).filter(|index| F::WATCHED >> index & 1 == 1);
        let values = watched.map(|index| Ok((index, engine.values(index)?))).collect::<Result<_, RunError>>()?;
        Ok(Self { graph, engine, values, fold: PhantomData })
    }

    fn check(&mut self) -> Result<(), RunError> {
        let active = self.engine.active()?;
        for (index, before) in &mut self.values {
            let now = self.engine.values(*index)?;
            let changed = first_changed(&active, before.as_bytes(), now.as_bytes());
            if let Some(vertex) = changed {
                let (vertex, property) = (self.graph.ids().original(vertex), F::PROPERTIES[*index].name);
                return Err(RunError::Unsaid { fold: F::NAME, vertex, property });
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

impl<F: Fold, D: GraphData, Q: Launcher<D>> Engine for Watched<'_, F, D, Q> {
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
        let mut active = ActiveSet::none(3);
        active.set(1, true);
        let before = [1, 2, 3, 4, 5, 6];
        assert_eq!(first_changed(&active, &before, &before), None);
        assert_eq!(first_changed(&active, &before, &[1, 2, 3, 9, 5, 6]), None);
        assert_eq!(first_changed(&active, &before, &[1, 2, 3, 9, 5, 9]), Some(2));
    }
}
