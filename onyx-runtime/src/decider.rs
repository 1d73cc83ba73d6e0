//! Which schedule each direction gets, with which parameters, and why. (GNNAdvisor calls this the decider.)

mod cpu;
mod cut;
mod explanation;
mod packed;
mod parts;
mod pull;
mod push;

use onyx_device::FoldFacts;
use onyx_device::schedule::finish_long::MOST_PARTS;
use onyx_device::stage;

pub(crate) use self::cpu::{explain_cpu, takes_graphs_on_cpu};
use self::cut::{bins, group_size, has_many_edges, only_of_groups};
use self::packed::packed;
use self::parts::{Parts, may_be_added};
use self::pull::{pull, takes_blocks, takes_graphs, takes_words};
use self::push::{push, push_at};
use crate::bins::neighbor_bytes;
use crate::graph::{Graph, GroupSize, Statistics};
use crate::options::Options;
use crate::plan::heads_beside;
use crate::pushing::PushCosts;
use crate::schedule::rule::{BLOCK_THREADS, Facts, GraphBlocks, Processor};
use crate::schedule::{Form, Kernel, Unit};

/// From so many floats of a row on, groups that lie near each other come by their length, so that those of a warp end together. Narrower rows of several vertices share what
/// memory is reached by at once, and would lie apart (`docs/measurements/leveled-h200.csv`).
const LEVELED: usize = 32;
/// The same where totals are more than a float, so that an edge takes many instructions, and rows differ much in length.
const LEVELED_IF_SKEWED: usize = 16;

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
    /// What becomes of the totals of groups that share a row.
    parts: Parts,
    lanes: u64,
    group_size: Chosen<usize>,
    /// Whether groups come by their length.
    levels: bool,
    /// How many groups of incoming edges a block takes together.
    block_groups: usize,
    /// How many bins the sources of edges are cut into, where somebody asks for it.
    bins: Option<Chosen<usize>>,
    vertices: usize,
    /// The second-level cache of the device, in bytes; 0 where it is not known.
    cache: u64,
    pull: Chosen<Kernel>,
    /// How many frequent sources have their rows packed, or why none.
    packed: Result<Chosen<usize>, String>,
    /// How many vertices the graphs of a block have together.
    graph_blocks: GraphBlocks,
    /// The kernels of pushes, of which the active edges decide, or why there are none.
    push: Result<Chosen<Vec<Kernel>>, String>,
    push_costs: PushCosts,
}

impl Decider {
    /// Decides how the fold is run over `graph` for rows of this form.
    pub(crate) fn new(
        fold: &'static FoldFacts,
        graph: &Graph,
        form: Form,
        options: &Options,
        processor: Processor,
    ) -> Self {
        let lanes = fold.lanes_of(form.width).unwrap_or(1);
        let floats = form.width * heads_beside(form.heads, lanes) as usize;
        let has_many = has_many_edges(graph.edge_count(), lanes, processor);
        let group_size = group_size(fold, may_be_added(fold, form), floats, has_many, options);
        let facts = facts(fold, graph, form, processor, (lanes, group_size.what));
        let bins = bins(options.bins, &facts);
        let has_bins = bins.as_ref().is_some_and(|bins| bins.what > 1);
        let pull = pull(fold, graph, form, options, &facts, has_bins);
        let (push, unit) = (push(fold, options), pull.what.row().unit);
        Self {
            has_edges: fold.has_edges,
            recomputes: fold.recomputes && push.is_ok(),
            parts: Parts::of(fold, form, options, &facts, unit),
            lanes,
            group_size,
            levels: floats >= leveled(fold, &facts) && unit == Unit::Group && !has_bins,
            block_groups: 1,
            bins: bins.map(|bins| only_of_groups(bins, pull.what)),
            vertices: graph.vertex_count(),
            cache: processor.cache,
            packed: packed(fold, graph, form, options.packing, &facts, pull.what),
            pull,
            graph_blocks: facts.graph_blocks(),
            push,
            push_costs: PushCosts::new(fold, floats, &facts),
        }
    }

    /// The same for a device whose blocks have so many groups, where pulls go by blocks of them. Without it every row of several groups counts as shared: the most memory that a
    /// run may take.
    pub(crate) fn in_blocks(self, block_groups: usize) -> Self {
        Self { block_groups, ..self }
    }

    /// The same for a device whose multiprocessors have so many blocks of graphs at once.
    pub(crate) fn with_blocks_at_once(self, at_once: u64) -> Self {
        Self { graph_blocks: self.graph_blocks.with(at_once), ..self }
    }

    /// The greatest number of neighbors in a neighbor group.
    pub(crate) fn group_size(&self) -> usize {
        self.group_size.what
    }

