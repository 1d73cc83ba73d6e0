//! Heads with numbers that all of them have in common, and their gradients.

use onyx_device::prelude::*;

/// Rows of each head, scored by what is one for all heads.
#[graph_data]
pub struct Shared<const K: usize> {
    pub x: VertexFeatures<K>,
    pub query: GraphFeatures<K>,
    pub gain: VertexScalar,
    pub weight: EdgeScalar,
    pub score: VertexHeads,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub query_gradient: GraphFeatures<K>,
    pub gain_gradient: VertexHeads,
    pub gain_gradient_part: VertexHeads,
    pub weight_gradient: EdgeHeads,
    pub score_gradient: VertexHeads,
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
pub fn rate<const K: usize>(f: Feature, v: Vertex, d: &mut Shared<K>) -> bool {
    d.score[v] = dot(d.x[v][f], d.query[f]) * d.gain[v];
    true
}

#[edge_fn]
pub fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Shared<K>) -> bool {
    d.out[e.dst][f] += d.weight[e] * d.score[e.src].tanh() * d.gain[e.dst] * d.x[e.src][f];
    true
}

foldmap! {
    /// A score of each vertex and head, by a gain of the vertex and a weight of the edge.
    pub shared<const K: usize>(Shared<K>) = [rate, spread]; features = [4]; gradient = [x, query, gain, weight]
}
