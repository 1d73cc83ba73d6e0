//! Which schedule each direction gets, with which parameters, and why. (GNNAdvisor calls this the decider.)

use onyx_device::FoldFacts;
use onyx_device::schedule::finish_long::MOST_PARTS;
use onyx_device::schedule::{pull, word_per_warp};
use onyx_device::stage::{self, StageAccess};

use crate::bins::{Bins, neighbor_bytes};
use crate::graph::{Graph, GroupSize, Statistics};
use crate::options::Options;
use crate::packing::{self, Packing};
use crate::plan::heads_beside;
use crate::pushing::PushCosts;
use crate::schedule::rule::{self, BLOCK_THREADS, Facts, GraphBlocks, Processor};
use crate::schedule::table::{WARP_LANES, WORD_LANES};
use crate::schedule::{Choice, Form, Job, Kernel, Schedule, Unit, When};

/// From so many floats of a row on, groups that lie near each other come by their length, so that those of a warp end together. Narrower rows of several vertices share what
/// memory is reached by at once, and would lie apart (`docs/measurements/leveled-h200.csv`).
const LEVELED: usize = 32;

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
    /// Whether groups that share a row store their totals apart.
    stores_parts: bool,
    /// Whether they add them to one part instead.
    adds_parts: bool,
    /// Whether the fold has a kernel that finishes a row by a block.
    finishes_by_blocks: bool,
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
        let width = form.width;
        let lanes = fold.lanes_of(width).unwrap_or(1);
        let floats = width * heads_beside(form.heads, lanes) as usize;
        let group_size = group_size(fold, floats, options);
        let statistics = graph.statistics();
        let facts = Facts {
            longest_row: longest_taken(fold, &statistics),
            statistics,
            processor,
            group_size: group_size.what,
            lanes,
            takes_words: takes_words(fold, lanes),
            takes_blocks: takes_blocks(fold, lanes),
            largest_graph: graph.largest_member().filter(|_| takes_graphs(fold, graph, form).is_ok()),
            neighbor: neighbor_bytes(fold, width),
        };
        let bins = bins(options.bins, &facts);
        let has_bins = bins.as_ref().is_some_and(|bins| bins.what > 1);
        let pull = pull(fold, graph, form, options, &facts, has_bins);
        let bins = bins.map(|bins| only_of_groups(bins, pull.what));
        let push = if options.may_push(fold) {
            Ok(push_schedule(options.schedule))
        } else {
            Err(why_never_pushed(fold, options))
        };
        let push_costs = PushCosts::new(fold, floats, &facts);
        let recomputes = fold.recomputes && push.is_ok();
        let packed = packed(fold, graph, form, options.packing, &facts, pull.what);
        let graph_blocks = facts.graph_blocks();
        let cuts = fold.has_edges && matches!(pull.what.row().unit, Unit::Group | Unit::GroupBlock | Unit::Edge);
        let stores_parts = cuts && (options.deterministic || !fold.is_atomic);
        let are_added = fold.parts.are_added() && facts.longest_row <= u32::MAX as usize;
        let adds_parts = stores_parts && !options.deterministic && are_added && pull.what.row().unit != Unit::Edge;
        Self {
            has_edges: fold.has_edges,
            recomputes,
            stores_parts,
            adds_parts,
            finishes_by_blocks: stores_parts
                && !adds_parts
                && !fold.is_atomic
                && !fold.is_scalar
                && pull.what.row().unit != Unit::Edge,
            lanes,
            group_size,
            levels: floats >= LEVELED && pull.what.row().unit == Unit::Group && !has_bins,
            block_groups: 1,
            bins,
            vertices: graph.vertex_count(),
            cache: processor.cache,
            pull,
            packed,
            graph_blocks,
            push,
            push_costs,
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
        let are_combined = self.stores_parts && !self.adds_parts;
        if are_combined { size.growing(self.parts_side_by_side()) } else { size }
    }

    /// The most parts of a row that one group of lanes finishes, where rows of more have a block each.
    pub(crate) fn most_parts(&self) -> Option<u32> {
        self.finishes_by_blocks.then_some(MOST_PARTS)
    }

    /// How many parts of a row of very many are combined side by side.
    fn parts_side_by_side(&self) -> usize {
        if self.finishes_by_blocks { (BLOCK_THREADS / self.lanes) as usize } else { 1 }
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
        self.stores_parts
    }

    /// Whether groups that share a row add their totals to one part of it, so that nothing is combined afterwards.
    pub(crate) fn adds_parts(&self) -> bool {
        self.adds_parts
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

    /// The schedules in words.
    pub(crate) fn describe(&self) -> String {
        if !self.has_edges {
            return "words of vertices".to_owned();
        }
        let lanes = if self.lanes == 1 { "1 lane".to_owned() } else { format!("{} lanes", self.lanes) };
        let words = |choice: Choice| (choice.words)(self.group_size.what, &lanes);
        let describe = |kernels: &[Kernel]| {
            let words: Vec<String> = kernels.iter().rev().filter_map(|kernel| kernel.row().choice).map(words).collect();
            words.join(", or by ")
        };
        let bins = Some(self.bins()).filter(|bins| *bins > 1).map(|bins| format!(", in {bins} bins"));
        let packed = self.packed().map(|count| format!(", the rows of {count} sources packed"));
        let pull = describe(&[self.pull()]) + &bins.or(packed).unwrap_or_default();
        match self.pushes() {
            [] => format!("pull by {pull}"),
            pushes => format!("pull by {pull}; push by {}", describe(pushes)),
        }
    }

    /// Every decision with its reason, one line each.
    pub(crate) fn explain(&self) -> Vec<String> {
        if !self.has_edges {
            return vec!["vertices: words of 32, because the fold has no edge functions".to_owned()];
        }
        let push = match &self.push {
            Err(why) => format!("push: never, because {why}"),
            Ok(push) => {
                let costs = self.push_costs.describe().map(|costs| format!("; {costs}"));
                format!("push: {}, because {}{}", names(&push.what), push.why, costs.unwrap_or_default())
            }
        };
        let bins = self.bins.iter().map(|bins| format!("bins: {}, because {}", bins.what, bins.why));
        let by_length = if self.levels { "; near each other they come by their length" } else { "" };
        let group_size = format!("group size: {}, because {}{by_length}", self.group_size.what, self.group_size.why);
        let pull = format!("pull: {}, because {}", names(&[self.pull()]), self.pull.why);
        let packed = match &self.packed {
            Ok(packed) => Some(format!("packed sources: {}, because {}", packed.what, packed.why)),
            Err(why) if self.pull() == Kernel::WordPerWarp => Some(format!("packed sources: none, because {why}")),
            Err(_) => None,
        };
        [group_size].into_iter().chain(bins).chain([pull]).chain(packed).chain([push]).collect()
    }
}

