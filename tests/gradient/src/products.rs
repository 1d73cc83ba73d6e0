//! Products over edges and reads at the reverse edge, with their gradients.

use onyx_device::prelude::*;

/// Factors of edges.
#[graph_data]
pub struct Factors<const K: usize> {
    pub x: VertexFeatures<K>,
    pub weight: EdgeScalar,
    pub product: VertexFeatures<K>,
    pub size: VertexScalar,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub weight_gradient: EdgeScalar,
    pub product_gradient: VertexFeatures<K>,
    pub product_gradient_count: VertexFeatures<K>,
    pub product_gradient_rest: VertexFeatures<K>,
    pub size_gradient: VertexScalar,
    pub size_gradient_count: VertexScalar,
    pub size_gradient_rest: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
}

/// A factor of each edge, and another one of those with a weight.
#[edge_fn]
pub fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Factors<K>) -> bool {
    d.product[e.dst][f] *= d.weight[e] * d.x[e.src][f];
    if d.weight[e] > 0.75 {
        d.size[e.dst] *= 1.2 * d.weight[e];
    }
    true
}

#[vertex_fn]
pub fn bend<const K: usize>(f: Feature, v: Vertex, d: &mut Factors<K>) -> bool {
    d.out[v][f] = d.product[v][f] + 0.25 * d.size[v] * d.x[v][f];
    true
}

foldmap! {
    /// Two products, one of features and one of scalars.
    pub multiplied<const K: usize>(Factors<K>) = [multiply, bend]; features = [4]; gradient = [x, weight]
}

/// Belief propagation with messages that are shares: an edge sends what its source believes without what came from there.
#[graph_data]
pub struct Messages<const K: usize> {
    pub prior: VertexFeatures<K>,
    pub belief: VertexFeatures<K>,
    pub message: EdgeFeatures<K>,
    pub coupling: GraphMatrix<K>,
    pub sent: EdgeFeatures<K>,
    pub heard: VertexFeatures<K>,
    pub next: VertexFeatures<K>,
    pub prior_gradient: VertexFeatures<K>,
    pub belief_gradient: VertexFeatures<K>,
    pub message_gradient: EdgeFeatures<K>,
    pub coupling_gradient: GraphMatrix<K>,
    pub sent_gradient: EdgeFeatures<K>,
    pub heard_gradient: VertexFeatures<K>,
    pub heard_gradient_count: VertexFeatures<K>,
    pub heard_gradient_rest: VertexFeatures<K>,
    pub next_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn compose<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    let cavity = d.belief[e.src][f] / d.message[e.rev][f];
    d.sent[e][f] = normalize(matvec(d.coupling[f], cavity));
    true
}

#[edge_fn]
pub fn hear<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    d.heard[e.dst][f] *= d.sent[e][f];
    true
}

#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut Messages<K>) -> bool {
    d.next[v][f] = normalize(d.prior[v][f] * d.heard[v][f]);
    true
}

foldmap! {
    /// A sweep: all messages, then all beliefs.
    pub messages<const K: usize>(Messages<K>) = [compose; hear, believe];
    features = [4];
    gradient = [prior, belief, message, coupling]
}

/// Edges that look at both directions.
#[graph_data]
pub struct Turns<const K: usize> {
    pub x: EdgeFeatures<K>,
    pub weight: EdgeScalar,
    pub size: VertexScalar,
    pub sum: VertexFeatures<K>,
    pub x_gradient: EdgeFeatures<K>,
    pub weight_gradient: EdgeScalar,
    pub size_gradient: VertexScalar,
    pub sum_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn compare<const K: usize>(f: Feature, e: Edge, d: &mut Turns<K>) -> bool {
    let difference = d.x[e][f] * d.x[e.rev][f] - d.weight[e.rev] * d.size[e.src];
    d.sum[e.dst][f] += if e.src.0 < e.dst.0 { difference } else { 0.5 * d.x[e.rev][f] };
    true
}

foldmap! {
    /// Two features and a scalar of the reverse edge, of which one is read of the edge itself as well.
    pub compared<const K: usize>(Turns<K>) = [compare]; features = [4]; gradient = [x, weight, size]
}
