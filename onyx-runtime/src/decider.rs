//! Which schedule each direction gets, with which parameters, and why. (GNNAdvisor calls this the decider.)

use onyx_device::property::GraphData;
use onyx_device::{Fold, Stages, WidthVisitor};

use crate::graph::{Graph, Statistics};
use crate::options::{Options, Schedule};

/// Below this fraction of active edges a push goes by words of the active set instead of visiting every neighbor group. To be measured.
pub(crate) const WARP_WORD_BELOW: f64 = 0.01;
/// A warp for each row pays from this many edges a row on for each of its groups: as many as a group has in flight.
const EDGES_A_GROUP: f64 = onyx_device::schedule::EDGES_IN_FLIGHT as f64;
/// A block for each row pays from this many edges a row on for each of its groups: several rounds of what a group has in flight.
///
/// A guess, to be measured.
const EDGES_A_GROUP_OF_A_BLOCK: f64 = 4.0 * EDGES_A_GROUP;
/// The warps of a block that takes a row, and the most such blocks at once on a multiprocessor.
const BLOCK_WARPS: u64 = 8;
const BLOCKS_AT_ONCE: u64 = 8;
/// Rows count as alike if the longest has at most this many times the mean.
const ALIKE: f64 = 8.0;
/// Fewer threads a multiprocessor than this leave a GPU idle.
const THREADS_TO_FILL: u64 = 1024;

/// What is known of the processor that runs the kernels; zero where it is not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Processor {
    pub(crate) multiprocessors: u64,
    /// The second-level cache, in bytes.
    pub(crate) cache: u64,
}

/// The schedule of pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PullSchedule {
    NeighborGroup,
    VertexPerWarp,
    VertexPerBlock,
    EdgeFlat,
}

/// The schedule of pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PushSchedule {
    NeighborGroup,
    WarpWord,
    /// Words below [`WARP_WORD_BELOW`], neighbor groups above.
    ByActivity,
}

impl PushSchedule {
    /// Whether a push from `fraction` of the edges goes by words of the active set.
    pub(crate) fn takes_words(self, fraction: f64) -> bool {
        match self {
            Self::NeighborGroup => false,
            Self::WarpWord => true,
            Self::ByActivity => fraction < WARP_WORD_BELOW,
        }
    }
}

/// Something decided, and the reason.
#[derive(Clone, Debug)]
struct Chosen<T> {
    what: T,
    why: String,
}

impl<T> Chosen<T> {
    fn new(what: T, why: impl Into<String>) -> Self {
        Self { what, why: why.into() }
    }
}

/// The decisions on one run.
#[derive(Clone, Debug)]
pub(crate) struct Decider {
    has_edges: bool,
    /// Whether totals may have to be computed again after a push.
    recomputes: bool,
    lanes: u64,
    group_size: Chosen<usize>,
    pull: Chosen<PullSchedule>,
    /// The schedule of pushes, or why there are none.
    push: Result<Chosen<PushSchedule>, String>,
}

/// What the rules look at.
struct Facts {
    statistics: Statistics,
    processor: Processor,
    group_size: usize,
    lanes: u64,
    /// The bytes of one row of features for every vertex.
    features: u64,
}

impl Decider {
    /// Decides how fold `F` is run over `graph` at the compiled width `width`.
    pub(crate) fn new<F: Fold>(graph: &Graph, width: usize, options: &Options, processor: Processor) -> Self {
        let lanes = F::visit(width, Lanes).unwrap_or(1);
        let group_size = group_size(width, options);
        let facts = Facts {
            statistics: graph.statistics(),
            processor,
            group_size: group_size.what,
            lanes,
            features: (graph.vertex_count() * width * 4) as u64,
        };
        let pull = if options.deterministic {
            let why = "a deterministic run adds the sums of cut rows in order, which only neighbor groups do";
            Chosen::new(PullSchedule::NeighborGroup, why)
        } else if F::IS_SCALAR && options.schedule != Schedule::NeighborGroup {
            Chosen::new(PullSchedule::EdgeFlat, "the fold is one of a thread for each edge, `features_per_lane = all`")
        } else {
            pull_schedule(options.schedule, &facts)
        };
        let push = if options.may_push::<F>() {
            Ok(push_schedule(options.schedule))
        } else {
            Err(why_never_pushed::<F>(options))
        };
        let recomputes = F::RECOMPUTES && push.is_ok();
        Self { has_edges: F::HAS_EDGES, recomputes, lanes, group_size, pull, push }
    }