/// How many frequent sources have their rows packed where words of vertices pull, or why none.
fn packed(
    fold: &'static FoldFacts,
    graph: &Graph,
    form: Form,
    packing: Packing,
    facts: &Facts,
    pull: Kernel,
) -> Result<Chosen<usize>, String> {
    if pull != Kernel::WordPerWarp {
        return Err("words of vertices alone take packed rows".to_owned());
    }
    if let Some(why) = packing::why_not(fold, form) {
        return Err(why.to_owned());
    }
    if graph.edge_count() == 0 || u32::try_from(graph.vertex_count() + packing::ROOM).is_err() {
        return Err("there are no edges, or no numbers left for it".to_owned());
    }
    let count = (packing::ROOM / facts.neighbor.max(1) as usize).min(graph.vertex_count());
    match packing {
        Packing::Never => Err("it was asked for".to_owned()),
        Packing::Always => Ok(Chosen::new(count, "it was asked for")),
        Packing::Auto => {
            rule::sources_are_few(facts, || packing::share(graph, count)).map(|why| Chosen::new(count, why))
        }
    }
}

/// The kernel of pulls: what is asked for, or chosen, unless the fold or the graph has no use for it.
fn pull(
    fold: &FoldFacts,
    graph: &Graph,
    form: Form,
    options: &Options,
    facts: &Facts,
    has_bins: bool,
) -> Chosen<Kernel> {
    let goes_by_blocks = options.schedule == Schedule::GroupsPerBlock && takes_groups(fold, facts.lanes);
    let chosen = if facts.lanes > WARP_LANES {
        by_rule(facts)
    } else if options.deterministic && !goes_by_blocks {
        let why = "a deterministic run adds the sums of cut rows in order, which neighbor groups do";
        Chosen::new(Kernel::Pull, why)
    } else if fold.is_scalar && !matches!(options.schedule, Schedule::NeighborGroup | Schedule::VertexPerWarp) {
        Chosen::new(Kernel::EdgeFlat, "the fold is one of a thread for each edge, `features_per_lane = all`")
    } else if has_bins && options.schedule == Schedule::Auto {
        Chosen::new(Kernel::Pull, "bins of sources were asked for, which are lists of neighbor groups")
    } else {
        pull_schedule(options.schedule, facts)
    };
    match why_not(chosen.what, fold, graph, form, facts.lanes) {
        Some(why) => Chosen::new(Kernel::Pull, why),
        None => chosen,
    }
}

