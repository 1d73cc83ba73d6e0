//! Stages: a fold is cut where an edge function follows a vertex function, and where its writer put a `;`. Each stage is a run of edge
//! functions, then one of vertex functions, with kernels of its own; a stage sees all that the stages before it wrote.

use core::marker::PhantomData;

use crate::access::{EdgeAccess, Time, VertexAccess};
use crate::changes::Flow;
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::registers::Registers;
use crate::run::{EdgeRun, VertexRun};
use crate::tile::Across;

/// Edge functions run only along edges whose source is active, vertex functions only where one of them returned true.
pub const ACTIVE: u32 = 1;
/// Nothing is marked: a later stage says what is active.
pub const SILENT: u32 = 2;
/// Vertex functions run only where those of an earlier stage returned true, which the marks say.
pub const FOLLOWS: u32 = 4;

/// Another stage reads what the edge functions have reduced, or no function does, so that it must be in memory.
pub const KEPT: u32 = 8;

/// A function of a fold, as `foldmap!` lists it.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name, as `foldmap!` has it.
    pub name: &'static str,
    /// Whether it is an edge function.
    pub is_edge: bool,
    /// What it accesses as an edge function.
    pub edge: EdgeAccess,
    /// What it accesses as a vertex function.
    pub vertex: VertexAccess,
    /// Whether it may return false.
    pub may_stop: bool,
    /// Whether it may make an infinity on purpose.
    pub may_make_infinity: bool,
    /// Where what it stores and returns comes from, as a vertex function.
    pub flow: Flow,
    /// What it does with more than its own feature.
    pub across: Across,
    /// Whether it is the first of the fold, or a `;` stands before it.
    pub is_first: bool,
    /// The first of the entries that are kept for its part of the fold; the same in all functions of the part.
    pub entry: usize,
}

/// What one stage accesses, and how it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageAccess {
    /// What its kernels are numbered by, and found by in [`Stages::visit`].
    pub entry: usize,
    /// What the edge functions access.
    pub edges: EdgeAccess,
    /// What the vertex functions access.
    pub vertices: VertexAccess,
    /// Whether there are edge functions.
    pub has_edges: bool,
    /// Whether there are vertex functions.
    pub has_vertices: bool,
    /// Whether an edge function may return false, so that a vertex gets sums without being reached.
    pub may_stop: bool,
    /// [`ACTIVE`], [`SILENT`], [`FOLLOWS`], [`KEPT`].
    pub flags: u32,
}

const NOTHING: StageAccess = StageAccess {
    entry: usize::MAX,
    edges: EdgeAccess::NONE,
    vertices: VertexAccess::NONE,
    has_edges: false,
    has_vertices: false,
    may_stop: false,
    flags: 0,
};

const fn begins_stage(members: &[Member], index: usize) -> bool {
    members[index].is_first || members[index].is_edge && !members[index - 1].is_edge
}

/// How many stages the functions make.
pub const fn count(members: &[Member]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < members.len() {
        count += begins_stage(members, index) as usize;
        index += 1;
    }
    count
}

/// The entry of the stage that function number `index` is in.
pub const fn entry_of(members: &[Member], index: usize) -> usize {
    let (mut at, mut entry) = (index, members[index].entry);
    while !members[at].is_first {
        entry += begins_stage(members, at) as usize;
        at -= 1;
    }
    entry
}

/// The stages, `N` of them. `is_active` says that edge functions run along the edges of active sources alone.
pub const fn stages<const N: usize>(members: &[Member], is_active: bool) -> [StageAccess; N] {
    let mut stages = [NOTHING; N];
    let (mut stage, mut index) = (0, 0);
    while index < members.len() {
        if index > 0 && begins_stage(members, index) {
            stage += 1;
        }
        stages[stage] = stages[stage].with(&members[index], entry_of(members, index));
        index += 1;
    }
    flagged(stages, is_active)
}

const fn flag(is_set: bool, flag: u32) -> u32 {
    if is_set { flag } else { 0 }
}

const fn flagged<const N: usize>(mut stages: [StageAccess; N], is_active: bool) -> [StageAccess; N] {
    let (mut index, mut has_vertices) = (0, false);
    // Vertex functions alone run on the active vertices, however many stages they make.
    let is_active = is_active || !kinds(&stages).0;
    while index < N {
        let stage = stages[index];
        let is_silent = !stage.has_vertices && index + 1 < N;
        let follows = has_vertices && stage.has_vertices && !(is_active && stage.has_edges);
        // A single stage of vertex functions has a kernel that starts from the active vertices as it is.
        let is_active = is_active && (stage.has_edges || N > 1);
        let unread = if stage.has_vertices { !stage.vertices.reads } else { 0 };
        let is_kept = stage.edges.reduces & (read_elsewhere(&stages, index) | unread) != 0;
        stages[index].flags =
            flag(is_active, ACTIVE) | flag(is_silent, SILENT) | flag(follows, FOLLOWS) | flag(is_kept, KEPT);
        has_vertices |= stage.has_vertices;
        index += 1;
    }
    stages
}

