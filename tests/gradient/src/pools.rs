//! Means, minima and maxima over edges, and values that a run stores, with their gradients.

use onyx_device::prelude::*;

/// What is pooled over edges.
#[graph_data]
pub struct Pools<const K: usize> {
    pub x: VertexFeatures<K>,
    pub weight: EdgeScalar,
    pub mean: VertexFeatures<K>,
    pub most: VertexFeatures<K>,
    pub least: VertexScalar,
    pub sum: VertexFeatures<K>,
    pub kept: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub weight_gradient: EdgeScalar,
    pub mean_gradient: VertexFeatures<K>,
    pub mean_gradient_count: VertexFeatures<K>,
    pub most_gradient: VertexFeatures<K>,
    pub most_gradient_count: VertexFeatures<K>,
    pub least_gradient: VertexScalar,
    pub least_gradient_count: VertexScalar,
    pub lowest: GraphScalar,
    pub lowest_gradient: GraphScalar,
    pub lowest_gradient_count: GraphScalar,
    pub highest: GraphFeatures<K>,
    pub highest_gradient: GraphFeatures<K>,
    pub highest_gradient_count: GraphFeatures<K>,
    pub sum_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

/// A mean of products, the greatest of sums, where the edge has a weight, and the least product of rows.
#[edge_fn]
pub fn pool<const K: usize>(f: Feature, e: Edge, d: &mut Pools<K>) -> bool {
    d.mean[e.dst][f].mean_with(d.weight[e] * d.x[e.src][f]);
    if d.weight[e] > 0.75 {
        d.most[e.dst][f].max_with(d.x[e.src][f] - 0.5 * d.x[e.dst][f]);
    }
    d.least[e.dst].min_with(dot(d.x[e.src][f], d.x[e.dst][f]));
    true
}

/// Takes the three from registers; the greatest and the least of nothing are no numbers.
#[vertex_fn]
pub fn join<const K: usize>(f: Feature, v: Vertex, d: &mut Pools<K>) -> bool {
    let most = if d.most[v][f] > f32::MIN { d.most[v][f] } else { 0.0 };
    let least = if d.least[v] < f32::MAX { d.least[v] } else { 0.0 };
    d.out[v][f] = d.mean[v][f] * most + 0.5 * most + 0.25 * least;
    true
}

foldmap! {
    /// All three at once.
    pub pooled<const K: usize>(Pools<K>) = [pool, join]; features = [4]; gradient = [x, weight]
}

/// A sum.
#[edge_fn]
pub fn total<const K: usize>(f: Feature, e: Edge, d: &mut Pools<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.x[e.src][f];
    true
}

/// Takes the sum from registers, and stores what it makes of it.
#[vertex_fn]
pub fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Pools<K>) -> bool {
    d.kept[v][f] = 1.5 * d.sum[v][f] + d.x[v][f];
    true
}

/// Bends that.
#[vertex_fn]
pub fn curve<const K: usize>(f: Feature, v: Vertex, d: &mut Pools<K>) -> bool {
    d.out[v][f] = d.kept[v][f].tanh() * d.kept[v][f];
    true
}

foldmap! {
    /// A sum of which the gradient needs what is stored alone.
    pub curved<const K: usize>(Pools<K>) = [total, keep, curve]; features = [4]; gradient = [x]
}

/// The greatest that any edge brings.
#[edge_fn]
pub fn rise<const K: usize>(f: Feature, e: Edge, d: &mut Pools<K>) -> bool {
    d.highest[f].max_with(d.weight[e] * d.x[e.src][f]);
    true
}

/// The vertex that is nearest to a point.
#[vertex_fn]
pub fn sink<const K: usize>(f: Feature, v: Vertex, d: &mut Pools<K>) -> bool {
    let away = d.x[v][f] - 0.25;
    d.lowest.min_with(dot(away, away));
    true
}

/// Takes both.
#[vertex_fn]
pub fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Pools<K>) -> bool {
    d.out[v][f] = (1.0 + d.lowest) * d.x[v][f] + d.highest[f] * d.x[v][f] * d.x[v][f];
    true
}

foldmap! {
    /// The extremes of the whole graph.
    pub bounded<const K: usize>(Pools<K>) = [rise, sink; mix]; features = [4]; gradient = [x, weight]
}
