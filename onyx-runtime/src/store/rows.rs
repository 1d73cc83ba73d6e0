//! The values of one property at a time, by its key: rows, numbers, matrices and tables.

use std::ops::Range;

use bytemuck::Pod;
use onyx_device::Row;
use onyx_device::property::{EdgeRow, EdgeValue, GraphRow, Key, Parameter, Property, VertexRow, VertexValue};
use onyx_device::stored::Number;
use onyx_device::table::TableRow;
use onyx_device::total::GraphScalar;

use super::{Store, Values};
use crate::half;
use crate::memory::OutOfMemory;

/// What a matrix has for one feature, as its key says: keys are of the width 0.
type KeyRow = Row<0>;

impl Store {
    /// Sets a parameter.
    pub fn set<D>(&mut self, key: Key<D, Parameter>, value: f32) {
        self.values_mut(key).parameter = value;
    }

    /// The value of a parameter.
    pub fn get<D>(&self, key: Key<D, Parameter>) -> f32 {
        self.values(key).parameter
    }

    /// The floats of a vertex, as many as the property has for each. Panics if there is no such vertex.
    pub fn row<D, P: VertexRow<Feature = f32, Stored = f32>>(&self, key: Key<D, P>, vertex: u32) -> &[f32] {
        &self.values(key).current.as_slice()[self.floats_at(key.index, vertex as usize)]
    }

    /// The floats of a vertex, to be set. Panics if there is no such vertex.
    pub fn row_mut<D, P: VertexRow<Feature = f32, Stored = f32>>(&mut self, key: Key<D, P>, vertex: u32) -> &mut [f32] {
        let floats = self.floats_at(key.index, vertex as usize);
        &mut self.values_mut(key).current.as_mut_slice()[floats]
    }

    /// The numbers of a scalar vertex property, one a vertex, of the type that it has; of [`VertexHeads`](onyx_device::heads::VertexHeads) those of
    /// all heads of a vertex, then those of the next.
    pub fn scalars<D, P: VertexValue<Stored: Pod>>(&self, key: Key<D, P>) -> &[P::Stored] {
        self.values(key).current.numbers()
    }

    /// The numbers of a scalar vertex property, to be set.
    pub fn scalars_mut<D, P: VertexValue<Stored: Pod>>(&mut self, key: Key<D, P>) -> &mut [P::Stored] {
        self.values_mut(key).current.numbers_mut()
    }

    /// The floats of the edge numbered `edge`, as many as the property has for each. Panics if there is no such edge.
    pub fn edge_row<D, P: EdgeRow<Feature = f32, Stored = f32>>(&self, key: Key<D, P>, edge: usize) -> &[f32] {
        &self.values(key).current.as_slice()[self.floats_at(key.index, edge)]
    }

    /// The floats of an edge, to be set. Panics if there is no such edge.
    pub fn edge_row_mut<D, P: EdgeRow<Feature = f32, Stored = f32>>(
        &mut self,
        key: Key<D, P>,
        edge: usize,
    ) -> &mut [f32] {
        let floats = self.floats_at(key.index, edge);
        &mut self.values_mut(key).current.as_mut_slice()[floats]
    }

    /// The floats that a vertex has, whatever their precision in memory. Panics if there is no such vertex.
    pub fn row_floats<D, P: VertexRow<Feature = f32>>(&self, key: Key<D, P>, vertex: u32) -> Vec<f32> {
        self.floats_of(key, vertex as usize)
    }

    /// Sets the floats of a vertex to the nearest of their precision. Panics if there is no such vertex, or `floats` are another number.
    pub fn set_row<D, P: VertexRow<Feature = f32>>(&mut self, key: Key<D, P>, vertex: u32, floats: &[f32]) {
        self.set_floats(key, vertex as usize, floats);
    }

