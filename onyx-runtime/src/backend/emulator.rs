//! The warp emulator as a device: the GPU's kernels, on the host.

mod device;
mod launch;

use std::marker::PhantomData;

use onyx_device::property::GraphData;
use onyx_device::{DataVisitor, Fold};

use self::device::EmulatedDevice;
use self::launch::KernelsOf;
use crate::backend::device::{DeviceEngine, Shape};
use crate::backend::plan::Plan;
use crate::backend::watched::Watched;
use crate::decider::{Decider, Processor};
use crate::engine::Engine;
use crate::error::RunError;
use crate::graph::Graph;
use crate::memory;
use crate::options::{Observer, Options};
use crate::run::Ran;
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
) -> Result<Ran, RunError> {
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { graph, store, options, observer, fold: PhantomData::<F> };
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
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { graph, store, options, observer, .. } = self;
        let width = store.tile_width();
        let unknown = unknown_width::<F>(store);
        let kernels = F::visit(width, KernelsOf::<F, D>(PhantomData)).ok_or(unknown)?;
        let decider = Decider::new::<F>(graph, width, options, Processor::default());
        let explain = decider.explain();
        let needed = Plan::new::<F>(graph, store, &decider, options).bytes().saturating_mul(REMEMBERED);
        memory::check("the emulator's lanes and what they have done", STACKS.saturating_add(needed))?;
        let shape = Shape::new::<F>(kernels.lanes, decider, options);
        let (outcome, schedule, prepare) = tile::run::<F>(graph, store, options, observer, &|graph, store| {
            let device = EmulatedDevice::<F, D>::new(kernels, options.emulated_order);
            let engine = DeviceEngine::<F, D, _>::new(device, graph, store, shape.clone())?;
            Ok(if F::WATCHED == 0 {
                Box::new(engine) as Box<dyn Engine>
            } else {
                Box::new(Watched::new(graph, engine)?)
            })
        })?;
        Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule, explain, prepare })
    }
}

#[cfg(test)]
mod tests;
