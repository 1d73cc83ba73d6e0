//! The types of the fields of a `#[graph_data]` structure.
//!
//! On the device and inside a running backend each is a view: raw pointers into the arrays that the runtime owns. Vertex and edge features
//! are arrays of structures: the features of a vertex lie side by side, so that the lanes of a group read one piece of memory. A row may be wider
//! than the compiled width `K`: its views know how far it is to the next one, and a [`Group`] which `K` of its features it has.

use core::marker::PhantomData;
use core::ops::Deref;

use crate::gather::Reach;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::sealed::Sealed;
use crate::stored::{Float, Number, Scalar, Stored};
use crate::value::Value;

/// A vertex property that keeps no previous value.
#[derive(Clone, Copy, Debug)]
pub struct Untracked;

/// A vertex property that keeps its previous value, so that changes can be propagated and neighbors can be read while it is written.
#[derive(Clone, Copy, Debug)]
pub struct Tracked;

/// A property that lives in registers: what one function of a run writes, later functions of the same run read.
#[derive(Clone, Copy, Debug)]
pub struct Scratch;

/// How long a property's values last: [`Tracked`], [`Untracked`] or [`Scratch`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how long a property's values last",
    label = "write `Tracked` or `Scratch`, or remove this"
)]
pub trait Tracking: Copy + 'static {
    /// True for [`Tracked`].
    const TRACKED: bool;
    /// True for [`Scratch`].
    const SCRATCH: bool;
}

/// How long an edge property's values last: [`Untracked`] or [`Scratch`].
#[diagnostic::on_unimplemented(
    message = "an edge property cannot be `{Self}`",
    label = "an edge keeps no previous value: remove this, or write `Scratch`"
)]
pub trait EdgeTracking: Tracking {}

impl Tracking for Untracked {
    const TRACKED: bool = false;
    const SCRATCH: bool = false;
}

impl Tracking for Tracked {
    const TRACKED: bool = true;
    const SCRATCH: bool = false;
}

impl Tracking for Scratch {
    const TRACKED: bool = false;
    const SCRATCH: bool = true;
}

impl EdgeTracking for Untracked {}

impl EdgeTracking for Scratch {}

/// `K` floats a vertex, in single precision if nothing else is said: `d.label[v][f]`, `d.label[e.src][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexFeatures<const K: usize, S: Tracking = Untracked, T: Float = f32> {
    current: *mut T,
    previous: *mut T,
    row_bytes: u32,
    tracking: PhantomData<S>,
}

/// One number a vertex, a float if nothing else is said: `d.rank[v]`, `d.rank[e.src]`.
///
/// In a structure the two words stand in either order: `VertexScalar<u32, Tracked>`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexScalar<S: Tracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    previous: *mut T,
    tracking: PhantomData<S>,
}

/// `K` floats an edge, in single precision if nothing else is said: `d.message[e][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeFeatures<const K: usize, S: Tracking = Untracked, T: Float = f32> {
    current: *mut T,
    row_bytes: u32,
    tracking: PhantomData<S>,
}

/// One number an edge, a float if nothing else is said: `d.weight[e]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeScalar<S: Tracking = Untracked, T: Scalar = f32> {
    current: *mut T,
    tracking: PhantomData<S>,
}

/// One float for the whole graph, set before a run and read as `d.alpha`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    value: f32,
}

impl Parameter {
    /// The value that was set.
    #[inline(always)]
    pub fn get(self) -> f32 {
        self.value
    }
}

/// The number of the iteration that runs, from 1, read as `d.now`. A whole number, exact up to 2^24.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IterationNumber {
    /// How many iterations have run before the batch that this one is in.
    before: *const f32,
    /// The number in the batch, from 1.
    in_batch: f32,
}

