//! The options that all binaries share.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use onyx_device::Fold;
use onyx_runtime::graph::{Generator, Graph, GraphError};
use onyx_runtime::memory::{self, OutOfMemory};
use onyx_runtime::{Backend, Bins, Direction, Options, Packing, Report, RunError, Schedule, Session, Status};

use super::order::Order;
use super::progress::Progress;
use onyx_examples::verification::Verification;

/// How many copies of the values a verifier has at once.
const COPIES: u64 = 8;

/// The options of every binary.
#[derive(Args, Clone, Debug)]
pub struct SharedOptions {
    /// Where the graph comes from.
    #[command(flatten)]
    pub graph: GraphOptions,
    /// How the algorithm runs.
    #[command(flatten)]
    pub run: RunOptions,
    /// What is reported.
    #[command(flatten)]
    pub report: ReportOptions,
}

/// Where the graph comes from; without any of these it is one that is built in.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph")]
pub struct GraphOptions {
    /// A SNAP edge list or a Matrix Market file, plain or gzip-compressed [default: a small graph that is built in]
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// The graph in binary form: read if it was made from this very graph file with the same options, otherwise written
    #[arg(long, value_name = "FILE", requires = "graph")]
    pub cache: Option<PathBuf>,
    /// Let each edge of the graph file lead both ways; one that is listed more than once, in whichever direction, is one edge, and has to be
    /// listed alike
    #[arg(long, requires = "graph")]
    pub undirected: bool,
    /// Synthetic graphs, each run in turn: rmat:SCALE, rmat:SCALE:EDGE_FACTOR, grid:WIDTHxHEIGHT, uniform:VERTICES:EDGES, ring:VERTICES:DEGREE
    #[arg(long, value_name = "GRAPH,...", value_delimiter = ',', conflicts_with_all = ["graph", "cache", "undirected"])]
    pub generate: Vec<Specification>,
    /// How vertices are numbered for the run, so that what is read together lies together; results keep the ids of the file
    #[arg(long, value_enum, default_value_t)]
    pub order: Order,
    /// The seed of everything that is drawn at random
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    pub seed: u64,
}

/// How the algorithm runs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub struct RunOptions {
    /// The number of features of a vertex, 1 to 128 [default: what the algorithm needs]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub features: Option<usize>,
    /// Where to run: auto, cpu, cuda, or emulator if built with `--features emulator`; auto takes the GPU if there is one
    #[arg(long, default_value_t = Backend::Auto)]
    pub backend: Backend,
    /// Which way values travel along edges
    #[arg(long, value_enum, default_value_t = Travel::Auto)]
    pub direction: Travel,
    /// How edges come to the GPU's lanes: auto, neighbor_group, groups_per_block, vertex_per_warp, vertex_per_block, word_per_warp, graph_per_block or edge_flat for pulls, warp_word for pushes
    #[arg(long, value_name = "NAME", default_value_t = Schedule::Auto)]
    pub schedule: Schedule,
    /// How many bins of sources a GPU pulls from, one after the other, where it goes by neighbor groups: none, a number, or auto, so that the rows of a bin stay in its cache
    #[arg(long, value_name = "NUMBER", default_value_t = Bins::None, allow_negative_numbers = true)]
    pub bins: Bins,
    /// Whether a GPU packs the rows of the sources that most edges have, where it goes by words of vertices: auto, always or never
    #[arg(long, value_name = "WHEN", default_value_t = Packing::Auto)]
    pub packing: Packing,
    /// The greatest number of iterations
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = count, allow_negative_numbers = true)]
    pub iterations: usize,
    /// Pull in every iteration, even where changes alone could be pushed
    #[arg(long)]
    pub no_change_driven: bool,
    /// After how many pushes everything is pulled again
    #[arg(long, value_name = "NUMBER", default_value_t = Options::default().refresh, value_parser = count,
          allow_negative_numbers = true)]
    pub refresh: usize,
    /// The same bits in every run on one device: pull, and add everything in a fixed order
    #[arg(long)]
    pub deterministic: bool,
    /// After how many iterations at most the GPU is asked what is active, and Ctrl-C is heeded
    #[arg(long, value_name = "NUMBER", default_value_t = Options::default().read_every, value_parser = count,
          allow_negative_numbers = true)]
    pub read_every: usize,
    /// The change that is not worth propagating, rounding at least: of a share [default: 1e-5], of a rank or a mode as a part of the greatest query or seed, at most 0.1 [default: 1e-6], in PageRank as a part of the rank [default: 1e-6]
    #[arg(long, value_name = "NUMBER", value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: Option<f32>,
}

