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

foldmap! {
    /// The same by one thread for all features of an edge or a vertex.
    pub mix_by_threads<const K: usize>(Mixture<K>) = [collect, weigh, blend, keep];
        features = [1, 4, 16]; features_per_lane = all
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

/// Every collaborative operation.
#[graph_data]
pub struct Operations<const K: usize> {
    /// What is combined.
    pub value: VertexFeatures<K>,
    /// What it is combined with.
    pub other: VertexFeatures<K>,
    /// `normalize`
    pub share: VertexFeatures<K>,
    /// `softmax`
    pub soft: VertexFeatures<K>,
    /// `sum`
    pub total: VertexScalar,
    /// `product`
    pub product: VertexScalar,
    /// `min`
    pub least: VertexScalar,
    /// `max`
    pub greatest: VertexScalar,
    /// `norm2`
    pub length: VertexScalar,
    /// `log_sum_exp`
    pub pressure: VertexScalar,
    /// `argmax`
    pub first: VertexScalar,
    /// `broadcast` of what `argmax` has found.
    pub picked: VertexScalar,
    /// `broadcast` of the last feature that may exist.
    pub last: VertexScalar,
    /// `dot`
    pub similarity: VertexScalar,
    /// `any` and `all`
    pub votes: VertexScalar,
}

/// Applies every operation once, some of them nested.
#[vertex_fn]
pub fn operate<const K: usize>(f: Feature, v: Vertex, d: &mut Operations<K>) -> bool {
    let (value, other) = (d.value[v][f], d.other[v][f]);
    d.share[v][f] = normalize(value + 0.5);
    d.soft[v][f] = softmax(100.0 * value);
    d.total[v] = sum(value);
    d.product[v] = product(1.0 + 0.1 * value);
    d.least[v] = min(value);
    d.greatest[v] = max(value);
    d.length[v] = norm2(value);
    d.pressure[v] = log_sum_exp(200.0 * value);
    d.first[v] = argmax(if value > 0.31 { 1.0 } else { 0.0 }) as f32;
    d.picked[v] = broadcast(other, argmax(value));
    d.last[v] = broadcast(value, 2);
    d.similarity[v] = dot(value, normalize(other + 0.5));
    let few = any(value > 0.7);
    let most = all(value > -0.1);
    d.votes[v] = (if few { 1.0 } else { 0.0 }) + (if most { 2.0 } else { 0.0 });
    false
}

foldmap! {
    /// Runs once.
    pub operations<const K: usize>(Operations<K>) = [operate]
}

/// Every reduction, of features and of scalars.
#[graph_data]
pub struct Reductions<const K: usize> {
    /// The weight of an edge.
    pub weight: EdgeScalar,
    /// What arrives.
    pub value: VertexFeatures<K>,
    /// `*=`
    pub product: VertexFeatures<K>,
    /// `.min_with(x)`
    pub least: VertexFeatures<K>,
    /// `.max_with(x)`
    pub greatest: VertexFeatures<K>,
    /// `*=`
    pub scale: VertexScalar,
    /// `.min_with(x)`
    pub lightest: VertexScalar,
    /// `.max_with(x)`
    pub heaviest: VertexScalar,
    /// The three of features, added up by a vertex function.
    pub kept: VertexFeatures<K>,
}

/// Reduces in every way but by sums.
#[edge_fn]
pub fn bound<const K: usize>(f: Feature, e: Edge, d: &mut Reductions<K>) -> bool {
    let value = d.value[e.src][f];
    d.product[e.dst][f] *= 1.0 + 0.1 * value;
    d.least[e.dst][f].min_with(value);
    if value > 0.0 {
        d.greatest[e.dst][f].max_with(-value);
    }
    d.scale[e.dst] *= 0.75 + 0.25 * d.weight[e];
    d.lightest[e.dst].min_with(d.weight[e]);
    d.heaviest[e.dst].max_with(d.weight[e]);
    false
}

/// Adds up what has arrived; what has not is left out.
#[vertex_fn]
pub fn keep_bounds<const K: usize>(f: Feature, v: Vertex, d: &mut Reductions<K>) -> bool {
    let least = if d.least[v][f] == f32::INFINITY { 0.0 } else { d.least[v][f] };
    let greatest = if d.greatest[v][f] == f32::NEG_INFINITY { 0.0 } else { d.greatest[v][f] };
    d.kept[v][f] = d.product[v][f] + least + greatest;
    false
}

foldmap! {
    /// The totals go to memory.
    pub bounds<const K: usize>(Reductions<K>) = [bound]
}

foldmap! {
    /// The totals of whole rows stay in registers.
    pub bounds_kept<const K: usize>(Reductions<K>) = [bound, keep_bounds]; features = [1, 4, 16, 128]
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
    pub tide<const K: usize>(Tide<K>) = [flow, rise]; features = [1, 4, 16, 128]
}

/// Change-driven by products and a sum at once, and never settled: gates open and close for ever, so that factors of zero come and go.
#[graph_data]
pub struct Gates<const K: usize> {
    /// The part of a level that an edge passes on.
    pub weight: EdgeScalar,
    /// How strong the source is.
    pub strength: VertexFeatures<K>,
    /// Where the source is between 0 and 1.
    pub phase: VertexScalar,
    /// 0 where nothing passes, 1 elsewhere.
    pub gate: VertexScalar<Tracked>,
    /// What is passed on.
    pub level: VertexFeatures<K, Tracked>,
    /// The sum of what arrives.
    pub arrived: VertexFeatures<K>,
    /// The product of what passes all gates.
    pub passed: VertexFeatures<K>,
    /// The product of what closed gates keep.
    pub kept: VertexScalar,
    /// How far the source moves in an iteration.
    pub step: Parameter,
}

/// Adds up, and multiplies what comes through a gate.
#[edge_fn]
pub fn pass<const K: usize>(f: Feature, e: Edge, d: &mut Gates<K>) -> bool {
    let part = d.weight[e] * d.level[e.src][f];
    d.arrived[e.dst][f] += part;
    d.passed[e.dst][f] *= d.gate[e.src] * (1.0 + part);
    d.kept[e.dst] *= 1.0 - 0.5 * d.weight[e] * d.gate[e.src];
    true
}

/// Moves the source, turns the gate and takes the new level.
#[vertex_fn]
pub fn turn<const K: usize>(f: Feature, v: Vertex, d: &mut Gates<K>) -> bool {
    let moved = d.phase[v] + d.step;
    let phase = if moved < 1.0 { moved } else { moved - 1.0 };
    d.phase[v] = phase;
    d.gate[v] = if phase > 0.0 { 1.0 } else { 0.0 };
    d.level[v][f] = d.strength[v][f] * phase + 0.25 * d.arrived[v][f] + 0.1 * d.passed[v][f] + 0.1 * d.kept[v];
    true
}

foldmap! {
    /// Runs until the limit.
    pub gates<const K: usize>(Gates<K>) = [pass, turn]; features = [1, 4, 16, 128]
}

/// Signs and zeros that are multiplied, without rounding: most of them settle.
#[graph_data]
pub struct Signs<const K: usize> {
    /// -1, 0 or 1: what a vertex falls back to.
    pub seed: VertexFeatures<K>,
    /// -1, 0 or 1.
    pub sign: VertexFeatures<K, Tracked>,
    /// The product over the neighbors.
    pub product: VertexFeatures<K>,
}

/// Multiplies the neighbors' signs.
#[edge_fn]
pub fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Signs<K>) -> bool {
    d.product[e.dst][f] *= d.sign[e.src][f];
    true
}

/// A zero among the neighbors brings the seed back; a product like the own sign puts it out.
#[vertex_fn]
pub fn choose<const K: usize>(f: Feature, v: Vertex, d: &mut Signs<K>) -> bool {
    let (own, product) = (d.sign[v][f], d.product[v][f]);
    let other = if product == own { 0.0 } else { product };
    let next = if product == 0.0 { d.seed[v][f] } else { other };
    d.sign[v][f] = next;
    any(next != own)
}

foldmap! {
    /// Zeros come and go where something is active.
    pub signs<const K: usize>(Signs<K>) = [multiply, choose]; features = [1, 4, 16, 128]
}
