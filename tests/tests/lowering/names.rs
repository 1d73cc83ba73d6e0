//! Names that generated code could have chosen for itself.

use onyx_device::Fold;
use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const V: usize> {
    data: VertexFeatures<V>,
    r#type: VertexScalar,
    sums: VertexFeatures<V>,
}

/// A documented function.
#[edge_fn]
#[inline]
#[cfg(not(any()))]
pub(crate) fn edge<const V: usize>(index: Feature, vertex: Edge, group: &mut Data<V>) -> bool {
    let loads = group.data[vertex.src][index];
    let edge = loads * 2.0;
    group.sums[vertex.dst][index] += edge;
    vertex.src != vertex.dst
}

#[vertex_fn]
fn vertex<const V: usize>(_: Feature, data: Vertex, sums: &mut Data<V>) -> bool {
    sums.r#type[data] = data.0 as f32;
    true
}

#[vertex_fn]
#[allow(clippy::let_and_return)]
fn index<const V: usize>(features: Feature, lane: Vertex, d: &mut Data<V>) -> bool {
    let sum = sum(d.sums[lane][features]);
    let any = any(sum > d.data[lane][features]);
    any
}

foldmap! { group<const V: usize>(Data<V>) = [edge, vertex, index]; features = [4] }
foldmap! {
    /// A documented fold.
    #[allow(dead_code)]
    pub(crate) value<const V: usize>(Data<V>) = [vertex];
}

#[test]
fn names_do_not_meet() {
    assert_eq!((group::NAME, value::NAME), ("data__group", "data__value"));
    assert_eq!(value::WIDTHS.len(), 8);
    assert_eq!(group::PROPERTIES[Data::TYPE.index].name, "type");
    assert_eq!((group::FACTS.edges.reduces, group::FACTS.vertices.writes), (0b100, 0b010));
    const { assert!(value::FACTS.has_vertices && !value::FACTS.has_edges) };
    assert_ne!(group::FINGERPRINT, 0);
}

#[test]
fn an_edge_is_named_where_it_is_more_than_an_index() {
    const { assert!(group::FACTS.edges.names_edge) };
    let index_alone = [onyx_examples::pagerank::step::FACTS, onyx_examples::label_propagation::step::FACTS];
    assert!(index_alone.iter().all(|fold| !fold.edges.names_edge));
}
