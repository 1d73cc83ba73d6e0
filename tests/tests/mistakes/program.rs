//! A fold that uses what schedules treat apart: rows and scalars, tracked and not, of vertices and of edges.

use onyx_device::prelude::*;
use onyx_device::reduction::Accumulator;
use onyx_device::run::EdgeRun;
use onyx_device::stage::{ACTIVE, FOLLOWS, Staged};

/// Lanes of a group.
pub const L: usize = 4;
/// Features of a lane.
pub const V: usize = 4;
/// Features of a row.
pub const K: usize = L * V;

#[graph_data]
pub struct Rumour<const K: usize> {
    pub weight: EdgeScalar,
    pub heard: EdgeFeatures<K>,
    pub value: VertexFeatures<K, Tracked>,
    pub size: VertexScalar<Tracked>,
    pub total: VertexFeatures<K>,
    pub mass: VertexScalar,
    pub bias: VertexScalar,
    pub noise: GraphScalar,
    pub chorus: GraphFeatures<K>,
}

/// Every property in order, by name, and whether it is tracked.
pub const PROPERTIES: [(&str, bool); 11] = [
    ("weight", false),
    ("heard", false),
    ("value", true),
    ("size", true),
    ("total", false),
    ("mass", false),
    ("bias", false),
    ("noise", false),
    ("chorus", false),
    ("what blocks add to noise", false),
    ("what blocks add to chorus", false),
];

#[edge_fn]
pub fn tell<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.total[e.dst][f] += d.weight[e] * d.value[e.src][f];
    d.mass[e.dst] += d.weight[e] * d.size[e.src];
    true
}

#[edge_fn]
pub fn hear<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.heard[e][f] = d.value[e.src][f];
    true
}

#[edge_fn]
pub fn reweigh<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.weight[e] *= 0.5;
    d.total[e.dst][f] += d.weight[e] * d.heard[e][f];
    d.weight[e] > 0.1
}

#[edge_fn]
pub fn scale<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.total[e.dst][f] *= d.value[e.src][f];
    d.mass[e.dst] *= d.size[e.src];
    true
}

#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    let value = 0.5 * d.value[v][f] + d.total[v][f] / (1.0 + d.mass[v]);
    let moved = value > d.size[v];
    d.value[v][f] = value;
    d.size[v] = sum(value);
    any(moved)
}

#[edge_fn]
pub fn lean<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.total[e.dst][f] += d.bias[e.dst] * d.value[e.src][f];
    true
}

#[vertex_fn]
pub fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    d.value[v][f] = 0.5 * d.total[v][f];
    d.bias[v] = 0.5 * d.bias[v] + max(d.total[v][f]);
    true
}

#[vertex_fn]
pub fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    d.mass[v] = max(d.value[v][f]);
    d.mass[v] > 0.5
}

#[vertex_fn]
pub fn shrink<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    d.value[v][f] *= 0.5;
    d.size[v] = 0.5 * d.size[v] + sum(d.value[v][f]);
    true
}

#[vertex_fn]
pub fn shout<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    d.noise += d.size[v];
    d.chorus[f] += d.value[v][f];
    true
}

#[edge_fn]
pub fn tell_rows<const K: usize>(f: Feature, e: Edge, d: &mut Rumour<K>) -> bool {
    d.total[e.dst][f] += d.value[e.src][f];
    true
}

#[vertex_fn]
pub fn believe_rows<const K: usize>(f: Feature, v: Vertex, d: &mut Rumour<K>) -> bool {
    d.value[v][f] = 0.5 * d.total[v][f];
    true
}

/// The data at the width of the tests.
pub type Data = Rumour<K>;
/// Edge functions that only reduce.
pub type Tell = (tell, ());
/// What those reduce into their destination.
pub type Sums = <Tell as EdgeRun<Data>>::Sums<V>;
/// Edge functions that store at their own edge, too.
pub type TellAndHear = (tell, (hear, ()));
/// Edge functions that store scalars at their own edge, and stop.
pub type ReweighAndHear = (reweigh, (hear, ()));
/// Vertex functions the second of which reads and stores what the first does not, so that it is carried over for it.
pub type MeasureAndShrink = (measure, (shrink, ()));
/// Edge functions that read their destination.
pub type Lean = (lean, ());
/// Vertex functions that write what those read.
pub type Settle = (settle, ());
/// Edge functions that reduce by products, which a push may leave to be computed again.
pub type Scale = (scale, ());
/// Vertex functions.
pub type Believe = (believe, ());
/// Vertex functions that add to totals of the graph.
pub type Shout = (shout, ());
/// Edge functions along the edges of active sources.
pub type TellActive = Staged<Tell, ACTIVE>;
/// Vertex functions of a stage along those.
pub type BelieveActive = Staged<Believe, ACTIVE>;
/// The same of rows alone: no scalar's store makes lanes meet by the way.
pub type TellRowsActive = Staged<(tell_rows, ()), ACTIVE>;
/// Vertex functions of rows alone.
pub type BelieveRowsActive = Staged<(believe_rows, ()), ACTIVE>;
/// Edge functions of a stage whose vertex functions follow those of another.
pub type TellFollowing = Staged<Tell, FOLLOWS>;
/// Vertex functions that follow those of another stage.
pub type BelieveFollowing = Staged<Believe, FOLLOWS>;
/// The same of rows alone.
pub type TellRowsFollowing = Staged<(tell_rows, ()), FOLLOWS>;
/// Vertex functions of rows alone.
pub type BelieveRowsFollowing = Staged<(believe_rows, ()), FOLLOWS>;

/// The totals of no edge.
pub fn nothing() -> Sums {
    <Sums as Accumulator<Data, V>>::zero()
}