    /// The sizes of the groups that a pull takes. Where the totals of those that share a row are combined one after the other, long rows have fewer.
    pub(crate) fn incoming_groups(&self) -> GroupSize {
        let size = GroupSize::new(self.group_size());
        let size = if self.levels { size.leveled() } else { size };
        let size = match self.bins() {
            1 => size.in_blocks(self.block_groups),
            bins => size.in_bins(self.vertices.div_ceil(bins)),
        };
        let are_combined = self.parts.are_stored && !self.parts.are_added;
        if are_combined { size.growing(self.parts_side_by_side()) } else { size }
    }

    /// The most parts of a row that one group of lanes finishes, where rows of more have a block each.
    pub(crate) fn most_parts(&self) -> Option<u32> {
        self.parts.finish_by_blocks.then_some(MOST_PARTS)
    }

    /// How many parts of a row of very many are combined side by side.
    fn parts_side_by_side(&self) -> usize {
        if self.parts.finish_by_blocks { (BLOCK_THREADS / self.lanes) as usize } else { 1 }
    }

    /// How many bins the sources of edges are cut into.
    fn bins(&self) -> usize {
        self.bins.as_ref().map_or(1, |bins| bins.what)
    }

    /// Whether so many bytes stay in the cache of the device from one iteration to the next, as far as that is known: up to about two thirds of it
    /// (`docs/measurements/cleared-once-h200.csv`).
    pub(crate) fn stays_near(&self, bytes: u64) -> bool {
        self.cache == 0 || bytes <= self.cache / 3 * 2
    }

    /// How many lanes a group has.
    pub(crate) fn lanes(&self) -> u64 {
        self.lanes
    }

    /// Whether groups that share a row store their totals apart, for its `finish` to combine them in order.
    pub(crate) fn stores_parts(&self) -> bool {
        self.parts.are_stored
    }

    /// Whether groups that share a row add their totals to one part of it, so that nothing is combined afterwards.
    pub(crate) fn adds_parts(&self) -> bool {
        self.parts.are_added
    }

    /// The kernel of pulls along edges.
    pub(crate) fn pull(&self) -> Kernel {
        self.pull.what
    }

    /// How many frequent sources have their rows packed before pulls, if any.
    pub(crate) fn packed(&self) -> Option<usize> {
        self.packed.as_ref().ok().map(|packed| packed.what)
    }

    /// How many vertices the graphs of a block have together, where pulls go graph by graph.
    pub(crate) fn block_vertices(&self) -> Option<usize> {
        (self.pull().row().unit == Unit::Graphs).then(|| self.graph_blocks.vertices())
    }

    /// The kernel of a push along `fraction` of the edges.
    pub(crate) fn push(&self, fraction: f64) -> Kernel {
        push_at(self.pushes(), fraction)
    }

    /// All kernels of pushes; none where nothing is pushed.
    pub(crate) fn pushes(&self) -> &[Kernel] {
        self.push.as_ref().map_or(&[], |push| &push.what)
    }

    /// What pushes take beside pulls.
    pub(crate) fn push_costs(&self) -> PushCosts {
        self.push_costs
    }

    /// The kernels that go along incoming edges.
    pub(crate) fn along_incoming(&self) -> Vec<Kernel> {
        let recompute = Some(Kernel::Recompute).filter(|_| self.recomputes);
        std::iter::once(self.pull()).chain(recompute).collect()
    }
}

/// What the rules look at, of rows that so many lanes hold, and of groups of so many neighbors.
fn facts(
    fold: &'static FoldFacts,
    graph: &Graph,
    form: Form,
    processor: Processor,
    (lanes, group_size): (u64, usize),
) -> Facts {
    let statistics = graph.statistics();
    Facts {
        longest_row: longest_taken(fold, &statistics),
        statistics,
        processor,
        group_size,
        lanes,
        takes_words: takes_words(fold, lanes),
        takes_blocks: takes_blocks(fold, lanes),
        largest_graph: graph.largest_member().filter(|_| takes_graphs(fold, graph, form).is_ok()),
        neighbor: neighbor_bytes(fold, form.width),
    }
}

/// The most edges of a row that the stages of a fold take.
fn longest_taken(fold: &FoldFacts, statistics: &Statistics) -> usize {
    let (takes_incoming, takes_outgoing) = stage::rows(fold.stages);
    let of = |is_taken: bool, greatest: usize| if is_taken { greatest } else { 0 };
    of(takes_incoming, statistics.greatest_in_degree).max(of(takes_outgoing, statistics.greatest_out_degree))
}

/// From how many floats of a row on groups come by their length.
fn leveled(fold: &FoldFacts, facts: &Facts) -> usize {
    if fold.is_atomic || facts.rows_are_alike() { LEVELED } else { LEVELED_IF_SKEWED }
}

#[cfg(test)]
mod tests;
