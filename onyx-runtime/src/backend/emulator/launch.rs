//! A launch in the emulator: the schedule of a kernel, run by each lane.

use std::marker::PhantomData;
use std::ptr;

use onyx_device::arguments::Arguments;
use onyx_device::emulator::{self, Blocks, EmulatedLane, EmulatorError, Memory, Order, WARP};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{
    activate, cut_rows, edge_flat, every_vertex, look, pull, push, recompute, total, vertex, vertex_per_block,
    vertex_per_warp, warp_word,
};
use onyx_device::{Fold, StageVisitor, Stages, WidthVisitor};

use crate::backend::device::{Kernel, Step};

/// The warps of a block that takes a whole row: as few as make sums of several warps, since each lane costs time.
const ROW_WARPS: u32 = 3;

/// The warps of a block that takes a whole row.
fn row_warps<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> u32 {
    vertex_per_block::warps::<D, E, L, V>(ROW_WARPS)
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
    pub(super) step: Step,
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
    let Launch { step, arguments, memory, order, is_over } = launch;
    // SAFETY: the data are `repr(C)`, with addresses and numbers alone, which are the same at every width.
    let arguments = unsafe { &*ptr::from_ref(arguments).cast::<Arguments<D>>() };
    let launch =
        StageLaunch::<F, D, L, V> { launch: Launch { step, arguments, memory, order, is_over }, fold: PhantomData };
    S::visit(step.stage, launch).unwrap_or(Ok(()))
}

/// The same, on its way to the functions of its stage.
struct StageLaunch<'a, F, D, const L: usize, const V: usize> {
    launch: Launch<'a, D>,
    fold: PhantomData<F>,
}

/// Whether any kernel pushes along the edges of such a stage. Where none does, none is compiled.
const fn pushes<F: Fold, D: GraphData, E: EdgeRun<D>>() -> bool {
    F::PUSHES && !E::IS_EMPTY
}

impl<F: Fold, D: GraphData, const L: usize, const V: usize> StageVisitor<D> for StageLaunch<'_, F, D, L, V> {
    type Output = Result<(), EmulatorError>;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Self::Output {
        let Launch { step, arguments, memory, order, is_over } = self.launch;
        let body = |lane: EmulatedLane| {
            // SAFETY: the arguments are of live arrays, and lanes run one at a time.
            unsafe {
                match step.kernel {
                    Kernel::Activate => activate::run(lane, arguments),
                    // It has arguments of its own.
                    Kernel::Look | Kernel::Total => {}
                    Kernel::Push | Kernel::WarpWord | Kernel::Recompute => {
                        if const { pushes::<F, D, E>() } {
                            push_along::<D, E, W, L, V>(lane, step.kernel, arguments);
                        }
                    }
                    Kernel::Vertex => {
                        if const { !W::IS_EMPTY && (F::STAGES.len() == 1 || F::PUSHES) } {
                            vertex::run::<_, D, E, W, L, V>(lane, arguments);
                        }
                    }
                    Kernel::EveryVertex => {
                        if const { !W::IS_EMPTY && E::IS_EMPTY } {
                            every_vertex::run::<_, D, E, W, L, V>(lane, arguments);
                        }
                    }
                    _ => {
                        if const { !E::IS_EMPTY } {
                            pull_along::<D, E, W, L, V>(lane, step.kernel, arguments);
                        }
                    }
                }
            }
        };
        let warps = if step.kernel == Kernel::VertexPerBlock { row_warps::<D, E, L, V>() } else { 1 };
        let count = step.threads.div_ceil(u64::from(warps * WARP));
        let blocks = Blocks { count, warps, shared_floats: vertex_per_block::shared_floats::<D, E, L, V>(warps) };
        emulator::Launch { memory: Some(memory), blocks, order, is_over }.run(&body)
    }
}

/// Runs a kernel that pulls along edges.
///
/// # Safety
/// As [`pull::run`].
unsafe fn pull_along<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const L: usize, const V: usize>(
    lane: EmulatedLane,
    kernel: Kernel,
    arguments: &Arguments<D>,
) {
    // SAFETY: the caller's.
    unsafe {
        match kernel {
            Kernel::Clear => cut_rows::clear::<_, D, E, L, V>(lane, arguments),
            Kernel::VertexPerWarp => vertex_per_warp::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::VertexPerBlock => vertex_per_block::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::EdgeFlat => edge_flat::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::Finish => cut_rows::finish::<_, D, E, W, L, V>(lane, arguments),
            _ => pull::run::<_, D, E, W, L, V>(lane, arguments),
        }
    }
}

/// Runs a kernel that pushes along edges, or mends what a push has left.
///
/// # Safety
/// As [`pull::run`].
unsafe fn push_along<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const L: usize, const V: usize>(
    lane: EmulatedLane,
    kernel: Kernel,
    arguments: &Arguments<D>,
) {
    // SAFETY: the caller's.
    unsafe {
        match kernel {
            Kernel::WarpWord => warp_word::run::<_, D, E, W, L, V>(lane, arguments),
            Kernel::Recompute => recompute::run::<_, D, E, W, L, V>(lane, arguments),
            _ => push::run::<_, D, E, W, L, V>(lane, arguments),
        }
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
