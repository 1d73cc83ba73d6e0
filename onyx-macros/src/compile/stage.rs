//! Stages: a fold is cut where an edge function follows a vertex function, where edge functions begin to reduce into the other end of their edges,
//! and where its writer put a `;`. Each stage is a run of edge
//! functions, then one of vertex functions, with kernels of its own; a stage sees all that the stages before it wrote.

use std::ops::Range;

use crate::compile::accesses::Accesses;
use crate::compile::function::FoldFunction;
use crate::compile::total::{self, Total};
use crate::parse::access::Place;

/// The flags of `onyx_device::stage`, which says what they mean.
pub const ACTIVE: u32 = 1;
pub const SILENT: u32 = 2;
pub const FOLLOWS: u32 = 4;
pub const KEPT: u32 = 8;
pub const REVERSED: u32 = 16;
/// `onyx_device::stage::OF_SEVERAL`.
pub const OF_SEVERAL: u32 = 32;
/// `onyx_device::stage::GATHERS_TOTALS`.
pub const GATHERS_TOTALS: u32 = 64;
/// `onyx_device::stage::NEVER_STOPS`.
pub const NEVER_STOPS: u32 = 128;

/// One stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The numbers of its edge functions.
    pub edges: Range<usize>,
    /// The numbers of its vertex functions.
    pub vertices: Range<usize>,
    /// What all of them access.
    pub accesses: Accesses,
    /// Whether its edges are taken from their sources, into which its edge functions reduce.
    pub is_reversed: bool,
    /// Whether an edge function may return false, so that a vertex gets sums without being reached.
    pub may_stop: bool,
    /// How it runs.
    pub flags: u32,
    /// The totals of the graph that are added up after it.
    pub totals: Vec<Total>,
}

impl Stage {
    fn of(members: &[FoldFunction], functions: Range<usize>) -> Self {
        let edge_count = members[functions.clone()].iter().take_while(|member| member.is_edge()).count();
        let middle = functions.start + edge_count;
        let (edges, vertices) = (functions.start..middle, middle..functions.end);
        Self {
            accesses: Accesses::union_of(members[functions].iter().map(|member| member.accesses)),
            is_reversed: members[edges.clone()].iter().any(|member| member.reduced_end == Some(Place::Source)),
            may_stop: members[edges.clone()].iter().any(|member| member.may_stop),
            edges,
            vertices,
            flags: 0,
            totals: Vec::new(),
        }
    }

    /// Whether there are edge functions.
    pub fn has_edges(&self) -> bool {
        !self.edges.is_empty()
    }

    /// Whether there are vertex functions.
    pub fn has_vertices(&self) -> bool {
        !self.vertices.is_empty()
    }

    /// The numbers of its functions.
    pub fn functions(&self) -> Range<usize> {
        self.edges.start..self.vertices.end
    }

    /// Whether what its functions add to totals of the graph meets in blocks.
    pub fn gathers_totals(&self) -> bool {
        self.flags & GATHERS_TOTALS != 0
    }

    /// Whether a function with this number is in the stage.
    pub fn contains(&self, member: usize) -> bool {
        self.edges.contains(&member) || self.vertices.contains(&member)
    }
}

/// Begins a stage with each edge function that reduces into another end than those before it in its run.
pub fn part_by_ends(members: &mut [FoldFunction]) {
    let mut end = None;
    for member in members {
        if member.is_first || !member.is_edge() {
            end = None;
        }
        member.turns = end.is_some() && member.reduced_end.is_some() && end != member.reduced_end;
        member.is_first |= member.turns;
        end = member.reduced_end.or(end);
    }
}

/// The stages of a fold. `is_active` says that edge functions run along the edges of active sources alone.
pub fn stages(members: &[FoldFunction], is_active: bool) -> Vec<Stage> {
    let begins =
        |index: &usize| members[*index].is_first || members[*index].is_edge() && !members[*index - 1].is_edge();
    let starts: Vec<usize> = (0..members.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([members.len()]);
    let mut stages: Vec<Stage> = starts.iter().zip(ends).map(|(start, end)| Stage::of(members, *start..end)).collect();
    let flags: Vec<u32> = (0..stages.len()).map(|index| flags(members, &stages, index, is_active)).collect();
    stages.iter_mut().zip(flags).for_each(|(stage, flags)| stage.flags = flags);
    stages.iter_mut().for_each(|stage| stage.totals = total::of_stage(members, stage));
    if !members.iter().any(|member| member.may_stop) {
        stages.iter_mut().for_each(|stage| stage.flags |= NEVER_STOPS);
    }
    stages
}

fn flags(members: &[FoldFunction], stages: &[Stage], index: usize, is_active: bool) -> u32 {
    let stage = &stages[index];
    // Vertex functions alone run on the active vertices, however many stages they make.
    let is_active = is_active || !stages.iter().any(Stage::has_edges);
    let is_silent = !stage.has_vertices() && index + 1 < stages.len();
    // Where vertex functions have run on every vertex and none of them may stop, no mark is missing.
    let leaves_out = |stage: &Stage| {
        stage.has_vertices() && (is_active || members[stage.vertices.clone()].iter().any(|member| member.may_stop))
    };
    let is_after = stages[..index].iter().any(leaves_out);
    let follows = is_after && stage.has_vertices() && !(is_active && stage.has_edges());
    // A single stage of vertex functions has a kernel that starts from the active vertices as it is.
    let is_active = is_active && (stage.has_edges() || stages.len() > 1);
    let is_kept = stage.accesses.reduces & (read_elsewhere(stages, index) | unread(stage)) != 0;
    let is_of_several = stage.has_edges() && stages.len() > 1;
    let kinds = [(is_active, ACTIVE), (is_silent, SILENT), (follows, FOLLOWS), (is_kept, KEPT)];
    let flags = kinds.into_iter().chain([(stage.is_reversed, REVERSED), (is_of_several, OF_SEVERAL)]);
    flags.fold(0, |all, (is_set, flag)| if is_set { all | flag } else { all })
}

/// What no vertex function of a stage that has any reads.
fn unread(stage: &Stage) -> u64 {
    if stage.has_vertices() { !stage.accesses.reads } else { 0 }
}

/// The properties that other stages than number `own` read at vertices.
fn read_elsewhere(stages: &[Stage], own: usize) -> u64 {
    let others = stages.iter().enumerate().filter(|(index, _)| *index != own);
    let read = |stage: &Stage| stage.accesses.reads | stage.accesses.reads_ends() | stage.accesses.gathers;
    others.fold(0, |reads, (_, stage)| reads | read(stage))
}

/// Whether the stages of a fold whose edges are those of active sources can be pushed: sums and activation come of the last one alone, and
/// whatever gets a sum is reached.
pub fn pushes_active(stages: &[Stage]) -> bool {
    !stages.is_empty()
        && stages.iter().enumerate().all(|(index, stage)| {
            let is_last = index + 1 == stages.len();
            let is_pushed = if is_last {
                stage.has_vertices() && !stage.may_stop && stage.accesses.states() == 0
            } else {
                stage.accesses.reduces == 0
            };
            let is_plain = stage.flags & (KEPT | REVERSED) == 0 && stage.accesses.gathers | stage.accesses.adds == 0;
            stage.has_edges() && stage.has_vertices() == is_last && is_plain && is_pushed
        })
}
