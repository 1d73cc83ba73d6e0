//! The warp emulator as a device: the GPU's kernels, on the host.

mod array;
mod device;
mod launch;
mod property_array;

use onyx_device::FoldFacts;

pub(crate) use self::array::{EmulatedArray, EmulatedMemory};
use self::device::EmulatedDevice;
pub(crate) use self::launch::{Launch, launch};
use crate::backend::code::AnyFold;
use crate::backend::device::{Device, DeviceEngine, Queued, Ready, Shape};
use crate::backend::lent::Lent;
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::watched::Watched;
use crate::decider::Decider;
use crate::engine::{Engine, Task, finish};
use crate::error::RunError;
use crate::graph::Graph;
use crate::memory;
use crate::options::Options;
use crate::run::{Ran, timed};
use crate::schedule::Form;
use crate::schedule::rule::Processor;
use crate::store::Store;

/// The bytes of the stacks of a block's lanes, and of what else does not grow with the graph.
const STACKS: u64 = 96 << 20;
/// How many bytes a byte of an array takes, with what is remembered of it.
const REMEMBERED: u64 = 32;

/// Runs `fold` in the emulator.
pub(crate) fn run(
    fold: AnyFold,
    task: Task<'_>,
    store: &mut Store,
    lent: Option<Lent<'_, '_, EmulatedArray>>,
) -> Result<Ran, RunError> {
    let (facts, graph, options) = (fold.facts, task.graph, task.options);
    let device = EmulatedDevice::new(fold, store, options.emulated_order)?;
    let shape = shape(facts, graph, store, options)?;
    let explain = shape.decider.explain();
    let engine = || watched(facts, graph, DeviceEngine::new(facts, device, graph, store, shape, lent)?);
    let (mut engine, prepare) = timed(engine)?;
    let (outcome, schedule) = finish(facts, &mut *engine, task)?;
    Ok(Ran { outcome, device: "warp emulator".to_owned(), schedule, explain, prepare })
}

/// How the fold is run, if there is memory for what it does.
fn shape(fold: &'static FoldFacts, graph: &Graph, store: &Store, options: &Options) -> Result<Shape, RunError> {
    let decider = Decider::new(fold, graph, Form::of(store), options, Processor::default());
    // What is remembered of resident arrays is of one launch, too.
    let plan = MemoryPlan::new::<EmulatedArray>(fold, graph, store, &decider, options, None);
    let needed = plan.bytes().saturating_mul(REMEMBERED);
    memory::check("the emulator's lanes and what they have done", STACKS.saturating_add(needed))?;
    Ok(Shape::new(fold, decider, options))
}

/// Makes `fold` ready to run again and again: in the place of what was `earlier` ready on another graph, if there is that.
pub(crate) fn ready(
    fold: AnyFold,
    graph: &Graph,
    store: &Store,
    options: &Options,
    lent: Lent<'_, '_, EmulatedArray>,
    earlier: Option<Box<dyn Queued<EmulatedMemory>>>,
) -> Result<Box<dyn Queued<EmulatedMemory>>, RunError> {
    let shape = shape(fold.facts, graph, store, options)?;
    if let Some(mut earlier) = earlier {
        earlier.move_to(graph, store, shape, lent)?;
        return Ok(earlier);
    }
    let device = EmulatedDevice::new(fold, store, options.emulated_order)?;
    Ok(Box::new(Ready::new(fold.facts, device, graph, store, shape, lent)?))
}

/// The engine, watched where the fold asks for it.
fn watched<'a, Q: Device + 'a>(
    fold: &'static FoldFacts,
    graph: &'a Graph,
    engine: DeviceEngine<'a, Q>,
) -> Result<Box<dyn Engine + 'a>, RunError> {
    Ok(if fold.watched == 0 { Box::new(engine) } else { Box::new(Watched::new(fold, graph, engine)?) })
}

#[cfg(test)]
mod tests;