/// What is reported, and where.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Report")]
pub struct ReportOptions {
    /// Print one JSON object a graph instead of text
    #[arg(long)]
    pub json: bool,
    /// Say before the run which schedules were chosen, and why
    #[arg(long)]
    pub explain: bool,
    /// Write a line for each vertex: its id in the graph file and its values, separated by tabs
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not verify the result in 64-bit floats: that one more iteration changes nothing, or where the run was ended, that as many lead there
    #[arg(long)]
    pub no_verify: bool,
    /// How many times the same is solved, to time it: --json has the seconds of each run
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = count, allow_negative_numbers = true)]
    pub repeat: usize,
}

/// Which way values travel along edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Travel {
    /// Pull while many edges are active, then push
    Auto,
    /// Every vertex gathers from all incoming edges
    Pull,
    /// Vertices that have changed push what has changed
    Push,
}

impl RunOptions {
    /// The session of the backend that was asked for, in which `fold` can run.
    ///
    /// # Errors
    /// As [`Session::able`].
    pub fn session<F: Fold>(&self, fold: F, graph: &Graph, features: usize) -> Result<Session, RunError> {
        Session::able(fold, self.backend, graph, features, &self.options())
    }

    /// The options as the runtime takes them.
    pub fn options(&self) -> Options {
        let direction = match self.direction {
            Travel::Auto => None,
            Travel::Pull => Some(Direction::Pull),
            Travel::Push => Some(Direction::Push),
        };
        Options {
            backend: self.backend,
            iterations: self.iterations,
            direction,
            schedule: self.schedule,
            bins: self.bins,
            packing: self.packing,
            refresh: self.refresh,
            change_driven: !self.no_change_driven,
            deterministic: self.deterministic,
            read_every: self.read_every,
            ..Options::default()
        }
    }
}

impl ReportOptions {
    /// Verifies a result of `values` numbers, unless the user does not want to wait for that.
    ///
    /// # Errors
    /// There is no memory for as many 64-bit floats, several times over.
    pub fn verify(
        &self,
        report: &Report,
        values: usize,
        verify: impl FnOnce() -> Verification,
    ) -> Result<Option<Verification>, OutOfMemory> {
        if self.no_verify || report.status == Status::Cancelled {
            return Ok(None);
        }
        let bytes = (values as u64).saturating_mul(COPIES * size_of::<f64>() as u64);
        memory::check("the verification in 64-bit floats, which --no-verify leaves out", bytes)?;
        let _bar = Progress::new(self).waiting("verifying");
        Ok(Some(verify()))
    }
}

/// A generator with the text that asked for it.
#[derive(Clone, Debug)]
pub struct Specification {
    /// As given.
    pub text: String,
    /// As parsed.
    pub generator: Generator,
}

impl FromStr for Specification {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        Ok(Self { text: text.to_owned(), generator: text.parse()? })
    }
}

/// A number of at least 1.
pub fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number of at least 1 is needed".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// What random numbers are drawn by.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number from 0 to {} is needed", u64::MAX))
}

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a finite number above 0 is needed".to_owned())
}

/// A number between 0 and 1, neither of them.
pub fn fraction(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "a number between 0 and 1 is needed, and neither of them".to_owned())
}
