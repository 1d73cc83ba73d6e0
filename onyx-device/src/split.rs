//! Sorting the functions of a fold into runs at compile time, by what each function says of itself.

use crate::access::{EdgeAccess, VertexAccess};
use crate::property::GraphData;

/// The kind of an edge function.
#[derive(Debug)]
pub enum EdgeKind {}

/// The kind of a vertex function.
#[derive(Debug)]
pub enum VertexKind {}

/// A function that may stand in a fold: its kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an Onyx function",
    label = "mark the function with `#[edge_fn]` or `#[vertex_fn]`"
)]
pub trait Function: 'static {
    /// [`EdgeKind`] or [`VertexKind`].
    type Kind;
}

/// What a function of a fold accesses, whichever its kind; the other kind's accesses are none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of `{D}`",
    label = "all functions of a fold take `&mut` of the fold's data"
)]
pub trait Accesses<D: GraphData>: Function {
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

/// A list of vertex functions alone.
#[diagnostic::on_unimplemented(
    message = "an edge function follows a vertex function in one fold",
    label = "start another fold at the edge function that follows the vertex function"
)]
pub trait VerticesOnly {}

impl VerticesOnly for () {}
impl<H: Function<Kind = VertexKind>, R: VerticesOnly> VerticesOnly for (H, R) {}

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

impl<H: 'static, R: VerticesOnly + 'static> SplitBy<VertexKind> for (H, R) {
    type Edges = ();
    type Vertices = (H, R);
}
