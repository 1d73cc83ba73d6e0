//! Products of rows with square matrices of weights: a fold of vertices alone, of which the gradient is derived. On a GPU it multiplies and adds up in tiles: the gradients of
//! inputs and weights come of one pass over both rows, where a library reads those of the product for either.

use onyx_device::prelude::*;

/// Rows, and what becomes of them.
#[graph_data]
pub struct Square<const K: usize> {
    /// What is multiplied.
    pub input: VertexFeatures<K>,
    /// By what, a row for each input.
    pub weight: GraphMatrix<K>,
    /// The product.
    pub product: VertexFeatures<K>,
    /// What the loss changes by with the input.
    pub input_gradient: VertexFeatures<K>,
    /// What it changes by with the weights: a sum over all vertices.
    pub weight_gradient: GraphMatrix<K>,
    /// What it changes by with the product.
    pub product_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn multiply<const K: usize>(f: Feature, v: Vertex, d: &mut Square<K>) -> bool {
    d.product[v][f] = transpose_matvec(d.weight[f], d.input[v][f]);
    true
}

foldmap! {
    /// Rows times 16 x 16 weights.
    pub square_16<const K: usize>(Square<K>) = [multiply]; features = [16]; gradient = [input, weight]
}

foldmap! {
    /// Rows times 32 x 32 weights.
    pub square_32<const K: usize>(Square<K>) = [multiply]; features = [32]; features_per_lane = 8; gradient = [input, weight]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::SquareProduct;
