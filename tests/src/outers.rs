//! Sums of outer products over all vertices, beside other totals, in stages with edges and without.

use onyx_device::prelude::*;

/// Rows, and sums of their products.
#[graph_data]
pub struct Outers<const K: usize> {
    /// What is at a vertex.
    pub left: VertexFeatures<K>,
    /// What else is.
    pub right: VertexFeatures<K>,
    /// What `left` is multiplied by.
    pub weight: GraphMatrix<K>,
    /// The sum over all vertices of `left` times `right`.
    pub sum: GraphMatrix<K>,
    /// The sum of `right`.
    pub mass: GraphFeatures<K>,
    /// What of `left` arrives.
    pub arrived: VertexFeatures<K>,
    /// The product with the weight.
    pub product: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Outers<K>) -> bool {
    d.arrived[e.dst][f] += d.left[e.src][f];
    true
}

#[vertex_fn]
fn multiply<const K: usize>(f: Feature, v: Vertex, d: &mut Outers<K>) -> bool {
    d.mass[f] += d.right[v][f];
    d.sum[f] += outer(d.left[v][f], d.right[v][f]);
    d.product[v][f] = matvec(d.weight[f], d.left[v][f]);
    true
}

foldmap! {
    /// Sums of a stage alone.
    pub sum_outers<const K: usize>(Outers<K>) = [multiply]; features = [4, 16]
}

foldmap! {
    /// Sums after another stage.
    pub gather_and_sum<const K: usize>(Outers<K>) = [gather; multiply]; features = [4, 16]
}

foldmap! {
    /// The same with more features in a lane.
    pub gather_and_sum_eight<const K: usize>(Outers<K>) = [gather; multiply]; features = [32]; features_per_lane = 8
}

#[cfg(not(target_arch = "nvptx64"))]
mod reference;
#[cfg(not(target_arch = "nvptx64"))]
pub use reference::{gathered_agree, summed_agree};
