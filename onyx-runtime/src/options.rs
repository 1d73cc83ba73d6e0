//! How a fold is run, and what came of it.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::time::Duration;

use onyx_device::FoldFacts;
use onyx_device::order::Order;
use onyx_device::total::Below;
use serde::Serialize;

use crate::active::ActiveSet;
use crate::bins::Bins;
use crate::graph::Graph;
use crate::packing::Packing;
use crate::schedule::Schedule;

/// Where a fold runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// The GPU if there is one and its kernels are built, otherwise the CPU.
    #[default]
    Auto,
    /// All CPU cores, by rayon.
    Cpu,
    /// The first NVIDIA GPU.
    Cuda,
    /// The warp emulator: the GPU's code on the host, slow, for tests. It is there where the feature `emulator` of `onyx-runtime` is on.
    Emulator,
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda),
            "emulator" => Ok(Self::Emulator),
            _ => Err(format!("unknown backend \"{text}\": there are auto, cpu, cuda and emulator")),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
            Self::Emulator => "emulator",
        })
    }
}

/// Which way values travel along edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Direction {
    /// Every vertex gathers from all of its incoming edges.
    Pull,
    /// Active vertices push what has changed along their outgoing edges.
    Push,
    /// There are no edges: vertex functions alone.
    Vertex,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pull => "pull",
            Self::Push => "push",
            Self::Vertex => "vertex",
        })
    }
}

/// How a fold is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it runs.
    pub backend: Backend,
    /// The greatest number of iterations.
    pub iterations: usize,
    /// The vertices that are active at first; `None` for all. Only a fold whose edges are those of active sources, or that has none, starts
    /// with fewer.
    pub start: Option<ActiveSet>,
    /// Pull or push in every iteration; `None` chooses by the active edge fraction. The first two iterations of a push always pull.
    pub direction: Option<Direction>,
    /// After how many pushes everything is pulled again, so that rounding does not add up.
    pub refresh: usize,
    /// Whether folds that are change-driven may be pushed at all. Without it every iteration pulls.
    pub change_driven: bool,
    /// The same bits in every run on one device: nothing is added atomically, so that nothing is pushed.
    pub deterministic: bool,
    /// After how many iterations at most a GPU is asked what is active: after fewer where these take long, or the run seems to be over then. Only there can a run be cancelled and
    /// the direction change; what was launched after the last iteration does nothing. 1 asks in each, and gives each its own time; more than 1024 are taken as that.
    pub read_every: usize,
    /// Whether a run ends as [`Status::Settled`] once its values only turn in their last bits. Without it such a run goes on to the greatest
    /// number of iterations, as one that is to be timed over a fixed number of them should.
    pub settle: bool,
    /// Whether a GPU replays the launches of a batch of iterations from a recording, a CUDA graph, where that has come often, in this run or in earlier ones, and has short kernels.
    pub replay: bool,
    /// The greatest number of neighbors in a neighbor group on a GPU; `None` chooses by the feature width.
    pub group_size: Option<usize>,
    /// How many bins the sources of edges are cut into, on a GPU and in the emulator; the CPU takes whole rows.
    pub bins: Bins,
    /// Whether the rows of frequent sources are packed, on a GPU and in the emulator.
    pub packing: Packing,
    /// The schedule on a GPU and in the emulator; the CPU has only one.
    pub schedule: Schedule,
    /// The order in which the emulator runs lanes, warps and blocks. Its errors name it, so that they can be repeated.
    pub emulated_order: Order,
    /// Ends the run as [`Status::Below`] after the iteration in which a total of the graph that the fold adds to is below a bound:
    /// `Rank::MOVED.below(1e-6)`. A GPU looks by itself, without asking the host.
    pub until: Option<Below>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            backend: Backend::Auto,
            iterations: 100,
            start: None,
            direction: None,
            refresh: 64,
            change_driven: true,
            deterministic: false,
            read_every: 8,
            settle: true,
            replay: true,
            group_size: None,
            bins: Bins::None,
            packing: Packing::Auto,
            schedule: Schedule::Auto,
            emulated_order: Order::Forward,
            until: None,
        }
    }
}

/// The most iterations that are launched at once: more gain nothing, and each needs its counters.
const LARGEST_BATCH: usize = 1024;

/// The same, written one after the other: `Options::new().iterations(50).deterministic(true)`.
impl Options {
    /// What is chosen where nothing is said.
    pub fn new() -> Self {
        Self::default()
    }

    /// With [`Options::backend`].
    pub fn backend(self, backend: Backend) -> Self {
        Self { backend, ..self }
    }

    /// With [`Options::iterations`].
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// With [`Options::direction`].
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// With [`Options::start`].
    pub fn start(self, start: ActiveSet) -> Self {
        Self { start: Some(start), ..self }
    }

    /// With [`Options::refresh`].
    pub fn refresh(self, refresh: usize) -> Self {
        Self { refresh, ..self }
    }

    /// With [`Options::schedule`].
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// With [`Options::change_driven`].
    pub fn change_driven(self, change_driven: bool) -> Self {
        Self { change_driven, ..self }
    }

