//! Products of matrices of the graph with rows of vertices, in stages with edges and without.

use onyx_device::prelude::*;

/// Rows, and the matrices that they are multiplied by.
#[graph_data]
pub struct Mixing<const K: usize> {
    /// What is at a vertex.
    pub value: VertexFeatures<K>,
    /// One matrix.
    pub first: GraphMatrix<K>,
    /// Another one.
    pub second: GraphMatrix<K>,
    /// `first` times the value.
    pub mixed: VertexFeatures<K>,
    /// What of that arrives.
    pub arrived: VertexFeatures<K>,
    /// What is made of it by both.
    pub out: VertexFeatures<K>,
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.mixed[v][f] = matvec(d.first[f], d.value[v][f]);
    true
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Mixing<K>) -> bool {
    d.arrived[e.dst][f] += d.mixed[e.src][f];
    true
}

/// One matrix twice, and another one.
#[vertex_fn]
fn turn<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    let back = transpose_matvec(d.first[f], d.arrived[v][f]) - matvec(d.first[f], d.mixed[v][f]);
    d.out[v][f] = back + matvec(d.second[f], d.value[v][f]);
    true
}

/// Says whether there is a value, so that the fold may end, and products have the same bits whoever comes along.
#[vertex_fn]
fn mix_values<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.mixed[v][f] = matvec(d.first[f], d.value[v][f]);
    d.value[v][f] != 0.0
}

/// A matrix that is read besides, so that it is loaded.
#[vertex_fn]
fn see<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.out[v][f] = matvec(d.second[f], d.value[v][f]) + max_matvec(d.second[f], d.value[v][f]);
    true
}

foldmap! {
    /// Products where no edges are, and where rows of edges end.
    pub mix_and_turn<const K: usize>(Mixing<K>) = [mix, gather, turn]; features = [1, 4, 8, 16, 32]
}

foldmap! {
    /// The same with fewer features in each lane.
    pub mix_and_turn_spread<const K: usize>(Mixing<K>) = [mix, gather, turn]; features = [16]; features_per_lane = 2
}

foldmap! {
    /// The same with more.
    pub mix_and_turn_eight<const K: usize>(Mixing<K>) = [mix, gather, turn]; features = [32]; features_per_lane = 8
}

foldmap! {
    /// One stage, which every schedule takes.
    pub turn_gathered<const K: usize>(Mixing<K>) = [gather, turn]; features = [8, 16, 32]
}

foldmap! {
    /// Products in a fold that may end.
    pub mix_all_values<const K: usize>(Mixing<K>) = [mix_values]; features = [8, 16, 32]
}

foldmap! {
    /// A product by a matrix that is loaded.
    pub see_all<const K: usize>(Mixing<K>) = [see]; features = [4, 8]
}

#[cfg(not(target_arch = "nvptx64"))]
mod reference;
#[cfg(not(target_arch = "nvptx64"))]
pub use reference::{bits_agree, gathered_agree, mixed_agree, seen_agree};