    /// The greatest number of neighbors in a neighbor group.
    pub(crate) fn group_size(&self) -> usize {
        self.group_size.what
    }

    /// Whether totals may have to be computed again after a push.
    pub(crate) fn recomputes(&self) -> bool {
        self.recomputes
    }

    pub(crate) fn pull(&self) -> PullSchedule {
        self.pull.what
    }

    /// The schedule of pushes; none where nothing is pushed.
    pub(crate) fn push(&self) -> Option<PushSchedule> {
        self.push.as_ref().ok().map(|push| push.what)
    }

    /// The schedules in words.
    pub(crate) fn describe(&self) -> String {
        if !self.has_edges {
            return "words of vertices".to_owned();
        }
        let lanes = if self.lanes == 1 { "1 lane".to_owned() } else { format!("{} lanes", self.lanes) };
        let groups = format!("neighbor groups of {}, {lanes} each", self.group_size.what);
        let pull = match self.pull.what {
            PullSchedule::NeighborGroup => groups.clone(),
            PullSchedule::VertexPerWarp => format!("vertex_per_warp, groups of {lanes}"),
            PullSchedule::VertexPerBlock => format!("vertex_per_block, groups of {lanes}"),
            PullSchedule::EdgeFlat => format!("edge_flat, {lanes} for each edge"),
        };
        match self.push() {
            None => format!("pull by {pull}"),
            Some(PushSchedule::NeighborGroup) => format!("pull by {pull}; push by {groups}"),
            Some(PushSchedule::WarpWord) => format!("pull by {pull}; push by warp_word"),
            Some(PushSchedule::ByActivity) => format!("pull by {pull}; push by {groups}, or by warp_word"),
        }
    }

    /// Every decision with its reason, one line each.
    pub(crate) fn explain(&self) -> Vec<String> {
        if !self.has_edges {
            return vec!["vertices: words of 32, because the fold has no edge functions".to_owned()];
        }
        let push = match &self.push {
            Err(why) => format!("push: never, because {why}"),
            Ok(push) => format!("push: {}, because {}", name_of_push(push.what), push.why),
        };
        vec![
            format!("group size: {}, because {}", self.group_size.what, self.group_size.why),
            format!("pull: {}, because {}", name_of_pull(self.pull.what), self.pull.why),
            push,
        ]
    }
}

/// Why [`Options::may_push`] says no.
fn why_never_pushed<F: Fold>(options: &Options) -> String {
    if !F::PUSHES {
        return match F::WHY_NOT_CHANGE_DRIVEN {
            Some(reason) if !F::IS_ACTIVE => format!("the fold is not change-driven: {reason}"),
            _ => "not all of its stages can be pushed".to_owned(),
        };
    }
    let why = if options.deterministic {
        "a deterministic run adds nothing atomically"
    } else if options.change_driven {
        "it was asked to pull"
    } else {
        "the run was asked not to be change-driven"
    };
    why.to_owned()
}

/// The decisions on a run of fold `F` on the CPU.
pub(crate) fn explain_cpu<F: Fold>(options: &Options) -> Vec<String> {
    let rows = "rows: balanced, because each CPU thread takes ranges of about equally many edges".to_owned();
    let never = (F::HAS_EDGES && !options.may_push::<F>())
        .then(|| format!("push: never, because {}", why_never_pushed::<F>(options)));
    std::iter::once(rows).chain(never).collect()
}

