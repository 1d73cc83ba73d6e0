//! Layers with matrices, and their gradients: outer products that are added up for the whole graph, and those of vertices.

use onyx_device::prelude::*;

/// Layers of one matrix for all, and normal equations of each vertex.
#[graph_data]
pub struct Mixes<const K: usize> {
    pub x: VertexFeatures<K>,
    pub size: EdgeScalar,
    pub mix: GraphMatrix<K>,
    pub bias: GraphFeatures<K>,
    pub decay: Parameter,
    pub gram: VertexMatrix<K>,
    pub spread: GraphMatrix<K>,
    pub sum: VertexFeatures<K>,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub size_gradient: EdgeScalar,
    pub mix_gradient: GraphMatrix<K>,
    pub bias_gradient: GraphFeatures<K>,
    pub gram_gradient: VertexMatrix<K>,
    pub spread_gradient: GraphMatrix<K>,
    pub sum_gradient: VertexFeatures<K>,
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Mixes<K>) -> bool {
    d.sum[e.dst][f] += d.size[e] * d.x[e.src][f];
    true
}

#[vertex_fn]
pub fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Mixes<K>) -> bool {
    let mixed = matvec(d.mix[f], d.sum[v][f]) + d.bias[f];
    d.out[v][f] = mixed.tanh();
    true
}

foldmap! {
    /// A layer with a dense matrix, which each vertex applies.
    pub dense<const K: usize>(Mixes<K>) = [gather; mix]; features = [4]; gradient = [x, size, mix, bias]
}

#[edge_fn]
pub fn turn<const K: usize>(f: Feature, e: Edge, d: &mut Mixes<K>) -> bool {
    let matrix = if d.size[e] > 1.0 { d.mix[f] } else { -0.5 * d.mix[f] };
    d.out[e.dst][f] += d.size[e] * transpose_matvec(matrix, d.x[e.src][f]);
    true
}

foldmap! {
    /// A matrix that each edge applies, turned where its size is small.
    pub turned<const K: usize>(Mixes<K>) = [turn]; features = [4]; gradient = [x, size, mix]
}

#[edge_fn]
pub fn equate<const K: usize>(f: Feature, e: Edge, d: &mut Mixes<K>) -> bool {
    let x = d.x[e.src][f];
    d.gram[e.dst][f] += outer(x, d.size[e] * x);
    d.sum[e.dst][f] += x;
    true
}

#[vertex_fn]
pub fn fit<const K: usize>(f: Feature, v: Vertex, d: &mut Mixes<K>) -> bool {
    d.out[v][f] = solve(d.gram[v][f] + diagonal(d.decay), d.sum[v][f]);
    true
}

foldmap! {
    /// Normal equations, added up over edges, and their solution.
    pub fitted<const K: usize>(Mixes<K>) = [equate; fit]; features = [4]; gradient = [x, size]
}

#[edge_fn]
pub fn equate_rows<const K: usize>(f: Feature, e: Edge, d: &mut Mixes<K>) -> bool {
    let x = d.x[e.src][f];
    d.gram[e.dst][f] += d.size[e] * outer(x, x);
    d.sum[e.dst][f] += x;
    true
}

foldmap! {
    /// The same, by rows that are scaled.
    pub fitted_rows<const K: usize>(Mixes<K>) = [equate_rows; fit]; features = [4]; gradient = [x, size]
}

#[vertex_fn]
pub fn spread<const K: usize>(f: Feature, v: Vertex, d: &mut Mixes<K>) -> bool {
    let x = d.x[v][f];
    d.spread[f] += outer(x, x);
    d.spread[f] -= diagonal(0.125);
    true
}

#[vertex_fn]
pub fn whiten<const K: usize>(f: Feature, v: Vertex, d: &mut Mixes<K>) -> bool {
    d.out[v][f] = solve(d.spread[f] + diagonal(d.decay), d.x[v][f]);
    true
}

foldmap! {
    /// A matrix that vertices add up, read by the next stage.
    pub whitened<const K: usize>(Mixes<K>) = [spread; whiten]; features = [4]; gradient = [x]
}
