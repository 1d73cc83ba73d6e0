//! Where properties are read, and what they have there.

use crate::expression::Place;
use crate::float::Float;
use crate::interpreter::frame::At;
use crate::limits::{TABLE_ROWS, lift};
use crate::property::{Element, Precision, Property};
use crate::total::Sum;
use crate::value::Value;

/// Where a property of this kind may be read, and the number of the edge or vertex there.
pub(super) fn places(at: At, element: Element) -> Vec<(Place, usize)> {
    let row = |number: usize| number % TABLE_ROWS;
    match at {
        At::Vertex(vertex) if element == Element::Table => vec![(Place::Vertex, row(vertex))],
        At::Edge(edge) if element == Element::Table => vec![
            (Place::Edge, row(edge.number)),
            (Place::Source, row(edge.source)),
            (Place::Destination, row(edge.destination)),
        ],
        _ if !element.is_of_edge() && !element.is_of_vertex() => vec![(Place::Graph, 0)],
        At::Vertex(vertex) if element.is_of_vertex() => vec![(Place::Vertex, vertex)],
        At::Edge(edge) if element.is_of_vertex() => {
            vec![(Place::Source, edge.source), (Place::Destination, edge.destination)]
        }
        At::Edge(edge) if edge.reverse != usize::MAX => {
            vec![(Place::Edge, edge.number), (Place::Reverse, edge.reverse)]
        }
        At::Edge(edge) => vec![(Place::Edge, edge.number)],
        At::Vertex(_) => Vec::new(),
    }
}

/// What a property has for one feature, of all the floats of a vertex or an edge.
pub(super) fn value(property: &Property, floats: &[Float], lane: usize, features: usize) -> Value {
    let element = property.element;
    match property.precision {
        Precision::Word => return Value::Count(floats[0].whole()),
        Precision::Byte => return Value::Byte(floats[0].whole() as u8),
        _ => {}
    }
    if element.is_inputs() {
        let terms = floats.iter().enumerate().map(|(column, float)| float.times(Float::new(lift(lane, column))));
        Value::Float(Sum::of(terms))
    } else if element.is_matrix() {
        Value::Row(floats[lane * features..][..features].to_vec())
    } else if element.is_row() {
        Value::Float(floats[lane])
    } else {
        Value::Float(floats[0])
    }
}
