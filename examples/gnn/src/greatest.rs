//! The greatest of what neighbors have, feature by feature: the aggregation of GraphSAGE's maxima.
//!
//! The gradient is written by hand: what comes of a maximum goes back along the edges that have brought it, in equal shares where several have brought
//! the same. The compiler derives the same of `max_with`.

use onyx_device::prelude::*;

/// What the aggregation keeps of each vertex.
#[graph_data]
pub struct Greatest<const K: usize> {
    /// What vertices have.
    pub x: VertexFeatures<K>,
    /// The greatest that arrives, -inf where nothing does.
    pub top: VertexFeatures<K>,
    /// The greatest that arrives, 0 where nothing does.
    pub greatest: VertexFeatures<K>,
    /// How many edges bring it.
    pub ties: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with the greatest.
    pub greatest_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn compare<const K: usize>(f: Feature, e: Edge, d: &mut Greatest<K>) -> bool {
    d.top[e.dst][f].max_with(d.x[e.src][f]);
    true
}

#[vertex_fn]
fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Greatest<K>) -> bool {
    let top = d.top[v][f];
    d.greatest[v][f] = if top > f32::NEG_INFINITY { top } else { 0.0 };
    true
}

#[edge_fn]
fn count_ties<const K: usize>(f: Feature, e: Edge, d: &mut Greatest<K>) -> bool {
    d.ties[e.dst][f] += if d.x[e.src][f] == d.greatest[e.dst][f] { 1.0 } else { 0.0 };
    true
}

#[edge_fn]
fn hand_back<const K: usize>(f: Feature, e: Edge, d: &mut Greatest<K>) -> bool {
    let is_greatest = d.x[e.src][f] == d.greatest[e.dst][f];
    d.x_gradient[e.src][f] += if is_greatest { d.greatest_gradient[e.dst][f] / d.ties[e.dst][f] } else { 0.0 };
    true
}

foldmap! {
    /// The greatest of what neighbors have.
    pub greatest<const K: usize>(Greatest<K>) = [compare, settle]; features = [8, 16, 64]
}

foldmap! {
    /// What the loss changes by with what vertices have.
    pub greatest_back<const K: usize>(Greatest<K>) = [count_ties; hand_back]; features = [8, 16, 64]
}
