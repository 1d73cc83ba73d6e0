//! A fold: what `foldmap!` expands to.

use crate::access::{EdgeAccess, VertexAccess};
use crate::property::{Descriptor, GraphData};
use crate::run::{EdgeRun, VertexRun};

/// A sequence of edge and vertex functions over one data structure, compiled for several feature widths.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a fold", label = "a fold is written with `foldmap!`")]
pub trait Fold: Copy + 'static {
    /// The fold's name, as `{data}__{fold}`: its kernels' names start with it.
    const NAME: &'static str;
    /// The cargo package the fold is compiled in: its PTX is named after it.
    const PACKAGE: &'static str;
    /// A fingerprint of the source that the fold was compiled from.
    const FINGERPRINT: u64;
    /// The compiled feature widths, ascending.
    const WIDTHS: &'static [usize];
    /// The properties of the data.
    const PROPERTIES: &'static [Descriptor];
    /// What the edge functions access.
    const EDGES: EdgeAccess;
    /// What the vertex functions access.
    const VERTICES: VertexAccess;
    /// Whether there are edge functions.
    const HAS_EDGES: bool;
    /// Whether there are vertex functions.
    const HAS_VERTICES: bool;
    /// Whether changes alone may be propagated: see [`is_change_driven`].
    const IS_CHANGE_DRIVEN: bool = is_change_driven(Self::PROPERTIES, Self::EDGES, Self::VERTICES);

    /// Calls `visitor` with the data and the functions at the compiled width `width`, one of [`Fold::WIDTHS`].
    fn visit<N: WidthVisitor>(width: usize, visitor: N) -> Option<N::Output>;
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

/// Whether changes alone may be propagated: all that edge functions read of what the fold writes is tracked, and read at the source, and
/// they reduce by sums alone, of which a change can be taken back.
pub const fn is_change_driven(properties: &[Descriptor], edges: EdgeAccess, vertices: VertexAccess) -> bool {
    let changing = edges.reads_source & vertices.writes;
    changing != 0
        && changing & !tracked(properties) == 0
        && (edges.reads_destination | edges.reduces) & vertices.writes == 0
        && edges.writes_edge == 0
        && edges.multiplies | edges.lowers | edges.raises == 0
}

/// The property, if any, that a vertex function writes while an edge function of the same fold reads it at another vertex.
///
/// There is no grid barrier inside a fold, so such a property must be tracked, or the functions must be in two folds.
pub const fn conflict(properties: &[Descriptor], edges: EdgeAccess, vertices: VertexAccess) -> Option<&'static str> {
    let shared = edges.reads_source & (vertices.writes | edges.reduces) & !(tracked(properties) & !edges.reduces);
    name_of_first(properties, shared)
}

/// The property, if any, that one edge function reads at an end of its edge while another of the same fold adds to it.
pub const fn unfinished_sum(
    properties: &[Descriptor],
    reader: EdgeAccess,
    reducer: EdgeAccess,
) -> Option<&'static str> {
    name_of_first(properties, (reader.reads_source | reader.reads_destination) & reducer.reduces)
}

/// The property, if any, that two edge functions of one fold reduce by the same operator: each would keep a total of its own.
pub const fn shared_sum(properties: &[Descriptor], first: EdgeAccess, second: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, first.reduces & second.reduces & !first.differently_reduced(second))
}

/// The property, if any, that two edge functions of one fold reduce by different operators.
pub const fn mixed_reduction(properties: &[Descriptor], first: EdgeAccess, second: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, first.differently_reduced(second))
}

/// The property, if any, of an edge that one edge function writes and a later one of the same fold reads or writes: all that they read is
/// loaded before the first of them runs.
pub const fn edge_order(properties: &[Descriptor], earlier: EdgeAccess, later: EdgeAccess) -> Option<&'static str> {
    name_of_first(properties, earlier.writes_edge & later.reads_edge)
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

/// What is done with one compiled width of a fold.
pub trait WidthVisitor {
    /// What it results in.
    type Output;

    /// Does it, for data `D`, edge functions `E`, vertex functions `W`, and on a GPU `L` lanes of `V` features; `K` is `L * V`.
    fn visit<D, E, W, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        E: EdgeRun<D>,
        W: VertexRun<D>;
}
