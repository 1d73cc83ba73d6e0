//! Steps of training: what weights become by their gradient. The weights of a layer are the rows of a graph without edges.

use onyx_device::prelude::*;

/// Weights, and what optimizers remember of them.
#[graph_data]
pub struct Weights<const K: usize> {
    /// The weights.
    pub value: VertexFeatures<K>,
    /// What they were before the last step.
    pub before: VertexFeatures<K>,
    /// What the loss changes by with each.
    pub gradient: VertexFeatures<K>,
    /// Adam's mean of the gradient; the velocity of plain descent.
    pub mean: VertexFeatures<K>,
    /// Adam's mean of the gradient's square.
    pub square: VertexFeatures<K>,
    /// The step of training, from 1; 0 for a step that changes nothing, and below 0 for one that takes the last one back.
    pub step: GraphScalar,
    /// The learning rate.
    pub rate: Parameter,
    /// How much of a weight is added to its gradient.
    pub decay: Parameter,
    /// How much of the mean, or of the velocity, is kept in a step.
    pub keep: Parameter,
    /// How much of the mean square is kept in a step.
    pub keep_square: Parameter,
}

/// Added to the root of the mean square.
const EPSILON: f32 = 1e-8;

#[vertex_fn]
fn adapt<const K: usize>(f: Feature, v: Vertex, d: &mut Weights<K>) -> bool {
    let (value, before) = (d.value[v][f], d.before[v][f]);
    let gradient = d.gradient[v][f] + d.decay * value;
    let mean = d.keep * d.mean[v][f] + (1.0 - d.keep) * gradient;
    let square = d.keep_square * d.square[v][f] + (1.0 - d.keep_square) * gradient * gradient;
    // Both begin at 0, which weighs less with every step.
    let mean_so_far = mean / (1.0 - d.keep.powf(d.step));
    let square_so_far = square / (1.0 - d.keep_square.powf(d.step));
    let learned = value - d.rate * mean_so_far / (square_so_far.sqrt() + EPSILON);
    let kept = if d.step < 0.0 { before } else { value };
    d.before[v][f] = if d.step > 0.0 { value } else { before };
    d.mean[v][f] = if d.step > 0.0 { mean } else { d.mean[v][f] };
    d.square[v][f] = if d.step > 0.0 { square } else { d.square[v][f] };
    d.value[v][f] = if d.step > 0.0 { learned } else { kept };
    true
}

#[vertex_fn]
fn descend<const K: usize>(f: Feature, v: Vertex, d: &mut Weights<K>) -> bool {
    let (value, before) = (d.value[v][f], d.before[v][f]);
    let velocity = d.keep * d.mean[v][f] + d.gradient[v][f] + d.decay * value;
    let kept = if d.step < 0.0 { before } else { value };
    d.before[v][f] = if d.step > 0.0 { value } else { before };
    d.mean[v][f] = if d.step > 0.0 { velocity } else { d.mean[v][f] };
    d.value[v][f] = if d.step > 0.0 { value - d.rate * velocity } else { kept };
    true
}

foldmap! {
    /// A step of Adam: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015.
    pub adam<const K: usize>(Weights<K>) = [adapt]; features = [8, 16, 32, 64]
}

foldmap! {
    /// A step of stochastic gradient descent with momentum.
    pub descent<const K: usize>(Weights<K>) = [descend]; features = [8, 16, 32, 64]
}
