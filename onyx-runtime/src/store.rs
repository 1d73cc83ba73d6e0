//! The values of an algorithm's properties, on the host.

use std::fmt;
use std::ops::Range;

use bytemuck::Pod;
use onyx_device::operator::{Max, Min, Operator, Product};
use onyx_device::projection::padded;
use onyx_device::property::{
    Descriptor, EdgeRow, EdgeValue, Element, GraphRow, Key, Parameter, Property, Storage, VertexRow, VertexValue,
};
use onyx_device::stored::Number;
use onyx_device::table::TableRow;
use onyx_device::total::GraphScalar;
use onyx_device::{EdgeAccess, Fold, FoldFacts, Row};

use crate::engine::Array;
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;
use crate::half;
use crate::memory::{self, OutOfMemory};
use crate::total;
use crate::totals;
use crate::widths::{self, Widths};

/// What a matrix has for one feature, as its key says: keys are of the width 0.
pub type KeyRow = Row<0>;

/// The values of one property: rows of the compiled width, and the previous ones where they are tracked.
#[derive(Clone)]
pub(crate) struct Values {
    pub(crate) current: Floats,
    pub(crate) previous: Option<Floats>,
    /// What halves stand for, as they were last shown.
    pub(crate) shown: Option<Floats>,
    pub(crate) parameter: f32,
    /// How many rows a table has, of which there is memory for one at least, and how many numbers a row of another width.
    pub(crate) rows: usize,
}

/// The values of all properties of one `#[graph_data]` structure, for one graph.
///
/// Properties are named by the structure's keys: `store.row(LabelPropagation::LABEL, vertex)`. Vertex and edge features are arrays of
/// structures, `features` floats a vertex or an edge; of a matrix each row has as many. A scalar is a number of its property's type. Everything starts at zero. Scratch properties have no
/// values here: their keys are refused at compile time.
#[derive(Clone)]
pub struct Store {
    /// The path of the data's structure.
    data: &'static str,
    properties: &'static [Descriptor],
    vertices: usize,
    edges: usize,
    features: usize,
    width: usize,
    /// The compiled width that the rows are run at, as several tiles where they are wider, or have several heads.
    tile_width: usize,
    /// How many heads a row has; one where rows are no heads.
    heads: usize,
    /// The names of the structure's widths, and the widths themselves: the number of features first.
    width_names: &'static [&'static str],
    widths: Widths,
    /// The scratch properties that have memory.
    scratch_in_memory: u64,
    /// The totals that vertex functions of the last run have taken from registers: what is in memory is none of them.
    taken: u64,
    /// The properties that somebody may have written: all others are zero.
    touched: u64,
    pub(crate) values: Vec<Values>,
}

impl Store {
    /// Values for the data of `fold`, `features` floats in each row.
    ///
    /// # Errors
    /// [`RunError::Features`] if `features` is 0; [`RunError::TooWide`] if it is more than the widest compiled width, and the fold does not work
    /// on each feature alone; [`RunError::Widths`] if the structure has other widths beside the number of features, of which
    /// [`Session::data_of_widths`](crate::Session::data_of_widths) makes data; [`RunError::Memory`] if there is no memory for the values.
    pub fn new<F: Fold>(_fold: F, graph: &Graph, features: usize) -> Result<Self, RunError> {
        Self::of(F::FACTS, graph, 1, &[features])
    }

    /// Values for the data of `fold`, whose rows are `heads` heads of `features` floats each.
    ///
    /// # Errors
    /// As [`Store::new`]; [`RunError::NoHeads`] if there are several heads, and the structure has no property with a number of each;
    /// [`RunError::HeadWidth`] if there are several of a width that is not compiled, or none.
    pub fn of_heads<F: Fold>(_fold: F, graph: &Graph, heads: usize, features: usize) -> Result<Self, RunError> {
        Self::of(F::FACTS, graph, heads, &[features])
    }

