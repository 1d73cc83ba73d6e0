//! Sorting the functions of a fold into stages of two runs at compile time, by what each function says of itself.

use crate::access::{EdgeAccess, Time, VertexAccess};
use crate::changes::Flow;
use crate::function::VertexFunction;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::registers::Registers;
use crate::tile::Across;

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
    /// Whether it may return false, and so stop the functions after it.
    const MAY_STOP: bool;
    /// Whether it may make an infinity on purpose.
    const MAY_MAKE_INFINITY: bool;
    /// What it does with more than its own feature.
    const ACROSS: Across;
    /// Whether it was written with `#[edge_fn]` or `#[vertex_fn]`.
    const IS_MARKED: bool = true;
}

/// What stands in a fold where the user names a plain function. It does nothing, and the fold is refused.
#[derive(Clone, Copy, Debug)]
pub enum Unmarked {}

impl Function for Unmarked {
    type Kind = VertexKind;
    const MAY_STOP: bool = false;
    const MAY_MAKE_INFINITY: bool = false;
    const ACROSS: Across = Across::NONE;
    const IS_MARKED: bool = false;
}

impl<D> Accesses<D> for Unmarked {
    const EDGE: EdgeAccess = EdgeAccess::NONE;
    const VERTEX: VertexAccess = VertexAccess::NONE;
}

impl<D> VertexFunction<D> for Unmarked {
    const ACCESS: VertexAccess = VertexAccess::NONE;
    type Loads<const V: usize> = ();
    type Written<const V: usize> = ();

    unsafe fn load<M: Machine, T: Time, G: Registers<D, V>, const L: usize, const V: usize>(
        _: Group<M, L, V>,
        _: Vertex,
        _: &D,
        _: G,
    ) {
    }

    unsafe fn compute<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        _: Group<M, L, V>,
        _: Vertex,
        _: &D,
        (): (),
        _: G,
    ) -> (bool, ()) {
        (true, ())
    }
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
    /// Where what a vertex function stores and returns comes from.
    const FLOW: Flow = Flow::NONE;
}

/// A list of functions, `(first, (second, ()))`, cut after its first run of edge functions and the run of vertex functions after that.
pub trait Split {
    /// The edge functions, as an [`EdgeRun`](crate::run::EdgeRun).
    type Edges: 'static;
    /// The vertex functions, as a [`VertexRun`](crate::run::VertexRun).
    type Vertices: 'static;
    /// The functions after those; none, or an edge function and more.
    type Rest: 'static;
}

/// [`Split`], given the kind of the first function.
pub trait SplitBy<Kind> {
    /// The edge functions.
    type Edges: 'static;
    /// The vertex functions.
    type Vertices: 'static;
    /// The functions after those.
    type Rest: 'static;
}

/// A list of functions, cut after its first run of vertex functions.
pub trait SplitVertices {
    /// The vertex functions.
    type Vertices: 'static;
    /// The functions after those.
    type Rest: 'static;
}

/// [`SplitVertices`], given the kind of the first function.
pub trait SplitVerticesBy<Kind> {
    /// The vertex functions.
    type Vertices: 'static;
    /// The functions after those.
    type Rest: 'static;
}

impl Split for () {
    type Edges = ();
    type Vertices = ();
    type Rest = ();
}

impl<H: Function, R> Split for (H, R)
where
    (H, R): SplitBy<H::Kind>,
{
    type Edges = <(H, R) as SplitBy<H::Kind>>::Edges;
    type Vertices = <(H, R) as SplitBy<H::Kind>>::Vertices;
    type Rest = <(H, R) as SplitBy<H::Kind>>::Rest;
}

impl<H: 'static, R: Split> SplitBy<EdgeKind> for (H, R) {
    type Edges = (H, R::Edges);
    type Vertices = R::Vertices;
    type Rest = R::Rest;
}

impl<H: 'static, R: SplitVertices> SplitBy<VertexKind> for (H, R) {
    type Edges = ();
    type Vertices = (H, R::Vertices);
    type Rest = R::Rest;
}

impl SplitVertices for () {
    type Vertices = ();
    type Rest = ();
}

impl<H: Function, R> SplitVertices for (H, R)
where
    (H, R): SplitVerticesBy<H::Kind>,
{
    type Vertices = <(H, R) as SplitVerticesBy<H::Kind>>::Vertices;
    type Rest = <(H, R) as SplitVerticesBy<H::Kind>>::Rest;
}

impl<H: 'static, R: SplitVertices> SplitVerticesBy<VertexKind> for (H, R) {
    type Vertices = (H, R::Vertices);
    type Rest = R::Rest;
}

impl<H: 'static, R: 'static> SplitVerticesBy<EdgeKind> for (H, R) {
    type Vertices = ();
    type Rest = (H, R);
}
