//! Programs that use what the algorithms in `examples/` do not.

use onyx_device::prelude::*;

/// Several functions of each kind, edge properties, scalars and progress.
#[graph_data]
pub struct Mixture<const K: usize> {
    /// A factor for each edge and feature.
    pub gain: EdgeFeatures<K>,
    /// How heavy an edge is.
    pub weight: EdgeScalar,
    /// What the second edge function has seen.
    pub seen: EdgeFeatures<K>,
    /// What is mixed.
    pub value: VertexFeatures<K, Tracked>,
    /// The sum of what arrives.
    pub total: VertexFeatures<K>,
    /// The weight of the edges that count.
    pub mass: VertexScalar,
    /// A factor for each vertex.
    pub bias: VertexScalar,
    /// The sum over a vertex's features.
    pub size: VertexScalar,
    /// What the second vertex function keeps.
    pub kept: VertexFeatures<K>,
    /// Lighter edges do not count.
    pub least_weight: Parameter,
    /// Smaller vertices are not kept.
    pub least_size: Parameter,
}

/// Collects along every edge; lighter edges go no further.
#[edge_fn]
pub fn collect<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.total[e.dst][f] += d.gain[e][f] * d.value[e.src][f];
    d.weight[e] > d.least_weight
}

/// Weighs the edges that count.
#[edge_fn]
pub fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Mixture<K>) -> bool {
    d.mass[e.dst] += d.weight[e];
    d.seen[e][f] = d.value[e.src][f] - 0.5 * d.value[e.dst][f];
    true
}

/// Mixes what arrived into the value; small vertices go no further.
#[vertex_fn]
pub fn blend<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    let arrived = d.total[v][f] / (1.0 + d.mass[v]);
    let value = if arrived > 0.0 { 0.5 * d.value[v][f] + 0.5 * arrived } else { 0.25 * d.value[v][f] };
    d.value[v][f] = value;
    let size = sum(value);
    d.size[v] = size;
    size > d.least_size
}

/// Keeps the values of large vertices, as shares of their size.
#[vertex_fn]
pub fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Mixture<K>) -> bool {
    let share = normalize(d.value[v][f]);
    d.kept[v][f] = share * d.bias[v];
    true
}

foldmap! {
    /// All four functions in one kernel.
    pub mix<const K: usize>(Mixture<K>) = [collect, weigh, blend, keep]
}

/// A vertex function alone.
#[graph_data]
pub struct Decay<const K: usize> {
    /// What decays.
    pub value: VertexFeatures<K>,
    /// Below this it has settled.
    pub floor: Parameter,
}

/// Halves every feature until all are small.
#[vertex_fn]
pub fn halve<const K: usize>(f: Feature, v: Vertex, d: &mut Decay<K>) -> bool {
    d.value[v][f] *= 0.5;
    any(d.value[v][f] > d.floor)
}

foldmap! {
    /// No edges at all.
    pub decay<const K: usize>(Decay<K>) = [halve]
}

/// An edge function alone, without features.
#[graph_data]
pub struct Degrees {
    /// The weight of an edge.
    pub weight: EdgeScalar,
    /// The weight of all incoming edges.
    pub strength: VertexScalar,
    /// Their number.
    pub degree: VertexScalar,
}

/// Counts and weighs.
#[edge_fn]
pub fn count(e: Edge, d: &mut Degrees) -> bool {
    d.strength[e.dst] += d.weight[e];
    d.degree[e.dst] += 1.0;
    false
}

foldmap! {
    /// Runs once: no destination is activated.
    pub degrees(Degrees) = [count]
}

/// Change-driven and never settled: a source in every vertex rises and falls for ever.
#[graph_data]
pub struct Tide<const K: usize> {
    /// The part of a level that an edge passes on.
    pub weight: EdgeScalar,
    /// How strong the source is.
    pub strength: VertexFeatures<K>,
    /// Where the source is between 0 and 1.
    pub phase: VertexScalar,
    /// What is passed on.
    pub level: VertexFeatures<K, Tracked>,
    /// What arrives.
    pub arrived: VertexFeatures<K>,
    /// How far the source moves in an iteration.
    pub step: Parameter,
}

/// Passes a part of the level on.
#[edge_fn]
pub fn flow<const K: usize>(f: Feature, e: Edge, d: &mut Tide<K>) -> bool {
    d.arrived[e.dst][f] += d.weight[e] * d.level[e.src][f];
    true
}

/// Moves the source and takes the new level.
#[vertex_fn]
pub fn rise<const K: usize>(f: Feature, v: Vertex, d: &mut Tide<K>) -> bool {
    let moved = d.phase[v] + d.step;
    let phase = if moved < 1.0 { moved } else { moved - 1.0 };
    d.phase[v] = phase;
    d.level[v][f] = d.arrived[v][f] + d.strength[v][f] * phase;
    true
}

foldmap! {
    /// Runs until the limit.
    pub tide<const K: usize>(Tide<K>) = [flow, rise]
}