    /// The floats that an edge has, whatever their precision in memory. Panics if there is no such edge.
    pub fn edge_row_floats<D, P: EdgeRow<Feature = f32>>(&self, key: Key<D, P>, edge: usize) -> Vec<f32> {
        self.floats_of(key, edge)
    }

    /// Sets the floats of an edge to the nearest of their precision. Panics if there is no such edge, or `floats` are another number.
    pub fn set_edge_row<D, P: EdgeRow<Feature = f32>>(&mut self, key: Key<D, P>, edge: usize, floats: &[f32]) {
        self.set_floats(key, edge, floats);
    }

    /// The numbers of a scalar edge property, one an edge, in the order of edge numbers, of the type that it has; of
    /// [`EdgeHeads`](onyx_device::heads::EdgeHeads) those of all heads of an edge, then those of the next.
    pub fn edge_scalars<D, P: EdgeValue<Stored: Pod>>(&self, key: Key<D, P>) -> &[P::Stored] {
        self.values(key).current.numbers()
    }

    /// The numbers of a scalar edge property, to be set.
    pub fn edge_scalars_mut<D, P: EdgeValue<Stored: Pod>>(&mut self, key: Key<D, P>) -> &mut [P::Stored] {
        self.values_mut(key).current.numbers_mut()
    }

    /// Row `row` of a vertex's matrix, `features` floats. Panics if there is no such vertex or row.
    pub fn matrix_row<D, P: VertexRow<Feature = KeyRow>>(&self, key: Key<D, P>, vertex: u32, row: usize) -> &[f32] {
        self.row_of(key, vertex as usize, row)
    }

    /// Row `row` of a vertex's matrix, to be set. Panics if there is no such vertex or row.
    pub fn matrix_row_mut<D, P: VertexRow<Feature = KeyRow>>(
        &mut self,
        key: Key<D, P>,
        vertex: u32,
        row: usize,
    ) -> &mut [f32] {
        self.row_of_mut(key, vertex as usize, row)
    }

    /// Row `row` of the matrix of an edge, `features` floats. Panics if there is no such edge or row.
    pub fn edge_matrix_row<D, P: EdgeRow<Feature = KeyRow>>(&self, key: Key<D, P>, edge: usize, row: usize) -> &[f32] {
        self.row_of(key, edge, row)
    }

    /// Row `row` of the matrix of an edge, to be set. Panics if there is no such edge or row.
    pub fn edge_matrix_row_mut<D, P: EdgeRow<Feature = KeyRow>>(
        &mut self,
        key: Key<D, P>,
        edge: usize,
        row: usize,
    ) -> &mut [f32] {
        self.row_of_mut(key, edge, row)
    }

    /// Row `row` of the graph's matrix, `features` floats; row 0 of what has one row alone. Panics if there is no such row.
    pub fn graph_matrix_row<D, P: GraphRow>(&self, key: Key<D, P>, row: usize) -> &[f32] {
        self.row_of(key, 0, row)
    }

    /// Row `row` of the graph's matrix, to be set. Panics if there is no such row.
    pub fn graph_matrix_row_mut<D, P: GraphRow>(&mut self, key: Key<D, P>, row: usize) -> &mut [f32] {
        self.row_of_mut(key, 0, row)
    }

    /// The number that the whole graph has.
    pub fn graph_scalar<D>(&self, key: Key<D, GraphScalar>) -> f32 {
        self.values(key).current.as_slice()[0]
    }

    /// Sets the number that the whole graph has.
    pub fn set_graph_scalar<D>(&mut self, key: Key<D, GraphScalar>, value: f32) {
        self.values_mut(key).current.as_mut_slice()[0] = value;
    }

    /// Row `row` of a table, `features` floats. Panics if there is no such row.
    pub fn table_row<D, P: TableRow>(&self, key: Key<D, P>, row: usize) -> &[f32] {
        assert!(row < self.values(key).rows, "the table has no row {row}");
        &self.values(key).current.as_slice()[row * self.width..][..self.features]
    }