/// The properties that other stages than number `own` read at vertices.
const fn read_elsewhere(stages: &[StageAccess], own: usize) -> u64 {
    let (mut reads, mut index) = (0, 0);
    while index < stages.len() {
        let stage = stages[index];
        if index != own {
            reads |= stage.vertices.reads | stage.edges.reads_source | stage.edges.reads_destination;
        }
        index += 1;
    }
    reads
}

impl StageAccess {
    const fn with(self, member: &Member, entry: usize) -> Self {
        Self {
            entry,
            edges: self.edges.union(member.edge),
            vertices: self.vertices.union(member.vertex),
            has_edges: self.has_edges || member.is_edge,
            has_vertices: self.has_vertices || !member.is_edge,
            may_stop: self.may_stop || member.is_edge && member.may_stop,
            flags: 0,
        }
    }
}

/// The stage with the entry; one without functions if there is none.
pub const fn find(stages: &[StageAccess], entry: usize) -> StageAccess {
    let mut index = 0;
    while index < stages.len() {
        if stages[index].entry == entry {
            return stages[index];
        }
        index += 1;
    }
    NOTHING
}

/// What the edge functions of all stages access.
pub const fn edges(stages: &[StageAccess]) -> EdgeAccess {
    let (mut all, mut index) = (EdgeAccess::NONE, 0);
    while index < stages.len() {
        all = all.union(stages[index].edges);
        index += 1;
    }
    all
}

/// What the vertex functions of all stages access.
pub const fn vertices(stages: &[StageAccess]) -> VertexAccess {
    let (mut all, mut index) = (VertexAccess::NONE, 0);
    while index < stages.len() {
        all = all.union(stages[index].vertices);
        index += 1;
    }
    all
}

/// The properties of vertices and edges that functions of a stage write or reduce into.
pub const fn written(stages: &[StageAccess]) -> u64 {
    let (edges, vertices) = (edges(stages), vertices(stages));
    edges.writes_edge | edges.reduces | vertices.writes
}

/// The properties of vertices and edges that functions of a stage reach in any way.
pub const fn reached(stages: &[StageAccess]) -> u64 {
    let (edges, vertices) = (edges(stages), vertices(stages));
    let reads = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse | vertices.reads;
    written(stages) | reads
}

/// Whether any stage has edge functions, and whether any has vertex functions.
pub const fn kinds(stages: &[StageAccess]) -> (bool, bool) {
    let (mut kinds, mut index) = ((false, false), 0);
    while index < stages.len() {
        kinds = (kinds.0 || stages[index].has_edges, kinds.1 || stages[index].has_vertices);
        index += 1;
    }
    kinds
}

/// Whether the stages of a fold whose edges are those of active sources can be pushed: sums and activation come of the last one alone, and
/// whatever gets a sum is reached.
pub const fn pushes_active(stages: &[StageAccess]) -> bool {
    let mut index = 0;
    while index < stages.len() {
        let (stage, is_last) = (stages[index], index + 1 == stages.len());
        let is_pushed = if is_last { stage.has_vertices && !stage.may_stop } else { stage.edges.reduces == 0 };
        if !stage.has_edges || stage.has_vertices != is_last || stage.flags & KEPT != 0 || !is_pushed {
            return false;
        }
        index += 1;
    }
    !stages.is_empty()
}

/// One stage: edge functions `E`, then vertex functions `W`.
pub struct Stage<E, W>(PhantomData<fn() -> (E, W)>);

/// The stages of a fold, `(Stage<E, W>, (Stage<E, W>, ()))`; some may be without functions.
pub trait Stages<D: GraphData>: 'static {
    /// The edge functions of the first stage.
    type Edges: EdgeRun<D>;
    /// The vertex functions of the first stage.
    type Vertices: VertexRun<D>;

    /// Calls `visitor` with the functions of the stage with this entry.
    fn visit<N: StageVisitor<D>>(entry: usize, visitor: N) -> Option<N::Output>;
}

/// What is done with one stage of a fold.
pub trait StageVisitor<D: GraphData> {
    /// What it results in.
    type Output;

    /// Does it, for edge functions `E` and vertex functions `W`.
    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Self::Output;
}

impl<D: GraphData> Stages<D> for () {
    type Edges = ();
    type Vertices = ();

