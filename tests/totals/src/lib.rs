//! Folds that read and add up what the whole graph has.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod hits;

use onyx_device::prelude::*;

/// Rows of vertices, and what is added up of them.
#[graph_data]
pub struct Rows<const K: usize> {
    /// A row of each vertex.
    pub x: VertexFeatures<K>,
    /// What is made of it.
    pub y: VertexFeatures<K>,
    /// A number of each edge.
    pub weight: EdgeScalar,
    /// What reaches a vertex.
    pub inflow: VertexFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The sum of all rows.
    pub sum: GraphFeatures<K>,
    /// The least of each feature along edges.
    pub least: GraphFeatures<K>,
    /// The squares of all values.
    pub squares: GraphScalar,
    /// The greatest value.
    pub greatest: GraphScalar,
    /// How many edges there are of a positive weight.
    pub positive: GraphScalar,
    /// The weights of all edges.
    pub weights: GraphScalar,
    /// A number of each vertex.
    pub mass: VertexScalar,
    /// The sum of what vertices have taken.
    pub taken: GraphFeatures<K>,
    /// The greatest of it.
    pub top: GraphFeatures<K>,
    /// All numbers of vertices.
    pub whole: GraphScalar,
}

/// Adds the bias.
#[vertex_fn]
pub fn shift<const K: usize>(f: Feature, v: Vertex, d: &mut Rows<K>) -> bool {
    d.y[v][f] = d.x[v][f] + d.bias[f];
    true
}

/// Adds up rows, squares, and looks for the greatest.
#[vertex_fn]
pub fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Rows<K>) -> bool {
    let value = d.y[v][f];
    d.sum[f] += value;
    d.squares += sum(value * value);
    d.greatest.max_with(max(value));
    true
}

/// Divides by the norm, which is known by now.
#[vertex_fn]
pub fn scale<const K: usize>(f: Feature, v: Vertex, d: &mut Rows<K>) -> bool {
    let norm = d.squares.sqrt();
    d.y[v][f] = if norm > 0.0 { d.y[v][f] / norm } else { 0.0 };
    true
}

/// Adds up what edges have and bring.
#[edge_fn]
pub fn count<const K: usize>(f: Feature, e: Edge, d: &mut Rows<K>) -> bool {
    d.inflow[e.dst][f] += d.weight[e] * d.x[e.src][f];
    d.weights += d.weight[e];
    if d.weight[e] > 0.0 {
        d.positive += 1.0;
    }
    d.least[f].min_with(d.x[e.src][f]);
    true
}

/// Takes what has reached the vertex.
#[vertex_fn]
pub fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Rows<K>) -> bool {
    d.y[v][f] = d.inflow[v][f];
    true
}

/// Adds up what vertices have taken.
#[vertex_fn]
pub fn tally<const K: usize>(f: Feature, v: Vertex, d: &mut Rows<K>) -> bool {
    d.taken[f] += d.y[v][f];
    d.top[f].max_with(d.y[v][f]);
    d.whole += d.mass[v];
    d.whole -= 1.0;
    d.y[v][f] > 0.0
}

foldmap! {
    /// What vertices have taken of edges is added up by blocks, between other stages or as the last one.
    pub tallied<const K: usize>(Rows<K>) = [count, take; tally]; features = [1, 16]
}

foldmap! {
    /// `y = x + bias`
    pub shifted<const K: usize>(Rows<K>) = [shift]; features = [1, 16]
}

foldmap! {
    /// `y = (x + bias) / |x + bias|`: a norm between two stages.
    pub normalized<const K: usize>(Rows<K>) = [shift; measure; scale]; features = [1, 16]
}

foldmap! {
    /// What edges bring, with three totals of edges.
    pub counted<const K: usize>(Rows<K>) = [count, take]; features = [1, 16]
}

/// Ranks, with what vertices without outgoing edges have shared by all.
#[graph_data]
pub struct Rank {
    /// The rank.
    pub rank: VertexScalar<Tracked>,
    /// One over the number of outgoing edges; 0 where there are none.
    pub share: VertexScalar,
    /// 1 where there are no outgoing edges.
    pub dangles: VertexScalar,
    /// What flows in.
    pub inflow: VertexScalar,
    /// What vertices without outgoing edges have.
    pub dangling: GraphScalar,
    /// How far ranks have moved.
    pub moved: GraphScalar,
    /// One over the number of vertices.
    pub uniform: Parameter,
}

/// What must be shared.
#[vertex_fn]
pub fn collect(v: Vertex, d: &mut Rank) -> bool {
    d.dangling += d.dangles[v] * d.rank[v];
    true
}

/// Along every edge.
#[edge_fn]
pub fn flow(e: Edge, d: &mut Rank) -> bool {
    d.inflow[e.dst] += d.share[e.src] * d.rank[e.src];
    true
}

/// The new rank.
#[vertex_fn]
pub fn settle(v: Vertex, d: &mut Rank) -> bool {
    let rank = 0.15 * d.uniform + 0.85 * (d.inflow[v] + d.dangling * d.uniform);
    d.moved += (rank - d.rank[v]).abs();
    d.rank[v] = rank;
    true
}

foldmap! {
    /// An iteration.
    pub iterate(Rank) = [collect; flow, settle]
}
