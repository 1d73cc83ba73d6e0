//! Rows of the graph that a function names by their number: `d.relation[i][f]`, and `d.relation[i][f] += x`.
//!
//! What functions add goes to a second table of the same shape, the contributions, atomically and in whatever order it comes. After the stage the
//! contributions are the table, and begin again.

use core::marker::PhantomData;

use crate::gather::At;
use crate::group::Group;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::property::{Element, Property, Storage, bytes_of, of_head};
use crate::total::Total;

/// So many rows of `K` floats as the host has given: `d.relation[i][f]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Table<const K: usize> {
    current: *mut f32,
    contributions: *mut f32,
    rows: u64,
    row_bytes: u32,
}

/// Rows that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The first one, which is there even where there are none.
    first: *mut f32,
    /// How many bytes each has.
    row_bytes: u32,
    /// How many there are.
    pub count: u64,
}

impl Rows {
    /// Where row number `number` lies.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn row(self, number: u32) -> *mut f32 {
        self.first.wrapping_byte_add(number as usize * self.row_bytes as usize)
    }
}

/// A property with rows of the graph.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no rows that are named by a number",
    label = "a number names a row of a `Table<K>`; elsewhere say whose value: `[v][f]`, `[e]`, `[e.src][f]`, `[e.dst][f]` or `[Vertex(i)][f]`"
)]
pub trait TableRow: Property {
    /// Its rows.
    fn rows(&self) -> Rows;
    /// Where functions add to its rows.
    fn contributions(&self) -> Rows;
}

impl<const K: usize> Property for Table<K> {
    type Feature = f32;
    type Stored = f32;
    const ELEMENT: Element = Element::Table;

    fn bind(storage: Storage) -> Self {
        let (current, rows, row_bytes) = (storage.current, storage.rows, storage.row_bytes::<f32>());
        Self { current, contributions: core::ptr::null_mut(), rows, row_bytes }
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

impl<const K: usize> Total for Table<K> {
    fn with_contributions(self, storage: Storage) -> Self {
        Self { contributions: storage.current, ..self }
    }
}

impl<const K: usize> TableRow for Table<K> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rows(&self) -> Rows {
        Rows { first: self.current, row_bytes: self.row_bytes, count: self.rows }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn contributions(&self) -> Rows {
        Rows { first: self.contributions, ..self.rows() }
    }
}

/// Combines values into rows by the operator `O`, atomically.
#[derive(Clone, Copy, Debug)]
pub struct Adding<O>(PhantomData<O>);

impl<O: Operator> Adding<O> {
    /// Combines a value into the lane's feature `index` of the row at `row`, if there is such a row. Padding adds nothing.
    ///
    /// # Safety
    /// As [`Group::load_row`]; `index < V`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn apply<M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        found: At,
        row: *mut f32,
        index: usize,
        value: f32,
    ) {
        if found.is_there() && group.is_live(index) {
            // SAFETY: the caller's.
            unsafe { O::apply(group.machine(), row.add(group.feature(index) as usize), [value]) }
        }
    }
}