fn name_of_pull(schedule: PullSchedule) -> Schedule {
    match schedule {
        PullSchedule::NeighborGroup => Schedule::NeighborGroup,
        PullSchedule::VertexPerWarp => Schedule::VertexPerWarp,
        PullSchedule::VertexPerBlock => Schedule::VertexPerBlock,
        PullSchedule::EdgeFlat => Schedule::EdgeFlat,
    }
}

fn name_of_push(schedule: PushSchedule) -> &'static str {
    match schedule {
        PushSchedule::NeighborGroup => "neighbor_group",
        PushSchedule::WarpWord => "warp_word",
        PushSchedule::ByActivity => "warp_word or neighbor_group",
    }
}

/// How many lanes hold a row, as `foldmap!` compiles it.
struct Lanes;

impl WidthVisitor for Lanes {
    type Output = u64;

    fn visit<D: GraphData, S: Stages<D>, const K: usize, const L: usize, const V: usize>(self) -> u64 {
        L as u64
    }
}

/// Chosen by the sweep in `docs/measurements/pull-h200-groups.csv`.
fn group_size(width: usize, options: &Options) -> Chosen<usize> {
    match options.group_size {
        Some(size) => Chosen::new(size, "it was asked for"),
        None if width <= 16 => Chosen::new(16, "narrow rows need many groups to fill the GPU"),
        None => Chosen::new(32, "wide rows fill the GPU with fewer groups, and fewer rows are cut"),
    }
}

/// A rule: the schedule, and the reason for it where it applies.
type Rule = (PullSchedule, fn(&Facts) -> Option<String>);

/// The first rule that applies is taken.
const RULES: [Rule; 4] = [
    (PullSchedule::EdgeFlat, edges_fill_the_gpu),
    (PullSchedule::VertexPerBlock, rows_are_few_and_very_long),
    (PullSchedule::VertexPerWarp, rows_are_long_and_alike),
    (PullSchedule::NeighborGroup, |facts| Some(format!("rows of any length are shared out; {}", facts.degrees()))),
];

fn pull_schedule(forced: Schedule, facts: &Facts) -> Chosen<PullSchedule> {
    let asked = |what| Chosen::new(what, "it was asked for");
    match forced {
        Schedule::NeighborGroup => asked(PullSchedule::NeighborGroup),
        Schedule::VertexPerWarp => asked(PullSchedule::VertexPerWarp),
        Schedule::VertexPerBlock => asked(PullSchedule::VertexPerBlock),
        Schedule::EdgeFlat => asked(PullSchedule::EdgeFlat),
        Schedule::Auto | Schedule::WarpWord => by_rule(facts),
    }
}

fn by_rule(facts: &Facts) -> Chosen<PullSchedule> {
    let chosen = RULES.iter().find_map(|(what, rule)| rule(facts).map(|why| Chosen::new(*what, why)));
    chosen.unwrap_or_else(|| Chosen::new(PullSchedule::NeighborGroup, "no rule applies"))
}

/// Few rows, and rows in the cache: the GPU is idle but for a group for each edge, and atomic sums stay near.
fn edges_fill_the_gpu(facts: &Facts) -> Option<String> {
    let Processor { multiprocessors, cache } = facts.processor;
    let needed = multiprocessors * THREADS_TO_FILL;
    let edges = facts.statistics.edges as u64;
    let groups = facts.statistics.vertices as u64 + edges / facts.group_size as u64;
    let applies = groups * facts.lanes < needed && edges * facts.lanes >= needed && facts.features < cache;
    applies.then(|| {
        let threads = groups * facts.lanes;
        format!("about {threads} threads of neighbor groups leave {multiprocessors} multiprocessors idle, and the rows fit its cache")
    })
}

/// A warp for each row would leave the GPU idle, and a block for each has work for all of its groups. A guess, to be measured.
fn rows_are_few_and_very_long(facts: &Facts) -> Option<String> {
    let groups = (BLOCK_WARPS * 32 / facts.lanes) as f64;
    let at_once = facts.processor.multiprocessors * BLOCKS_AT_ONCE * BLOCK_WARPS;
    let are_few = (facts.statistics.vertices as u64) < at_once;
    let are_long = facts.statistics.mean_degree >= groups * EDGES_A_GROUP_OF_A_BLOCK && facts.skew() <= ALIKE;
    (are_few && are_long).then(|| format!("rows are few and very long: {}", facts.degrees()))
}