    /// The same, where the fold's type is not known. The first of the widths is the number of features.
    pub(crate) fn of(
        fold: &'static FoldFacts,
        graph: &Graph,
        heads: usize,
        widths: &[usize],
    ) -> Result<Self, RunError> {
        let widths = widths::checked(fold, widths)?;
        let features = widths[0];
        let tile_width = compiled_width(fold, features)?;
        check_heads(fold, heads, features, tile_width)?;
        let width = features.checked_next_multiple_of(tile_width).unwrap_or(usize::MAX).saturating_mul(heads);
        let features = features * heads;
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let shape = Shape { vertices, edges, width, heads, widths };
        let zeroed = |(index, property): (usize, &Descriptor)| {
            let has_memory = has_memory(fold, index);
            let length = if has_memory { length(property, shape) } else { 0 };
            let rows = if property.element.is_of_inputs() { widths[property.input] } else { 0 };
            zeroed(property.number, property.tracked, length).map(|values| Values { rows, ..values })
        };
        check_memory(fold, shape, features)?;
        let values = fold.properties.iter().enumerate().map(zeroed).collect::<Result<_, _>>()?;
        let (data, properties, scratch_in_memory, taken, touched) =
            (fold.data, fold.properties, fold.scratch_in_memory, 0, 0);
        Ok(Self {
            data,
            properties,
            vertices,
            edges,
            features,
            width,
            tile_width,
            heads,
            width_names: fold.width_names,
            widths,
            scratch_in_memory,
            taken,
            touched,
            values,
        })
    }

    /// The number of features in each row: of all heads together.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many heads each row has; one where rows are no heads.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// The name of each of the structure's widths, with the width: the number of features first.
    pub(crate) fn widths(&self) -> Vec<(&'static str, usize)> {
        self.width_names.iter().copied().zip(self.widths).collect()
    }

    /// The number of features that a function has: those of one head.
    pub(crate) fn head_features(&self) -> usize {
        self.features / self.heads
    }

    /// What the rows of the property at `index` are padded to.
    pub(crate) fn row_width(&self, index: usize) -> usize {
        let property = &self.properties[index];
        let is_row = matches!(property.element, Element::VertexInputs | Element::EdgeInputs);
        if is_row { padded(self.widths[property.input]) } else { self.width }
    }