/// Why the fold cannot be pulled over the graph by a kernel, if it cannot.
fn why_not(kernel: Kernel, fold: &FoldFacts, graph: &Graph, form: Form, lanes: u64) -> Option<&'static str> {
    match kernel {
        Kernel::WordPerWarp if longest_row(graph) > word_per_warp::MOST_EDGES => {
            Some("a row has so many edges that a warp would count those of its 32 rows by 64 bits")
        }
        Kernel::VertexPerWarp | Kernel::VertexPerBlock | Kernel::GraphPerBlock
            if longest_row(graph) > pull::MOST_EDGES =>
        {
            Some("a row has so many edges that a group of lanes would count them by 64 bits")
        }
        Kernel::WordPerWarp if !takes_words(fold, lanes) => Some(
            "words are for rows that few lanes hold, and for totals that are combined atomically and that vertex functions take, unless they are all that a fold computes",
        ),
        Kernel::GroupsPerBlock if !takes_groups(fold, lanes) => Some(
            "blocks of groups are for rows of four lanes and more, and for one stage with edges, whose vertex functions take totals that are no matrices",
        ),
        Kernel::MatrixPerBlock if !takes_blocks(fold, lanes) => {
            Some("blocks are for a matrix of 32 rows and more, one in each lane, that edges add up")
        }
        Kernel::GraphPerBlock => takes_graphs(fold, graph, form).err(),
        Kernel::EdgeFlat if !fold.is_atomic && !has_row_for_each(graph.edge_count()) => {
            Some("there are too many edges for the total of each to be stored apart")
        }
        _ => None,
    }
}

/// How many edges the longest row has, incoming or outgoing.
fn longest_row(graph: &Graph) -> u64 {
    let Statistics { greatest_in_degree, greatest_out_degree, .. } = graph.statistics();
    greatest_in_degree.max(greatest_out_degree) as u64
}

/// Whether as many rows have numbers.
fn has_row_for_each(edges: usize) -> bool {
    u32::try_from(edges).is_ok()
}

