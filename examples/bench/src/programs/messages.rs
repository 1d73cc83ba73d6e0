//! Four edge functions of belief propagation, which hand one message from one to the next.
//!
//! The network is a Potts model: an edge's potential is `1` for equal states, and `1 − coupling` for any others, so that a sum over the
//! source's states is one collaborative sum. Beliefs and messages are logarithms.
//!
//! ```text
//! cavity(u → v)  = exp(belief(u) − heard(v → u))
//! sent(u → v)    = coupling(u, v) · cavity(u → v) + (1 − coupling(u, v)) · Σ cavity(u → v)
//! message(u → v) = ln(normalize(sent(u → v)))
//! arrived(v)     = Σ over edges u → v of message(u → v)
//! ```

use onyx_device::math::{exp, ln};
use onyx_device::prelude::*;

/// Messages of a Potts model. What the source has heard of the destination lies beside the edge.
#[graph_data]
pub struct Messages<const K: usize> {
    /// How much the ends of an edge prefer to be equal, between 0 and 1.
    pub coupling: EdgeScalar,
    /// What is known of each variable.
    pub belief: VertexFeatures<K>,
    /// The message that came the other way.
    pub heard: EdgeFeatures<K>,
    /// What the source believes without the destination.
    pub cavity: EdgeFeatures<K, Scratch>,
    /// What that says of the destination.
    pub sent: EdgeFeatures<K, Scratch>,
    /// The same as a logarithm of shares.
    pub message: EdgeFeatures<K>,
    /// The sum of the messages.
    pub arrived: VertexFeatures<K>,
}

/// Leaves out what the destination has said itself.
#[edge_fn]
pub fn exclude<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    d.cavity[e][f] = exp(d.belief[e.src][f] - d.heard[e][f]);
    true
}

/// Multiplies by the potential.
#[edge_fn]
pub fn transfer<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    d.sent[e][f] = d.coupling[e] * d.cavity[e][f] + (1.0 - d.coupling[e]) * sum(d.cavity[e][f]);
    true
}

/// Turns the product into shares.
#[edge_fn]
pub fn scale<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    d.sent[e][f] = normalize(d.sent[e][f]);
    true
}

/// Keeps the message, and adds it to what arrives.
#[edge_fn]
pub fn receive<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    let message = ln(d.sent[e][f]);
    d.message[e][f] = message;
    d.arrived[e.dst][f] += message;
    true
}

/// All four steps in one function.
#[edge_fn]
pub fn pass<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    let coupling = d.coupling[e];
    let cavity = exp(d.belief[e.src][f] - d.heard[e][f]);
    let message = ln(normalize(coupling * cavity + (1.0 - coupling) * sum(cavity)));
    d.message[e][f] = message;
    d.arrived[e.dst][f] += message;
    true
}

foldmap! {
    /// All four functions in one kernel.
    pub messages_folded<const K: usize>(Messages<K>) = [exclude, transfer, scale, receive]; features = [4, 16, 64]
}

foldmap! {
    /// Each function in a kernel of its own.
    pub messages_unfolded<const K: usize>(Messages<K>) = unfolded [exclude, transfer, scale, receive];
        features = [4, 16, 64]
}

foldmap! {
    /// The kernel that one function gives.
    pub messages_by_hand<const K: usize>(Messages<K>) = [pass]; features = [4, 16, 64]
}
