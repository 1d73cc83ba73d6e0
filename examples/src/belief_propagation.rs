//! Belief propagation: what is known of each variable of a pairwise Markov network, from messages along its edges.
//!
//! Figure 2.1a of the Onyx thesis, with messages as logarithms, so that what the figure multiplies and divides is added and subtracted, and a
//! message may be zero:
//!
//! ```text
//! cavity(u → v) = softmax(belief(u) − message(v → u))
//! sent(u → v)   = normalize(ψ(u → v) · cavity(u → v))                       the greatest product in place of the sum for assignments
//! message       = ln(normalize((1 − damping) · sent + damping · exp(message)))
//! belief(v)     = unary(v) + Σ over edges u → v of message(u → v)
//! ```
//!
//! A logarithm stays above [`IMPOSSIBLE`], which stands for the potential 0. Messages are sent along all edges from those of the iteration
//! before: the second stage takes over what the first has sent. `flood` does so for every edge. `update` does for the edges of variables
//! whose incoming messages have changed, and adds the change of a message to the belief, as the thesis does.

use onyx_device::math::{exp, ln};
use onyx_device::prelude::*;

/// The logarithm that stands for the potential 0: e^-64 is 1.6e-28.
pub const IMPOSSIBLE: f32 = -64.0;

/// What belief propagation keeps of each variable and of each direction of a pair. Messages, beliefs and unary potentials are logarithms.
#[graph_data]
pub struct BeliefPropagation<const K: usize> {
    /// The pairwise potentials: the destination's state is the row.
    potential: EdgeMatrix<K>,
    /// The same for all edges.
    coupling: GraphMatrix<K>,
    /// What the variable says of itself.
    unary: VertexFeatures<K>,
    /// The message that has arrived.
    message: EdgeFeatures<K>,
    /// The message that is under way, as shares.
    sent: EdgeFeatures<K>,
    /// The unary potential and all messages; the greatest is 0.
    belief: VertexFeatures<K>,
    /// What arrives: messages, or their changes.
    arrived: VertexFeatures<K>,
    /// The greatest change of a share of a message that arrives.
    change: VertexFeatures<K>,
    /// The part of the old message in a new one.
    damping: Parameter,
    /// Above 0 if logarithms are mixed in place of shares.
    logarithmic: Parameter,
    /// The change of a share that is not propagated.
    tolerance: Parameter,
}

/// Sends the sum over the source's states.
#[edge_fn]
pub fn send<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let cavity = softmax(d.belief[e.src][f] - d.message[e.rev][f]);
    d.sent[e][f] = normalize(matvec(d.potential[e][f], cavity));
    true
}

/// Sends the greatest product over the source's states.
#[edge_fn]
fn send_greatest<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let cavity = softmax(d.belief[e.src][f] - d.message[e.rev][f]);
    d.sent[e][f] = normalize(max_matvec(d.potential[e][f], cavity));
    true
}

/// As [`send`], with the potentials that all edges share.
#[edge_fn]
fn send_shared<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let cavity = softmax(d.belief[e.src][f] - d.message[e.rev][f]);
    d.sent[e][f] = normalize(matvec(d.coupling[f], cavity));
    true
}

/// As [`send_greatest`], with the potentials that all edges share.
#[edge_fn]
fn send_shared_greatest<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let cavity = softmax(d.belief[e.src][f] - d.message[e.rev][f]);
    d.sent[e][f] = normalize(max_matvec(d.coupling[f], cavity));
    true
}

/// Takes over the message that was sent, and adds it to what arrives.
#[edge_fn]
pub fn receive<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let old = d.message[e][f];
    let shares = normalize(mixed(d.damping, d.logarithmic, d.sent[e][f], old));
    let message = logarithm(shares);
    d.change[e.dst][f].max_with((shares - old.exp()).abs());
    d.arrived[e.dst][f] += message;
    d.message[e][f] = message;
    true
}

/// Takes over the message that was sent, and adds its change to what arrives.
#[edge_fn]
pub fn receive_change<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let old = d.message[e][f];
    let shares = normalize(mixed(d.damping, d.logarithmic, d.sent[e][f], old));
    let message = logarithm(shares);
    d.change[e.dst][f].max_with((shares - old.exp()).abs());
    d.arrived[e.dst][f] += message - old;
    d.message[e][f] = message;
    true
}

/// Believes the messages that have arrived.
#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut BeliefPropagation<K>) -> bool {
    let belief = d.unary[v][f] + d.arrived[v][f];
    d.belief[v][f] = belief - max(belief);
    any(d.change[v][f] > d.tolerance)
}

/// Believes the changes that have arrived.
#[vertex_fn]
pub fn believe_change<const K: usize>(f: Feature, v: Vertex, d: &mut BeliefPropagation<K>) -> bool {
    let belief = d.belief[v][f] + d.arrived[v][f];
    d.belief[v][f] = belief - max(belief);
    any(d.change[v][f] > d.tolerance)
}

/// The old message, a logarithm, mixed into what was sent, a share.
#[inline(always)]
fn mixed(damping: f32, logarithmic: f32, sent: f32, old: f32) -> f32 {
    if damping == 0.0 {
        sent
    } else if logarithmic > 0.0 {
        exp((1.0 - damping) * logarithm(sent) + damping * old)
    } else {
        (1.0 - damping) * sent + damping * exp(old)
    }
}

/// The logarithm of a share, at least [`IMPOSSIBLE`].
#[inline(always)]
fn logarithm(share: f32) -> f32 {
    if share > 0.0 { ln(share).max(IMPOSSIBLE) } else { IMPOSSIBLE }
}

foldmap! {
    /// One iteration along every edge.
    pub flood<const K: usize>(BeliefPropagation<K>) = [send; receive, believe]; features = [2, 4, 8, 16, 32]; features_per_lane = 1
}

foldmap! {
    /// One iteration along the edges of variables that have heard something new.
    pub update<const K: usize>(BeliefPropagation<K>) = [send; receive_change, believe_change];
        features = [2, 4, 8, 16, 32]; features_per_lane = 1; edges = active
}

foldmap! {
    /// As [`flood`], for assignments.
    pub flood_greatest<const K: usize>(BeliefPropagation<K>) = [send_greatest; receive, believe];
        features = [2, 4, 8, 16, 32]; features_per_lane = 1
}

foldmap! {
    /// As [`update`], for assignments.
    pub update_greatest<const K: usize>(BeliefPropagation<K>) = [send_greatest; receive_change, believe_change];
        features = [2, 4, 8, 16, 32]; features_per_lane = 1; edges = active
}

foldmap! {
    /// As [`update`], with the potentials that all edges share.
    pub update_shared<const K: usize>(BeliefPropagation<K>) = [send_shared; receive_change, believe_change];
        features = [2, 4, 8, 16, 32]; features_per_lane = 1; edges = active
}

foldmap! {
    /// As [`update_greatest`], with the potentials that all edges share.
    pub update_shared_greatest<const K: usize>(BeliefPropagation<K>) = [
        send_shared_greatest;
        receive_change,
        believe_change
    ]; features = [2, 4, 8, 16, 32]; features_per_lane = 1; edges = active
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[host]
pub use host::{Scope, prepare, reference, run, solution};
