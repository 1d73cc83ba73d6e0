//! Launches and the clock of a GPU, on one stream.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::{CudaEvent, LaunchConfig, sys};
use onyx_device::arguments::PassedRows;
use onyx_device::schedule::limit::{self, Limit};
use onyx_device::schedule::look::Look;
use onyx_device::schedule::pack::Pack;
use onyx_device::schedule::total::{self, AddUp};
use onyx_device::{FoldFacts, stage};

use super::act::Launching;
use super::blas::Blas;
use super::kernels::Kernels;
use super::memory::{CudaMemory, failed};
use super::recorded::RecordedBatches;
use super::session::CudaSession;
use crate::backend::arguments::{ArgumentBytes, Unbound};
use crate::backend::code::{Code, SharingBlock};
use crate::backend::device::{BatchHistory, Device, Effects, Recorder, Recording, Threads};
use crate::error::{CudaError, RunError};
use crate::plan::Launch;
use crate::product::Product;
use crate::schedule::rule::GRAPH_THREADS;
use crate::schedule::{Kernel, Team, Unit, WARP_LANES};
use crate::session::DeviceRows;

/// Threads in a block: whole warps, and enough of them to hide each other's latency.
const BLOCK: u32 = 256;
/// Threads in a block of groups of lanes: few, since it stays until its slowest group has ended (`docs/performance.md`).
const SMALL_BLOCK: u32 = 64;
/// Warps in a block that takes words of vertices: few, since it stays until the one with the most edges has ended.
const WORD_WARPS: u32 = 2;
/// Warps in a block whose leaders take what its neighbor groups have of a row: few, as above (`docs/performance.md`).
const GROUP_WARPS: u32 = 2;

/// The shape of a block.
#[derive(Clone, Copy, Debug)]
struct Block {
    threads: u32,
    /// Its shared memory.
    bytes: u32,
}

/// The blocks of a stage that are not like all others.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// Those that take a whole row: as large as the others, unless their sums need more shared memory than there is.
    row: Block,
    /// Those that take neighbor groups.
    groups: Block,
    /// Those that gather what is added to totals of the graph.
    gathering: Block,
    /// Those whose warps take a word each.
    words: Block,
    /// Those that are one group.
    joined: Block,
    /// Those that have whole graphs.
    graphs: Block,
}

impl Blocks {
    fn of(code: Code, stage: usize) -> Self {
        let block = |team, most| {
            let SharingBlock { warps, floats } = (code.block)(stage, team, most);
            Block { threads: warps * 32, bytes: floats as u32 * 4 }
        };
        Self {
            row: block(Team::Block, BLOCK / 32),
            groups: block(Team::Groups, GROUP_WARPS),
            gathering: block(Team::Gathering, BLOCK / 32),
            words: block(Team::SharingWarp, WORD_WARPS),
            joined: block(Team::Joined, 1),
            graphs: block(Team::GraphBlock, GRAPH_THREADS as u32 / 32),
        }
    }

    /// The block of a team.
    fn get(self, team: Team) -> Block {
        match team {
            Team::Block => self.row,
            Team::Groups => self.groups,
            Team::Gathering => self.gathering,
            Team::SharingWarp => self.words,
            Team::Joined => self.joined,
            Team::GraphBlock => self.graphs,
            Team::Lanes => Block::SMALL,
            Team::Warp => Block::PLAIN,
        }
    }
}

impl Block {
    /// One without shared memory.
    const PLAIN: Self = Self { threads: BLOCK, bytes: 0 };
    /// A small one.
    const SMALL: Self = Self { threads: SMALL_BLOCK, bytes: 0 };
}

/// One GPU, its stream, and the kernels of one fold at one width.
pub(super) struct CudaDevice {
    memory: CudaMemory,
    kernels: Arc<Kernels>,
    /// What the fold's type is needed for.
    code: Code,
    /// What multiplies matrices, for a fold with sums of products.
    blas: Option<Blas>,
    /// The blocks that are not like all others, by the number of the stage.
    blocks: Vec<Blocks>,
    begin: CudaEvent,
    end: CudaEvent,
    /// The kernels of the batch under way, for errors that only show when it ends.
    launched: Vec<String>,
    /// What the next launch reads and writes.
    expected: Effects,
    /// Whether the next launch may begin before the one before it has ended.
    may_overlap: bool,
}

