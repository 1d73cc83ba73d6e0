//! A derived function among others: which of them may stand in one stage.

use syn::ItemFn;

use crate::parse::function::Kind;

/// A derived function.
pub struct Piece {
    /// What it is called for.
    pub kind: Kind,
    /// The function.
    pub item: ItemFn,
    /// What it reads at an end of its edge, and of the graph.
    pub reads: u64,
    /// What it writes, and adds to of the graph.
    pub writes: u64,
}

/// Whether a function begins a part of the fold: it is one of edges, or writes what an earlier one of the part reads at an end or of the graph, or
/// the other way round.
pub fn begins(part: &[Piece], piece: &Piece) -> bool {
    let meets = |earlier: &Piece| earlier.reads & piece.writes != 0 || earlier.writes & piece.reads != 0;
    piece.kind == Kind::Edge || part.iter().any(meets)
}