/// What a property has a value for, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// One float for the whole graph.
    Parameter,
    /// The number of the iteration.
    Iteration,
    /// One number a vertex.
    VertexScalar,
    /// `K` floats a vertex.
    VertexFeatures,
    /// One number an edge.
    EdgeScalar,
    /// `K` floats an edge.
    EdgeFeatures,
    /// One number a vertex and head.
    VertexHeads,
    /// One number an edge and head.
    EdgeHeads,
    /// `K` x `K` floats a vertex.
    VertexMatrix,
    /// `K` x `K` floats an edge.
    EdgeMatrix,
    /// `K` x `K` floats for the whole graph.
    GraphMatrix,
    /// One float for the whole graph, in memory.
    GraphScalar,
    /// `K` floats for the whole graph.
    GraphFeatures,
    /// Rows of `K` floats for the whole graph, as many as the host has given.
    Table,
    /// A row of another width a vertex.
    VertexInputs,
    /// A row of another width an edge.
    EdgeInputs,
    /// A matrix that makes `K` floats of a row of another width, for the whole graph.
    Projection,
}

impl Element {
    /// Whether there is one value for the whole graph.
    pub const fn is_of_graph(self) -> bool {
        matches!(self, Self::Parameter | Self::Iteration | Self::GraphMatrix | Self::GraphScalar | Self::GraphFeatures)
            || matches!(self, Self::Projection)
    }

    /// Whether it is one number: of the graph, or of each vertex or edge.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar) || self.is_of_heads()
    }

    /// Whether it is one number of each head.
    pub const fn is_of_heads(self) -> bool {
        matches!(self, Self::VertexHeads | Self::EdgeHeads)
    }

    /// Whether it is rows of another width than the functions' features, or a matrix of as many columns.
    pub const fn is_of_inputs(self) -> bool {
        matches!(self, Self::VertexInputs | Self::EdgeInputs | Self::Projection)
    }

    /// The numbers of one property that a lane has, of which each lane of `lanes` has `features`.
    const fn lane_numbers(self, lanes: usize, features: usize) -> usize {
        match self {
            Self::Parameter | Self::Iteration | Self::VertexScalar | Self::EdgeScalar | Self::GraphScalar => 1,
            Self::VertexHeads | Self::EdgeHeads => 1,
            Self::VertexFeatures | Self::EdgeFeatures | Self::GraphFeatures | Self::Table => features,
            // Of a product a lane keeps the features.
            Self::VertexInputs | Self::EdgeInputs => features,
            Self::Projection => 0,
            Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix => features * features * lanes,
        }
    }
}

/// The bytes in memory of a set of properties that a lane has, of which each lane of `lanes` has `features`.
pub(crate) const fn lane_bytes(properties: &[Descriptor], set: u64, lanes: usize, features: usize) -> usize {
    let (mut bytes, mut rest) = (0, set);
    while rest != 0 {
        let Descriptor { element, number, .. } = properties[rest.trailing_zeros() as usize];
        bytes += element.lane_numbers(lanes, features) * number.bytes();
        rest &= rest - 1;
    }
    bytes
}

/// The matrices among some properties.
pub const fn matrices(properties: &[Descriptor]) -> u64 {
    let (mut found, mut index) = (0, 0);
    while index < properties.len() {
        let element = properties[index].element;
        let is_matrix = matches!(element, Element::VertexMatrix | Element::EdgeMatrix | Element::GraphMatrix);
        found |= (is_matrix as u64) << index;
        index += 1;
    }
    found
}

/// A property of a `#[graph_data]` structure, as the runtime sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The field's name.
    pub name: &'static str,
    /// What it has a value for.
    pub element: Element,
    /// Whether it keeps its previous value.
    pub tracked: bool,
    /// Whether it lives in registers alone.
    pub scratch: bool,
    /// The type of its numbers in memory.
    pub number: Number,
    /// The number of the structure's width that its rows have, or its columns; 0 for `K`.
    pub input: usize,
}

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
#[inline(always)]
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
    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    /// The same view for head number `head` alone: of the head's features in each row, and of its numbers.
    #[inline(always)]
    fn of_head(self, _head: u32) -> Self {
        self
    }

    /// The same view with the current and the previous values in each other's place. An untracked property has no others.
    #[inline(always)]
    fn exchanged(self) -> Self {
        self
    }

    /// Copies a vertex's previous value to its current one. Does nothing for a property that is not tracked.
    ///
    /// # Safety
    /// The vertex exists, and no other group writes its value.
    #[inline(always)]
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
    #[inline(always)]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        _group: Group<M, L, V>,
        _vertex: Vertex,
    ) {
    }
}

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

