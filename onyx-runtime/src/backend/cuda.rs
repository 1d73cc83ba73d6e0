//! An NVIDIA GPU, through the driver that cudarc loads at run time.

mod device;
mod kernels;
mod modules;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{CudaContext, sys};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{DataVisitor, Fold, StageVisitor, Stages, WidthVisitor};

use self::device::{Block, CudaDevice};
use self::kernels::Kernels;
use crate::backend::device::{DeviceEngine, Shape};
use crate::backend::plan::Plan;
use crate::decider::{Decider, Processor};
use crate::error::{CudaError, RunError};
use crate::graph::Graph;
use crate::options::{Observer, Options};
use crate::run::Ran;
use crate::store::Store;
use crate::tile;

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
    let context = context()?;
    let describe = || -> Result<Driver, cudarc::driver::DriverError> {
        Ok(Driver {
            device: context.name()?,
            compute_capability: compute_capability(&context)?,
            memory: context.total_mem()? as u64,
        })
    };
    describe().map_err(|source| CudaError::NoDevice { source })
}

fn context() -> Result<Arc<CudaContext>, CudaError> {
    // SAFETY: asks whether the library can be opened, which runs its constructors as every use of it does.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    CudaContext::new(0).map_err(|source| CudaError::NoDevice { source })
}

fn compute_capability(context: &CudaContext) -> Result<u32, cudarc::driver::DriverError> {
    let (major, minor) = context.compute_capability()?;
    Ok((major * 10 + minor) as u32)
}

/// Whether `fold` could run on the GPU: driver, device, fresh kernels and memory.
pub(crate) fn check<F: Fold>(_fold: F, graph: &Graph, store: &Store, options: &Options) -> Result<(), CudaError> {
    let context = context()?;
    kernels::find::<F>(&context)?;
    let decider = decide::<F>(&context, graph, store, options);
    check_memory::<F>(&context, graph, store, options, &decider)
}

/// The decisions for the GPU; an error if there is none.
pub(crate) fn decider<F: Fold>(graph: &Graph, store: &Store, options: &Options) -> Result<Decider, CudaError> {
    let context = context()?;
    Ok(decide::<F>(&context, graph, store, options))
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

/// Runs `fold` on the GPU.
pub(crate) fn run<F: Fold>(
    _fold: F,
    graph: &Graph,
    store: &mut Store,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Ran, RunError> {
    let context = context()?;
    let unknown = unknown_width::<F>(store);
    let visitor = Visitor { context, graph, store, options, observer, fold: PhantomData::<F> };
    let ran = F::narrowest(visitor).unwrap_or(Err(unknown));
    if let Err(RunError::Cuda(CudaError::Driver { .. })) = &ran {
        modules::forget();
    }
    ran
}

fn unknown_width<F: Fold>(store: &Store) -> RunError {
    RunError::Features { fold: F::NAME, features: store.features(), widest: store.tile_width() }
}

/// A run, compiled once for all widths.
struct Visitor<'a, F> {
    context: Arc<CudaContext>,
    graph: &'a Graph,
    store: &'a mut Store,
    options: &'a Options,
    observer: Observer<'a>,
    fold: PhantomData<F>,
}

impl<F: Fold> DataVisitor for Visitor<'_, F> {
    type Output = Result<Ran, RunError>;

    fn visit<D: GraphData>(self) -> Self::Output {
        let Self { context, graph, store, options, observer, .. } = self;
        let width = store.tile_width();
        let unknown = unknown_width::<F>(store);
        let Spread { lanes, rows } = F::visit(width, SpreadOf::<F, D>(PhantomData)).ok_or(unknown)?;
        let decider = decide::<F>(&context, graph, store, options);
        let explain = decider.explain();
        let shape = Shape::new::<F>(lanes, decider, options);
        check_memory::<F>(&context, graph, store, options, &shape.decider)?;
        let (outcome, schedule, prepare) = tile::run::<F>(graph, store, options, observer, &|graph, store| {
            let device = CudaDevice::new(&context, Kernels::load::<F>(&context, width)?, rows.clone())?;
            Ok(Box::new(DeviceEngine::<F, D, _>::new(device, graph, store, shape.clone())?))
        })?;
        let device = context.name().unwrap_or_else(|_| "NVIDIA GPU".to_owned());
        Ok(Ran { outcome, device, schedule, explain, prepare })
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
        let row = |entry| Some((entry, S::visit(entry, RowBlock::<D, L, V>(PhantomData))?));
        Spread { lanes: L as u64, rows: F::STAGES.iter().filter_map(|stage| row(stage.entry)).collect() }
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
