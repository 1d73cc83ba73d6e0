//! The values of an algorithm's properties, on the host.

mod arrays;
mod rows;
mod shape;

use std::fmt;

use onyx_device::projection::padded;
use onyx_device::property::{Descriptor, Element};
use onyx_device::stored::Number;
use onyx_device::{Fold, FoldFacts};

pub(crate) use self::arrays::Pending;
pub(crate) use self::shape::{Shape, length};
use self::shape::{check_heads, check_memory, compiled_width, has_memory};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;
use crate::memory::OutOfMemory;
use crate::total;
use crate::totals;
use crate::widths::{self, Widths};

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
    /// The totals that vertex functions of the last run have taken from registers: what is in memory is none of them.
    taken: u64,
    /// The contributions to totals that blocks have left, not vertices.
    pub(crate) gathered: u64,
    /// The properties that somebody may have written: all others are zero.
    touched: u64,
    /// The properties whose values somebody has discarded, and nobody has written since.
    discarded: u64,
    pub(crate) values: Vec<Values>,
}

impl Store {
    /// Values for the data of `fold`, `features` floats in each row.
    ///
    /// # Errors
    /// [`RunError::Features`] if `features` is 0; [`RunError::TooWide`] if it is more than the widest compiled width, and the fold does not work
    /// on each feature alone; [`RunError::Widths`] if the structure has other widths beside the number of features, of which
    /// [`Session::data_of_widths`](crate::Session::data_of_widths) makes data; [`RunError::Memory`] if there is no memory for the values.
    pub fn new<F: Fold>(fold: F, graph: &Graph, features: usize) -> Result<Self, RunError> {
        Self::of_heads(fold, graph, 1, features)
    }

    /// Values for the data of `fold`, whose rows are `heads` heads of `features` floats each.
    ///
    /// # Errors
    /// As [`Store::new`]; [`RunError::NoHeads`] if there are several heads, and the structure has no property with a number of each;
    /// [`RunError::HeadWidth`] if there are several of a width that is not compiled, or none.
    pub fn of_heads<F: Fold>(_fold: F, graph: &Graph, heads: usize, features: usize) -> Result<Self, RunError> {
        let mut store = Self::of(F::FACTS, graph, heads, &[features])?;
        store.take_memory();
        Ok(store)
    }

    /// The same, where the fold's type is not known, with memory that is there once it is touched. The first of the widths is the number of features.
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
        let (data, properties, taken, touched) = (fold.data, fold.properties, 0, 0);
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
            taken,
            gathered: 0,
            touched,
            discarded: 0,
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

    /// How many vertices and edges the store has values for.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.vertices, self.edges)
    }

    /// Makes memory for the scratch that the fold has there, where there is none yet.
    pub(crate) fn make_scratch(&mut self, fold: &'static FoldFacts) -> Result<(), OutOfMemory> {
        let shape = self.shape_of(self.vertices, self.edges);
        let in_memory = |(index, _): &(usize, &Descriptor)| fold.scratch_in_memory >> index & 1 == 1;
        for (index, property) in fold.properties.iter().enumerate().filter(in_memory) {
            let length = length(property, shape);
            if self.values[index].current.len() != length {
                self.values[index] = zeroed(property.number, property.tracked, length)?;
            }
        }
        Ok(())
    }

    /// Notes what a run of the fold leaves written, and which totals it leaves in registers.
    pub(crate) fn ran(&mut self, fold: &'static FoldFacts) {
        self.taken = self.taken & !totals::kept(fold) | totals::taken(fold);
        self.discarded &= !totals::written(fold);
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

    /// Has values for another graph from here on, in the memory that they have as far as it suffices. What the graph has as a whole stays, and so do tables; vertices
    /// and edges have any numbers that were there.
    pub(crate) fn move_to(&mut self, graph: &Graph) -> Result<(), OutOfMemory> {
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let shape = self.shape_of(vertices, edges);
        let is_moved = |(index, property): &(usize, &Descriptor)| {
            let is_missing = property.scratch && self.values[*index].current.len() == 0;
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
            let length =
                if current.has_room(length(property, shape)) { length(property, shape) } else { current.len() };
            [Some(current), previous.as_mut()].into_iter().flatten().for_each(|values| values.resize(length));
        }
        (self.vertices, self.edges) = (vertices, edges);
        Ok(())
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

fn zeroed(number: Number, is_tracked: bool, length: usize) -> Result<Values, OutOfMemory> {
    let current = Floats::untouched(number, length)?;
    let previous = if is_tracked { Some(Floats::untouched(number, length)?) } else { None };
    Ok(Values { current, previous, shown: None, parameter: 0.0, rows: 0 })
}
