//! Programs that read at the reverse edge.

use onyx_device::prelude::*;

/// What is sent along edges, and what comes back.
#[graph_data]
pub struct Echo<const K: usize> {
    /// What an edge carries.
    pub message: EdgeFeatures<K>,
    /// The part of it that counts.
    pub flow: EdgeScalar,
    /// What comes back, less half of what was sent.
    pub answer: EdgeFeatures<K>,
    /// By how much more flows than comes back.
    pub balance: EdgeScalar,
    /// What a vertex starts from.
    pub bias: VertexFeatures<K>,
    /// What it arrives at.
    pub belief: VertexFeatures<K, Tracked>,
    /// What is heard from all neighbors.
    pub heard: VertexFeatures<K>,
    /// A belief that has moved by less has settled.
    pub tolerance: Parameter,
}

/// Reads rows and scalars in both directions, and writes one.
#[edge_fn]
pub fn answer<const K: usize>(f: Feature, e: Edge, d: &mut Echo<K>) -> bool {
    d.answer[e][f] = d.message[e.rev][f] - 0.5 * d.message[e][f];
    d.balance[e] = d.flow[e] - d.flow[e.rev];
    d.heard[e.dst][f] += d.message[e.rev][f] * d.flow[e.rev];
    false
}

/// Weighs the source by what it is sent.
#[edge_fn]
pub fn listen<const K: usize>(f: Feature, e: Edge, d: &mut Echo<K>) -> bool {
    d.heard[e.dst][f] += d.flow[e.rev] * d.message[e.rev][f] * d.belief[e.src][f];
    true
}

/// Takes what was heard.
#[vertex_fn]
pub fn settle<const K: usize>(f: Feature, v: Vertex, d: &mut Echo<K>) -> bool {
    let belief = d.bias[v][f] + d.heard[v][f];
    let moved = (belief - d.belief[v][f]).abs() > d.tolerance;
    d.belief[v][f] = belief;
    any(moved)
}

/// Mixes what is sent with what comes back.
#[edge_fn]
pub fn compose<const K: usize>(f: Feature, e: Edge, d: &mut Echo<K>) -> bool {
    d.answer[e][f] = 0.25 * d.message[e][f] + 0.5 * d.message[e.rev][f];
    true
}

/// Sends the mixture.
#[edge_fn]
pub fn send<const K: usize>(f: Feature, e: Edge, d: &mut Echo<K>) -> bool {
    d.message[e][f] = d.answer[e][f];
    true
}

foldmap! {
    /// The messages of an iteration are all composed before any is sent.
    pub converse<const K: usize>(Echo<K>) = [compose; send]; features = [1, 4, 16, 128]
}

foldmap! {
    /// Runs once.
    pub reply<const K: usize>(Echo<K>) = [answer]; features = [1, 4, 16, 128]
}

foldmap! {
    /// Change-driven: what is read at the reverse edges stays as it is.
    pub echo<const K: usize>(Echo<K>) = [listen, settle]; features = [1, 4, 16, 128]
}
