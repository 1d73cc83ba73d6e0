//! Sorting the functions of a fold into runs at compile time, by what each function says of itself.

use crate::access::{EdgeAccess, VertexAccess};

/// [`EdgeKind`] or [`VertexKind`].
pub trait Kind {
    /// Whether it is the kind of an edge function.
    const IS_EDGE: bool;
}

/// The kind of an edge function.
#[derive(Debug)]
pub enum EdgeKind {}

/// The kind of a vertex function.
#[derive(Debug)]
pub enum VertexKind {}

impl Kind for EdgeKind {
    const IS_EDGE: bool = true;
}

impl Kind for VertexKind {
    const IS_EDGE: bool = false;
}

/// A function that may stand in a fold: its kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an Onyx function",
    label = "mark the function with `#[edge_fn]` or `#[vertex_fn]`"
)]
pub trait Function: 'static {
    /// [`EdgeKind`] or [`VertexKind`].
    type Kind: Kind;
}

/// What a function of a fold accesses, whichever its kind; the other kind's accesses are none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of `{D}`",
    label = "all functions of a fold take `&mut` of the fold's data"
)]
pub trait Accesses<D>: Function {
    /// The accesses of an edge function.
    const EDGE: EdgeAccess;
    /// The accesses of a vertex function.
    const VERTEX: VertexAccess;
}

/// A list of functions, `(first, (second, ()))`, that is a run of edge functions followed by a run of vertex functions.
pub trait Split {
    /// The edge functions, as an [`EdgeRun`](crate::run::EdgeRun).
    type Edges: 'static;
    /// The vertex functions, as a [`VertexRun`](crate::run::VertexRun).
    type Vertices: 'static;
}

/// [`Split`], given the kind of the first function.
pub trait SplitBy<Kind> {
    /// The edge functions.
    type Edges: 'static;
    /// The vertex functions.
    type Vertices: 'static;
}

impl Split for () {
    type Edges = ();
    type Vertices = ();
}

impl<H: Function, R> Split for (H, R)
where
    (H, R): SplitBy<H::Kind>,
{
    type Edges = <(H, R) as SplitBy<H::Kind>>::Edges;
    type Vertices = <(H, R) as SplitBy<H::Kind>>::Vertices;
}

impl<H: 'static, R: Split> SplitBy<EdgeKind> for (H, R) {
    type Edges = (H, R::Edges);
    type Vertices = R::Vertices;
}

// An edge function behind a vertex function is dropped: `foldmap!` has refused the fold by then, and nothing else should.
impl<H: 'static, R: Split> SplitBy<VertexKind> for (H, R) {
    type Edges = ();
    type Vertices = (H, R::Vertices);
}