impl CudaDevice {
    pub(super) fn new(
        session: &CudaSession,
        kernels: Arc<Kernels>,
        fold: &'static FoldFacts,
        code: Code,
    ) -> Result<Self, RunError> {
        let blocks = (0..fold.stages.len()).map(|stage| Blocks::of(code, stage)).collect();
        let blas = if stage::multiplied(fold.stages) == 0 { None } else { session.blas().cloned() };
        let memory = session.memory().clone();
        let event = || memory.stream().context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let events = || Ok((event()?, event()?));
        let (begin, end) = events().map_err(failed("making events"))?;
        let (launched, expected, may_overlap) = (Vec::new(), Effects::UNKNOWN, false);
        Ok(Self { memory, kernels, code, blas, blocks, begin, end, launched, expected, may_overlap })
    }
}

impl CudaDevice {
    /// What a batch does, for errors that only show when it ends.
    fn running(&self) -> String {
        format!("running {}", self.launched.join(", "))
    }

    fn recorded(&self) -> MutexGuard<'_, RecordedBatches> {
        self.kernels.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Launches a kernel, or notes it in a step that a recording has entered.
    fn launch_as(
        &mut self,
        kernel: Kernel,
        stage: usize,
        configuration: LaunchConfig,
        arguments: ArgumentBytes,
    ) -> Result<(), RunError> {
        let (kernels, effects) = (Arc::clone(&self.kernels), mem::replace(&mut self.expected, Effects::UNKNOWN));
        // What a recording has collected comes in an order of its own.
        let may_overlap = mem::take(&mut self.may_overlap) && kernels.may_overlap && !self.memory.collects();
        self.memory.ask_within(Launching { kernels, kernel, stage, configuration, arguments, effects, may_overlap })
    }

    /// How many such blocks of a kernel of the first stage a multiprocessor has at once, if that is known.
    fn at_once(&self, kernel: Kernel, Block { threads, bytes }: Block) -> Option<u64> {
        let (_, function) = self.kernels.get(kernel, 0);
        let found = function.occupancy_max_active_blocks_per_multiprocessor(threads, bytes as usize, None);
        found.ok().map(u64::from).filter(|blocks| *blocks > 0)
    }

    /// The block with these rows in its shared memory.
    fn with_rows(&self, block: Block, rows: PassedRows) -> Block {
        let floats = self.code.floats_with(block.bytes as usize / size_of::<f32>(), rows);
        Block { bytes: (floats * size_of::<f32>()) as u32, ..block }
    }

    /// Launches a kernel that works on one array.
    ///
    /// # Safety
    /// The arguments are of the kernel's type, and name arrays that are alive until it has run.
    unsafe fn launch_on_array(
        &mut self,
        kernel: Kernel,
        threads: u64,
        arguments: ArgumentBytes,
    ) -> Result<(), RunError> {
        let grid_dim = (threads.div_ceil(u64::from(BLOCK)) as u32, 1, 1);
        let configuration = LaunchConfig { grid_dim, block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        self.launch_as(kernel, 0, configuration, arguments)
    }
}

impl Device for CudaDevice {
    type Memory = CudaMemory;
    // As many as a large GPU has at once, about.
    const LOOKING: u64 = 1 << 18;

    fn memory(&self) -> &CudaMemory {
        &self.memory
    }

    fn collects(&self) -> bool {
        self.memory.collects()
    }

    fn expect(&mut self, effects: Effects) {
        self.expected = effects;
    }

    fn overlap(&mut self, may_overlap: bool) {
        self.may_overlap = may_overlap;
    }

    fn start(&mut self) -> Result<(), RunError> {
        self.launched.clear();
        self.begin.record(self.memory.stream()).map_err(failed("starting a batch"))
    }

    fn stop(&mut self) -> Result<(), RunError> {
        self.end.record(self.memory.stream()).map_err(|source| failed(self.running())(source))
    }

    fn time(&mut self) -> Result<Option<Duration>, RunError> {
        let milliseconds = self.begin.elapsed_ms(&self.end).map_err(failed("asking how long a batch took"))?;
        Ok(Some(Duration::from_secs_f64(f64::from(milliseconds) / 1e3)))
    }

    fn explain(&self, error: RunError) -> RunError {
        match error {
            RunError::Cuda(CudaError::Driver { source, .. }) => failed(self.running())(source),
            error => error,
        }
    }

    fn look(&mut self, look: Look) -> Result<(), RunError> {
        // SAFETY: both arrays are alive.
        unsafe { self.launch_on_array(Kernel::Look, look.threads, ArgumentBytes::of(look)) }
    }

