//! What the whole graph has beside parameters: a number or a row, set by the host or added up by a fold. A matrix is so, too.
//!
//! A total is added up from one contribution a vertex: what an edge function adds is reduced into the edge's destination first, what a vertex function
//! adds is the vertex's own, or that of all vertices of a block ([`gather_totals`](crate::schedule::gather_totals)). The contributions are a property that no one names, of the same structure. They are added in an order that
//! depends on their number alone, so that a total is the same bits in every run in which they are.

use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::{Element, GraphRow, GraphValue, Key, Property, Storage, bytes_of, of_head};

/// One float for the whole graph: `d.loss`, and `d.loss += x` in a function.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphScalar {
    current: *mut f32,
    contributions: *mut f32,
}

/// `K` floats for the whole graph: `d.bias[f]`, and `d.bias[f] += x` in a function.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GraphFeatures<const K: usize> {
    current: *mut f32,
    contributions: *mut f32,
    row_bytes: u32,
}

/// The property whose contributions, which lie at `storage`, are added up.
pub trait Total: Property {
    /// The same with its contributions.
    fn with_contributions(self, storage: Storage) -> Self;
}

/// A total of one float.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no total of the graph",
    label = "`d.total += x` adds to a `GraphScalar` property; elsewhere say whose value: `[v]`, `[e.dst]`"
)]
pub trait TotalValue: Total {
    /// Where the contribution of `vertex` lies.
    fn value(&self, vertex: Vertex, previous: bool) -> *mut f32;
}

/// A total of `K` floats, or of a matrix.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no total of the graph with features",
    label = "`d.total[f] += x` adds to a `GraphFeatures<K>` or `GraphMatrix<K>` property; elsewhere say whose value: `[v][f]`, `[e.dst][f]`"
)]
pub trait TotalRow: Total {
    /// Where the contributions of `vertex` lie.
    fn row(&self, vertex: Vertex, previous: bool) -> *mut f32;
}

/// That a total of the graph is below a bound: what a run may end with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Below {
    /// The position of the total in its structure.
    pub total: usize,
    /// The path of the structure.
    pub data: &'static str,
    /// The bound.
    pub bound: f32,
}

impl<D> Key<D, GraphScalar> {
    /// That the total is below `bound`: `Rank::MOVED.below(1e-6)`.
    pub const fn below(self, bound: f32) -> Below {
        Below { total: self.position.index, data: self.position.data, bound }
    }
}

impl Property for GraphScalar {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::GraphScalar;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current, contributions: core::ptr::null_mut() }
    }
}

impl Total for GraphScalar {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: storage.current, ..self }
    }
}

impl TotalValue for GraphScalar {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, vertex: Vertex, _previous: bool) -> *mut f32 {
        self.contributions.wrapping_add(vertex.0 as usize)
    }
}

impl GraphValue for GraphScalar {
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn value<M: Machine>(&self, machine: M) -> f32 {
        // SAFETY: the caller's.
        let [value] = unsafe { machine.load(self.current) };
        value
    }
}

impl<const K: usize> Property for GraphFeatures<K> {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::GraphFeatures;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current, contributions: core::ptr::null_mut(), row_bytes: storage.row_bytes::<f32>() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow(self) -> Self {
        Self { row_bytes: bytes_of::<f32>(K), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, head: u32) -> Self {
        let contributions = of_head::<f32, K>(self.contributions, head);
        Self { current: of_head::<f32, K>(self.current, head), contributions, ..self }
    }
}

impl<const K: usize> Total for GraphFeatures<K> {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: storage.current, ..self }
    }
}

impl<const K: usize> TotalRow for GraphFeatures<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, _previous: bool) -> *mut f32 {
        self.contributions.wrapping_byte_add(vertex.0 as usize * self.row_bytes as usize)
    }
}

impl<const K: usize> GraphRow for GraphFeatures<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self) -> *mut f32 {
        self.current
    }
}