/// No row stalls a warp, and none has to be cut.
fn rows_are_long_and_alike(facts: &Facts) -> Option<String> {
    let groups = (32 / facts.lanes) as f64;
    let mean = facts.statistics.mean_degree;
    let is_long = mean >= groups * EDGES_A_GROUP && mean > facts.group_size as f64;
    (is_long && facts.skew() <= ALIKE).then(|| format!("rows are long and alike: {}", facts.degrees()))
}

impl Facts {
    /// How many times the mean the longest row has.
    fn skew(&self) -> f64 {
        self.statistics.greatest_in_degree as f64 / self.statistics.mean_degree.max(f64::MIN_POSITIVE)
    }

    fn degrees(&self) -> String {
        let Statistics { mean_degree, greatest_in_degree, .. } = self.statistics;
        format!("{mean_degree:.1} edges a row, {greatest_in_degree} at most")
    }
}

fn push_schedule(forced: Schedule) -> Chosen<PushSchedule> {
    match forced {
        Schedule::NeighborGroup => Chosen::new(PushSchedule::NeighborGroup, "it was asked for"),
        Schedule::WarpWord => Chosen::new(PushSchedule::WarpWord, "it was asked for"),
        _ => Chosen::new(
            PushSchedule::ByActivity,
            format!(
                "below {}% active edges most neighbor groups would only find that they are not",
                WARP_WORD_BELOW * 100.0
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(vertices: usize, mean_degree: f64, greatest_in_degree: usize, multiprocessors: u64) -> Facts {
        let edges = (vertices as f64 * mean_degree) as usize;
        let (greatest_out_degree, isolated) = (greatest_in_degree, 0);
        let statistics = Statistics { vertices, edges, greatest_in_degree, greatest_out_degree, mean_degree, isolated };
        let processor = Processor { multiprocessors, cache: 50 << 20 };
        Facts { statistics, processor, group_size: 16, lanes: 4, features: (vertices * 64) as u64 }
    }

    #[test]
    fn each_rule_has_its_graphs() {
        let chosen = |facts: Facts| by_rule(&facts).what;
        assert_eq!(chosen(facts(1 << 20, 16.0, 70_000, 132)), PullSchedule::NeighborGroup);
        assert_eq!(chosen(facts(1 << 20, 64.0, 100, 132)), PullSchedule::VertexPerWarp);
        assert_eq!(chosen(facts(1 << 20, 64.0, 70_000, 132)), PullSchedule::NeighborGroup);
        assert_eq!(chosen(facts(8_000, 5000.0, 20_000, 132)), PullSchedule::VertexPerBlock);
        assert_eq!(chosen(facts(8_000, 5000.0, 70_000, 132)), PullSchedule::NeighborGroup);
        assert_eq!(chosen(facts(1 << 20, 5000.0, 20_000, 132)), PullSchedule::VertexPerWarp);
        assert_eq!(chosen(facts(10_000, 16.0, 500, 132)), PullSchedule::EdgeFlat);
        assert_eq!(chosen(facts(10_000, 16.0, 500, 0)), PullSchedule::NeighborGroup);
        assert_eq!(chosen(facts(0, 0.0, 0, 132)), PullSchedule::NeighborGroup);
    }

    #[test]
    fn a_schedule_of_one_direction_leaves_the_other_to_the_rules() {
        let facts = facts(1 << 20, 16.0, 70_000, 132);
        assert_eq!(pull_schedule(Schedule::WarpWord, &facts).what, PullSchedule::NeighborGroup);
        assert_eq!(push_schedule(Schedule::EdgeFlat).what, PushSchedule::ByActivity);
        assert_eq!(push_schedule(Schedule::NeighborGroup).what, PushSchedule::NeighborGroup);
        assert!(PushSchedule::ByActivity.takes_words(0.0) && !PushSchedule::ByActivity.takes_words(0.5));
    }
}