    fn add_up(&mut self, add_up: AddUp) -> Result<(), RunError> {
        let block = add_up.threads.min(u64::from(add_up.block)) as u32;
        let configuration = LaunchConfig {
            grid_dim: (add_up.threads.div_ceil(u64::from(add_up.block)) as u32, 1, 1),
            block_dim: (block.next_multiple_of(WARP_LANES as u32), 1, 1),
            shared_mem_bytes: (total::shared_floats(u64::from(block)) * size_of::<f32>()) as u32,
        };
        self.launch_as(Kernel::Total, 0, configuration, ArgumentBytes::of(add_up))
    }

    fn pack(&mut self, pack: Pack) -> Result<(), RunError> {
        // SAFETY: the arrays are alive.
        unsafe { self.launch_on_array(Kernel::Pack, pack.threads(), ArgumentBytes::of(pack)) }
    }

    fn limit(&mut self, limit: Limit) -> Result<(), RunError> {
        // SAFETY: the counters are alive.
        unsafe { self.launch_on_array(Kernel::Limit, limit::THREADS, ArgumentBytes::of(limit)) }
    }

    fn multiply(&mut self, product: &Product, places: [*mut f32; 3]) -> Result<(), RunError> {
        let blas = self.blas.as_ref().ok_or(CudaError::NoBlas)?;
        let operands = [product.left, product.right, product.into];
        let [left, right, into] = std::array::from_fn(|at| {
            let rows = DeviceRows::new(places[at], operands[at].layout);
            DeviceRows { is_transposed: operands[at].is_transposed, ..rows }
        });
        blas.multiply_within(left, right, into)
    }

    fn history(&self) -> Arc<Mutex<BatchHistory>> {
        Arc::clone(&self.kernels.history)
    }

    fn record(&mut self) -> bool {
        self.launched.clear();
        self.memory.record()
    }

    fn keep(&mut self, recording: Recording) -> bool {
        let names = mem::take(&mut self.launched);
        self.memory.recorded().map(|graph| self.recorded().keep(recording, graph, names)).is_some()
    }

    fn replay(&mut self, recording: &Recording) -> Result<bool, RunError> {
        let launched = self.recorded().replay(recording, &self.memory)?.map(<[String]>::to_vec);
        let is_replayed = launched.is_some();
        self.launched = launched.unwrap_or_default();
        Ok(is_replayed)
    }

    fn block_threads(&self, team: Team, stage: usize) -> u64 {
        self.blocks.get(stage).map_or(0, |blocks| u64::from(blocks.get(team).threads))
    }

    fn blocks_at_once(&self, kernel: Kernel) -> Option<u64> {
        self.at_once(kernel, self.blocks.first()?.get(kernel.row().team))
    }

    /// In shared memory where as many blocks run at once all the same.
    fn passed(&self, vertices: u32) -> PassedRows {
        let block = self.blocks.first().map_or(Block::PLAIN, |blocks| blocks.graphs);
        let rows = self.code.passed_after(block.bytes as usize / size_of::<f32>(), vertices);
        let at_once = |block| self.at_once(Kernel::GraphPerBlock, block);
        let has_room = rows.count > 0 && at_once(self.with_rows(block, rows)) == at_once(block);
        if has_room { rows } else { PassedRows::NONE }
    }

    fn launch(&mut self, launch: Launch, threads: Threads, arguments: &Unbound) -> Result<(), RunError> {
        let (name, _) = self.kernels.get(launch.kernel, launch.stage);
        if !self.launched.iter().any(|launched| launched == name) {
            self.launched.push(name.to_owned());
        }
        let blocks = self.blocks.get(launch.stage);
        let block = match launch.kernel.row() {
            // Cut rows are as much work each, so that no block waits for its slowest group.
            row if row.unit == Unit::CutRow => Block::PLAIN,
            row => blocks.map_or(Block::PLAIN, |blocks| blocks.get(row.team)),
        };
        let has_graphs = launch.kernel.row().unit == Unit::Graphs;
        let block = if has_graphs { self.with_rows(block, arguments.rest.passed) } else { block };
        let configuration = LaunchConfig {
            grid_dim: (
                threads.of_tile.div_ceil(u64::from(block.threads / threads.beside)) as u32,
                launch.tiles.count() / threads.beside,
                1,
            ),
            block_dim: match threads {
                Threads { beside: 1, .. } => (block.threads, 1, 1),
                Threads { lanes, beside, .. } => (lanes, beside, block.threads / (lanes * beside)),
            },
            shared_mem_bytes: block.bytes,
        };
        self.launch_as(launch.kernel, launch.stage, configuration, (self.code.bytes)(arguments))
    }
}
