//! A derived function among others: which of them may stand in one stage.

use syn::ItemFn;

use crate::compile::property::{Element, Properties};
use crate::parse::function::Kind;

/// A derived function.
pub struct Piece {
    /// What it is called for.
    pub kind: Kind,
    /// The function.
    pub item: ItemFn,
    /// What it reaches.
    pub reach: Reach,
}

/// What a derived function reaches, as sets of properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    /// What it reads at an end of its edge, and of the graph.
    pub reads: u64,
    /// What it reads at all, or adds to.
    pub takes: u64,
    /// What it writes, and adds to of the graph.
    pub writes: u64,
}

/// Whether a function begins a part of the fold: it is one of edges, or writes what an earlier one of the part reads at an end or of the graph, or
/// the other way round.
pub fn begins(part: &[Piece], piece: &Piece) -> bool {
    let Reach { reads, writes, .. } = piece.reach;
    let meets = |earlier: &Piece| earlier.reach.reads & writes != 0 || earlier.reach.writes & reads != 0;
    piece.kind == Kind::Edge || part.iter().any(meets)
}

/// Whether a function of vertices that would end the rows of edges begins a part instead: there blocks gather the rows that it adds to the graph, which are more than those
/// that it takes of edges, and would lie in memory for each vertex.
pub fn gathers_apart(part: &[Piece], piece: &Piece, properties: &Properties) -> bool {
    let of_edges =
        part.iter().filter(|earlier| earlier.kind == Kind::Edge).fold(0, |all, edge| all | edge.reach.writes);
    let rows = |set: u64, element: Element| {
        let all = properties.0.iter().enumerate();
        all.filter(|(index, property)| set >> index & 1 == 1 && property.element == element).count()
    };
    let Reach { takes, writes, .. } = piece.reach;
    of_edges != 0 && rows(writes, Element::GraphFeatures) > rows(of_edges & takes, Element::VertexFeatures)
}