    fn visit<N: StageVisitor<D>>(_: usize, _: N) -> Option<N::Output> {
        None
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, R: Stages<D>> Stages<D> for (Stage<E, W>, R) {
    type Edges = E;
    type Vertices = W;

    fn visit<N: StageVisitor<D>>(entry: usize, visitor: N) -> Option<N::Output> {
        match entry.checked_sub(1) {
            None => Some(visitor.visit::<E, W>()),
            Some(later) => R::visit(later, visitor),
        }
    }
}

/// The run `R`, with flags that say how its stage runs.
pub struct Staged<R, const FLAGS: u32>(PhantomData<fn() -> R>);

impl<D: GraphData, R: EdgeRun<D>, const FLAGS: u32> EdgeRun<D> for Staged<R, FLAGS> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: EdgeAccess = R::ACCESS;
    const FLAGS: u32 = FLAGS;
    type Loads<const V: usize> = R::Loads<V>;
    type Sums<const V: usize> = R::Sums<V>;

    #[inline(always)]
    unsafe fn load<M: Machine, T: Time, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe { R::load::<M, T, L, V>(group, edge, data) }
    }

    #[inline(always)]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
        sums: &mut Self::Sums<V>,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { R::compute_after(group, edge, data, loads, registers, sums) }
    }
}

impl<D: GraphData, R: VertexRun<D>, const FLAGS: u32> VertexRun<D> for Staged<R, FLAGS> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: VertexAccess = R::ACCESS;
    const FIRST_WRITES: u64 = R::FIRST_WRITES;
    const FLAGS: u32 = FLAGS;
    type Loads<const V: usize> = R::Loads<V>;

    #[inline(always)]
    unsafe fn load<M: Machine, T: Time, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe { R::load::<M, T, G, L, V>(group, vertex, data, registers) }
    }

    #[inline(always)]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { R::compute_after(group, vertex, data, loads, registers) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGE: Member = Member {
        name: "",
        is_edge: true,
        edge: EdgeAccess::NONE,
        vertex: VertexAccess::NONE,
        may_stop: false,
        may_make_infinity: false,
        flow: Flow::NONE,
        across: Across::NONE,
        is_first: false,
        entry: 0,
    };
    const VERTEX: Member = Member { is_edge: false, ..EDGE };

    const fn first(member: Member, entry: usize) -> Member {
        Member { is_first: true, entry, ..member }
    }

    fn shape(stage: StageAccess) -> (usize, bool, bool, u32) {
        (stage.entry, stage.has_edges, stage.has_vertices, stage.flags)
    }

    #[test]
    fn an_edge_function_behind_a_vertex_function_begins_a_stage() {
        const MEMBERS: [Member; 5] = [first(VERTEX, 0), EDGE, EDGE, VERTEX, EDGE];
        const STAGES: [StageAccess; count(&MEMBERS)] = stages(&MEMBERS, false);
        assert_eq!(STAGES.map(shape), [(0, false, true, 0), (1, true, true, FOLLOWS), (2, true, false, 0)]);
        assert_eq!(kinds(&STAGES), (true, true));
    }

    #[test]
    fn vertex_functions_alone_run_on_active_vertices() {
        const MEMBERS: [Member; 2] = [first(VERTEX, 0), first(VERTEX, 1)];
        const STAGES: [StageAccess; count(&MEMBERS)] = stages(&MEMBERS, false);
        assert_eq!(STAGES.map(|stage| stage.flags), [ACTIVE, ACTIVE | FOLLOWS]);
        const ONE: [StageAccess; 1] = stages(&[first(VERTEX, 0)], false);
        assert_eq!(ONE[0].flags, 0);
    }

    #[test]
    fn a_part_keeps_its_own_entries() {
        const MEMBERS: [Member; 4] = [first(EDGE, 0), VERTEX, first(EDGE, 2), Member { entry: 2, ..VERTEX }];
        const STAGES: [StageAccess; count(&MEMBERS)] = stages(&MEMBERS, true);
        assert_eq!(STAGES.map(|stage| stage.entry), [0, 2]);
        assert_eq!(STAGES.map(|stage| stage.flags), [ACTIVE; 2]);
        assert!(!pushes_active(&STAGES));
        assert_eq!(find(&STAGES, 1), NOTHING);
    }

    #[test]
    fn a_stage_of_edges_alone_leaves_the_marks_to_the_last() {
        const MEMBERS: [Member; 3] = [first(EDGE, 0), first(EDGE, 1), Member { entry: 1, ..VERTEX }];
        const STAGES: [StageAccess; count(&MEMBERS)] = stages(&MEMBERS, true);
        assert_eq!(STAGES.map(|stage| stage.flags), [ACTIVE | SILENT, ACTIVE]);
        assert!(pushes_active(&STAGES));
        let stopping = StageAccess { may_stop: true, ..STAGES[1] };
        assert!(!pushes_active(&[STAGES[0], stopping]));
    }
}
