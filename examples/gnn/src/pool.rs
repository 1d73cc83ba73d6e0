//! The sum over the vertices of each graph of a batch, as a fold: after the vertices come the graphs, and an edge leads from each vertex to its graph.
//!
//! ```text
//! sum(g) = Σ over edges v → g of x(v)
//! out(g) = dropout(sum(g))
//! ```

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// What is kept of each vertex and each graph.
#[graph_data]
pub struct Pool<const K: usize> {
    /// The rows of the vertices.
    pub x: VertexFeatures<K>,
    /// The step of training, for dropout.
    pub step: GraphScalar,
    /// What random numbers are made of, a whole number below 2^24.
    pub seed: Parameter,
    /// How likely a value is to be dropped.
    pub rate: Parameter,
    /// What arrives at a graph.
    pub sum: VertexFeatures<K>,
    /// The rows of the graphs, after those of the vertices.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Pool<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
fn drop_some<const K: usize>(f: Feature, v: Vertex, d: &mut Pool<K>) -> bool {
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = d.sum[v][f] * share;
    true
}

foldmap! {
    /// Sums over the vertices of each graph.
    pub pool<const K: usize>(Pool<K>) = [gather, drop_some]; features = [16, 32]; gradient = [x]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Pooled, PooledBatch};
