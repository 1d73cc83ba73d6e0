//! An NVIDIA GPU, through the driver that cudarc loads at run time.

mod act;
pub(crate) mod blas;
mod collection;
mod device;
mod kernels;
mod memory;
mod modules;
mod pointer;
mod session;

use std::collections::HashMap;
use std::marker::PhantomData;

use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUdevice_attribute;
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{DataVisitor, Fold, StageVisitor, Stages, WidthVisitor};

use self::device::{Block, CudaDevice};
pub(crate) use self::memory::CudaMemory;
pub(crate) use self::session::CudaSession;
use self::session::context;
use crate::backend::device::{DeviceEngine, Queued, Ready, Shape};
use crate::backend::memory::Memory;
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::residency::{Lent, There};
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
pub(crate) fn check<F: Fold>(
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
) -> Result<(), CudaError> {
    let context = session.context();
    kernels::find::<F>(context)?;
    let decider = decide::<F>(context, graph, store, options);
    require(session, &MemoryPlan::new::<F, CudaArray>(graph, store, &decider, options, None))
}

/// The decisions for the GPU.
pub(crate) fn decider<F: Fold>(session: &CudaSession, graph: &Graph, store: &Store, options: &Options) -> Decider {
    decide::<F>(session.context(), graph, store, options)
}

fn decide<F: Fold>(context: &CudaContext, graph: &Graph, store: &Store, options: &Options) -> Decider {
    Decider::new::<F>(graph, store.tile_width(), options, processor(context))
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
    // What earlier runs have given back is free when all that they did is done.
    session.synchronize()?;
    let (free, (largest_name, largest)) = (session.free_memory()?, plan.largest());
    if plan.bytes() <= free {
        return Ok(());
    }
    Err(CudaError::Memory { device: session.name(), needed: plan.bytes(), free, largest, largest_name })
}

/// Runs `fold` on the session's GPU. What is `lent` stays there.
pub(crate) fn run<F: Fold>(
    _fold: F,
    session: &CudaSession,
    task: Task<'_>,
    store: &mut Store,
    lent: Option<Lent<'_, '_, CudaArray>>,
) -> Result<Ran, RunError> {
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { session, task, store, lent, fold: PhantomData::<F> };
    session.noticing(F::narrowest(visitor).unwrap_or(Err(unknown)))
}

fn unknown_width<F: Fold>(store: &Store) -> RunError {
    RunError::Features { fold: F::NAME, features: store.features(), widest: store.tile_width() }
}

/// A run, compiled once for all widths.
struct Visitor<'a, 't, F> {
    session: &'a CudaSession,
    task: Task<'t>,
    store: &'a mut Store,
    lent: Option<Lent<'a, 'a, CudaArray>>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, '_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { session, task, store, lent, .. } = self;
        let Task { graph, options, .. } = task;
        let width = store.tile_width();
        let unknown = unknown_width::<F>(store);
        let Spread { lanes, rows } = F::visit(width, SpreadOf::<F, D>(PhantomData)).ok_or(unknown)?;
        let decider = decide::<F>(session.context(), graph, store, options);
        let explain = decider.explain();
        let shape = Shape::new::<F>(lanes, decider, options);
        let there = lent.as_ref().map(There::of);
        require(session, &MemoryPlan::new::<F, _>(graph, store, &shape.decider, options, there.as_ref()))?;
        let form = Form::of(store);
        let device = || CudaDevice::new(session.memory().clone(), session.kernels::<F>(form)?, rows);
        let (mut engine, prepare) = timed(|| DeviceEngine::<F, D, _>::new(device()?, graph, store, shape, lent))?;
        let (outcome, schedule) = finish::<F>(&mut engine, task)?;
        Ok(Ran { outcome, device: session.name(), schedule, explain, prepare })
    }
}

/// Makes `fold` ready to run on the session's GPU again and again.
pub(crate) fn ready<F: Fold>(
    session: &CudaSession,
    graph: &Graph,
    store: &Store,
    options: &Options,
    lent: Lent<'_, '_, CudaArray>,
) -> Result<Box<dyn Queued<CudaMemory>>, RunError> {
    let visitor = ReadyVisitor { session, graph, store, options, lent, fold: PhantomData::<F> };
    F::narrowest(visitor).unwrap_or_else(|| Err(unknown_width::<F>(store)))
}

struct ReadyVisitor<'a, F> {
    session: &'a CudaSession,
    graph: &'a Graph,
    store: &'a Store,
    options: &'a Options,
    lent: Lent<'a, 'a, CudaArray>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for ReadyVisitor<'_, F> {
    type Output = Result<Box<dyn Queued<CudaMemory>>, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { session, graph, store, options, lent, .. } = self;
        let width = store.tile_width();
        let Spread { lanes, rows } =
            F::visit(width, SpreadOf::<F, D>(PhantomData)).ok_or_else(|| unknown_width::<F>(store))?;
        let decider = decide::<F>(session.context(), graph, store, options);
        require(session, &MemoryPlan::new::<F, _>(graph, store, &decider, options, Some(&There::of(&lent))))?;
        let shape = Shape::new::<F>(lanes, decider, options);
        let device = CudaDevice::new(session.memory().clone(), session.kernels::<F>(Form::of(store))?, rows)?;
        Ok(Box::new(Ready::<F, D, _>::new(device, graph, store, shape, lent)?))
    }
}

/// How a fold is spread over a GPU at one width: all that a run needs to know of it.
struct Spread {
    /// The lanes that a row has.
    lanes: u64,
    /// The block that takes a whole row, by the entry of the stage.
    rows: HashMap<usize, Block>,
}

/// Finds that for fold `F`, whose data a run takes for `N`, those of another width.
struct SpreadOf<F, N>(PhantomData<(F, N)>);

impl<F: Fold, N: GraphData> WidthVisitor for SpreadOf<F, N> {
    type Output = Spread;

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Spread
    where
        D: GraphData,
        S: Stages<D>,
    {
        const { assert!(size_of::<D>() == size_of::<N>(), "all widths have one layout") };
        let row = |stage| Some((stage, S::visit(stage, RowBlock::<D, L, V>(PhantomData))?));
        Spread { lanes: L as u64, rows: (0..F::STAGES.len()).filter_map(row).collect() }
    }
}

/// The block that takes a whole row.
struct RowBlock<D, const L: usize, const V: usize>(PhantomData<D>);

impl<D: GraphData, const L: usize, const V: usize> StageVisitor<D> for RowBlock<D, L, V> {
    type Output = Block;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Block {
        Block::new::<D, E, L, V>()
    }
}
