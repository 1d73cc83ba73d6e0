//! An NVIDIA GPU, through the driver that cudarc loads at run time.

mod act;
pub(crate) mod blas;
mod collection;
mod device;
mod freed;
mod kernels;
mod landing;
mod library;
mod memory;
mod modules;
mod parts;
mod place;
mod pointer;
mod pool;
mod ptx;
mod recorded;
mod registers;
mod session;

use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUdevice_attribute;
use onyx_device::FoldFacts;

use self::device::CudaDevice;
pub(crate) use self::memory::CudaMemory;
pub(crate) use self::session::CudaSession;
use self::session::context;
use crate::backend::code::AnyFold;
use crate::backend::device::{DeviceEngine, Queued, Ready, Shape};
use crate::backend::lent::{Lent, There};
use crate::backend::memory::Memory;
use crate::backend::memory_plan::MemoryPlan;
use crate::decider::Decider;
use crate::engine::{Task, finish};
use crate::error::{CudaError, RunError};
use crate::graph::Graph;
use crate::options::Options;
use crate::run::{Ran, timed};
use crate::schedule::Form;
use crate::schedule::rule::Processor;
use crate::store::Store;

/// Arrays in a GPU's memory.
pub(crate) type CudaArray = <CudaMemory as Memory>::Array;

/// The GPU that the CUDA backend would take.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The device's name.
    pub device: String,
    /// Its compute capability, times ten: 90 for 9.0.
    pub compute_capability: u32,
    /// Its memory, in bytes.
    pub memory: u64,
}

/// What the NVIDIA driver on this machine offers.
///
/// # Errors
/// [`CudaError::NoDriver`] or [`CudaError::NoDevice`].
pub fn driver() -> Result<Driver, CudaError> {
    let context = context(0)?;
    let describe = || -> Result<Driver, cudarc::driver::DriverError> {
        Ok(Driver {
            device: context.name()?,
            compute_capability: compute_capability(&context)?,
            memory: context.total_mem()? as u64,
        })
    };
    describe().map_err(|source| CudaError::NoDevice { source })
}

fn compute_capability(context: &CudaContext) -> Result<u32, cudarc::driver::DriverError> {
    let (major, minor) = context.compute_capability()?;
    Ok((major * 10 + minor) as u32)
}

/// Whether `fold` could run on the GPU: fresh kernels, and memory for what is not there yet.
pub(crate) fn check(
    fold: &'static FoldFacts,
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
) -> Result<(), CudaError> {
    let context = session.context();
    kernels::find(fold, context)?;
    let decider = decide(fold, context, graph, store, options);
    require(session, &MemoryPlan::new::<CudaArray>(fold, graph, store, &decider, options, None))
}

/// The decisions for the GPU.
pub(crate) fn decider(
    fold: &'static FoldFacts,
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
) -> Decider {
    decide(fold, session.context(), graph, store, options)
}

fn decide(fold: &'static FoldFacts, context: &CudaContext, graph: &Graph, store: &Store, options: &Options) -> Decider {
    Decider::new(fold, graph, Form::of(store), options, processor(context))
}

fn processor(context: &CudaContext) -> Processor {
    let ask = |attribute| context.attribute(attribute).map_or(0, |value| value.max(0) as u64);
    Processor {
        multiprocessors: ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        cache: ask(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
    }
}

/// So much is free wherever there is anything: less is not asked for, since the driver takes longer to answer than to allocate it.
const SMALL: u64 = 1 << 20;

/// Whether there is memory for what a plan adds to what is there.
pub(crate) fn require(session: &CudaSession, plan: &MemoryPlan) -> Result<(), CudaError> {
    if plan.bytes() <= SMALL || plan.bytes() <= session.free_memory()? {
        return Ok(());
    }
    // What earlier runs have given back is free when all that they did is done, and the pool does not keep it.
    session.release()?;
    let (free, (largest_name, largest)) = (session.free_memory()?, plan.largest());
    if plan.bytes() <= free {
        return Ok(());
    }
    Err(CudaError::Memory { device: session.name(), needed: plan.bytes(), free, largest, largest_name })
}

/// Runs `fold` on the session's GPU. What is `lent` stays there.
pub(crate) fn run(
    fold: AnyFold,
    session: &CudaSession,
    task: Task<'_>,
    store: &mut Store,
    lent: Option<Lent<'_, '_, CudaArray>>,
) -> Result<Ran, RunError> {
    session.noticing(run_on(fold, session, task, store, lent))
}

fn run_on(
    fold: AnyFold,
    session: &CudaSession,
    task: Task<'_>,
    store: &mut Store,
    lent: Option<Lent<'_, '_, CudaArray>>,
) -> Result<Ran, RunError> {
    let (facts, graph, options) = (fold.facts, task.graph, task.options);
    let code = fold.code(store)?;
    let there = lent.as_ref().map(There::of);
    let shape = shape(facts, session, graph, store, options, there.as_ref())?;
    let explain = shape.decider.explain();
    let form = Form::of(store);
    let device = || CudaDevice::new(session, session.kernels(facts, form)?, facts, code);
    let (mut engine, prepare) = timed(|| DeviceEngine::new(facts, device()?, graph, store, shape, lent))?;
    let (outcome, schedule) = finish(facts, &mut engine, task)?;
    let explain = explain.into_iter().chain(engine.replays()).collect();
    Ok(Ran { outcome, device: session.name(), schedule, explain, prepare })
}

/// How the fold is run, if there is memory for what is not `there`.
fn shape(
    fold: &'static FoldFacts,
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
    there: Option<&There<'_, CudaArray>>,
) -> Result<Shape, RunError> {
    let decider = decide(fold, session.context(), graph, store, options);
    require(session, &MemoryPlan::new(fold, graph, store, &decider, options, there))?;
    Ok(Shape::new(fold, decider, options))
}

/// Makes `fold` ready to run on the session's GPU again and again: in the place of what was `earlier` ready on another graph, if there is that.
pub(crate) fn ready(
    fold: AnyFold,
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
    lent: Lent<'_, '_, CudaArray>,
    earlier: Option<Box<dyn Queued<CudaMemory>>>,
) -> Result<Box<dyn Queued<CudaMemory>>, RunError> {
    let (facts, code) = (fold.facts, fold.code(store)?);
    let shape = shape(facts, session, graph, store, options, Some(&There::of(&lent)))?;
    if let Some(mut earlier) = earlier {
        earlier.move_to(graph, store, shape, lent)?;
        return Ok(earlier);
    }
    let kernels = session.kernels(facts, Form::of(store))?;
    let device = CudaDevice::new(session, kernels, facts, code)?;
    Ok(Box::new(Ready::new(facts, device, graph, store, shape, lent)?))
}
