//! Folds to compare: the same functions folded into one kernel, one kernel each, and written as one function by hand.

use onyx_device::prelude::*;

pub mod labels;
pub mod messages;

/// Two sums over the same neighbors, as alternating least squares and attention need them.
#[graph_data]
pub struct Moments<const K: usize> {
    /// How an edge is weighed.
    pub rating: EdgeScalar,
    /// What is summed.
    pub factor: VertexFeatures<K>,
    /// The weighted sum.
    pub first: VertexFeatures<K>,
    /// The sum of squares.
    pub second: VertexFeatures<K>,
}

/// Adds the weighted row of the source.
#[edge_fn]
pub fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Moments<K>) -> bool {
    d.first[e.dst][f] += d.rating[e] * d.factor[e.src][f];
    true
}

/// Adds the squares of the same row.
#[edge_fn]
pub fn square<const K: usize>(f: Feature, e: Edge, d: &mut Moments<K>) -> bool {
    d.second[e.dst][f] += d.factor[e.src][f] * d.factor[e.src][f];
    true
}

/// Both sums in one function.
#[edge_fn]
pub fn weigh_and_square<const K: usize>(f: Feature, e: Edge, d: &mut Moments<K>) -> bool {
    let factor = d.factor[e.src][f];
    d.first[e.dst][f] += d.rating[e] * factor;
    d.second[e.dst][f] += factor * factor;
    true
}

foldmap! {
    /// Both edge functions in one kernel.
    pub moments_folded<const K: usize>(Moments<K>) = [weigh, square]; features = [4, 16, 64]
}

foldmap! {
    /// Each edge function in a kernel of its own.
    pub moments_unfolded<const K: usize>(Moments<K>) = unfolded [weigh, square]; features = [4, 16, 64]
}

foldmap! {
    /// The kernel that one function gives.
    pub moments_by_hand<const K: usize>(Moments<K>) = [weigh_and_square]; features = [4, 16, 64]
}

/// Three steps at each vertex: normalize, mix, normalize.
#[graph_data]
pub struct Mixing<const K: usize> {
    /// What is mixed.
    pub value: VertexFeatures<K>,
    /// What it is mixed with.
    pub seed: VertexFeatures<K>,
    /// What the first two steps leave for the next one.
    pub step: VertexFeatures<K, Scratch>,
    /// What the last step leaves.
    pub mixed: VertexFeatures<K>,
    /// The part of the value.
    pub alpha: Parameter,
}

/// The value as a distribution.
#[vertex_fn]
pub fn share<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.step[v][f] = normalize(d.value[v][f]);
    true
}

/// Mixes it with the seed.
#[vertex_fn]
pub fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.step[v][f] = d.alpha * d.step[v][f] + (1.0 - d.alpha) * d.seed[v][f];
    true
}

/// The mixture as a distribution.
#[vertex_fn]
pub fn finish<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    d.mixed[v][f] = normalize(d.step[v][f]);
    true
}

/// All three steps in one function.
#[vertex_fn]
pub fn share_mix_finish<const K: usize>(f: Feature, v: Vertex, d: &mut Mixing<K>) -> bool {
    let mixture = d.alpha * normalize(d.value[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    d.mixed[v][f] = normalize(mixture);
    true
}

foldmap! {
    /// All three functions in one kernel.
    pub mixing_folded<const K: usize>(Mixing<K>) = [share, mix, finish]; features = [4, 16, 64]
}

foldmap! {
    /// Each vertex function in a kernel of its own.
    pub mixing_unfolded<const K: usize>(Mixing<K>) = unfolded [share, mix, finish]; features = [4, 16, 64]
}

foldmap! {
    /// The kernel that one function gives.
    pub mixing_by_hand<const K: usize>(Mixing<K>) = [share_mix_finish]; features = [4, 16, 64]
}
