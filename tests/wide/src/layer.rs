//! Rows of other widths than the features: linear layers before and after a sum over edges, and of what edges have.

use onyx_device::prelude::*;

/// A layer of `K` features of vertices that have `J`.
#[graph_data]
pub struct Layer<const K: usize, const J: usize> {
    /// What is known of a vertex.
    pub input: VertexFeatures<J>,
    /// Makes features of it.
    pub weight: GraphMatrix<K, J>,
    /// Makes features of a vertex's own.
    pub own: GraphMatrix<K, J>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The weight of an edge.
    pub share: EdgeScalar,
    /// The features.
    pub hidden: VertexFeatures<K>,
    /// What reaches a vertex.
    pub sum: VertexFeatures<K>,
    /// What comes of it.
    pub output: VertexFeatures<K>,
}

/// Makes the features.
#[vertex_fn]
pub fn project<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.input[v][..]) + d.bias[f];
    true
}

/// Brings them.
#[edge_fn]
pub fn bring<const K: usize, const J: usize>(f: Feature, e: Edge, d: &mut Layer<K, J>) -> bool {
    d.sum[e.dst][f] += d.share[e] * d.hidden[e.src][f];
    true
}

/// Takes them, and the vertex's own.
#[vertex_fn]
pub fn take<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    let output = d.sum[v][f] + matvec(d.own[f], d.input[v][..]);
    d.output[v][f] = if output > 0.0 { output } else { 0.0 };
    true
}

foldmap! { pub layer<const K: usize, const J: usize>(Layer<K, J>) = [project; bring, take]; features = [8] }

/// Vertices with `J` numbers, and edges with `E`.
#[graph_data]
pub struct Related<const K: usize, const J: usize, const E: usize> {
    /// What is known of a vertex.
    pub known: VertexFeatures<J, f16>,
    /// What is known of an edge.
    pub attributes: EdgeFeatures<E>,
    /// Makes features of the source's.
    pub of_source: GraphMatrix<K, J>,
    /// Makes features of the destination's.
    pub of_destination: GraphMatrix<K, J>,
    /// Makes features of the edge's.
    pub of_edge: GraphMatrix<K, E>,
    /// What a vertex has come to.
    pub state: VertexFeatures<K, Tracked>,
    /// What reaches it.
    pub sum: VertexFeatures<K>,
}

/// Brings a state, as far as both ends and the edge let it.
#[edge_fn]
pub fn relate<const K: usize, const J: usize, const E: usize>(f: Feature, e: Edge, d: &mut Related<K, J, E>) -> bool {
    let of_ends = matvec(d.of_source[f], d.known[e.src][..]) + matvec(d.of_destination[f], d.known[e.dst][..]);
    let gate = of_ends * matvec(d.of_edge[f], d.attributes[e][..]);
    d.sum[e.dst][f] += gate * d.state[e.src][f];
    true
}

/// Goes a part of the way.
#[vertex_fn]
pub fn settle<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Related<K, J, E>) -> bool {
    let state = 0.25 * d.sum[v][f] + matvec(d.of_source[f], d.known[v][..]);
    let moved = (state - d.state[v][f]).abs() > 1e-6;
    d.state[v][f] = state;
    moved
}

foldmap! {
    pub related<const K: usize, const J: usize, const E: usize>(Related<K, J, E>) = [relate, settle];
    features = [4]
}
