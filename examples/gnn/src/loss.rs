//! Losses: what the outputs of some vertices are off by, and what that changes by with each output.

use onyx_device::prelude::*;

/// The most classes: a softmax needs all of them at once, so that a row is never cut into tiles.
pub const CLASSES: usize = 256;

/// Cross entropy of the softmax of an output row with the class of its vertex, and how many vertices have their class right.
#[graph_data]
pub struct CrossEntropy<const K: usize> {
    /// The outputs, one for each class, before the softmax.
    pub logits: VertexFeatures<K>,
    /// The class of each vertex, a whole number.
    pub class: VertexScalar,
    /// How much a vertex counts for the loss: one over their number where it is learned from, 0 elsewhere.
    pub share: VertexScalar,
    /// 1 where a vertex says when to stop, 0 elsewhere.
    pub validates: VertexScalar,
    /// 1 where a vertex says how well it was learned, 0 elsewhere.
    pub tests: VertexScalar,
    /// The mean over the vertices that are learned from.
    pub loss: GraphScalar,
    /// How many vertices that are learned from have their class right.
    pub train_right: GraphScalar,
    /// How many of those have that say when to stop.
    pub validation_right: GraphScalar,
    /// How many of those have that say how well it was learned.
    pub test_right: GraphScalar,
    /// What the loss changes by with each output.
    pub logits_gradient: VertexFeatures<K>,
    /// 1.
    pub loss_gradient: GraphScalar,
}

#[vertex_fn]
fn surprise<const K: usize>(f: Feature, v: Vertex, d: &mut CrossEntropy<K>) -> bool {
    let logit = d.logits[v][f];
    let own = broadcast(logit, d.class[v] as u32);
    d.loss += d.share[v] * (log_sum_exp(logit) - own);
    true
}

#[vertex_fn]
fn count_right<const K: usize>(f: Feature, v: Vertex, d: &mut CrossEntropy<K>) -> bool {
    let right = if argmax(d.logits[v][f]) == d.class[v] as u32 { 1.0 } else { 0.0 };
    d.train_right += if d.share[v] > 0.0 { right } else { 0.0 };
    d.validation_right += d.validates[v] * right;
    d.test_right += d.tests[v] * right;
    true
}

foldmap! {
    /// The loss of the outputs.
    pub cross_entropy<const K: usize>(CrossEntropy<K>) = [surprise]; features = [8, 16, 64, 256]; gradient = [logits]
}

foldmap! {
    /// How many outputs are right.
    pub accuracy<const K: usize>(CrossEntropy<K>) = [count_right]; features = [8, 16, 64, 256]
}

/// The mean squared error of rows.
#[graph_data]
pub struct SquaredError<const K: usize> {
    /// The outputs.
    pub out: VertexFeatures<K>,
    /// What they should be.
    pub wanted: VertexFeatures<K>,
    /// How much a vertex counts: one over the number of floats of all vertices that are learned from, 0 elsewhere.
    pub share: VertexScalar,
    /// The mean over the floats of the vertices that are learned from.
    pub loss: GraphScalar,
    /// What the loss changes by with each output.
    pub out_gradient: VertexFeatures<K>,
    /// 1.
    pub loss_gradient: GraphScalar,
}

#[vertex_fn]
fn miss<const K: usize>(f: Feature, v: Vertex, d: &mut SquaredError<K>) -> bool {
    let off = d.out[v][f] - d.wanted[v][f];
    d.loss += d.share[v] * sum(off * off);
    true
}

foldmap! {
    /// The loss of the outputs.
    pub squared_error<const K: usize>(SquaredError<K>) = [miss]; features = [8, 16, 64]; gradient = [out]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Accuracy, ClassLoss};
