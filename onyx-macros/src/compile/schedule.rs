//! The kernels of a stage: which of them a fold has a use for.

use crate::compile::Compiled;
use crate::compile::stage::Stage;

/// What the kernels of a schedule are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// The edge functions of a stage.
    Edges,
    /// The edge and the vertex functions of a stage.
    Both,
}

/// A kernel that a stage may have.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Its name.
    pub name: &'static str,
    /// Its path in `onyx_device::schedule`.
    pub path: &'static str,
    /// What it is compiled for.
    pub functions: Functions,
    /// Whether a stage needs it.
    pub is_needed: fn(&Compiled, &Stage) -> bool,
}

/// All schedules. A new one is a file in `onyx_device::schedule` and a line here.
pub const ALL: [Schedule; 11] = [
    Schedule { name: "pull", path: "pull::run", functions: Functions::Both, is_needed: pulls },
    Schedule { name: "clear", path: "cut_rows::clear", functions: Functions::Edges, is_needed: pulls },
    Schedule { name: "finish", path: "cut_rows::finish", functions: Functions::Both, is_needed: pulls },
    Schedule { name: "push", path: "push::run", functions: Functions::Both, is_needed: pushes },
    Schedule { name: "vertex", path: "vertex::run", functions: Functions::Both, is_needed: updates },
    Schedule {
        name: "vertex_per_warp",
        path: "vertex_per_warp::run",
        functions: Functions::Both,
        is_needed: takes_rows,
    },
    Schedule {
        name: "vertex_per_block",
        path: "vertex_per_block::run",
        functions: Functions::Both,
        is_needed: takes_rows,
    },
    Schedule { name: "edge_flat", path: "edge_flat::run", functions: Functions::Both, is_needed: pulls },
    Schedule { name: "warp_word", path: "warp_word::run", functions: Functions::Both, is_needed: pushes },
    Schedule { name: "recompute", path: "recompute::run", functions: Functions::Both, is_needed: recomputes },
    Schedule { name: "every_vertex", path: "every_vertex::run", functions: Functions::Both, is_needed: updates_all },
];

/// The schedules that a stage needs.
pub fn of<'a>(compiled: &'a Compiled, stage: &'a Stage) -> impl Iterator<Item = &'static Schedule> + 'a {
    ALL.iter().filter(|schedule| (schedule.is_needed)(compiled, stage))
}

fn pulls(_: &Compiled, stage: &Stage) -> bool {
    stage.has_edges()
}

/// Threads that take an edge each take no rows.
fn takes_rows(compiled: &Compiled, stage: &Stage) -> bool {
    stage.has_edges() && !compiled.is_scalar()
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

/// Vertex functions everywhere, between other stages.
fn updates_all(compiled: &Compiled, stage: &Stage) -> bool {
    compiled.stages.len() > 1 && stage.has_vertices() && !stage.has_edges()
}