    /// With [`Options::deterministic`].
    pub fn deterministic(self, deterministic: bool) -> Self {
        Self { deterministic, ..self }
    }

    /// With [`Options::read_every`].
    pub fn read_every(self, read_every: usize) -> Self {
        Self { read_every, ..self }
    }

    /// With [`Options::settle`].
    pub fn settle(self, settle: bool) -> Self {
        Self { settle, ..self }
    }

    /// With [`Options::replay`].
    pub fn replay(self, replay: bool) -> Self {
        Self { replay, ..self }
    }

    /// With [`Options::group_size`].
    pub fn group_size(self, group_size: usize) -> Self {
        Self { group_size: Some(group_size), ..self }
    }

    /// With [`Options::bins`].
    pub fn bins(self, bins: Bins) -> Self {
        Self { bins, ..self }
    }

    /// With [`Options::packing`].
    pub fn packing(self, packing: Packing) -> Self {
        Self { packing, ..self }
    }

    /// With [`Options::emulated_order`].
    pub fn emulated_order(self, emulated_order: Order) -> Self {
        Self { emulated_order, ..self }
    }

    /// With [`Options::until`].
    pub fn until(self, until: Below) -> Self {
        Self { until: Some(until), ..self }
    }
}

impl Options {
    /// The greatest number of iterations in a batch.
    pub(crate) fn batch(&self) -> usize {
        self.read_every.min(self.iterations).clamp(1, LARGEST_BATCH)
    }

    /// The vertices of `graph` that are active at first.
    pub(crate) fn first_active(&self, graph: &Graph) -> ActiveSet {
        self.start.clone().unwrap_or_else(|| ActiveSet::all(graph.vertex_count()))
    }

    /// Whether an iteration of the fold may push.
    pub(crate) fn may_push(&self, fold: &'static FoldFacts) -> bool {
        let is_pull = self.direction == Some(Direction::Pull);
        fold.pushes && self.change_driven && !self.deterministic && !is_pull
    }
}

/// One iteration, as it has ended.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub number: usize,
    /// Which way values travelled.
    pub direction: Direction,
    /// How many vertices have changed in it.
    pub active: usize,
    /// How many outgoing edges those have.
    pub active_edges: u64,
    /// The total of the graph that ends the run once it is below the bound of [`Options::until`], where there is one.
    #[serde(skip)]
    pub total: Option<f32>,
    /// How long it took; on a GPU by its own clock, and the same share of the time of a batch of [`Options::read_every`].
    #[serde(skip)]
    pub time: Duration,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// No vertex changed any more.
    Converged,
    /// Vertices are active, but all that the fold keeps has changed in its last bits alone for at least 48 iterations and a fifth of the run:
    /// by 32 units in the last place of the greatest value of its row; or by 32 n units where n edges lead to one vertex, since rounding may do n
    /// to a sum, 4096 at most, if then every value was again what it had been. Such a run goes around in circles, and further iterations
    /// would not make its values any better. [`Report::turn`] says how far they turned.
    ///
    /// A fold whose data has the number of the iteration, or whose edges are those of active sources, does not end so: it has more to go by
    /// than its values.
    Settled,
    /// A total of the graph is below the bound of [`Options::until`].
    Below,
    /// The greatest number of iterations was reached.
    IterationLimit,
    /// A value is not a number, or a sum of finite numbers infinite.
    Diverged,
    /// The observer stopped the run; the values are those of the last iteration.
    Cancelled,
}

impl Status {
    /// Whether the values are where the fold leads to, as exactly as it can say or was asked: the run has converged or settled, or a total is below
    /// its bound.
    pub fn is_at_rest(self) -> bool {
        matches!(self, Self::Converged | Self::Settled | Self::Below)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Settled => "settled",
            Self::Below => "below the bound",
            Self::IterationLimit => "iteration limit",
            Self::Diverged => "diverged",
            Self::Cancelled => "cancelled",
        })
    }
}

/// What came of a run. The results are in the store.
#[derive(Clone, Debug)]
pub struct Report {
    /// Where it ran: `cpu`, `emulator`, or `cuda` with the device's name.
    pub backend: Backend,
    /// The processor, in words.
    pub device: String,
    /// Why `auto` did not take the GPU.
    pub fallback: Option<String>,
    /// The schedules that ran, with their parameters.
    pub schedule: String,
    /// Why these: one line a decision.
    pub explain: Vec<String>,
    /// Why it ended.
    pub status: Status,
    /// The property that has diverged, if one has.
    pub diverged: Option<&'static str>,
    /// How far values still turned where the run has [settled](Status::Settled), as a part of the greatest value of their row; 0 in all others.
    pub turn: f32,
    /// Every iteration, in order.
    pub iterations: Vec<Iteration>,
    /// Copying to the device and compiling kernels there, before the first iteration.
    pub prepare: Duration,
    /// All iterations.
    pub run: Duration,
}

/// Is shown every iteration, in order, where the run looks at what has become of it; `Break` cancels the run there.
pub type Observer<'a> = &'a mut dyn FnMut(&Iteration) -> ControlFlow<()>;