    /// What the rows are padded to: a compiled width, or a multiple of the widest.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The properties, in the order of the structure's fields.
    pub fn properties(&self) -> &'static [Descriptor] {
        self.properties
    }

    /// The path of the data's structure.
    pub(crate) fn data(&self) -> &'static str {
        self.data
    }

    /// The scratch properties that have memory.
    pub(crate) fn scratch_in_memory(&self) -> u64 {
        self.scratch_in_memory
    }

    /// How many vertices and edges the store has values for.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.vertices, self.edges)
    }

    /// Notes which totals a run of the fold leaves in registers.
    pub(crate) fn note_totals(&mut self, fold: &'static FoldFacts) {
        self.taken = self.taken & !totals::kept(fold) | totals::taken(fold);
    }

    /// The compiled width of a group of lanes.
    pub(crate) fn tile_width(&self) -> usize {
        self.tile_width
    }

    /// What the lengths of properties come of, for so many vertices and edges.
    pub(crate) fn shape_of(&self, vertices: usize, edges: usize) -> Shape {
        Shape { vertices, edges, width: self.width, heads: self.heads, widths: self.widths }
    }

    /// How many tiles of that width a row is.
    pub(crate) fn tiles(&self) -> usize {
        self.width / self.tile_width
    }

    /// The arrays of the properties whose bits are set.
    pub(crate) fn arrays(&self, properties: u64) -> Vec<Array> {
        let array = |property: usize| {
            let is_scalar = self.properties[property].element.is_scalar();
            let is_matrix = matches!(self.properties[property].element, Element::VertexMatrix | Element::EdgeMatrix);
            let (row, features) = if is_scalar { (1, 1) } else { (self.width, self.features) };
            let rows = if is_matrix { row } else { 1 };
            let number = self.properties[property].number;
            Array { property, length: self.values[property].current.len(), row, rows, features, number }
        };
        (0..self.properties.len()).filter(|index| properties >> index & 1 == 1).map(array).collect()
    }

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

    /// Gives the table at `index` so many rows of zeros.
    pub(crate) fn give_rows(&mut self, index: usize, rows: usize) -> Result<(), OutOfMemory> {
        let values = &mut self.values[index];
        values.current = Floats::zeroed(rows.max(1).saturating_mul(self.width))?;
        values.rows = rows;
        self.give(index);
        Ok(())
    }

    /// How many rows the table at `index` has, or how many numbers its rows of another width.
    pub(crate) fn rows(&self, index: usize) -> usize {
        self.values[index].rows
    }

    /// Has values for another graph from here on, in the memory that they have as far as it suffices. What the graph has as a whole stays, and so do tables; vertices
    /// and edges have any numbers that were there.
    pub(crate) fn move_to(&mut self, graph: &Graph) -> Result<(), OutOfMemory> {
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let shape = self.shape_of(vertices, edges);
        let is_moved = |(index, property): &(usize, &Descriptor)| {
            let is_missing = property.scratch && self.scratch_in_memory >> index & 1 == 0;
            !(is_missing || property.element.is_of_graph() || property.element == Element::Table)
        };
        let moved: Vec<_> = self.properties.iter().enumerate().filter(is_moved).collect();
        // All memory is had before anything has another length. Contributions to totals are made again where they have no room.
        for (index, property) in moved.iter().filter(|(_, property)| !total::has_contributions(property)) {
            let Values { current, previous, .. } = &mut self.values[*index];
            [Some(current), previous.as_mut()]
                .into_iter()
                .flatten()
                .try_for_each(|values| values.reserve(length(property, shape)))?;
        }
        for (index, property) in moved {
            let Values { current, previous, .. } = &mut self.values[index];
            let length = if current.has_room(length(property, shape)) { length(property, shape) } else { 0 };
            [Some(current), previous.as_mut()].into_iter().flatten().for_each(|values| values.resize(length));
        }
        (self.vertices, self.edges) = (vertices, edges);
        Ok(())
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

    /// Makes every previous value the current one: what a run starts from.
    pub(crate) fn keep_as_previous(&mut self) {
        for values in &mut self.values {
            if let Some(previous) = &mut values.previous {
                previous.as_bytes_mut().copy_from_slice(values.current.as_bytes());
            }
        }
    }

    /// Says which iteration runs, where functions ask for it.
    pub(crate) fn set_iteration(&mut self, number: usize) {
        let properties = self.properties.iter().zip(&mut self.values);
        for (_, values) in properties.filter(|(property, _)| property.element == Element::Iteration) {
            values.current.as_mut_slice().fill(number as f32);
        }
    }

    /// Exchanges the current and the previous values of the tracked properties whose bits are set.
    pub(crate) fn swap(&mut self, properties: u64) {
        for (index, values) in self.values.iter_mut().enumerate() {
            if let Some(previous) = values.previous.as_mut().filter(|_| properties >> index & 1 == 1) {
                std::mem::swap(&mut values.current, previous);
            }
        }
    }

    /// Nothing yet, of the shape of each property that is reduced: the identity of its operator.
    pub(crate) fn pending(&self, edges: EdgeAccess) -> Result<Vec<Option<Floats>>, OutOfMemory> {
        let unchanged = |(index, values): (usize, &Values)| {
            if edges.reduces >> index & 1 == 0 {
                return Ok(None);
            }
            let number = self.properties[index].number;
            let mut numbers = Floats::zeroed_of(number, values.current.len())?;
            let is = |set: u64| set >> index & 1 == 1;
            match number {
                Number::U32 if is(edges.lowers) => numbers.numbers_mut().fill(Min::INTEGER_IDENTITY),
                // Nothing else is reduced into integers but sums, maxima and bits that are set, which begin with zero, and nothing into halves.
                _ if number != Number::F32 => {}
                _ if is(edges.multiplies) => numbers.as_mut_slice().fill(Product::IDENTITY),
                _ if is(edges.lowers) => numbers.as_mut_slice().fill(Min::IDENTITY),
                _ if is(edges.raises) => numbers.as_mut_slice().fill(Max::IDENTITY),
                _ => {}
            }
            Ok(Some(numbers))
        };
        self.values.iter().enumerate().map(unchanged).collect()
    }

    /// How many numbers the property at `index` has, padding included.
    pub(crate) fn length(&self, index: usize) -> usize {
        self.values[index].current.len()
    }

    /// The property at `index` as it lies in memory.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        self.values[index].current.as_bytes()
    }

    /// Room for the property at `index`: as many zeros, of the same type.
    pub(crate) fn room(&self, index: usize) -> Result<Floats, OutOfMemory> {
        Floats::zeroed_of(self.properties[index].number, self.length(index))
    }

    /// The numbers of the property at `index`, padding included, of the type that it has.
    pub(crate) fn numbers<T: Pod>(&self, index: usize) -> &[T] {
        self.values[index].current.numbers()
    }

    /// The floats that the halves of the property at `index` stand for, padding included.
    pub(crate) fn widened(&mut self, index: usize) -> Result<&[f32], OutOfMemory> {
        let (number, length) = (self.properties[index].number, self.length(index));
        let Values { current, shown, .. } = &mut self.values[index];
        let mut floats = match shown.take() {
            Some(floats) if floats.len() == length => floats,
            _ => Floats::zeroed(length)?,
        };
        half::widen(number, current.numbers(), floats.as_mut_slice());
        Ok(shown.insert(floats).as_slice())
    }

    /// Takes floats as the halves of the property at `index`, padding included, or says which one is too great for that.
    pub(crate) fn narrow(&mut self, index: usize, floats: &[f32]) -> Result<(), usize> {
        let number = self.properties[index].number;
        if let Some(position) = half::first_too_great(number, floats) {
            return Err(position);
        }
        half::narrow(number, floats, self.values[index].current.numbers_mut());
        Ok(())
    }

    /// The same, to be set.
    pub(crate) fn numbers_mut<T: Pod>(&mut self, index: usize) -> &mut [T] {
        self.values[index].current.numbers_mut()
    }

    /// Whether the property at `index` is zero everywhere, as it was made.
    pub(crate) fn is_untouched(&self, index: usize) -> bool {
        self.touched >> index & 1 == 0
    }

    /// The floats of the property at `index`, padding included.
    pub(crate) fn floats(&self, index: usize) -> &[f32] {
        self.values[index].current.as_slice()
    }

    /// The same, to be set.
    pub(crate) fn floats_mut(&mut self, index: usize) -> &mut [f32] {
        self.values[index].current.as_mut_slice()
    }

    /// The floats of the property at `from`, and those of another one at `into`, to be set.
    pub(crate) fn floats_beside(&mut self, from: usize, into: usize) -> (&[f32], &mut [f32]) {
        match self.values.get_disjoint_mut([from, into]) {
            Ok([from, into]) => (from.current.as_slice(), into.current.as_mut_slice()),
            Err(_) => unreachable!("both are `{}`, which was looked at before", self.properties[from].name),
        }
    }

    /// The totals that the last run has taken from registers.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Notes that the property at `index` gets values from outside.
    pub(crate) fn give(&mut self, index: usize) {
        self.touched |= 1 << index;
        self.taken &= !(1 << index);
    }

    /// Notes that any property may have been written.
    pub(crate) fn touch(&mut self) {
        self.touched = u64::MAX;
    }

    /// Has the property at `index` in other memory, with the values that are there; returns what it was in.
    pub(crate) fn exchange(&mut self, index: usize, floats: Floats) -> Floats {
        self.touched |= 1 << index;
        std::mem::replace(&mut self.values[index].current, floats)
    }

    /// Brings values that a run has left in the previous array of a property back to the memory that is borrowed for it.
    pub(crate) fn settle_borrowed(&mut self) {
        for Values { current, previous, .. } in &mut self.values {
            if let Some(previous) = previous.as_mut().filter(|previous| previous.is_borrowed()) {
                previous.as_bytes_mut().copy_from_slice(current.as_bytes());
                std::mem::swap(current, previous);
            }
        }
    }

    /// Takes the values of the property at `index`.
    pub(crate) fn replace(&mut self, index: usize, values: Floats) {
        self.touched |= 1 << index;
        self.values[index].current = values;
    }

    /// Where each property's values lie on the host, for whoever writes them.
    pub(crate) fn storages(&mut self) -> Vec<Storage> {
        self.touch();
        let (row, heads) = (self.width, self.heads);
        self.values.iter_mut().map(|values| storage(values, row, heads)).collect()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("properties", &self.properties.iter().map(|property| property.name).collect::<Vec<_>>())
            .field("vertices", &self.vertices)
            .field("edges", &self.edges)
            .field("features", &self.features)
            .field("width", &self.width)
            .finish()
    }
}

