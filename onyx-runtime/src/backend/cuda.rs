//! An NVIDIA GPU, through the driver that cudarc loads at run time.

pub(crate) mod blas;
mod device;
mod kernels;
mod memory;
mod modules;
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
use crate::backend::device::{DeviceEngine, Shape};
use crate::backend::memory::Memory;
use crate::backend::plan::Plan;
use crate::backend::residency::Lent;
use crate::decider::{Decider, Processor};
use crate::error::{CudaError, RunError};
use crate::graph::Graph;
use crate::options::{Observer, Options};
use crate::run::{Ran, timed};
use crate::store::Store;
use crate::tile;

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
    check_memory::<F>(context, graph, store, options, &decider)
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

fn check_memory<F: Fold>(
    context: &CudaContext,
    graph: &Graph,
    store: &Store,
    options: &Options,
    decider: &Decider,
) -> Result<(), CudaError> {
    let plan = Plan::new::<F>(graph, store, decider, options);
    let doing = || "asking for free GPU memory".to_owned();
    let (free, _) = context.mem_get_info().map_err(|source| CudaError::Driver { doing: doing(), source })?;
    if plan.bytes() <= free as u64 {
        return Ok(());
    }
    let (largest_name, largest) = plan.largest();
    let device = context.name().unwrap_or_else(|_| "the GPU".to_owned());
    Err(CudaError::Memory { device, needed: plan.bytes(), free: free as u64, largest, largest_name })
}

/// Runs `fold` on the session's GPU. What is `lent` stays there.
pub(crate) fn run<F: Fold>(
    _fold: F,
    session: &CudaSession,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
    lent: Option<Lent<'_, CudaArray>>,
) -> Result<Ran, RunError> {
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { session, graph, store, options, observer, lent, fold: PhantomData::<F> };
    let ran = F::narrowest(visitor).unwrap_or(Err(unknown));
    if let Err(RunError::Cuda(CudaError::Driver { .. })) = &ran {
        session.forget();
    }
    ran
}

fn unknown_width<F: Fold>(store: &Store) -> RunError {
    RunError::Features { fold: F::NAME, features: store.features(), widest: store.tile_width() }
}

/// A run, compiled once for all widths.
struct Visitor<'a, F> {
    session: &'a CudaSession,
    graph: &'a Graph,
    store: &'a mut Store,
    options: &'a Options,
    observer: Observer<'a>,
    lent: Option<Lent<'a, CudaArray>>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { session, graph, store, options, observer, lent, .. } = self;
        let width = store.tile_width();
        let unknown = unknown_width::<F>(store);
        let Spread { lanes, rows } = F::visit(width, SpreadOf::<F, D>(PhantomData)).ok_or(unknown)?;
        let decider = decide::<F>(session.context(), graph, store, options);
        let explain = decider.explain();
        let shape = Shape::new::<F>(lanes, decider, options);
        // What is lent is there already, but for the first run.
        if lent.as_ref().is_none_or(|lent| lent.residency.is_empty()) {
            check_memory::<F>(session.context(), graph, store, options, &shape.decider)?;
        }
        let device = || CudaDevice::new(session.memory().clone(), session.kernels::<F>(width)?, rows.clone());
        let (outcome, schedule, prepare) = if store.tiles() == 1 {
            let make = || DeviceEngine::<F, D, _>::new(device()?, graph, store, shape, lent);
            let (mut engine, prepare) = timed(make)?;
            tile::finish::<F>(&mut engine, prepare, graph, options, observer)?
        } else {
            tile::run::<F>(graph, store, options, observer, &|graph, store| {
                Ok(Box::new(DeviceEngine::<F, D, _>::new(device()?, graph, store, shape.clone(), None)?))
            })?
        };
        Ok(Ran { outcome, device: session.name(), schedule, explain, prepare })
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
