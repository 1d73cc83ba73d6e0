//! Scratch rows and numbers that stages leave for later ones, which read them at the vertex itself and at both ends of edges.

use onyx_device::prelude::*;

/// What comes of rows by three stages.
#[graph_data]
pub struct Passing<const K: usize> {
    /// What is at a vertex.
    pub x: VertexFeatures<K>,
    /// `x` times its sum.
    scaled: VertexFeatures<K, Scratch>,
    /// Half of the sum.
    half: VertexScalar<Scratch>,
    /// What arrives by the incoming edges.
    pub arrived: VertexFeatures<K>,
    /// That and a third of `scaled`.
    mixed: VertexFeatures<K, Scratch>,
    /// What comes back by the outgoing edges.
    pub returned: VertexFeatures<K>,
    /// What is left of all.
    pub out: VertexFeatures<K>,
    /// The sum of `x` over all vertices, for which a block needs shared memory as well.
    pub total: GraphFeatures<K>,
}

#[vertex_fn]
fn scale<const K: usize>(f: Feature, v: Vertex, d: &mut Passing<K>) -> bool {
    let sum = sum(d.x[v][f]);
    d.scaled[v][f] = sum * d.x[v][f];
    d.half[v] = 0.5 * sum;
    d.total[f] += d.x[v][f];
    true
}

#[edge_fn]
fn arrive<const K: usize>(f: Feature, e: Edge, d: &mut Passing<K>) -> bool {
    d.arrived[e.dst][f] += d.half[e.src] * d.scaled[e.src][f];
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Passing<K>) -> bool {
    d.mixed[v][f] = d.arrived[v][f] + d.scaled[v][f] / 3.0;
    true
}

#[edge_fn]
fn come_back<const K: usize>(f: Feature, e: Edge, d: &mut Passing<K>) -> bool {
    d.returned[e.src][f] += d.mixed[e.dst][f] - d.scaled[e.dst][f];
    true
}

#[vertex_fn]
fn leave<const K: usize>(f: Feature, v: Vertex, d: &mut Passing<K>) -> bool {
    d.out[v][f] = d.returned[v][f] + d.mixed[v][f] + d.half[v];
    true
}

foldmap! {
    /// All of it.
    pub pass_on<const K: usize>(Passing<K>) = [scale; arrive, mix; come_back, leave]; features = [4, 16]
}

foldmap! {
    /// A kernel of each function.
    pub pass_on_unfolded<const K: usize>(Passing<K>) = unfolded [scale; arrive, mix; come_back, leave]; features = [4]
}

#[cfg(not(target_arch = "nvptx64"))]
mod reference;
#[cfg(not(target_arch = "nvptx64"))]
pub use reference::{agree, unfolded_agree};