impl GraphValue for Parameter {
    #[inline(always)]
    unsafe fn value<M: Machine>(&self, _machine: M) -> f32 {
        self.get()
    }
}

impl GraphValue for IterationNumber {
    #[inline(always)]
    unsafe fn value<M: Machine>(&self, machine: M) -> f32 {
        // SAFETY: the caller's.
        let [before] = unsafe { machine.load(self.before) };
        before + self.in_batch
    }
}

impl Property for IterationNumber {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::Iteration;

    fn bind(storage: Storage) -> Self {
        Self { before: storage.current, in_batch: storage.value }
    }
}

impl<const K: usize, S: Tracking, T: Float> Property for VertexFeatures<K, S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::VertexFeatures;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        let (current, previous) = (storage.current.cast(), storage.previous.cast());
        Self { current, previous, row_bytes: storage.row_bytes::<T>(), tracking: PhantomData }
    }

    #[inline(always)]
    fn narrow(self) -> Self {
        Self { row_bytes: bytes_of::<T>(K), ..self }
    }

    #[inline(always)]
    fn of_head(self, head: u32) -> Self {
        let (current, previous) = (of_head::<T, K>(self.current, head), of_head::<T, K>(self.previous, head));
        Self { current, previous, ..self }
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        Self { current: self.previous, previous: self.current, ..self }
    }

    #[inline(always)]
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_row(self.row(vertex, false), group.load_row(self.row(vertex, true))) }
        }
    }

    #[inline(always)]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_row(self.row(vertex, true), group.load_row(self.row(vertex, false))) }
        }
    }
}

impl<const K: usize, S: Tracking, T: Float> VertexRow for VertexFeatures<K, S, T> {
    #[inline(always)]
    fn row(&self, vertex: Vertex, previous: bool) -> *mut T {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_byte_add(vertex.0 as usize * self.row_bytes as usize)
    }
}

impl<S: Tracking, T: Scalar> Property for VertexScalar<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::VertexScalar;
    const TRACKED: bool = S::TRACKED;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), previous: storage.previous.cast(), tracking: PhantomData }
    }

    #[inline(always)]
    fn exchanged(self) -> Self {
        Self { current: self.previous, previous: self.current, ..self }
    }

    #[inline(always)]
    unsafe fn restore_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_scalar(self.value(vertex, false), group.load_scalar(self.value(vertex, true))) }
        }
    }

    #[inline(always)]
    unsafe fn keep_as_previous<M: Machine, const L: usize, const V: usize>(
        &self,
        group: Group<M, L, V>,
        vertex: Vertex,
    ) {
        if S::TRACKED {
            // SAFETY: the caller's.
            unsafe { group.store_scalar(self.value(vertex, true), group.load_scalar(self.value(vertex, false))) }
        }
    }
}

impl<S: Tracking, T: Scalar> VertexValue for VertexScalar<S, T> {
    #[inline(always)]
    fn value(&self, vertex: Vertex, previous: bool) -> *mut T {
        let array = if S::TRACKED && previous { self.previous } else { self.current };
        array.wrapping_add(vertex.0 as usize)
    }
}

impl<const K: usize, S: EdgeTracking, T: Float> Property for EdgeFeatures<K, S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeFeatures;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), row_bytes: storage.row_bytes::<T>(), tracking: PhantomData }
    }

    #[inline(always)]
    fn narrow(self) -> Self {
        Self { row_bytes: bytes_of::<T>(K), ..self }
    }

    #[inline(always)]
    fn of_head(self, head: u32) -> Self {
        Self { current: of_head::<T, K>(self.current, head), ..self }
    }
}

