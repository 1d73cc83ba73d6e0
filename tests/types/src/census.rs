//! Counts: edges have types, vertices are masked, and what is counted is an integer.

use onyx_device::prelude::*;

/// Types, masks, counts, and features beside them.
#[graph_data]
pub struct Census<const K: usize> {
    /// The type of each edge.
    pub kind: EdgeScalar<u8>,
    /// A number of each edge, however great.
    pub code: EdgeScalar<u32>,
    /// What was made of both.
    pub mark: EdgeScalar<u32>,
    /// On its way from one edge function to the next.
    pub tag: EdgeScalar<u8, Scratch>,
    /// Which vertices count.
    pub member: VertexScalar<u8>,
    /// Features.
    pub x: VertexFeatures<K>,
    /// How many edges of type 3 come from members.
    pub count: VertexScalar<u32>,
    /// The numbers of all edges, modulo 2^32.
    pub codes: VertexScalar<u32>,
    /// The greatest of them.
    pub greatest: VertexScalar<u32>,
    /// The features of members along edges of type 3.
    pub sum: VertexFeatures<K>,
    /// The mean of those.
    pub mean: VertexFeatures<K>,
    /// The count, kept.
    pub counted: VertexScalar<u32>,
    /// On its way from one vertex function to the next.
    pub rest: VertexScalar<Scratch, u32>,
    /// Whether the count is odd.
    pub is_odd: VertexScalar<u8>,
}

/// Looks at the type.
#[edge_fn]
pub fn classify<const K: usize>(f: Feature, e: Edge, d: &mut Census<K>) -> bool {
    d.tag[e] = if d.kind[e] == 3 && d.member[e.src] != 0 { 1 } else { 0 };
    d.mark[e] = d.code[e] ^ d.kind[e] as u32;
    true
}

/// Counts and adds up.
#[edge_fn]
pub fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Census<K>) -> bool {
    d.codes[e.dst] += d.code[e];
    d.greatest[e.dst].max_with(d.code[e]);
    if d.tag[e] == 1 {
        d.count[e.dst] += 1;
        d.sum[e.dst][f] += d.x[e.src][f];
    }
    true
}

/// The mean, where there is anything.
#[vertex_fn]
pub fn divide<const K: usize>(f: Feature, v: Vertex, d: &mut Census<K>) -> bool {
    let count = d.count[v];
    d.mean[v][f] = d.sum[v][f] / count.max(1) as f32;
    d.counted[v] = count;
    d.rest[v] = count & 1;
    true
}

/// Takes what is left.
#[vertex_fn]
pub fn note<const K: usize>(v: Vertex, d: &mut Census<K>) -> bool {
    d.is_odd[v] = d.rest[v] as u8;
    d.is_odd[v] != 0
}

foldmap! {
    /// All of it in one kernel.
    pub census<const K: usize>(Census<K>) = [classify, gather, divide, note]; features = [4, 16]
}

/// An edge that says how much it weighs by its type.
#[graph_data]
pub struct Typed<const K: usize> {
    /// The type of each edge.
    pub kind: EdgeScalar<u8>,
    /// What is gathered.
    pub x: VertexFeatures<K>,
    /// Where to.
    pub out: VertexFeatures<K>,
    /// How many edges there are.
    pub count: VertexScalar<u32>,
    /// The adjoint of `x`.
    pub x_gradient: VertexFeatures<K>,
    /// The adjoint of `out`.
    pub out_gradient: VertexFeatures<K>,
}

/// Edges of type 0 say nothing.
#[edge_fn]
pub fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Typed<K>) -> bool {
    d.count[e.dst] += 1;
    let weight = d.kind[e] as f32;
    d.out[e.dst][f] += if d.kind[e] == 1 { 0.5 * d.x[e.src][f] } else { weight * d.x[e.src][f] };
    true
}

foldmap! {
    /// A layer of relations.
    pub typed<const K: usize>(Typed<K>) = [weigh]; features = [4]; gradient = [x]
}
