//! The kernels of a stage: which of them a fold has a use for.

use std::ops::RangeInclusive;

use crate::compile::accesses::Accesses;
use crate::compile::stage::Stage;
use crate::compile::{Compiled, WARP};

/// What the kernels of a schedule are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// The edge functions of a stage.
    Edges,
    /// The edge and the vertex functions of a stage.
    Both,
    /// The functions of all stages, in a kernel that the first one has.
    Stages,
}

/// A kernel that a stage may have.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Its name.
    pub name: &'static str,
    /// Its path in `onyx_device::schedule`.
    pub path: &'static str,
    /// What it is compiled for.
    pub functions: Functions,
    /// Whether a stage needs it.
    pub is_needed: fn(&Compiled, &Stage) -> bool,
    /// How many lanes a row may have.
    pub lanes: RangeInclusive<usize>,
}

impl Schedule {
    /// Whether it takes rows of several tiles: blocks of different tiles do not wait for each other between two stages.
    pub fn takes_tiles(&self) -> bool {
        self.functions != Functions::Stages
    }

    /// One for rows of every width.
    const fn new(
        name: &'static str,
        path: &'static str,
        functions: Functions,
        is_needed: fn(&Compiled, &Stage) -> bool,
    ) -> Self {
        Self { name, path, functions, is_needed, lanes: 1..=WARP }
    }

    /// One for rows that so many lanes hold, and for no wider ones.
    const fn up_to(self, most_lanes: usize) -> Self {
        Self { lanes: 1..=most_lanes, ..self }
    }

    /// One for rows that take so many lanes, and for no narrower ones.
    const fn from(self, least_lanes: usize) -> Self {
        Self { lanes: least_lanes..=WARP, ..self }
    }

    /// One for rows of a whole warp's lanes, and of more.
    const fn of_blocks(self) -> Self {
        Self { lanes: WARP..=MOST_LANES, ..self }
    }
}

/// The most lanes of a row for which a warp takes a word of vertices: see `table.rs` of `onyx-runtime`.
const WORD_LANES: usize = 4;
/// The least lanes of a row for which a block takes neighbor groups: narrower rows are what words are for. See there as well.
const GROUPS_LANES: usize = 4;
/// The most lanes of a row.
const MOST_LANES: usize = 128;

/// All schedules. A new one is a file in `onyx_device::schedule` and a line here.
pub static ALL: [Schedule; 18] = [
    Schedule::new("pull", "pull::run", Functions::Both, pulls),
    Schedule::new("clear", "cut_rows::clear", Functions::Edges, pulls),
    Schedule::new("finish", "cut_rows::finish", Functions::Both, pulls),
    Schedule::new("finish_long", "finish_long::run", Functions::Both, leaves_parts),
    Schedule::new("push", "push::run", Functions::Both, pushes),
    Schedule::new("vertex", "vertex::run", Functions::Both, updates),
    Schedule::new("groups_per_block", "groups_per_block::run", Functions::Both, takes_groups).from(GROUPS_LANES),
    Schedule::new("vertex_per_warp", "vertex_per_warp::run", Functions::Both, pulls),
    Schedule::new("vertex_per_block", "vertex_per_block::run", Functions::Both, takes_rows),
    Schedule::new("matrix_per_block", "matrix_per_block::run", Functions::Both, adds_up_matrices).of_blocks(),
    Schedule::new("word_per_warp", "word_per_warp::run", Functions::Both, takes_words).up_to(WORD_LANES),
    Schedule::new("long_rows", "long_rows::run", Functions::Both, takes_words).up_to(WORD_LANES),
    Schedule::new("graph_per_block", "graph_per_block::run", Functions::Stages, takes_graphs),
    Schedule::new("edge_flat", "edge_flat::run", Functions::Both, pulls),
    Schedule::new("warp_word", "warp_word::run", Functions::Both, pushes),
    Schedule::new("recompute", "recompute::run", Functions::Both, recomputes),
    Schedule::new("every_vertex", "every_vertex::run", Functions::Both, updates_all),
    Schedule::new("gather_totals", "gather_totals::run", Functions::Both, gathers_totals),
];

/// The schedules that a stage needs, at one width at least.
pub fn of<'a>(compiled: &'a Compiled, stage: &'a Stage) -> impl Iterator<Item = &'static Schedule> + 'a {
    let is_needed = |width: &usize| at(compiled, stage, *width);
    let needed: Vec<_> = compiled.widths.iter().flat_map(is_needed).map(|schedule| schedule.name).collect();
    ALL.iter().filter(move |schedule| needed.contains(&schedule.name))
}

