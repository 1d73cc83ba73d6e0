//! A fold: what `foldmap!` expands to.

use crate::access::{EdgeAccess, VertexAccess};
use crate::changes::ChangeObstacle;
use crate::property::{Descriptor, GraphData};
use crate::stage::{self, Member, StageAccess, Stages};
use crate::tile::Obstacle;

/// A sequence of edge and vertex functions over one data structure, compiled for several feature widths.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a fold", label = "a fold is written with `foldmap!`")]
pub trait Fold: Copy + 'static {
    /// The fold's name, as `{data}__{fold}`.
    const NAME: &'static str;
    /// The path of the module that the fold stands in: there may be another fold of the same name in another one.
    const MODULE: &'static str = "";
    /// The cargo package the fold is compiled in: its PTX is named after it.
    const PACKAGE: &'static str;
    /// A fingerprint of the source that the fold was compiled from.
    const FINGERPRINT: u64;
    /// The compiled feature widths, ascending.
    const WIDTHS: &'static [usize];
    /// The data's [`GraphData::PATH`].
    const DATA: &'static str;
    /// The properties of the data.
    const PROPERTIES: &'static [Descriptor];
    /// The stages that have functions, in order.
    const STAGES: &'static [StageAccess];
    /// Whether edge functions run along the edges of active sources alone.
    const IS_ACTIVE: bool;
    /// Whether one thread has all features of a row, and reaches them one by one.
    const IS_SCALAR: bool = false;
    /// What keeps more features than the widest compiled width from being run tile by tile.
    const OBSTACLE: Option<Obstacle>;
    /// Whether each feature is on its own, so that there may be any number of them.
    const IS_FEATUREWISE: bool = Self::OBSTACLE.is_none();
    /// What the edge functions access.
    const EDGES: EdgeAccess = stage::edges(Self::STAGES);
    /// What the vertex functions access.
    const VERTICES: VertexAccess = stage::vertices(Self::STAGES);
    /// Whether there are edge functions.
    const HAS_EDGES: bool = stage::kinds(Self::STAGES).0;
    /// Whether there are vertex functions.
    const HAS_VERTICES: bool = stage::kinds(Self::STAGES).1;
    /// The scratch properties that have memory, because the functions that share them run as [`Spilled`](crate::run::Spilled).
    const SPILLED: u64 = 0;
    /// What keeps vertices from being left out, if anything does.
    const CHANGE_OBSTACLE: Option<ChangeObstacle>;
    /// Whether a person has asked for changes, though it was not shown that vertices may be left out.
    const IS_OVERRULED: bool = false;
    /// The untracked properties that a fold which was asked for changes must not store a new value of where it returns false.
    const WATCHED: u64 = 0;
    /// The properties in which an infinity is a sum or product that has left the range of floats.
    const SUMMED: u64 = 0;
    /// Whether changes alone may be propagated: see [`crate::changes`].
    const IS_CHANGE_DRIVEN: bool = !Self::IS_ACTIVE && (Self::CHANGE_OBSTACLE.is_none() || Self::IS_OVERRULED);
    /// Whether a push may leave a total to be computed again: see [`crate::schedule::recompute`].
    const RECOMPUTES: bool = Self::IS_CHANGE_DRIVEN && Self::EDGES.multiplies != 0;
    /// Whether active vertices may push along their outgoing edges.
    const PUSHES: bool = Self::IS_CHANGE_DRIVEN || Self::IS_ACTIVE && stage::pushes_active(Self::STAGES);

    /// Calls `visitor` with the data at the narrowest compiled width. Addresses and numbers are all it holds, so that it has the same layout at every
    /// width, and what only hands them on is compiled once.
    fn narrowest<N: DataVisitor>(visitor: N) -> Option<N::Output>;

    /// Calls `visitor` with the data and the functions at the compiled width `width`, one of [`Fold::WIDTHS`].
    fn visit<N: WidthVisitor>(width: usize, visitor: N) -> Option<N::Output>;
}

/// A fold that works on the structure `D`, at the width 0, which stands for every width.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not work on data of `{D}`",
    label = "make the data with `session.data` for this fold, or for another one of its structure"
)]
pub trait FoldOf<D>: Fold {}

/// Whether the stage with this entry needs the kernels that pull along edges.
pub const fn needs_pull<F: Fold>(entry: usize) -> bool {
    stage::find(F::STAGES, entry).has_edges
}

/// Whether the stage with this entry needs the kernels that pull a row by a warp or a block. Threads that take an edge each do not.
pub const fn needs_rows<F: Fold>(entry: usize) -> bool {
    needs_pull::<F>(entry) && !F::IS_SCALAR
}

/// Whether the stage with this entry needs the kernels that push along edges.
pub const fn needs_push<F: Fold>(entry: usize) -> bool {
    F::PUSHES && stage::find(F::STAGES, entry).has_edges
}

/// Whether the stage with this entry needs the kernel that computes totals again that a push cannot correct.
pub const fn needs_recompute<F: Fold>(entry: usize) -> bool {
    F::RECOMPUTES && needs_push::<F>(entry)
}

