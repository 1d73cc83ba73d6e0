//! Attention vectors of several heads as a matrix: the features of a row times it are the row's scores, each on all columns of its head.

use onyx_device::prelude::*;

/// A graph without edges, of as many vertices as a row has features.
#[graph_data]
pub struct Heads<const K: usize> {
    /// How much the vertex's feature counts for the score of its head, the same in all columns.
    pub attention: VertexFeatures<K>,
    /// How many features a head has.
    pub head: Parameter,
    /// The matrix.
    pub spread: VertexFeatures<K>,
    /// What the loss changes by with the attention vectors, by each column.
    pub attention_gradient: VertexFeatures<K>,
    /// What it changes by with the matrix.
    pub spread_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn spread_out<const K: usize>(f: Feature, v: Vertex, d: &mut Heads<K>) -> bool {
    let size = (d.head as u32).max(1);
    d.spread[v][f] = if v.0 / size == f.index() / size { d.attention[v][f] } else { 0.0 };
    true
}

foldmap! {
    /// Puts each attention vector on the columns of its head.
    pub spread_heads<const K: usize>(Heads<K>) = [spread_out]; features = [8, 16, 64]; gradient = [attention]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::Attention;
