//! Programs whose functions leave values to one another in registers.

use onyx_device::prelude::*;

/// Scratch of every kind, and values that are stored, yet read by a later function of the same run.
#[graph_data]
pub struct Relay<const K: usize> {
    /// How heavy an edge is.
    pub weight: EdgeScalar,
    /// Written by one edge function, read and written by the next, kept.
    pub message: EdgeFeatures<K>,
    /// Counts the edges that went on.
    pub passed: EdgeScalar,
    /// How far the ends of an edge are apart.
    pub difference: EdgeFeatures<K, Scratch>,
    /// The sum of that.
    pub gap: EdgeScalar<Scratch>,
    /// What is relayed.
    pub value: VertexFeatures<K>,
    /// The sum of what arrives; the first vertex function overwrites it.
    pub arrived: VertexFeatures<K>,
    /// What the vertex functions work on.
    pub share: VertexFeatures<K, Scratch>,
    /// The sum of what arrives, over the features.
    pub size: VertexScalar<Scratch>,
    /// How often a vertex has taken a part; only smaller ones go on.
    pub turn: VertexScalar,
    /// What comes out.
    pub result: VertexFeatures<K>,
    /// Lighter edges go no further.
    pub least_weight: Parameter,
    /// The turn from which vertices go no further.
    pub last_turn: Parameter,
}

/// Measures an edge.
#[edge_fn]
pub fn measure<const K: usize>(f: Feature, e: Edge, d: &mut Relay<K>) -> bool {
    let difference = d.value[e.src][f] - 0.5 * d.value[e.dst][f];
    d.difference[e][f] = difference;
    d.gap[e] = sum(difference);
    d.message[e][f] += 2.0 * difference;
    d.passed[e] = 1.0;
    true
}

/// Stops at light edges, and writes nothing.
#[edge_fn]
pub fn sieve<const K: usize>(e: Edge, d: &mut Relay<K>) -> bool {
    d.weight[e] > d.least_weight
}

/// Reads all that has been measured, and writes some of it again.
#[edge_fn]
pub fn dampen<const K: usize>(f: Feature, e: Edge, d: &mut Relay<K>) -> bool {
    if d.weight[e] > 0.5 {
        d.difference[e][f] *= 0.5;
    }
    d.message[e][f] = 0.25 * d.message[e][f] + 0.1 * d.gap[e];
    d.passed[e] += 1.0;
    true
}

/// Hands on what the first two have left.
#[edge_fn]
pub fn deliver<const K: usize>(f: Feature, e: Edge, d: &mut Relay<K>) -> bool {
    d.arrived[e.dst][f] += d.difference[e][f] + d.message[e][f] + d.gap[e] + d.passed[e];
    true
}

/// Takes the sum, and leaves something else in its place.
#[vertex_fn]
pub fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Relay<K>) -> bool {
    d.size[v] = 0.01 * sum(d.arrived[v][f]);
    d.share[v][f] = 0.5 * d.arrived[v][f];
    d.arrived[v][f] = d.share[v][f] + 1.0;
    d.turn[v] += 1.0;
    d.turn[v] < d.last_turn
}

/// Reads both; the sum is gone.
#[vertex_fn]
pub fn add<const K: usize>(f: Feature, v: Vertex, d: &mut Relay<K>) -> bool {
    d.share[v][f] += d.arrived[v][f] + d.turn[v];
    true
}

/// Shows what has become of the scratch.
#[vertex_fn]
pub fn show<const K: usize>(f: Feature, v: Vertex, d: &mut Relay<K>) -> bool {
    d.result[v][f] = d.share[v][f] + d.size[v];
    true
}

foldmap! {
    /// All functions in one kernel.
    pub relay<const K: usize>(Relay<K>) = [measure, sieve, dampen, deliver, take, add, show]
}

foldmap! {
    /// A kernel for each function: scratch goes through memory.
    pub relay_unfolded<const K: usize>(Relay<K>) = unfolded [measure, dampen, deliver, take, add, show]; features = [1, 4]
}

/// Change-driven although an edge function writes its edge: what it writes is scratch.
#[graph_data]
pub struct Ripple<const K: usize> {
    /// The part of a level that an edge passes on.
    pub weight: EdgeScalar,
    /// What an edge passes on.
    pub part: EdgeFeatures<K, Scratch>,
    /// What a vertex has of its own.
    pub source: VertexFeatures<K>,
    /// What is passed on.
    pub level: VertexFeatures<K, Tracked>,
    /// What arrives.
    pub arrived: VertexFeatures<K>,
    /// The square of how far a vertex has moved.
    pub moved: VertexScalar<Scratch>,
    /// Smaller moves do not count.
    pub tolerance: Parameter,
}

/// Weighs what the source has.
#[edge_fn]
pub fn weigh_part<const K: usize>(f: Feature, e: Edge, d: &mut Ripple<K>) -> bool {
    d.part[e][f] = d.weight[e] * d.level[e.src][f];
    true
}

/// Passes it on.
#[edge_fn]
pub fn pass_part<const K: usize>(f: Feature, e: Edge, d: &mut Ripple<K>) -> bool {
    d.arrived[e.dst][f] += d.part[e][f];
    true
}

/// Takes the new level.
#[vertex_fn]
pub fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Ripple<K>) -> bool {
    let level = d.source[v][f] + d.arrived[v][f];
    let change = level - d.level[v][f];
    d.moved[v] = sum(change * change);
    d.level[v][f] = level;
    true
}

/// Compares how far the vertex has moved.
#[vertex_fn]
pub fn compare<const K: usize>(v: Vertex, d: &mut Ripple<K>) -> bool {
    d.moved[v] > d.tolerance * d.tolerance
}

foldmap! {
    /// Pushed and pulled. That `compare` says what `settle` has changed is not seen by the macros.
    pub ripple<const K: usize>(Ripple<K>) = [weigh_part, pass_part, settle, compare]; edges = changed
}
