//! The warp emulator as a device: the GPU's kernels, on the host.

mod device;
mod launch;

use std::marker::PhantomData;

use onyx_device::property::GraphData;
use onyx_device::{DataVisitor, Fold};

use self::device::EmulatedDevice;
pub(crate) use self::device::{EmulatedArray, EmulatedMemory};
use self::launch::KernelsOf;
use crate::backend::device::{DeviceEngine, Launcher, Shape};
use crate::backend::plan::Plan;
use crate::backend::residency::Lent;
use crate::backend::watched::Watched;
use crate::decider::{Decider, Processor};
use crate::engine::Engine;
use crate::error::RunError;
use crate::graph::Graph;
use crate::memory;
use crate::options::{Observer, Options};
use crate::run::{Ran, timed};
use crate::store::Store;
use crate::tile;

/// The bytes of the stacks of a block's lanes, and of what else does not grow with the graph.
const STACKS: u64 = 96 << 20;
/// How many bytes a byte of an array takes, with what is remembered of it.
const REMEMBERED: u64 = 32;

/// Runs `fold` in the emulator.
pub(crate) fn run<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
    lent: Option<Lent<'_, EmulatedArray>>,
) -> Result<Ran, RunError> {
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { graph, store, options, observer, lent, fold: PhantomData::<F> };
    F::narrowest(visitor).unwrap_or(Err(unknown))
}

fn unknown_width<F: Fold>(store: &Store) -> RunError {
    RunError::Features { fold: F::NAME, features: store.features(), widest: store.tile_width() }
}

/// A run, compiled once for all widths.
struct Visitor<'a, F> {
    graph: &'a Graph,
    store: &'a mut Store,
    options: &'a Options,
    observer: Observer<'a>,
    lent: Option<Lent<'a, EmulatedArray>>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { graph, store, options, observer, lent, .. } = self;
        let width = store.tile_width();
        let unknown = unknown_width::<F>(store);
        let kernels = F::visit(width, KernelsOf::<F, D>(PhantomData)).ok_or(unknown)?;
        let decider = Decider::new::<F>(graph, width, options, Processor::default());
        let explain = decider.explain();
        let needed = Plan::new::<F>(graph, store, &decider, options).bytes().saturating_mul(REMEMBERED);
        memory::check("the emulator's lanes and what they have done", STACKS.saturating_add(needed))?;
        let shape = Shape::new::<F>(kernels.lanes, decider, options);
        let device = || EmulatedDevice::<F, D>::new(kernels, options.emulated_order);
        let (outcome, schedule, prepare) = if store.tiles() == 1 {
            let make = || watched(graph, DeviceEngine::<F, D, _>::new(device(), graph, store, shape, lent)?);
            let (mut engine, prepare) = timed(make)?;
            tile::finish::<F>(&mut *engine, prepare, graph, options, observer)?
        } else {
            tile::run::<F>(graph, store, options, observer, &|graph, store| {
                watched(graph, DeviceEngine::<F, D, _>::new(device(), graph, store, shape.clone(), None)?)
            })?
        };
        Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule, explain, prepare })
    }
}

/// The engine, watched where the fold asks for it.
fn watched<'a, F: Fold, D: GraphData, Q: Launcher<D> + 'a>(
    graph: &'a Graph,
    engine: DeviceEngine<'a, F, D, Q>,
) -> Result<Box<dyn Engine + 'a>, RunError> {
    Ok(if F::WATCHED == 0 { Box::new(engine) } else { Box::new(Watched::new(graph, engine)?) })
}

#[cfg(test)]
mod tests;
