//! A structure of properties, and the type of each by its position.

use super::{Descriptor, Property, Storage, has_heads, scratch, tracked};
use crate::gather::Reach;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::stored::Stored;

/// The position of a property that a structure does not have, of which the compiler says more where the field is accessed.
pub const UNKNOWN: u32 = u64::BITS;

/// The type of a property of a `#[graph_data]` structure, by its position. [`UNKNOWN`] stands for a parameter.
///
/// # Safety
/// It is the type of the field at this position.
pub unsafe trait Field<const INDEX: u32> {
    /// The property's type.
    type Property: Property;
}

/// What the property at position `INDEX` has for one feature.
pub type FeatureOf<D, const INDEX: u32> = <<D as Field<INDEX>>::Property as Property>::Feature;

/// The type of the numbers of the property at position `INDEX` in memory.
pub type StoredOf<D, const INDEX: u32> = <<D as Field<INDEX>>::Property as Property>::Stored;

/// What registers hold of a scalar property at position `INDEX`.
pub type RegisterOf<D, const INDEX: u32> = <StoredOf<D, INDEX> as Stored>::Register;

/// A `#[graph_data]` structure: the view of all properties of an algorithm.
///
/// # Safety
/// `PROPERTIES` describes the fields in order, and [`GraphData::bind`] binds each field to the storage of the same position.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not graph data",
    label = "mark the structure with `#[graph_data]`"
)]
pub unsafe trait GraphData: Copy + 'static {
    /// The compiled number of features, `K`; 1 for a structure without features.
    const WIDTH: usize;
    /// The structure's name.
    const NAME: &'static str;
    /// The same with its module: what tells structures apart.
    const PATH: &'static str;
    /// The properties in the order of the fields, at most 64.
    const PROPERTIES: &'static [Descriptor];
    /// The names of the widths, `K` first.
    const WIDTHS: &'static [&'static str] = &["K"];
    /// One bit for each tracked property.
    const TRACKED: u64 = tracked(Self::PROPERTIES);
    /// One bit for each scratch property.
    const SCRATCH: u64 = scratch(Self::PROPERTIES);
    /// Whether rows are heads, each of which runs by itself.
    const HAS_HEADS: bool = has_heads(Self::PROPERTIES);

    /// The view of the properties whose values lie at `storages`, one each, in order.
    fn bind(storages: &[Storage]) -> Self;

    /// [`Property::narrow`] of each property.
    fn narrow(self) -> Self;

    /// [`Property::of_head`] of each property.
    fn of_head(self, head: u32) -> Self;

    /// [`Property::exchanged`] of the properties whose bits are set.
    fn exchanged(self, properties: u64) -> Self;

    /// [`Property::at`] of the scratch rows of vertices whose bits are set: `floats` floats of each from `rows` on, one after the other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn passing(self, _properties: u64, _rows: *mut f32, _floats: usize, _first: u32) -> Self {
        self
    }

    /// The same view of the properties, for a graph of which it knows more.
    fn reaching(self, reach: Reach) -> Self;

    /// What it knows of the graph.
    fn reach(&self) -> Reach;

    /// [`Property::restore_previous`] for the properties whose bits are set.
    ///
    /// # Safety
    /// As [`Property::restore_previous`].
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
        properties: u64,
    );

    /// [`Property::keep_as_previous`] for the properties whose bits are set.
    ///
    /// # Safety
    /// As [`Property::restore_previous`].
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
        properties: u64,
    );
}
