//! A launch in the emulator: the schedule of a kernel, run by each lane.

use std::marker::PhantomData;
use std::ptr;

use onyx_device::arguments::Arguments;
use onyx_device::emulator::{self, Blocks, EmulatedLane, EmulatorError, Memory, Order, WARP};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{self, look, row_block, total};
use onyx_device::{Fold, StageVisitor, Stages, WidthVisitor};

use crate::schedule::{Job, Kernel, Team, kernels};

/// The warps of a block that takes a whole row: as few as make sums of several warps, since each lane costs time.
const ROW_WARPS: u32 = 3;

/// The warps of a block that takes a whole row.
fn row_warps<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> u32 {
    row_block::warps::<D, E, L, V>(ROW_WARPS)
}

/// The threads of a block that takes a whole row in stage number `stage`.
fn row_threads<D: GraphData, S: Stages<D>, const L: usize, const V: usize>(stage: usize) -> u64 {
    S::visit(stage, RowThreads::<D, L, V>(PhantomData)).map_or(0, u64::from)
}

struct RowThreads<D, const L: usize, const V: usize>(PhantomData<D>);

impl<D: GraphData, const L: usize, const V: usize> StageVisitor<D> for RowThreads<D, L, V> {
    type Output = u32;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> u32 {
        row_warps::<D, E, L, V>() * WARP
    }
}

/// The kernels of a fold at one width: all that is compiled for each width. Their arguments are of data `N`, those of another width.
#[derive(Clone, Copy)]
pub(super) struct Kernels<N> {
    /// The width.
    pub(super) width: usize,
    /// The lanes that a row has.
    pub(super) lanes: u64,
    /// The threads of a block that takes a whole row in a stage.
    pub(super) row_threads: fn(usize) -> u64,
    /// Runs one.
    pub(super) run: for<'a> fn(Launch<'a, N>) -> Result<(), EmulatorError>,
}

/// Finds the kernels of a fold at a width.
pub(super) struct KernelsOf<F, N>(pub(super) PhantomData<(F, N)>);

impl<F: Fold, N: GraphData> WidthVisitor for KernelsOf<F, N> {
    type Output = Kernels<N>;

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Kernels<N>
    where
        D: GraphData,
        S: Stages<D>,
    {
        Kernels { width: K, lanes: L as u64, row_threads: row_threads::<D, S, L, V>, run: run::<F, N, D, S, L, V> }
    }
}

/// A launch of one stage's kernel.
pub(super) struct Launch<'a, D> {
    pub(super) kernel: Kernel,
    /// The number of the stage.
    pub(super) stage: usize,
    /// How many for each tile.
    pub(super) threads: u64,
    pub(super) tiles: u32,
    pub(super) arguments: &'a Arguments<D>,
    pub(super) memory: &'a Memory,
    pub(super) order: Order,
    /// Whether the iteration before has left nothing active.
    pub(super) is_over: bool,
}

/// Runs the kernel of a launch at one width.
fn run<F: Fold, N: GraphData, D: GraphData, S: Stages<D>, const L: usize, const V: usize>(
    launch: Launch<'_, N>,
) -> Result<(), EmulatorError> {
    const { assert!(size_of::<Arguments<D>>() == size_of::<Arguments<N>>(), "all widths have one layout") };
    let Launch { kernel, stage, threads, tiles, arguments, memory, order, is_over } = launch;
    // SAFETY: the data are `repr(C)`, with addresses and numbers alone, which are the same at every width.
    let arguments = unsafe { &*ptr::from_ref(arguments).cast::<Arguments<D>>() };
    let launch = Launch { kernel, stage, threads, tiles, arguments, memory, order, is_over };
    S::visit(stage, StageLaunch::<F, D, L, V> { launch, fold: PhantomData }).unwrap_or(Ok(()))
}

/// The same, on its way to the functions of its stage.
struct StageLaunch<'a, F, D, const L: usize, const V: usize> {
    launch: Launch<'a, D>,
    fold: PhantomData<F>,
}

/// Whether any stage of the kind has kernels for a job. What none has is not compiled.
const fn has<F: Fold, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>>(job: Job) -> bool {
    match job {
        Job::Clear | Job::Pull | Job::Finish => !E::IS_EMPTY,
        Job::Push | Job::Recompute => F::PUSHES && !E::IS_EMPTY,
        Job::Update => !W::IS_EMPTY && (F::STAGES.len() == 1 || F::PUSHES),
        Job::UpdateAll => !W::IS_EMPTY && E::IS_EMPTY,
        Job::Activate => true,
        Job::Look | Job::AddUp => false,
    }
}

/// The bodies of kernels, by name.
macro_rules! bodies {
    ($($(#[$about:meta])* $kernel:ident $(runs $body:path)? as $row:expr;)*) => {
        /// Runs a kernel.
        ///
        /// # Safety
        /// As [`schedule::pull::run`].
        unsafe fn run_kernel<F, D, E, W, const L: usize, const V: usize>(
            kernel: Kernel,
            lane: EmulatedLane,
            arguments: &Arguments<D>,
        ) where
            F: Fold,
            D: GraphData,
            E: EdgeRun<D>,
            W: VertexRun<D>,
        {
            match kernel {
                $(Kernel::$kernel => {
                    $(if const { has::<F, D, E, W>(Kernel::$kernel.row().job) } {
                        // SAFETY: the caller's.
                        unsafe { $body(lane, arguments) }
                    })?
                })*
            }
        }
    };
}

kernels!(bodies);

impl<F: Fold, D: GraphData, const L: usize, const V: usize> StageVisitor<D> for StageLaunch<'_, F, D, L, V> {
    type Output = Result<(), EmulatorError>;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Self::Output {
        let Launch { kernel, threads, tiles, arguments, memory, order, is_over, .. } = self.launch;
        let narrow = arguments.narrow();
        let arguments = if arguments.tiles == 1 && !D::HAS_HEADS { &narrow } else { arguments };
        // SAFETY: the arguments are of live arrays, and lanes run one at a time.
        let run = |lane: EmulatedLane, arguments: &Arguments<D>| unsafe {
            run_kernel::<F, D, E, W, L, V>(kernel, lane, arguments)
        };
        let body = |lane: EmulatedLane| match D::HAS_HEADS {
            true => run(lane, &arguments.of_head(lane)),
            false => run(lane, arguments),
        };
        let warps = if kernel.row().team == Team::Block { row_warps::<D, E, L, V>() } else { 1 };
        let count = threads.div_ceil(u64::from(warps * WARP));
        let blocks = Blocks { count, tiles, warps, shared_floats: row_block::shared_floats::<D, E, L, V>(warps) };
        emulator::Launch { memory: Some(memory), blocks, order, is_over }.run(&body)
    }
}

/// Runs the kernel that looks at an array.
pub(super) fn look(look: &look::Look, memory: &Memory, order: Order) -> Result<(), EmulatorError> {
    let launch =
        emulator::Launch { memory: Some(memory), blocks: Blocks::of_threads(look.threads), order, is_over: false };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { look::run(lane, look) })
}

/// Runs the kernel that adds up a total of the graph.
pub(super) fn add_up(add_up: &total::AddUp, memory: &Memory, order: Order) -> Result<(), EmulatorError> {
    let blocks = Blocks::of_threads(add_up.threads);
    // SAFETY: the byte is one of the counters'.
    let is_over = unsafe { *add_up.before == 0 };
    let launch = emulator::Launch { memory: Some(memory), blocks, order, is_over };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { total::run(lane, add_up) })
}
