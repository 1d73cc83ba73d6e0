//! More features than the widest compiled width: a store and an engine for each tile of them, which run in lockstep.
//!
//! Each tile pulls in full, and what is active is united after each iteration: a vertex is active if it is in any tile. So all tiles see the
//! same active vertices, and scalars, which do not depend on features, are the same in all of them.

use std::time::Duration;

use onyx_device::Fold;
use onyx_device::property::{Descriptor, Element};
use rayon::prelude::*;

use crate::active::ActiveSet;
use crate::engine::{Activity, Array, Batch, Engine, Outcome, Task, converge};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;
use crate::look::Found;
use crate::memory::OutOfMemory;
use crate::run::timed;
use crate::store::{Store, Values};

/// What came of a run, the schedules in words, and how long the preparation took.
pub(crate) type Finished = (Outcome, String, Duration);

/// Makes an engine. It is no type of its own for each width, so that a run is compiled once for each fold.
pub(crate) type Make<'m> = dyn for<'a> Fn(&'a Graph, &'a mut Store) -> Result<Box<dyn Engine + 'a>, RunError> + 'm;

/// Runs fold `F` to convergence on an engine for each tile, as `make` gives them.
pub(crate) fn run<F: Fold>(task: Task<'_>, store: &mut Store, make: &Make<'_>) -> Result<Finished, RunError> {
    let graph = task.graph;
    let (mut tiles, split) = timed(|| Ok(store.split()?))?;
    let parts = tiles.iter_mut();
    let (engines, prepare) = timed(|| parts.map(|tile| make(graph, tile)).collect::<Result<_, _>>())?;
    let mut lockstep = Lockstep { graph, engines, starts_active: !F::HAS_EDGES };
    let finished = finish::<F>(&mut lockstep, split + prepare, task)?;
    drop(lockstep);
    store.join(&tiles);
    Ok(finished)
}

/// Runs fold `F` to convergence on one engine, which took `prepare` to make.
pub(crate) fn finish<F: Fold>(
    engine: &mut dyn Engine,
    prepare: Duration,
    task: Task<'_>,
) -> Result<Finished, RunError> {
    let outcome = converge::<F>(engine, task)?;
    engine.finish()?;
    Ok((outcome, engine.schedule(), prepare))
}

/// The engines of all tiles.
struct Lockstep<'a> {
    graph: &'a Graph,
    engines: Vec<Box<dyn Engine + 'a>>,
    /// Whether what is active decides which vertices an iteration looks at.
    starts_active: bool,
}

impl Lockstep<'_> {
    /// The vertices that are active in any tile.
    fn unite(&mut self) -> Result<ActiveSet, RunError> {
        let mut all = ActiveSet::none(self.graph.vertex_count());
        for engine in &mut self.engines {
            all.unite(&engine.active()?);
        }
        Ok(all)
    }
}

impl Engine for Lockstep<'_> {
    /// One iteration of every tile.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        let mut ran = Vec::new();
        for engine in &mut self.engines {
            ran.extend(engine.run(Batch { count: 1, ..batch })?);
        }
        let active = self.unite()?;
        // A pull along edges looks at every vertex, whatever is active.
        if self.starts_active {
            self.activate(&active)?;
        }
        let time = ran.iter().map(|activity| activity.time).sum();
        Ok(vec![Activity { time, ..Activity::of(&active, self.graph) }])
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        self.unite()
    }

    fn activate(&mut self, active: &ActiveSet) -> Result<(), RunError> {
        self.engines.iter_mut().try_for_each(|engine| engine.activate(active))
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        let each = self.engines.iter().map(|engine| engine.arrays(properties)).enumerate();
        each.flat_map(|(tile, arrays)| arrays.into_iter().map(move |array| Array { tile, ..array })).collect()
    }

    fn copy(&mut self, array: Array, first: usize, floats: &mut [f32]) -> Result<(), RunError> {
        self.engines[array.tile].copy(array, first, floats)
    }

    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError> {
        let look = |array: &Array| self.engines[array.tile].look(&[*array]);
        arrays.iter().map(look).collect::<Result<Vec<_>, _>>().map(|found| found.concat())
    }

    fn finish(&mut self) -> Result<(), RunError> {
        self.engines.iter_mut().try_for_each(|engine| engine.finish())
    }

    fn schedule(&self) -> String {
        let schedule = self.engines.first().map(|engine| engine.schedule()).unwrap_or_default();
        format!("{} tiles in lockstep, each: {schedule}", self.engines.len())
    }
}

impl Store {
    /// A store for each tile, with its features and all scalars.
    fn split(&self) -> Result<Vec<Self>, OutOfMemory> {
        let width = self.tile_width();
        let tile = |tile: usize| {
            let first = tile * width;
            let properties = self.properties().iter().zip(&self.values);
            let values = properties.map(|(property, values)| self.cut(property, values, first));
            Ok(self.tile((self.features() - first).min(width), values.collect::<Result<_, _>>()?))
        };
        (0..self.tiles()).map(tile).collect()
    }

    /// The values of one property in the tile whose first feature is `first`.
    fn cut(&self, property: &Descriptor, values: &Values, first: usize) -> Result<Values, OutOfMemory> {
        let width = self.tile_width();
        let mut current;
        if has_features(property) {
            current = Floats::zeroed(values.current.as_slice().len() / self.tiles())?;
            let rows = current.as_mut_slice().par_chunks_exact_mut(width);
            let whole = values.current.as_slice().par_chunks_exact(self.width());
            rows.zip(whole).for_each(|(row, whole)| row.copy_from_slice(&whole[first..first + width]));
        } else {
            current = values.current.copied()?;
        }
        let previous = if property.tracked { Some(current.copied()?) } else { None };
        Ok(Values { current, previous, parameter: values.parameter })
    }

    /// Takes the values of all tiles. Scalars are the same in each.
    fn join(&mut self, tiles: &[Self]) {
        self.touch();
        let (width, row) = (self.tile_width(), self.width());
        for (index, property) in self.properties().iter().enumerate() {
            let whole = self.values[index].current.as_mut_slice();
            if !has_features(property) {
                whole.copy_from_slice(tiles[0].values[index].current.as_slice());
                continue;
            }
            whole.par_chunks_exact_mut(row).enumerate().for_each(|(number, whole)| {
                for (tile, part) in tiles.iter().zip(whole.chunks_exact_mut(width)) {
                    part.copy_from_slice(&tile.values[index].current.as_slice()[number * width..][..width]);
                }
            });
        }
    }
}

/// Whether a property has a value for each feature.
pub(crate) fn has_features(property: &Descriptor) -> bool {
    matches!(property.element, Element::VertexFeatures | Element::EdgeFeatures)
}
