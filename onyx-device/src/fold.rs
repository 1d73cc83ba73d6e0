//! A fold: what `foldmap!` expands to.

use crate::access::{EdgeAccess, VertexAccess};
use crate::parts::Parts;
use crate::property::{Descriptor, GraphData, has_heads};
use crate::stage::{self, StageAccess, Stages};

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
    /// The names of the functions, in order.
    const FUNCTIONS: &'static [&'static str] = &[];
    /// The stages that have functions, in order.
    const STAGES: &'static [StageAccess];
    /// Whether edge functions run along the edges of active sources alone.
    const IS_ACTIVE: bool;
    /// Whether one thread has all features of a row, and reaches them one by one.
    const IS_SCALAR: bool = false;
    /// What keeps a row of more features than the widest compiled width from being taken as tiles of it.
    const WHY_NOT_TILED: Option<&'static str>;
    /// Whether each feature is on its own, so that there may be any number of them.
    const IS_FEATUREWISE: bool = Self::WHY_NOT_TILED.is_none();
    /// Whether rows are heads, each of which runs by itself.
    const HAS_HEADS: bool = has_heads(Self::PROPERTIES);
    /// What the edge functions access.
    const EDGES: EdgeAccess = stage::edges(Self::STAGES);
    /// What the vertex functions access.
    const VERTICES: VertexAccess = stage::vertices(Self::STAGES);
    /// Whether there are edge functions.
    const HAS_EDGES: bool = stage::kinds(Self::STAGES).0;
    /// Whether there are vertex functions.
    const HAS_VERTICES: bool = stage::kinds(Self::STAGES).1;
    /// What the groups of a cut row leave for its `finish` where they combine nothing atomically.
    const PARTS: Parts = stage::parts(Self::STAGES);
    /// Whether all totals may be combined into memory atomically.
    const IS_ATOMIC: bool = Self::PARTS.are_atomic();
    /// The scratch properties that have memory, because the functions that share them run as [`ScratchInMemory`](crate::run::ScratchInMemory).
    const SCRATCH_IN_MEMORY: u64 = 0;
    /// What keeps vertices from being left out, if anything does.
    const WHY_NOT_CHANGE_DRIVEN: Option<&'static str>;
    /// Whether a person has asked for changes, though it was not shown that vertices may be left out.
    const IS_OVERRULED: bool = false;
    /// The untracked properties that a fold which was asked for changes must not store a new value of where it returns false.
    const WATCHED: u64 = 0;
    /// The properties in which an infinity is a sum or product that has left the range of floats.
    const SUMMED: u64 = 0;
    /// Whether changes alone may be propagated.
    const IS_CHANGE_DRIVEN: bool = !Self::IS_ACTIVE && (Self::WHY_NOT_CHANGE_DRIVEN.is_none() || Self::IS_OVERRULED);
    /// Whether a push may leave a total to be computed again: see [`crate::schedule::recompute`].
    const RECOMPUTES: bool = false;
    /// Whether active vertices may push along their outgoing edges.
    const PUSHES: bool;

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

/// The bytes of a text, which is `N` long.
pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let (mut bytes, mut at) = ([0; N], 0);
    while at < N {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
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
