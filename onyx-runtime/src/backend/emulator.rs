//! The warp emulator as a device: the GPU's kernels, on the host.

mod device;
mod launch;

use std::marker::PhantomData;

use onyx_device::property::GraphData;
use onyx_device::{DataVisitor, Fold};

use self::device::EmulatedDevice;
pub(crate) use self::device::{EmulatedArray, EmulatedMemory};
use self::launch::{Kernels, KernelsOf};
use crate::backend::device::{DeviceEngine, Launcher, Queued, Ready, Shape};
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::residency::Lent;
use crate::backend::watched::Watched;
use crate::decider::Decider;
use crate::engine::{Engine, Task, finish};
use crate::error::RunError;
use crate::graph::Graph;
use crate::memory;
use crate::options::Options;
use crate::run::{Ran, timed};
use crate::schedule::rule::Processor;
use crate::store::Store;

/// The bytes of the stacks of a block's lanes, and of what else does not grow with the graph.
const STACKS: u64 = 96 << 20;
/// How many bytes a byte of an array takes, with what is remembered of it.
const REMEMBERED: u64 = 32;

/// Runs `fold` in the emulator.
pub(crate) fn run<F: Fold>(
    _fold: F,
    task: Task<'_>,
    store: &mut Store,
    lent: Option<Lent<'_, '_, EmulatedArray>>,
) -> Result<Ran, RunError> {
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { task, store, lent, fold: PhantomData::<F> };
    F::narrowest(visitor).unwrap_or(Err(unknown))
}

fn unknown_width<F: Fold>(store: &Store) -> RunError {
    RunError::Features { fold: F::NAME, features: store.features(), widest: store.tile_width() }
}

/// A run, compiled once for all widths.
struct Visitor<'a, 't, F> {
    task: Task<'t>,
    store: &'a mut Store,
    lent: Option<Lent<'a, 'a, EmulatedArray>>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, '_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { task, store, lent, .. } = self;
        let Task { graph, options, .. } = task;
        let (kernels, shape) = kernels::<F, D>(graph, store, options)?;
        let explain = shape.decider.explain();
        let device = EmulatedDevice::<F, D>::new(kernels, options.emulated_order);
        let engine = || watched(graph, DeviceEngine::<F, D, _>::new(device, graph, store, shape, lent)?);
        let (mut engine, prepare) = timed(engine)?;
        let (outcome, schedule) = finish::<F>(&mut *engine, task)?;
        Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule, explain, prepare })
    }
}

/// The kernels of fold `F` and how they are used, if there is memory for what they do.
fn kernels<F: Fold, D: GraphData>(
    graph: &Graph,
    store: &Store,
    options: &Options,
) -> Result<(Kernels<D>, Shape), RunError> {
    let width = store.tile_width();
    let kernels = F::visit(width, KernelsOf::<F, D>(PhantomData)).ok_or_else(|| unknown_width::<F>(store))?;
    let decider = Decider::new::<F>(graph, width, options, Processor::default());
    // What is remembered of resident arrays is of one launch, too.
    let plan = MemoryPlan::new::<F, EmulatedArray>(graph, store, &decider, options, None);
    let needed = plan.bytes().saturating_mul(REMEMBERED);
    memory::check("the emulator's lanes and what they have done", STACKS.saturating_add(needed))?;
    Ok((kernels, Shape::new::<F>(kernels.lanes, decider, options)))
}

/// Makes `fold` ready to run again and again.
pub(crate) fn ready<F: Fold>(
    graph: &Graph,
    store: &Store,
    options: &Options,
    lent: Lent<'_, '_, EmulatedArray>,
) -> Result<Box<dyn Queued<EmulatedMemory>>, RunError> {
    let visitor = ReadyVisitor { graph, store, options, lent, fold: PhantomData::<F> };
    F::narrowest(visitor).unwrap_or_else(|| Err(unknown_width::<F>(store)))
}

struct ReadyVisitor<'a, F> {
    graph: &'a Graph,
    store: &'a Store,
    options: &'a Options,
    lent: Lent<'a, 'a, EmulatedArray>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for ReadyVisitor<'_, F> {
    type Output = Result<Box<dyn Queued<EmulatedMemory>>, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { graph, store, options, lent, .. } = self;
        let (kernels, shape) = kernels::<F, D>(graph, store, options)?;
        let device = EmulatedDevice::<F, D>::new(kernels, options.emulated_order);
        Ok(Box::new(Ready::<F, D, _>::new(device, graph, store, shape, lent)?))
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