/// The most tiles of a row: what the second dimension of a grid may have on a GPU.
const MOST_TILES: usize = 65_535;

/// The width of a group of lanes.
fn compiled_width(fold: &'static FoldFacts, features: usize) -> Result<usize, RunError> {
    let widest = fold.widths.last().copied().unwrap_or(0);
    if features == 0 || widest == 0 {
        return Err(RunError::Features { fold: fold.name, features, widest });
    }
    let width = fold.widths.iter().copied().find(|width| *width >= features);
    let many = (features.div_ceil(widest) > MOST_TILES).then_some("a launch has at most 65535 of them");
    match (width, fold.why_not_tiled.or(many)) {
        (Some(width), _) => Ok(width),
        (None, None) => Ok(widest),
        (None, Some(reason)) => Err(RunError::TooWide { fold: fold.name, features, widest, reason }),
    }
}

/// Several heads lie side by side in a row, without padding in between.
fn check_heads(fold: &'static FoldFacts, heads: usize, features: usize, tile_width: usize) -> Result<(), RunError> {
    let (name, widths) = (fold.name, fold.widths);
    match heads {
        1 => Ok(()),
        _ if !fold.has_heads => Err(RunError::NoHeads { fold: name, heads }),
        heads if heads > 0 && heads <= MOST_TILES && features == tile_width => Ok(()),
        _ => Err(RunError::HeadWidth { fold: name, heads, features, widths }),
    }
}