impl<const K: usize, S: EdgeTracking, T: Float> EdgeRow for EdgeFeatures<K, S, T> {
    #[inline(always)]
    fn row(&self, id: u64) -> *mut T {
        self.current.wrapping_byte_add(id as usize * self.row_bytes as usize)
    }
}

impl<S: EdgeTracking, T: Scalar> Property for EdgeScalar<S, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeScalar;
    const SCRATCH: bool = S::SCRATCH;

    fn bind(storage: Storage) -> Self {
        Self { current: storage.current.cast(), tracking: PhantomData }
    }
}

impl<S: EdgeTracking, T: Scalar> EdgeValue for EdgeScalar<S, T> {
    #[inline(always)]
    fn value(&self, id: u64) -> *mut T {
        self.current.wrapping_add(id as usize)
    }
}

impl Property for Parameter {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::Parameter;

    fn bind(storage: Storage) -> Self {
        Self { value: storage.value }
    }
}

/// Names a property of a `#[graph_data]` structure: `LabelPropagation::SEED`. The runtime's stores are indexed by it.
#[derive(Debug)]
pub struct Key<D, P> {
    pub(crate) position: Position,
    property: PhantomData<fn() -> (D, P)>,
}

/// Where a property stands.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The property's position in the structure.
    pub index: usize,
    /// The structure's [`GraphData::PATH`].
    pub data: &'static str,
}

impl<D, P> Key<D, P> {
    /// The property at `index` of the structure with this path.
    ///
    /// # Safety
    /// The structure is `D`, and `P` the type of its field there.
    pub const unsafe fn new(index: usize, data: &'static str) -> Self {
        Self { position: Position { index, data }, property: PhantomData }
    }
}

impl<D, P> Deref for Key<D, P> {
    type Target = Position;

    fn deref(&self) -> &Position {
        &self.position
    }
}

impl<D, P> Clone for Key<D, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, P> Copy for Key<D, P> {}

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

/// The position of the property `name`; 0 if there is none, which the compiler reports at the field.
pub const fn index_of(properties: &[Descriptor], name: &str) -> u32 {
    match field_of(properties, name) {
        UNKNOWN => 0,
        index => index,
    }
}

/// The position of the property `name`; [`UNKNOWN`] if there is none.
pub const fn field_of(properties: &[Descriptor], name: &str) -> u32 {
    let mut index = 0;
    while index < properties.len() {
        if is_same(properties[index].name.as_bytes(), name.as_bytes()) {
            return index as u32;
        }
        index += 1;
    }
    UNKNOWN
}

pub(crate) const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The bits of the tracked properties.
pub const fn tracked(properties: &[Descriptor]) -> u64 {
    let (mut bits, mut index) = (0, 0);
    while index < properties.len() {
        bits |= (properties[index].tracked as u64) << index;
        index += 1;
    }
    bits
}

/// The bits of the properties that are one float: of the graph, or of each vertex or edge.
pub const fn scalars(properties: &[Descriptor]) -> u64 {
    let (mut bits, mut index) = (0, 0);
    while index < properties.len() {
        bits |= (properties[index].element.is_scalar() as u64) << index;
        index += 1;
    }
    bits
}

/// Whether any property has a number of each head.
pub const fn has_heads(properties: &[Descriptor]) -> bool {
    let mut index = 0;
    while index < properties.len() {
        if properties[index].element.is_of_heads() {
            return true;
        }
        index += 1;
    }
    false
}

/// The bits of the scratch properties.
pub const fn scratch(properties: &[Descriptor]) -> u64 {
    let (mut bits, mut index) = (0, 0);
    while index < properties.len() {
        bits |= (properties[index].scratch as u64) << index;
        index += 1;
    }
    bits
}
