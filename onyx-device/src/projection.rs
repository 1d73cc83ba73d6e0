//! Rows of another width than the features that functions are written for, and the matrices that make features of them:
//! `matvec(d.weight[f], d.input[v][..])`.
//!
//! How wide such a row is, is known when a fold runs. A lane walks along it, and each step is one of the product for all features that the lane has. So
//! no kernel is compiled for a width, and no lane needs another one. A matrix lies in memory column by column, so that what the lanes of a group read
//! of it in a step lies side by side.
//!
//! What functions add to such a matrix or such rows are products with the other, `d.weight_gradient[f] += outer(x, d.input[v][..])` and
//! `d.input_gradient[v][..] += transpose_matvec(d.weight[f], x)`. A function leaves `x`, a row of features a vertex, and the runtime multiplies all of
//! them after the stage: a sum over vertices, or over features, needs nothing of `J` in a kernel.

use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::{Descriptor, EdgeRow, Element, GraphRow, Property, Storage, VertexRow, bytes_of};
use crate::row::Row;
use crate::stored::{Float, Stored};
use crate::total::{Total, TotalRow};
use crate::unrolled::each;

/// The numbers of a row that one access brings: a row is padded to a multiple of them.
const QUAD: usize = 4;

/// What a row of so many numbers is padded to in memory; a matrix has as many columns.
pub const fn padded(width: usize) -> usize {
    match width.checked_next_multiple_of(QUAD) {
        Some(padded) => padded,
        None => usize::MAX,
    }
}

/// A row of each vertex, of the structure's width number `N`; `K` is number 0. `VertexFeatures<J>` becomes this.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexInputs<const N: usize, T: Float = f32> {
    rows: WholeRow<T, N>,
    contributions: Contributions,
}

/// A row of each edge, of the structure's width number `N`. `EdgeFeatures<J>` becomes this.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeInputs<const N: usize, T: Float = f32> {
    rows: WholeRow<T, N>,
}

/// `K` floats for each number of a row of width number `N`, for the whole graph. `GraphMatrix<K, J>` becomes this.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Projection<const K: usize, const N: usize> {
    columns: *const f32,
    column_bytes: u32,
    contributions: Contributions,
}

/// The rows of features, one a vertex, that are multiplied to a sum of products after the stage.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Contributions {
    first: *mut f32,
    row_bytes: u32,
}

impl Contributions {
    /// None, for what no function adds to.
    const NONE: Self = Self { first: core::ptr::null_mut(), row_bytes: 0 };

    fn at(storage: Storage) -> Self {
        Self { first: storage.current, row_bytes: storage.row_bytes::<f32>() }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(self, vertex: Vertex) -> *mut f32 {
        self.first.wrapping_byte_add(vertex.0 as usize * self.row_bytes as usize)
    }
}

/// A whole row of the structure's width number `N`: `d.input[v][..]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WholeRow<T, const N: usize> {
    first: *const T,
    width: u32,
}

impl<T, const N: usize> WholeRow<T, N> {
    fn of_first(storage: Storage) -> Self {
        Self { first: storage.current.cast_const().cast(), width: storage.rows as u32 }
    }

    /// Row number `number` of those of which this is the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(self, number: usize) -> Self {
        let stride = self.width.next_multiple_of(QUAD as u32) as usize;
        Self { first: self.first.wrapping_add(number * stride), ..self }
    }
}

/// A matrix and a row that are multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Factors<T> {
    columns: *const f32,
    column_bytes: u32,
    row: *const T,
    width: u32,
}

/// The whole row of a vertex.
#[diagnostic::on_unimplemented(
    message = "the rows of this property have the features that the function is for, or there are none at a vertex",
    label = "`[..]` takes a row of a `VertexFeatures<J>`, where `J` is another number than `K`: of `K` features write one, `[f]`"
)]
pub trait VertexWhole: Property {
    /// The row's type, which says its width.
    type WholeRow: Multiplied;
    /// The row of `vertex`.
    fn whole(&self, vertex: Vertex) -> Self::WholeRow;
}

/// The whole row of an edge.
#[diagnostic::on_unimplemented(
    message = "the rows of this property have the features that the function is for, or there are none at an edge",
    label = "`[..]` takes a row of an `EdgeFeatures<J>`, where `J` is another number than `K`: of `K` features write one, `[f]`"
)]
pub trait EdgeWhole: Property {
    /// The row's type, which says its width.
    type WholeRow: Multiplied;
    /// The row of the edge numbered `id`.
    fn whole(&self, id: u64) -> Self::WholeRow;
}

/// A matrix that makes features of rows of the type `R`.
#[diagnostic::on_unimplemented(
    message = "this matrix has not as many columns as the row has numbers",
    label = "`matvec` of a whole row needs a `GraphMatrix<K, J>`, with the `J` of the row's `VertexFeatures<J>` or `EdgeFeatures<J>`"
)]
pub trait Projects<R: Multiplied>: Property {
    /// What is multiplied.
    fn factors(&self, row: R) -> Factors<R::Stored>;
}

/// A whole row.
pub trait Multiplied {
    /// The type of its numbers in memory.
    type Stored;
}