/// Whether the stage with this entry needs the kernel that runs vertex functions where a vertex is active, or was reached by a push.
pub const fn needs_vertex<F: Fold>(entry: usize) -> bool {
    stage::find(F::STAGES, entry).has_vertices && (F::STAGES.len() == 1 || F::PUSHES)
}

/// Whether the stage with this entry needs the kernel that runs vertex functions everywhere, between other stages.
pub const fn needs_every_vertex<F: Fold>(entry: usize) -> bool {
    let stage = stage::find(F::STAGES, entry);
    F::STAGES.len() > 1 && stage.has_vertices && !stage.has_edges
}

/// The bits of the tracked properties.
pub const fn tracked(properties: &[Descriptor]) -> u64 {
    let mut bits = 0;
    let mut index = 0;
    while index < properties.len() {
        bits |= (properties[index].tracked as u64) << index;
        index += 1;
    }
    bits
}

/// The bits of the scratch properties.
pub const fn scratch(properties: &[Descriptor]) -> u64 {
    let mut bits = 0;
    let mut index = 0;
    while index < properties.len() {
        bits |= (properties[index].scratch as u64) << index;
        index += 1;
    }
    bits
}

/// The property, if any, that a vertex function writes while an edge function of the same fold reads it at another vertex.
///
/// There is no grid barrier inside a fold, so such a property must be tracked, or the functions must be in two folds.
pub const fn conflict(properties: &[Descriptor], edges: EdgeAccess, vertices: VertexAccess) -> Option<&'static str> {
    let shared = edges.reads_source & (vertices.writes | edges.reduces) & !(tracked(properties) & !edges.reduces);
    name_of_first(properties, shared & !scratch(properties))
}

/// The property, if any, that one edge function reads at an end of its edge while another of the same fold adds to it.
pub const fn unfinished_sum(
    properties: &[Descriptor],
    reader: EdgeAccess,
    reducer: EdgeAccess,
) -> Option<&'static str> {
    let shared = (reader.reads_source | reader.reads_destination) & reducer.reduces;
    name_of_first(properties, shared & !scratch(properties))
}

/// The property, if any, that two edge functions of one fold reduce by the same operator: each would keep a total of its own.
pub const fn shared_sum(properties: &[Descriptor], first: EdgeAccess, second: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, first.reduces & second.reduces & !first.differently_reduced(second))
}

/// The property, if any, that two edge functions of one fold reduce by different operators.
pub const fn mixed_reduction(properties: &[Descriptor], first: EdgeAccess, second: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, first.differently_reduced(second))
}

/// The scratch property, if any, that an edge function reads at an end of its edge, where no function of its run can have written it.
pub const fn distant_scratch(properties: &[Descriptor], reader: EdgeAccess) -> Option<&'static str> {
    name_of_first(
        properties,
        (reader.reads_source | reader.reads_destination | reader.reads_reverse) & scratch(properties),
    )
}

/// The scratch property, if any, that an edge function reduces into, although the totals of cut rows meet in memory.
pub const fn reduced_scratch(properties: &[Descriptor], reducer: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, reducer.reduces & scratch(properties))
}

/// The scratch property, if any, that function number `at` reads of its own edge or vertex while none before it in its run writes it.
///
/// What is reported as [`reduced_scratch`] is left out. Where the fold `is_unfolded`, the run is that of the same functions folded.
pub const fn unwritten_scratch(
    properties: &[Descriptor],
    members: &[Member],
    at: usize,
    is_unfolded: bool,
) -> Option<&'static str> {
    let reader = members[at];
    let mut missing = scratch(properties) & if reader.is_edge { reader.edge.reads_edge } else { reader.vertex.reads };
    let mut index = 0;
    while index < members.len() {
        missing &= !members[index].edge.reduces;
        index += 1;
    }
    let mut run = at;
    while run > 0 && members[run - 1].is_edge == reader.is_edge && (is_unfolded || !members[run].is_first) {
        run -= 1;
        missing &= !(members[run].edge.writes_edge | members[run].vertex.writes);
    }
    name_of_first(properties, missing)
}

/// The property, if any, that one edge function reads at the reverse edge while another of the same fold writes it at its own: which of the
/// two comes first is not known.
pub const fn reverse_edge(properties: &[Descriptor], reader: EdgeAccess, writer: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, reader.reads_reverse & writer.writes_edge)
}

const fn name_of_first(properties: &[Descriptor], set: u64) -> Option<&'static str> {
    if set == 0 { None } else { Some(properties[set.trailing_zeros() as usize].name) }
}

/// The fingerprint of a fold, from that of its own source.
pub const fn fingerprint(source: u64) -> u64 {
    source.rotate_left(17) ^ crate::FINGERPRINT
}

/// What is done with the data of a fold, whatever the width.
pub trait DataVisitor {
    /// What it results in.
    type Output;

    /// Does it.
    fn visit<D: GraphData>(self) -> Self::Output;
}

/// What is done with one compiled width of a fold.
pub trait WidthVisitor {
    /// What it results in.
    type Output;

    /// Does it, for data `D` and stages `S`, on a GPU with `L` lanes of `V` features; `K` is `L * V`.
    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        S: Stages<D>;
}