    /// Row `row` of a table, to be set. Panics if there is no such row.
    pub fn table_row_mut<D, P: TableRow>(&mut self, key: Key<D, P>, row: usize) -> &mut [f32] {
        assert!(row < self.values(key).rows, "the table has no row {row}");
        let (width, features) = (self.width, self.features);
        &mut self.values_mut(key).current.as_mut_slice()[row * width..][..features]
    }

    /// Gives a table so many rows of zeros.
    ///
    /// # Errors
    /// [`OutOfMemory`] if there is no memory for them.
    pub fn resize<D, P: TableRow>(&mut self, key: Key<D, P>, rows: usize) -> Result<(), OutOfMemory> {
        self.check(key);
        self.give_rows(key.index, rows)
    }

    fn row_of<D, P: Property>(&self, key: Key<D, P>, matrix: usize, row: usize) -> &[f32] {
        let start = self.row_start(matrix, row);
        &self.values(key).current.as_slice()[start..start + self.features]
    }

    fn row_of_mut<D, P: Property>(&mut self, key: Key<D, P>, matrix: usize, row: usize) -> &mut [f32] {
        let (start, features) = (self.row_start(matrix, row), self.features);
        &mut self.values_mut(key).current.as_mut_slice()[start..start + features]
    }

    /// Where row `row` of the matrix numbered `matrix` begins.
    fn row_start(&self, matrix: usize, row: usize) -> usize {
        assert!(row < self.features, "the matrix has {} rows, and no row {row}", self.features);
        (matrix * self.width + row) * self.width
    }

    /// Where the floats of a vertex or an edge lie, of a property that has a row of `features` or of another width for each.
    fn floats_at(&self, index: usize, row: usize) -> Range<usize> {
        let property = &self.properties[index];
        let length = if property.element.is_of_inputs() { self.widths[property.input] } else { self.features };
        let start = row * self.row_width(index);
        start..start + length
    }

    fn floats_of<D, P: Property>(&self, key: Key<D, P>, row: usize) -> Vec<f32> {
        let (number, range) = (self.properties[key.index].number, self.floats_at(key.index, row));
        let numbers = &self.values(key).current;
        if number == Number::F32 {
            return numbers.as_slice()[range].to_vec();
        }
        let mut floats = vec![0.0; range.len()];
        half::widen(number, &numbers.numbers()[range], &mut floats);
        floats
    }

    fn set_floats<D, P: Property>(&mut self, key: Key<D, P>, row: usize, floats: &[f32]) {
        let (number, range) = (self.properties[key.index].number, self.floats_at(key.index, row));
        assert_eq!(floats.len(), range.len(), "a row has {} floats", range.len());
        let numbers = &mut self.values_mut(key).current;
        match number {
            Number::F32 => numbers.as_mut_slice()[range].copy_from_slice(floats),
            _ => half::narrow(number, floats, &mut numbers.numbers_mut()[range]),
        }
    }

    fn values<D, P: Property>(&self, key: Key<D, P>) -> &Values {
        self.check(key);
        &self.values[key.index]
    }

    fn values_mut<D, P: Property>(&mut self, key: Key<D, P>) -> &mut Values {
        self.check(key);
        self.touched |= 1 << key.index;
        &mut self.values[key.index]
    }

    fn check<D, P: Property>(&self, key: Key<D, P>) {
        const { assert!(!P::SCRATCH, "a scratch property has no value outside of a fold: remove `Scratch` to keep it") }
        self.check_key(key.index, key.data);
    }

    fn check_key(&self, index: usize, expected: &str) {
        let found = self.data;
        assert!(found == expected, "the key is of the structure {expected}, and the store of {found}");
        let name = self.properties[index].name;
        assert!(
            self.taken >> index & 1 == 0,
            "`{name}` is a total that the fold's vertex functions have taken from registers: to keep it, store it in another property, \
             `d.kept[v][f] = d.{name}[v][f]`"
        );
    }
}
