//! The kernel of pulls, and what a fold and a graph can be pulled by.

use onyx_device::FoldFacts;
use onyx_device::schedule::incoming::MOST_EDGES;
use onyx_device::schedule::word_per_warp;
use onyx_device::stage::StageAccess;

use super::Chosen;
use crate::graph::{Graph, Statistics};
use crate::options::Options;
use crate::schedule::rule::Facts;
use crate::schedule::table::{WARP_LANES, WORD_LANES};
use crate::schedule::{Choice, Form, Job, Kernel, Schedule, When};

/// The kernel of pulls: what is asked for, or chosen, unless the fold or the graph has no use for it.
pub(super) fn pull(
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
        Kernel::VertexPerWarp | Kernel::VertexPerBlock | Kernel::GraphPerBlock if longest_row(graph) > MOST_EDGES => {
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

/// Whether the fold can be pulled by words of vertices, where so many lanes hold a row.
pub(super) fn takes_words(fold: &FoldFacts, lanes: u64) -> bool {
    let has_kernel = |stage: &StageAccess| !stage.has_edges || stage.kernels.contains(&Kernel::WordPerWarp.row().name);
    lanes <= WORD_LANES && fold.has_edges && fold.is_atomic && fold.stages.iter().all(has_kernel)
}

/// Whether the fold can be pulled by blocks of neighbor groups, where so many lanes hold a row.
fn takes_groups(fold: &FoldFacts, lanes: u64) -> bool {
    let row = Kernel::GroupsPerBlock.row();
    row.takes(lanes) && fold.stages.iter().any(|stage| stage.kernels.contains(&row.name))
}

/// Whether the fold can be pulled by blocks that are one group, where so many lanes hold a row.
pub(super) fn takes_blocks(fold: &FoldFacts, lanes: u64) -> bool {
    let row = Kernel::MatrixPerBlock.row();
    row.takes(lanes) && fold.stages.iter().all(|stage| stage.kernels.contains(&row.name))
}

/// Whether the fold can be pulled graph by graph, all stages at once, or why not.
pub(super) fn takes_graphs(fold: &FoldFacts, graph: &Graph, form: Form) -> Result<(), &'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decider::tests::facts;

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
    fn a_schedule_of_pushes_leaves_pulls_to_the_rules() {
        assert_eq!(pull_schedule(Schedule::WarpWord, &facts(1 << 20, 16.0, 70_000, 132)).what, Kernel::Pull);
    }
}
