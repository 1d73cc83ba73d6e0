//! Labels in half precision: a lane loads eight bytes where it loaded sixteen.

use onyx_device::prelude::*;

/// What is mixed along edges, in each precision.
#[graph_data]
pub struct Mixture<const K: usize> {
    /// In half precision.
    pub half: VertexFeatures<K, f16, Tracked>,
    /// With the range of an `f32`.
    pub brain: VertexFeatures<K, Tracked, bf16>,
    /// What each vertex begins with.
    pub seed: VertexFeatures<K, bf16>,
    /// One over the number of incoming edges.
    pub share: VertexScalar,
    /// What arrives of `half`.
    pub half_sum: VertexFeatures<K>,
    /// What arrives of `brain`.
    pub brain_sum: VertexFeatures<K>,
    /// What an edge has to say.
    pub message: EdgeFeatures<K, f16>,
    /// The messages of all edges.
    pub heard: VertexFeatures<K>,
    /// What was heard, in half precision.
    pub kept: VertexFeatures<K, f16>,
    /// How far that is from what was heard.
    pub lost: VertexFeatures<K>,
}

/// Along every edge.
#[edge_fn]
pub fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.half_sum[e.dst][f] += d.half[e.src][f];
    d.brain_sum[e.dst][f] += d.brain[e.src][f];
    true
}

/// A part of the mean, and of what the vertex began with.
#[vertex_fn]
pub fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    d.half[v][f] = 0.85 * d.share[v] * d.half_sum[v][f] + 0.15 * d.seed[v][f];
    d.brain[v][f] = 0.85 * d.share[v] * d.brain_sum[v][f] + 0.15 * d.seed[v][f];
    true
}

foldmap! {
    /// A step.
    pub mixture<const K: usize>(Mixture<K>) = [gather, mix]; features = [4, 16]
}

foldmap! {
    /// The same step, a lane having eight features: one access of 16 bytes where they have two bytes each, two where they have four.
    pub mixture_by_eights<const K: usize>(Mixture<K>) = [gather, mix]; features = [8, 64]; features_per_lane = 8
}

/// Says what the source begins with.
#[edge_fn]
pub fn say<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.message[e][f] = d.seed[e.src][f] / 3.0;
    true
}

/// Hears it, as it is in memory.
#[edge_fn]
pub fn hear<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.heard[e.dst][f] += d.message[e][f];
    true
}

/// Keeps it.
#[vertex_fn]
pub fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    d.kept[v][f] = d.heard[v][f];
    d.lost[v][f] = d.heard[v][f];
    true
}

/// Takes what was kept away.
#[vertex_fn]
pub fn compare<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    d.lost[v][f] -= d.kept[v][f];
    true
}

foldmap! {
    /// What is handed on in registers is what memory has.
    pub told<const K: usize>(Mixture<K>) = [say, hear, keep, compare]; features = [4, 16]
}

foldmap! {
    /// The same by way of memory.
    pub told_apart<const K: usize>(Mixture<K>) = [say; hear, keep; compare]; features = [4, 16]
}

/// Changes alone.
#[vertex_fn]
pub fn approach<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    let half = 0.85 * d.share[v] * d.half_sum[v][f] + 0.15 * d.seed[v][f];
    let moved = (half - d.half[v][f]).abs() > 0.002;
    d.half[v][f] = half;
    any(moved)
}

/// Along every edge.
#[edge_fn]
pub fn send<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.half_sum[e.dst][f] += d.half[e.src][f];
    true
}

foldmap! {
    /// Until nothing moves: changes are pushed.
    pub approached<const K: usize>(Mixture<K>) = [send, approach]; features = [4, 16]
}

/// Numbers that grow.
#[graph_data]
pub struct Growth<const K: usize> {
    /// In half precision.
    pub half: VertexFeatures<K, f16>,
    /// In half precision whose greatest number stands for what is beyond.
    pub full: VertexFeatures<K, saturating_f16>,
    /// What later functions of the same run have read of it.
    pub seen: VertexFeatures<K>,
    /// With the range of an `f32`.
    pub brain: VertexFeatures<K, bf16>,
}

/// The square.
#[vertex_fn]
pub fn grow<const K: usize>(f: Feature, v: Vertex, d: &mut Growth<K>) -> bool {
    d.half[v][f] = d.half[v][f] * d.half[v][f];
    d.brain[v][f] = d.brain[v][f] * d.brain[v][f];
    true
}

foldmap! {
    /// Squares.
    pub growth<const K: usize>(Growth<K>) = [grow]; features = [4, 16]
}

/// The square, up to the greatest number there is.
#[vertex_fn]
pub fn fill<const K: usize>(f: Feature, v: Vertex, d: &mut Growth<K>) -> bool {
    d.full[v][f] = d.full[v][f] * d.full[v][f] * d.brain[v][f];
    true
}

/// Looks at it.
#[vertex_fn]
pub fn see<const K: usize>(f: Feature, v: Vertex, d: &mut Growth<K>) -> bool {
    d.seen[v][f] = d.full[v][f];
    true
}

foldmap! {
    /// Squares with a sign, read from registers.
    pub filled<const K: usize>(Growth<K>) = [fill, see]; features = [4, 16]
}
