//! The types of the fields of a `#[graph_data]` structure.
//!
//! On the device and inside a running backend each is a view: raw pointers into the arrays that the runtime owns. Vertex and edge features
//! are arrays of structures: the features of a vertex lie side by side, so that the lanes of a group read one piece of memory. A row may be wider
//! than the compiled width `K`: its views know how far it is to the next one, and a [`Group`] which `K` of its features it has.

mod access;
mod descriptor;
mod edge;
mod element;
mod graph_data;
mod key;
mod parameter;
mod tracking;
mod vertex;

pub use self::access::{EdgeRow, EdgeValue, GraphRow, GraphValue, VertexRow, VertexValue};
pub use self::descriptor::{Descriptor, field_of, has_heads, index_of, matrices, scalars, scratch, tracked};
pub(crate) use self::descriptor::{is_same, lane_bytes};
pub use self::edge::{EdgeFeatures, EdgeScalar};
pub use self::element::Element;
pub use self::graph_data::{FeatureOf, Field, GraphData, RegisterOf, StoredOf, UNKNOWN};
pub use self::key::{Key, Position};
pub use self::parameter::{IterationNumber, Parameter};
pub use self::tracking::{EdgeTracking, Scratch, Tracked, Tracking, Untracked};
pub use self::vertex::{VertexFeatures, VertexScalar};
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::sealed::Sealed;
use crate::stored::{Number, Stored};
use crate::value::Value;

/// Where the values of one property lie, of whatever type they are. An untracked property has no `previous`, a parameter only its `value`.
#[derive(Clone, Copy, Debug)]
pub struct Storage {
    /// The array of values.
    pub current: *mut f32,
    /// The array of previous values, of the same shape.
    pub previous: *mut f32,
    /// The numbers from one row of features to the next: the compiled width, or a multiple of it where a row is several tiles.
    pub row: usize,
    /// The value of a parameter, or the number of an iteration in its batch.
    pub value: f32,
    /// How many rows a table has, and how many numbers a row of another width.
    pub rows: u64,
    /// The numbers of a vertex or an edge where each head has one of its own.
    pub heads: u32,
}

impl Storage {
    /// The bytes from one row of features to the next.
    pub(crate) fn row_bytes<T>(&self) -> u32 {
        bytes_of::<T>(self.row)
    }
}

/// Where the features of a head begin in the first row, of which each head has `K`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn of_head<T, const K: usize>(first: *mut T, head: u32) -> *mut T {
    first.wrapping_add(head as usize * K)
}

/// The bytes of so many numbers.
pub(crate) const fn bytes_of<T>(count: usize) -> u32 {
    (count * size_of::<T>()) as u32
}

/// A type that a field of a `#[graph_data]` structure can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a property type",
    label = "a property is VertexFeatures<K>, VertexScalar, VertexMatrix<K>, EdgeFeatures<K>, EdgeScalar, EdgeMatrix<K>, \
             GraphScalar, GraphFeatures<K>, GraphMatrix<K>, Table<K>, VertexHeads, EdgeHeads, Parameter or IterationNumber"
)]
pub trait Property: Sealed + Copy + 'static {
    /// What it has for one feature: a float, or the row of a matrix.
    type Feature: Value;
    /// The type of its numbers in memory.
    type Stored: Stored;
    /// The same, as the runtime sees it.
    const NUMBER: Number = <Self::Stored as Stored>::NUMBER;
    /// What it has a value for.
    const ELEMENT: Element;
    /// Whether it keeps its previous value.
    const TRACKED: bool = false;
    /// Whether it lives in registers alone.
    const SCRATCH: bool = false;
    /// The number of the structure's width that its rows have, or its columns; 0 for `K`.
    const INPUT: usize = 0;

    /// The view of the property whose values lie at `storage`.
    fn bind(storage: Storage) -> Self;

    /// The same view, of which the compiler knows that rows are as wide as the compiled width.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow(self) -> Self {
        self
    }

    /// The same view of rows of vertices that lie elsewhere: that of vertex `first` at `rows`. What is no row of a vertex stays where it is.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn at(self, _rows: *mut f32, _first: u32) -> Self {
        self
    }

    /// The same view for head number `head` alone: of the head's features in each row, and of its numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_head(self, _head: u32) -> Self {
        self
    }

    /// The same view with the current and the previous values in each other's place. An untracked property has no others.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchanged(self) -> Self {
        self
    }

    /// Copies a vertex's previous value to its current one. Does nothing for a property that is not tracked.
    ///
    /// # Safety
    /// The vertex exists, and no other group writes its value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        _group: Group<M, L, V>,
        _vertex: Vertex,
    ) {
    }

    /// Copies a vertex's current value to its previous one. Does nothing for a property that is not tracked.
    ///
    /// # Safety
    /// As [`Property::restore_previous`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        _group: Group<M, L, V>,
        _vertex: Vertex,
    ) {
    }
}