/// The schedules that a stage needs for rows of so many features.
pub fn at<'a>(compiled: &'a Compiled, stage: &'a Stage, width: usize) -> impl Iterator<Item = &'static Schedule> + 'a {
    let lanes = compiled.lanes(width).0;
    ALL.iter().filter(move |schedule| schedule.lanes.contains(&lanes) && (schedule.is_needed)(compiled, stage))
}

fn pulls(_: &Compiled, stage: &Stage) -> bool {
    stage.has_edges()
}

/// What groups have of a row stays apart in all stages where some have states: one group of lanes would combine very many parts one after the other.
fn leaves_parts(compiled: &Compiled, stage: &Stage) -> bool {
    takes_rows(compiled, stage) && has_states(compiled)
}

/// Whether any totals are states, which nothing adds to memory.
fn has_states(compiled: &Compiled) -> bool {
    compiled.stages.iter().any(|stage| stage.accesses.states() != 0)
}

/// Threads that have all features take an edge each, or a share of a row as the lanes of a warp.
fn takes_rows(compiled: &Compiled, stage: &Stage) -> bool {
    stage.has_edges() && !compiled.is_scalar()
}

/// Each lane of a block has a row of a matrix.
fn adds_up_matrices(compiled: &Compiled, stage: &Stage) -> bool {
    takes_rows(compiled, stage) && compiled.adds_up_matrices()
}

/// A warp that takes a word of vertices ends their rows as well, and may write the word while others go along edges. Where totals are all that there is, each vertex that has an edge is
/// reached.
fn takes_words(compiled: &Compiled, stage: &Stage) -> bool {
    let are_totals_all = compiled.stages.len() == 1 && !stage.may_stop;
    let ends_rows = stage.has_vertices() || are_totals_all;
    takes_rows(compiled, stage) && ends_rows && !compiled.fold.is_active() && !has_states(compiled)
}

/// A block ends the rows of its groups. Which rows several blocks share follows from its shared memory, so from the one stage with edges; a matrix of each group leaves room for
/// few of them.
fn takes_groups(compiled: &Compiled, stage: &Stage) -> bool {
    let is_one = compiled.stages.iter().filter(|stage| stage.has_edges()).count() == 1;
    takes_rows(compiled, stage) && stage.has_vertices() && is_one && !compiled.adds_up_matrices()
}

fn pushes(compiled: &Compiled, stage: &Stage) -> bool {
    stage.has_edges() && compiled.pushes()
}

fn recomputes(compiled: &Compiled, stage: &Stage) -> bool {
    pushes(compiled, stage) && compiled.recomputes()
}

/// Vertex functions where a vertex is active, or was reached by a push.
fn updates(compiled: &Compiled, stage: &Stage) -> bool {
    stage.has_vertices() && (compiled.stages.len() == 1 || compiled.pushes())
}

/// Vertex functions everywhere, between other stages or where all vertices are active.
/// Without edges there may be few active ones, and the others leave what they have added before.
fn updates_all(compiled: &Compiled, stage: &Stage) -> bool {
    let is_gathered = stage.gathers_totals() && compiled.stages.iter().any(Stage::has_edges);
    stage.has_vertices() && !stage.has_edges() && !is_gathered
}

/// The same, where blocks join what is added to totals of the graph.
fn gathers_totals(_: &Compiled, stage: &Stage) -> bool {
    stage.gathers_totals()
}

/// A block that takes whole graphs through all stages sees what it has written itself alone: no total of the graph, and nothing at a vertex that a function computes.
fn takes_graphs(compiled: &Compiled, stage: &Stage) -> bool {
    let all = Accesses::union_of(compiled.stages.iter().map(|stage| stage.accesses));
    let totals = compiled.members.iter().flat_map(|member| &member.totals);
    let totals = totals.fold(0, |totals, total| totals | 1 << total.total);
    let written = all.writes | all.reduces | all.writes_edge;
    let reads_others = (all.reads_graph | all.gathers) & written != 0 || all.reads_totals() & totals != 0;
    let is_first = compiled.stages.first().is_some_and(|first| first.functions() == stage.functions());
    let is_of_several = compiled.stages.len() > 1 && compiled.stages.iter().any(Stage::has_edges);
    is_first && is_of_several && !compiled.is_scalar() && !reads_others
}