/// Why [`Options::may_push`] says no.
fn why_never_pushed(fold: &'static FoldFacts, options: &Options) -> String {
    if !fold.pushes {
        return match fold.why_not_change_driven {
            Some(reason) if !fold.is_active => format!("the fold is not change-driven: {reason}"),
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

/// Whether the CPU runs all stages of the fold graph by graph.
pub(crate) fn takes_graphs_on_cpu(fold: &'static FoldFacts, graph: &Graph, form: Form, options: &Options) -> bool {
    let is_asked = matches!(options.schedule, Schedule::Auto | Schedule::GraphPerBlock);
    is_asked && takes_graphs(fold, graph, form).is_ok()
}

/// The decisions on a run of the fold on the CPU.
pub(crate) fn explain_cpu(fold: &'static FoldFacts, graph: &Graph, form: Form, options: &Options) -> Vec<String> {
    let rows = if takes_graphs_on_cpu(fold, graph, form, options) {
        "rows: graph by graph, because the graph is a batch, and a CPU thread takes some of its graphs through all stages"
    } else {
        "rows: balanced, because each CPU thread takes ranges of about equally many edges"
    };
    let rows = rows.to_owned();
    let never = (fold.has_edges && !options.may_push(fold))
        .then(|| format!("push: never, because {}", why_never_pushed(fold, options)));
    let is_asked = fold.has_edges && options.bins != Bins::None;
    let bins = is_asked.then(|| "bins: 1, because a CPU thread takes whole rows".to_owned());
    std::iter::once(rows).chain(bins).chain(never).collect()
}

/// What users ask for these kernels by.
fn names(kernels: &[Kernel]) -> String {
    let asked = kernels.iter().filter_map(|kernel| kernel.row().choice).map(|choice| choice.asked.to_string());
    asked.collect::<Vec<_>>().join(" or ")
}

/// Whether the fold can be pulled by words of vertices, where so many lanes hold a row.
fn takes_words(fold: &FoldFacts, lanes: u64) -> bool {
    let has_kernel = |stage: &StageAccess| !stage.has_edges || stage.kernels.contains(&Kernel::WordPerWarp.row().name);
    lanes <= WORD_LANES && fold.has_edges && fold.is_atomic && fold.stages.iter().all(has_kernel)
}

/// Whether the fold can be pulled by blocks of neighbor groups, where so many lanes hold a row.
fn takes_groups(fold: &FoldFacts, lanes: u64) -> bool {
    let row = Kernel::GroupsPerBlock.row();
    row.takes(lanes) && fold.stages.iter().any(|stage| stage.kernels.contains(&row.name))
}

/// Whether the fold can be pulled by blocks that are one group, where so many lanes hold a row.
fn takes_blocks(fold: &FoldFacts, lanes: u64) -> bool {
    let row = Kernel::MatrixPerBlock.row();
    row.takes(lanes) && fold.stages.iter().all(|stage| stage.kernels.contains(&row.name))
}

/// Whether the fold can be pulled graph by graph, all stages at once, or why not.
fn takes_graphs(fold: &FoldFacts, graph: &Graph, form: Form) -> Result<(), &'static str> {
    let has_kernel = fold.stages.first().is_some_and(|stage| stage.has_kernel(Kernel::GraphPerBlock.row().name));
    if !has_kernel {
        return Err(
            "all stages run at once where a fold has several, and none reads a total of the graph or a computed vertex that another one writes",
        );
    }
    if form.is_wide {
        return Err("rows of several tiles do not run graph by graph");
    }
    graph.members().map(|_| ()).ok_or("the graph is no batch: `Graph::with_members` says which graphs it has")
}

/// The most edges of a row that the stages of a fold take.
fn longest_taken(fold: &FoldFacts, statistics: &Statistics) -> usize {
    let (takes_incoming, takes_outgoing) = stage::rows(fold.stages);
    let of = |is_taken: bool, greatest: usize| if is_taken { greatest } else { 0 };
    of(takes_incoming, statistics.greatest_in_degree).max(of(takes_outgoing, statistics.greatest_out_degree))
}

/// Chosen by the sweeps in `docs/measurements/pull-h200-groups.csv`, `docs/measurements/sum-groups-h200.csv` and `docs/measurements/attention-groups-h200.csv`, for rows of so many
/// floats: those of heads that lie side by side together.
fn group_size(fold: &FoldFacts, floats: usize, options: &Options) -> Chosen<usize> {
    let one_at_a_time = fold.edges.multiplies | fold.edges.lowers | fold.edges.raises != 0 && fold.is_atomic;
    let why_rare = "a product or a bound goes to memory a number at a time, and so is to go there rarely";
    match options.group_size {
        Some(size) => Chosen::new(size, "it was asked for"),
        None if one_at_a_time && floats <= 32 => Chosen::new(64, why_rare),
        None if one_at_a_time => Chosen::new(128, why_rare),
        None if floats > 64 && !fold.is_atomic && !fold.parts.are_added() => {
            Chosen::new(128, "the widest rows leave the fewest parts")
        }
        None if floats <= 16 => Chosen::new(16, "narrow rows need many groups to fill the GPU"),
        None if floats <= 64 => Chosen::new(32, "wide rows fill the GPU with fewer groups, and fewer rows are cut"),
        None => Chosen::new(64, "the widest rows fill the GPU with the fewest groups"),
    }
}

/// How many bins the sources of edges are cut into, where somebody asks for it.
fn bins(asked: Bins, facts: &Facts) -> Option<Chosen<usize>> {
    let (count, why) = match asked {
        Bins::None => return None,
        Bins::Count(count) => (count, format!("{count} were asked for")),
        Bins::Auto => rule::bins(facts),
    };
    let vertices = facts.statistics.vertices.max(1);
    // A run refuses no bins at all; what is only explained or forecast has them as one.
    let of_bin = vertices.div_ceil(count.max(1));
    Some(Chosen::new(vertices.div_ceil(of_bin), format!("{why}: {of_bin} vertices each")))
}

/// The same for this kernel of pulls.
fn only_of_groups(bins: Chosen<usize>, pull: Kernel) -> Chosen<usize> {
    if pull == Kernel::Pull { bins } else { Chosen::new(1, "pulls do not go by neighbor groups") }
}

fn pull_schedule(asked: Schedule, facts: &Facts) -> Chosen<Kernel> {
    match Kernel::asked(Job::Pull, asked) {
        Some(kernel) => Chosen::new(kernel, "it was asked for"),
        None => by_rule(facts),
    }
}

/// The first kernel whose rule applies is taken.
fn by_rule(facts: &Facts) -> Chosen<Kernel> {
    let applies = |choice: Choice| match choice.when {
        When::Rule(rule) => rule(facts),
        When::ActiveBelow(_) | When::Never => None,
    };
    let mut choices = Kernel::choices(Job::Pull);
    let chosen = choices.find_map(|(kernel, choice)| applies(choice).map(|why| Chosen::new(kernel, why)));
    chosen.unwrap_or_else(|| Chosen::new(Kernel::Pull, "no rule applies"))
}

fn push_schedule(asked: Schedule) -> Chosen<Vec<Kernel>> {
    if let Some(kernel) = Kernel::asked(Job::Push, asked) {
        return Chosen::new(vec![kernel], "it was asked for");
    }
    let kernels: Vec<Kernel> = Kernel::choices(Job::Push).map(|(kernel, _)| kernel).collect();
    let percent = kernels.first().map_or(0.0, |kernel| active_below(*kernel) * 100.0);
    let why = format!("below {percent}% active edges most neighbor groups would only find that they are not");
    Chosen::new(kernels, why)
}

/// Of the kernels of a push along `fraction` of the edges, the first that is for so few; the last one where none is.
fn push_at(kernels: &[Kernel], fraction: f64) -> Kernel {
    let found = kernels.iter().find(|kernel| fraction < active_below(**kernel));
    found.or(kernels.last()).copied().unwrap_or(Kernel::Push)
}

/// Below which fraction of active edges a kernel is taken where others could be.
fn active_below(kernel: Kernel) -> f64 {
    match kernel.row().choice.map(|choice| choice.when) {
        Some(When::ActiveBelow(fraction)) => fraction,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use onyx_device::Fold;
    use onyx_device::prelude::*;

    use super::*;
    use crate::graph::{GraphBuilder, Statistics};

    fn facts(vertices: usize, mean_degree: f64, greatest_in_degree: usize, multiprocessors: u64) -> Facts {
        let edges = (vertices as f64 * mean_degree) as usize;
        let (greatest_out_degree, isolated) = (greatest_in_degree, 0);
        let statistics = Statistics { vertices, edges, greatest_in_degree, greatest_out_degree, mean_degree, isolated };
        let processor = Processor { multiprocessors, cache: 50 << 20 };
        Facts {
            statistics,
            longest_row: greatest_in_degree,
            processor,
            group_size: 16,
            lanes: 4,
            takes_words: false,
            takes_blocks: false,
            largest_graph: None,
            neighbor: 64,
        }
    }

    #[test]
    fn each_rule_has_its_graphs() {
        let chosen = |facts: Facts| by_rule(&facts).what;
        assert_eq!(chosen(facts(1 << 20, 16.0, 70_000, 132)), Kernel::Pull);
        assert_eq!(chosen(facts(1 << 20, 64.0, 100, 132)), Kernel::VertexPerWarp);
        assert_eq!(chosen(facts(1 << 20, 64.0, 70_000, 132)), Kernel::Pull);
        assert_eq!(chosen(facts(8_000, 5000.0, 20_000, 132)), Kernel::VertexPerBlock);
        assert_eq!(chosen(facts(8_000, 5000.0, 70_000, 132)), Kernel::Pull);
        assert_eq!(chosen(facts(1 << 20, 5000.0, 20_000, 132)), Kernel::VertexPerWarp);
        assert_eq!(chosen(facts(10_000, 16.0, 700, 132)), Kernel::Pull);
        // 16 rounds of 32 edges are the most, and two turns of 64 warps on each of 132 multiprocessors.
        assert_eq!(chosen(facts(10_000, 16.0, 512, 132)), Kernel::VertexPerWarp);
        assert_eq!(chosen(facts(16_896, 2.0, 512, 132)), Kernel::VertexPerWarp);
        assert_eq!(chosen(facts(16_897, 2.0, 512, 132)), Kernel::Pull);
        assert_eq!(chosen(facts(1_056, 16.0, 512, 132)), Kernel::VertexPerBlock);
        assert_eq!(chosen(facts(1_056, 16.0, 128, 132)), Kernel::VertexPerWarp);
        assert_eq!(chosen(facts(0, 0.0, 0, 132)), Kernel::VertexPerWarp);
        let narrow = |vertices| Facts { lanes: 1, takes_words: true, ..facts(vertices, 16.0, 70_000, 132) };
        assert_eq!(chosen(narrow(1 << 20)), Kernel::WordPerWarp);
        assert_eq!(chosen(narrow(1 << 10)), Kernel::Pull);
        assert_eq!(chosen(Facts { lanes: 2, ..narrow(1 << 20) }), Kernel::Pull);
        let matrices = |longest, multiprocessors| {
            let takes_blocks = true;
            Facts { lanes: 32, takes_blocks, ..facts(1 << 16, 20.0, longest, multiprocessors) }
        };
        assert_eq!(chosen(matrices(1_000, 132)), Kernel::MatrixPerBlock);
        assert_eq!(chosen(matrices(50_000, 132)), Kernel::Pull);
        assert_eq!(chosen(matrices(1_000, 0)), Kernel::Pull);
    }

    #[graph_data]
    struct Outward<const K: usize> {
        x: VertexFeatures<K>,
        sum: VertexFeatures<K>,
    }

    #[edge_fn]
    fn gather_out<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
        d.sum[e.src][f] += d.x[e.dst][f];
        true
    }

    foldmap! { outward<const K: usize>(Outward<K>) = [gather_out]; features = [4, 32] }

    fn hub() -> Graph {
        GraphBuilder::new().edges((1..4000).map(|vertex| (0, vertex)).collect()).build().unwrap()
    }

    #[test]
    fn groups_come_by_their_length_where_rows_are_wide_and_nothing_takes_groups_together() {
        let is_leveled = |width, bins| {
            let options = Options { bins, ..Options::default() };
            let decider = Decider::new(outward::FACTS, &hub(), Form::narrow(width), &options, Processor::default());
            let says_so = decider.explain()[0].ends_with("they come by their length");
            assert_eq!(decider.incoming_groups().is_leveled(), says_so);
            says_so
        };
        let found =
            [(4, Bins::None), (32, Bins::None), (32, Bins::Count(2))].map(|(width, bins)| is_leveled(width, bins));
        assert_eq!(found, [false, true, false]);
    }

    #[graph_data]
    struct Averages<const K: usize> {
        value: VertexFeatures<K>,
        mean: VertexFeatures<K>,
        sum: VertexFeatures<K>,
        weighed: VertexFeatures<K>,
    }

    #[edge_fn]
    fn average<const K: usize>(f: Feature, e: Edge, d: &mut Averages<K>) -> bool {
        d.mean[e.dst][f].mean_with(d.value[e.src][f]);
        d.sum[e.dst][f] += d.value[e.src][f];
        true
    }

    #[edge_fn]
    fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Averages<K>) -> bool {
        d.weighed[e.dst][f].softmax_add(1.0, d.value[e.src][f]);
        true
    }

    foldmap! { averages<const K: usize>(Averages<K>) = [average]; features = [16] }
    foldmap! { weighed_beside<const K: usize>(Averages<K>) = [average, weigh]; features = [16] }

    #[test]
    fn groups_add_to_one_part_of_a_row_where_all_totals_are_added_in_any_order() {
        let hub = hub().reversed().unwrap();
        let decider = |fold, deterministic, schedule| {
            let options = Options { deterministic, schedule, group_size: Some(4), ..Options::default() };
            Decider::new(fold, &hub, Form::narrow(16), &options, Processor::default())
        };
        let of = |fold, deterministic, schedule| {
            let decider = decider(fold, deterministic, schedule);
            (decider.stores_parts(), decider.adds_parts(), decider.most_parts().is_some())
        };
        let auto = Schedule::NeighborGroup;
        assert_eq!(of(averages::FACTS, false, auto), (true, true, false));
        assert_eq!(of(averages::FACTS, true, auto), (true, false, true));
        assert_eq!(of(averages::FACTS, false, Schedule::EdgeFlat), (true, false, false));
        assert_eq!(of(weighed_beside::FACTS, false, auto), (true, false, true));
    }

    #[test]
    fn the_rows_that_a_stage_takes_are_those_that_count() {
        let hub = hub();
        let processor = Processor { multiprocessors: 132, cache: 50 << 20 };
        let pull =
            |graph: &Graph| Decider::new(outward::FACTS, graph, Form::narrow(4), &Options::default(), processor).pull();
        assert_eq!([pull(&hub), pull(&hub.reversed().unwrap())], [Kernel::Pull, Kernel::VertexPerWarp]);
    }

    #[test]
    fn a_batch_goes_by_graphs_unless_one_of_them_is_too_large() {
        let chosen = |facts: Facts| by_rule(&facts).what;
        let batch = |largest| Facts { largest_graph: Some(largest), ..facts(100_000, 2.0, 6, 132) };
        assert_eq!(chosen(batch(30)), Kernel::GraphPerBlock);
        // 32 groups of 4 lanes, 24 rows each.
        assert_eq!(chosen(batch(32 * 24)), Kernel::GraphPerBlock);
        assert_eq!(chosen(batch(32 * 24 + 1)), Kernel::Pull);
        assert_eq!(chosen(facts(100_000, 2.0, 6, 132)), Kernel::Pull);
        // Four blocks a multiprocessor, of rows for all of their groups, with room for a graph that nearly fits.
        let block =
            |vertices| Facts { largest_graph: Some(30), ..facts(vertices, 2.0, 6, 132) }.graph_blocks().vertices();
        assert_eq!([block(500), block(40_000)], [32, 40_000_usize.div_ceil(132 * 4) + 29]);
        assert_eq!(block(100_000), 32 * 4);
        assert_eq!(Facts { largest_graph: Some(30), ..facts(1 << 20, 2.0, 6, 0) }.graph_blocks().vertices(), 32 * 4);
        assert_eq!(Facts { lanes: 32, ..batch(30) }.graph_blocks().vertices(), 64);
    }

    #[test]
    fn the_rows_of_a_bin_fill_the_cache() {
        // 16 Mi vertices of 64 bytes are 1 GiB, and the cache has 50 MiB.
        let all = |vertices, multiprocessors| facts(vertices, 16.0, 70_000, multiprocessors);
        let auto = |facts: &Facts| bins(Bins::Auto, facts).map(|bins| bins.what);
        assert_eq!(auto(&all(1 << 24, 132)), Some(21));
        assert_eq!(auto(&all(50 << 14, 132)), Some(1));
        assert_eq!(auto(&all((50 << 14) + 1, 132)), Some(2));
        assert_eq!(auto(&all(0, 132)), Some(1));
        assert_eq!(auto(&Facts { processor: Processor::default(), ..all(1 << 24, 0) }), Some(1));
        let asked = |count, vertices| bins(Bins::Count(count), &all(vertices, 132)).map(|bins| bins.what);
        assert_eq!([asked(6, 10), asked(6, 5), asked(6, 0), asked(1, 10)], [Some(5), Some(5), Some(1), Some(1)]);
        assert!(bins(Bins::None, &all(1 << 24, 132)).is_none());
        let chosen = || Chosen::new(4, "");
        assert_eq!([Kernel::Pull, Kernel::EdgeFlat].map(|pull| only_of_groups(chosen(), pull).what), [4, 1]);
    }

    #[test]
    fn a_schedule_of_one_direction_leaves_the_other_to_the_rules() {
        let facts = facts(1 << 20, 16.0, 70_000, 132);
        assert_eq!(pull_schedule(Schedule::WarpWord, &facts).what, Kernel::Pull);
        let pushes = push_schedule(Schedule::EdgeFlat).what;
        assert_eq!(pushes, [Kernel::WarpWord, Kernel::Push]);
        assert_eq!(push_schedule(Schedule::NeighborGroup).what, [Kernel::Push]);
        assert_eq!([0.0, 0.5, f64::NAN].map(|fraction| push_at(&pushes, fraction)), [pushes[0], pushes[1], pushes[1]]);
        assert_eq!(push_at(&[Kernel::WarpWord], 0.5), Kernel::WarpWord);
    }
}