impl<T, const N: usize> Multiplied for WholeRow<T, N> {
    type Stored = T;
}

/// A matrix and rows of which one is a sum of products with the other: rows of single precision, which a library multiplies.
#[diagnostic::on_unimplemented(
    message = "no sum of products is of this matrix and these rows",
    label = "a sum of products is of a `GraphMatrix<K, J>` and a `VertexFeatures<J>` with the same `J`, in single precision"
)]
pub trait Multiplies<R: Property>: Property {}

impl<const K: usize, const N: usize> Multiplies<VertexInputs<N>> for Projection<K, N> {}

/// Compiles where one of both may be a sum of products with the other.
pub const fn multiplied<W: Multiplies<R>, R: Property>() {}

/// Whether the property at `index` has rows or columns of another width, so that nothing of it is a feature by itself. A function that takes one does not
/// compile.
pub const fn is_input(properties: &[Descriptor], index: u32) -> bool {
    (index as usize) < properties.len() && properties[index as usize].element.is_of_inputs()
}

impl<const N: usize, T: Float> Property for VertexInputs<N, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::VertexInputs;
    const INPUT: usize = N;

    fn bind(storage: Storage) -> Self {
        Self { rows: WholeRow::of_first(storage), contributions: Contributions::NONE }
    }
}

impl<const N: usize, T: Float> Total for VertexInputs<N, T> {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: Contributions::at(storage), ..self }
    }
}

impl<const N: usize> TotalRow for VertexInputs<N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, _previous: bool) -> *mut f32 {
        self.contributions.row(vertex)
    }
}

impl<const N: usize, T: Float> VertexWhole for VertexInputs<N, T> {
    type WholeRow = WholeRow<T, N>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn whole(&self, vertex: Vertex) -> WholeRow<T, N> {
        self.rows.row(vertex.0 as usize)
    }
}

impl<const N: usize, T: Float> VertexRow for VertexInputs<N, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, _previous: bool) -> *mut T {
        self.whole(vertex).first.cast_mut()
    }
}

impl<const N: usize, T: Float> Property for EdgeInputs<N, T> {
    type Feature = f32;
    type Stored = T;
    const ELEMENT: Element = Element::EdgeInputs;
    const INPUT: usize = N;

    fn bind(storage: Storage) -> Self {
        Self { rows: WholeRow::of_first(storage) }
    }
}

impl<const N: usize, T: Float> EdgeWhole for EdgeInputs<N, T> {
    type WholeRow = WholeRow<T, N>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn whole(&self, id: u64) -> WholeRow<T, N> {
        self.rows.row(id as usize)
    }
}

impl<const N: usize, T: Float> EdgeRow for EdgeInputs<N, T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, id: u64) -> *mut T {
        self.whole(id).first.cast_mut()
    }
}

impl<const K: usize, const N: usize> Property for Projection<K, N> {
    type Feature = Row<K>;
    type Stored = f32;
    const ELEMENT: Element = Element::Projection;
    const INPUT: usize = N;

    fn bind(storage: Storage) -> Self {
        let contributions = Contributions::NONE;
        Self { columns: storage.current.cast_const(), column_bytes: storage.row_bytes::<f32>(), contributions }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow(self) -> Self {
        let row_bytes = bytes_of::<f32>(K);
        Self { column_bytes: row_bytes, contributions: Contributions { row_bytes, ..self.contributions }, ..self }
    }
}

impl<const K: usize, const N: usize> Total for Projection<K, N> {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: Contributions::at(storage), ..self }
    }
}

impl<const K: usize, const N: usize> TotalRow for Projection<K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, vertex: Vertex, _previous: bool) -> *mut f32 {
        self.contributions.row(vertex)
    }
}

impl<T, const K: usize, const N: usize> Projects<WholeRow<T, N>> for Projection<K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors(&self, row: WholeRow<T, N>) -> Factors<T> {
        let Self { columns, column_bytes, .. } = *self;
        Factors { columns, column_bytes, row: row.first, width: row.width }
    }
}

impl<const K: usize, const N: usize> GraphRow for Projection<K, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self) -> *mut f32 {
        self.columns.cast_mut()
    }
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// The matrix times the row: one float for each of the lane's features. Sums go along the row, on every machine.
    ///
    /// # Safety
    /// Both are there, padded as [`padded`] says.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn project<T: Stored<Register = f32>>(self, factors: Factors<T>) -> [f32; V] {
        let Factors { columns, column_bytes, row, width } = factors;
        let (mut totals, mut first) = ([0.0; V], 0);
        while first < width {
            // SAFETY: the row is padded to whole accesses.
            let quad: [f32; QUAD] = unsafe { T::load(self.machine(), row.add(first as usize)) };
            each::<QUAD>(|offset| {
                let at = first + offset as u32;
                // SAFETY: there are as many columns as the row has numbers, padded.
                let column = unsafe { self.load_row(columns.wrapping_byte_add(at as usize * column_bytes as usize)) };
                let factor = if at < width { quad[offset] } else { 0.0 };
                each::<V>(|index| totals[index] += column[index] * factor);
            });
            first += QUAD as u32;
        }
        totals
    }
}
