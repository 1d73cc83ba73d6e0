//! Where the values of properties lie, of which functions ask for each by its own form: `[v][f]`, `[v]`, `[e][f]`, `[e]`, or the bare name.

use super::Property;
use crate::index::Vertex;
use crate::machine::Machine;

/// The features of a vertex.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no features at a vertex",
    label = "`[v][f]`, `[e.src][f]` and `[e.dst][f]` need a `VertexFeatures<K>` or `VertexMatrix<K>` property",
    note = "what an edge has comes to a vertex by a reduction, such as `d.sum[e.dst][f] += d.message[e][f]`"
)]
pub trait VertexRow: Property {
    /// Where the features of `vertex` lie, at the previous or the current value.
    fn row(&self, vertex: Vertex, previous: bool) -> *mut Self::Stored;
}

/// The scalar of a vertex.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no scalar at a vertex",
    label = "`[v]`, `[e.src]` and `[e.dst]` without `[f]` need a `VertexScalar` property",
    note = "what an edge has comes to a vertex by a reduction, such as `d.total[e.dst] += d.weight[e]`"
)]
pub trait VertexValue: Property {
    /// Where the scalar of `vertex` lies, at the previous or the current value.
    fn value(&self, vertex: Vertex, previous: bool) -> *mut Self::Stored;
}

/// The features of an edge.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no features at an edge",
    label = "`[e][f]` needs an `EdgeFeatures<K>` or `EdgeMatrix<K>` property"
)]
pub trait EdgeRow: Property {
    /// Where the features of the edge numbered `id` lie.
    fn row(&self, id: u64) -> *mut Self::Stored;
}

/// The scalar of an edge.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no scalar at an edge",
    label = "`[e]` without `[f]` needs an `EdgeScalar` property"
)]
pub trait EdgeValue: Property {
    /// Where the scalar of the edge numbered `id` lies.
    fn value(&self, id: u64) -> *mut Self::Stored;
}

/// The one value for the whole graph.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has more than one value",
    label = "say whose: `[v]`, `[e.src]`, `[e.dst]` or `[e]`, and `[f]` where the property has features"
)]
pub trait GraphValue: Property {
    /// The value.
    ///
    /// # Safety
    /// What the property was bound to is there.
    unsafe fn value<M: Machine>(&self, machine: M) -> f32;
}

/// A row or a matrix for the whole graph.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no features for the whole graph",
    label = "say whose feature first, then which one: `[v][f]`, `[e.src][f]`; `[f]` alone needs a `GraphFeatures<K>` or `GraphMatrix<K>` property"
)]
pub trait GraphRow: Property {
    /// Where the row or the matrix lies.
    fn row(&self) -> *mut f32;
}