/// Whether a new store has memory for the property at `index`. Contributions to totals get theirs where they are first needed.
fn has_memory(fold: &'static FoldFacts, index: usize) -> bool {
    let property = &fold.properties[index];
    let is_in_registers = property.scratch && fold.scratch_in_memory >> index & 1 == 0;
    !is_in_registers && !total::has_contributions(property)
}

/// Refuses values that do not fit the memory all together, before any is allocated.
fn check_memory(fold: &'static FoldFacts, shape: Shape, features: usize) -> Result<(), OutOfMemory> {
    let Shape { vertices, edges, .. } = shape;
    let bytes = |property: &Descriptor| {
        let bytes = length(property, shape).saturating_mul(property.number.bytes());
        bytes.saturating_mul(1 + usize::from(property.tracked))
    };
    let kept = fold.properties.iter().enumerate().filter(|(index, _)| has_memory(fold, *index));
    let bytes = kept.map(|(_, property)| bytes(property)).fold(0, usize::saturating_add);
    let purpose = format!("{features} features of {vertices} vertices and {edges} edges");
    memory::check(purpose, bytes as u64)
}

/// What the length of a property comes of.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) vertices: usize,
    pub(crate) edges: usize,
    /// What rows are padded to, all heads together.
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// The structure's widths: the number of features first.
    pub(crate) widths: Widths,
}

/// How many numbers a property has; more than memory can hold if they are more than can be counted.
pub(crate) fn length(property: &Descriptor, shape: Shape) -> usize {
    let Shape { vertices, edges, width, heads, widths } = shape;
    let input = padded(widths[property.input]);
    match property.element {
        Element::VertexInputs => vertices.saturating_mul(input),
        Element::EdgeInputs => edges.saturating_mul(input),
        Element::Projection => width.saturating_mul(input),
        Element::Parameter => 0,
        Element::Iteration => 1,
        Element::VertexScalar => vertices,
        Element::VertexHeads => vertices.saturating_mul(heads),
        Element::EdgeHeads => edges.saturating_mul(heads),
        Element::VertexFeatures => vertices.saturating_mul(width),
        Element::EdgeScalar => edges,
        Element::EdgeFeatures => edges.saturating_mul(width),
        Element::VertexMatrix => vertices.saturating_mul(width).saturating_mul(width),
        Element::EdgeMatrix => edges.saturating_mul(width).saturating_mul(width),
        Element::GraphMatrix => width.saturating_mul(width),
        Element::GraphScalar => 1,
        // A table has rows when it is given some.
        Element::GraphFeatures | Element::Table => width,
    }
}

fn zeroed(number: Number, is_tracked: bool, length: usize) -> Result<Values, OutOfMemory> {
    let current = Floats::zeroed_of(number, length)?;
    let previous = if is_tracked { Some(Floats::zeroed_of(number, length)?) } else { None };
    Ok(Values { current, previous, shown: None, parameter: 0.0, rows: 0 })
}

fn storage(values: &mut Values, row: usize, heads: usize) -> Storage {
    let address = |numbers: &mut Floats| numbers.as_bytes_mut().as_mut_ptr().cast();
    let current = address(&mut values.current);
    let previous = values.previous.as_mut().map_or(current, address);
    Storage { current, previous, row, value: values.parameter, rows: values.rows as u64, heads: heads as u32 }
}
