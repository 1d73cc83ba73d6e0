//! More features than the widest compiled width: a store and an engine for each tile of them, which run in lockstep.
//!
//! Each tile pulls in full, and what is active is united after each iteration: a vertex is active if it is in any tile. So all tiles see the
//! same active vertices, and scalars, which do not depend on features, are the same in all of them.

use std::time::Duration;

use onyx_device::Fold;
use onyx_device::property::{Descriptor, Element};
use rayon::prelude::*;

use crate::active::ActiveSet;
use crate::backend::residency::{Kept, Lent, Residency};
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

/// What an engine keeps or borrows.
pub(crate) type Made<'a> = Result<Box<dyn Engine + 'a>, RunError>;

/// Makes an engine. It is no type of its own for each width, so that a run is compiled once for each fold.
pub(crate) type Make<'m, A> = dyn for<'t, 'a> Fn(&'a Graph, &'a mut Store, Option<Lent<'t, 'a, A>>) -> Made<'a> + 'm;

/// One tile: its values on the host, and the arrays that outlive a run.
pub(crate) struct Tile<A> {
    pub(crate) store: Store,
    pub(crate) residency: Residency<A>,
}

/// Runs fold `F` to convergence on an engine, or on one for each tile, as `make` gives them.
pub(crate) fn run<F: Fold, A: 'static>(
    task: Task<'_>,
    store: &mut Store,
    kept: Option<Kept<'_, '_, A>>,
    make: &Make<'_, A>,
) -> Result<Finished, RunError> {
    let graph = task.graph;
    match kept {
        Some(Kept::Tiles { topology, facing, tiles }) => {
            let engines = move || {
                let mut engines = Vec::with_capacity(tiles.len());
                for Tile { store, residency } in tiles {
                    engines.push(make(graph, store, Some(Lent { topology: &mut *topology, facing, residency }))?);
                }
                Ok(engines)
            };
            let (engines, prepare) = timed(engines)?;
            run_tiles::<F>(task, engines, prepare)
        }
        Some(Kept::One(lent)) => {
            let (mut engine, prepare) = timed(|| make(graph, store, Some(lent)))?;
            finish::<F>(&mut *engine, prepare, task)
        }
        None if store.tiles() == 1 => {
            let (mut engine, prepare) = timed(|| make(graph, store, None))?;
            finish::<F>(&mut *engine, prepare, task)
        }
        None => {
            let (mut tiles, split) = timed(|| Ok(store.split()?))?;
            let parts = tiles.iter_mut();
            let (engines, prepare) = timed(|| parts.map(|tile| make(graph, tile, None)).collect())?;
            let finished = run_tiles::<F>(task, engines, split + prepare)?;
            store.join(u64::MAX, &tiles.iter().collect::<Vec<_>>());
            Ok(finished)
        }
    }
}

/// Runs fold `F` on the engines of all tiles.
fn run_tiles<'t: 'a, 'a, F: Fold>(
    task: Task<'t>,
    engines: Vec<Box<dyn Engine + 'a>>,
    prepare: Duration,
) -> Result<Finished, RunError> {
    let mut lockstep = Lockstep { graph: task.graph, engines, starts_active: !F::HAS_EDGES };
    finish::<F>(&mut lockstep, prepare, task)
}

/// Runs fold `F` to convergence on one engine, which took `prepare` to make.
fn finish<F: Fold>(engine: &mut dyn Engine, prepare: Duration, task: Task<'_>) -> Result<Finished, RunError> {
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
        let is_stopped = ran.iter().any(|activity| activity.is_stopped);
        Ok(vec![Activity { time, is_stopped, ..Activity::of(&active, self.graph) }])
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
    pub(crate) fn split(&self) -> Result<Vec<Self>, OutOfMemory> {
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

    /// Gives a tile, of which `first` is the first feature, the values of these properties, and all parameters.
    pub(crate) fn cut_again(&self, properties: u64, tile: &mut Self, first: usize) -> Result<(), OutOfMemory> {
        for (index, property) in self.properties().iter().enumerate() {
            if properties >> index & 1 == 1 {
                tile.values[index] = self.cut(property, &self.values[index], first)?;
                tile.give(index);
            }
            tile.values[index].parameter = self.values[index].parameter;
        }
        Ok(())
    }

    /// Takes the values of these properties of all tiles. Scalars are the same in each.
    pub(crate) fn join(&mut self, properties: u64, tiles: &[&Self]) {
        self.touch();
        let (width, row) = (self.tile_width(), self.width());
        let taken = self.properties().iter().enumerate().filter(|(index, _)| properties >> index & 1 == 1);
        for (index, property) in taken {
            // The contributions to a total are where a run needs them alone.
            let whole = self.values[index].current.as_mut_slice();
            if whole.is_empty() {
                continue;
            }
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
    matches!(property.element, Element::VertexFeatures | Element::EdgeFeatures | Element::GraphFeatures)
}
