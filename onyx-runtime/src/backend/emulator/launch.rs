//! A launch in the emulator: the schedule of a kernel, run by each lane.

use std::marker::PhantomData;

use onyx_device::arguments::Arguments;
use onyx_device::emulator::{self, Blocks, EmulatedLane, EmulatorError, Memory, Order};
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{self, graph_per_block, limit, look, pack, total};
use onyx_device::{Fold, StageVisitor, Stages};

use crate::backend::arguments::Unbound;
use crate::backend::code::needed;
use crate::schedule::{Job, Kernel, Team, kernels};

/// A launch of one stage's kernel.
pub(crate) struct Launch<'a> {
    pub(super) kernel: Kernel,
    /// The number of the stage.
    pub(super) stage: usize,
    pub(super) arguments: &'a Unbound,
    /// On which lanes.
    pub(super) on: emulator::Launch<'a>,
}

/// The body of a kernel.
type Body<D, E, W, S> = fn(onyx_device::Launch<'_, EmulatedLane, D, E, W, S>);

/// Runs a kernel of fold `F`, compiled for a width.
pub(crate) fn launch<F: Fold, D: GraphData, S: Stages<D>, const L: usize, const V: usize>(
    launch: Launch<'_>,
) -> Result<(), EmulatorError> {
    let Launch { kernel, stage, arguments, on } = launch;
    let bound = arguments.bind::<D>();
    let arguments = if bound.tiles == 1 && !D::HAS_HEADS { bound.narrow() } else { bound };
    let whole_graphs =
        const { needed(takes::<F>(Kernel::GraphPerBlock), graph_per_block::run::<_, D, S, L, V> as Body<_, _, _, _>) };
    if let Some(run) = whole_graphs.filter(|_| kernel == Kernel::GraphPerBlock) {
        // SAFETY: the arguments are of live arrays, and lanes run one at a time.
        return on_lanes(on, arguments, |lane, arguments: &Arguments<D>| unsafe {
            run(onyx_device::Launch::new(lane, arguments))
        });
    }
    let launch = StageLaunch::<F, D, L, V> { kernel, arguments, on, fold: PhantomData };
    S::visit(stage, launch).unwrap_or(Ok(()))
}

/// Whether some stage of the fold has the kernel. What none has is not compiled.
const fn takes<F: Fold>(kernel: Kernel) -> bool {
    let mut stage = 0;
    while stage < F::STAGES.len() {
        if F::STAGES[stage].has_kernel(kernel.row().name) {
            return true;
        }
        stage += 1;
    }
    false
}

/// Runs a kernel on each lane, with the arguments of its head.
fn on_lanes<D: GraphData>(
    on: emulator::Launch<'_>,
    arguments: Arguments<D>,
    run: impl Fn(EmulatedLane, &Arguments<D>),
) -> Result<(), EmulatorError> {
    on.run(&|lane| match D::HAS_HEADS {
        true => run(lane, &arguments.of_head(lane)),
        false => run(lane, &arguments),
    })
}

/// The same, on its way to the functions of its stage.
struct StageLaunch<'a, F, D, const L: usize, const V: usize> {
    kernel: Kernel,
    arguments: Arguments<D>,
    on: emulator::Launch<'a>,
    fold: PhantomData<F>,
}

/// Whether any stage of the kind has a kernel where rows have so many lanes. What none has is not compiled.
const fn has<F: Fold, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>>(kernel: Kernel, lanes: usize) -> bool {
    let row = kernel.row();
    if matches!(row.job, Job::Activate) {
        return true;
    }
    if !row.takes(lanes as u64) || !takes::<F>(kernel) || matches!(row.team, Team::Groups) && W::IS_EMPTY {
        return false;
    }
    match row.job {
        Job::Clear | Job::Pull | Job::PullLong | Job::Finish | Job::FinishLong => !E::IS_EMPTY,
        Job::Push | Job::Recompute => !E::IS_EMPTY,
        Job::Update => !W::IS_EMPTY,
        Job::UpdateAll => !W::IS_EMPTY && E::IS_EMPTY,
        Job::Activate | Job::Look | Job::Pack | Job::AddUp | Job::Limit => false,
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
                    $(if let Some(run) = const { needed(has::<F, D, E, W>(Kernel::$kernel, L), $body as Body<_, _, _, _>) } {
                        // SAFETY: the caller's.
                        run(unsafe { onyx_device::Launch::new(lane, arguments) })
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
        let Self { kernel, arguments, on, .. } = self;
        // SAFETY: the arguments are of live arrays, and lanes run one at a time.
        on_lanes(on, arguments, |lane, arguments: &Arguments<D>| unsafe {
            run_kernel::<F, D, E, W, L, V>(kernel, lane, arguments)
        })
    }
}

/// Runs the kernel that looks at an array.
pub(super) fn look(look: &look::Look, memory: &Memory, order: Order) -> Result<(), EmulatorError> {
    let launch = emulator::Launch {
        memory: Some(memory),
        blocks: Blocks::of_threads(look.threads),
        order,
        is_over: false,
        begins_early: false,
    };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { look::run(lane, look) })
}

/// Runs the kernel that adds up a total of the graph.
pub(super) fn add_up(add_up: &total::AddUp, memory: &Memory, order: Order) -> Result<(), EmulatorError> {
    let block = u64::from(add_up.block);
    let (count, warps) = (add_up.threads.div_ceil(block), add_up.block / emulator::WARP);
    let blocks = Blocks::of_tiles(count, 1, warps, total::shared_floats(block));
    // SAFETY: the byte is one of the counters'.
    let is_over = unsafe { *add_up.before == 0 };
    let launch = emulator::Launch { memory: Some(memory), blocks, order, is_over, begins_early: false };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { total::run(lane, add_up) })
}

/// Runs the kernel that ends a batch where the direction is to change.
pub(super) fn limit(limit: &limit::Limit, memory: &Memory, order: Order) -> Result<(), EmulatorError> {
    let blocks = Blocks::of_threads(limit::THREADS);
    let launch = emulator::Launch { memory: Some(memory), blocks, order, is_over: false, begins_early: false };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { limit::run(lane, limit) })
}

/// Runs the kernel that packs rows.
pub(super) fn pack(pack: &pack::Pack, memory: &Memory, order: Order, begins_early: bool) -> Result<(), EmulatorError> {
    let blocks = Blocks::of_threads(pack.threads());
    // SAFETY: the byte is one of the counters'.
    let is_over = unsafe { *pack.before == 0 };
    let launch = emulator::Launch { memory: Some(memory), blocks, order, is_over, begins_early };
    // SAFETY: the arguments are of live arrays, and lanes run one at a time.
    launch.run(&|lane| unsafe { pack::run(lane, pack) })
}
