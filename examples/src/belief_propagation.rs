//! Belief propagation: what is known of each variable of a pairwise Markov network, from messages along its edges.
//!
//! Figure 2.1a of the Onyx thesis, with messages as logarithms, so that what the figure multiplies and divides is added and subtracted:
//!
//! ```text
//! cavity(u → v) = belief(u) − message(v → u)
//! sent(u → v)   = ln(normalize(ψ(u → v) · e^cavity(u → v)))                 the greatest product in place of the sum for assignments
//! message       = ln((1 − damping) · e^sent + damping · e^message)          or (1 − damping) · sent + damping · message
//! belief(v)     = unary(v) + Σ over edges u → v of message(u → v)
//! ```
//!
//! A state that is sent as impossible is impossible at once, whatever the damping; so a run with linear damping that ends before it rests may
//! differ there from one that mixes shares of 0 as well. At rest there is no difference.
//!
//! Messages are sent along all edges from those of the iteration before: the second stage takes over what the first has sent. `flood` does so for
//! every edge. `update` does for the edges of variables whose incoming messages have changed, and adds the change of a message to the belief, as
//! the thesis does.
//!
//! An impossible state has the logarithm minus infinity, which no difference can take out of a sum. So a variable *counts* the messages that
//! forbid a state apart from the sum of those that do not. Of a state that one message alone forbids, that message's sender must hear what the others say:
//! its belief is their sum times `ALONE`. That of a state that nobody can make possible again is `NEVER`.
//!
//! A sum of thousands of logarithms would lose what decides between two states. Each is cut into a multiple of `STEP`, whose sums are exact,
//! and a rest. Where it is cut differs from edge to edge, so that the rests of messages that are alike cancel out in place of growing.

use onyx_device::math::{exp, ln};
use onyx_device::prelude::*;

/// What sums of logarithms are multiples of: up to 2^20 they are exact.
const STEP: f32 = 1.0 / 16.0;
/// Added to a number below 2^22, it leaves the nearest integer.
const ROUNDS: f32 = 12_582_912.0;
/// The part of 2^32 that the golden section cuts off: its multiples are spread evenly between 0 and 1.
const GOLDEN: u32 = 0x9E37_79B9;
/// The factor of the belief in a state that a single message forbids, 2^78.
const ALONE: f32 = f32::from_bits((127 + 78) << 23);
/// 2^48: all beliefs times `ALONE` are beyond it, and no others.
const APART: f32 = f32::from_bits((127 + 48) << 23);
/// The belief in a state that several messages forbid, or the variable itself.
const NEVER: f32 = f32::MIN;
/// The change of a message that is no more than rounding, as a part of it and of 1.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// What belief propagation keeps of each variable and of each direction of a pair. Messages and beliefs are logarithms.
#[graph_data]
pub struct BeliefPropagation<const K: usize> {
    /// The pairwise potentials, as [`factor`](onyx_device::logarithmic::factor) writes them: the destination's state is the row.
    potential: EdgeMatrix<K>,
    /// The same for all edges.
    coupling: GraphMatrix<K>,
    /// What was known before anything arrives: the unary potential, and in `update` all messages so far; multiples of `STEP`.
    known: VertexFeatures<K>,
    /// The rest of that.
    known_rest: VertexFeatures<K>,
    /// How many forbid the state: each message counts as 1, the variable itself as 2.
    known_zeros: VertexFeatures<K>,
    /// The message that has arrived.
    message: EdgeFeatures<K>,
    /// The message that is under way.
    sent: EdgeFeatures<K>,
    /// The unary potential and all messages; the greatest is near 0.
    belief: VertexFeatures<K>,
    /// What arrives, messages or their changes: multiples of `STEP`.
    arrived: VertexFeatures<K>,
    /// The rest of that.
    arrived_rest: VertexFeatures<K>,
    /// How many messages that arrive forbid the state, or how many more.
    arrived_zeros: VertexFeatures<K>,
    /// By how much messages that arrive have changed, all together.
    change: VertexFeatures<K>,
    /// The changes that the neighbors have not been told.
    untold: VertexScalar,
    /// The part of the old message in a new one.
    damping: Parameter,
    /// The logarithms of the parts of the new message and of the old one.
    log_new: Parameter,
    log_old: Parameter,
    /// Above 0 if logarithms are mixed in place of shares.
    logarithmic: Parameter,
    /// The change of a logarithm that is not propagated.
    tolerance: Parameter,
    /// A change below this logarithm is none.
    least: Parameter,
}

/// Sends the sum over the source's states, or the greatest product; with the potentials of the edge, or those that all edges share.
#[edge_fn]
pub fn send<const K: usize, const GREATEST: bool, const SHARED: bool>(
    f: Feature,
    e: Edge,
    d: &mut BeliefPropagation<K>,
) -> bool {
    let cavity = without(d.belief[e.src][f], d.message[e.rev][f]);
    let potential = if SHARED { d.coupling[f] } else { d.potential[e][f] };
    d.sent[e][f] = if GREATEST { log_max_matvec(potential, cavity) } else { log_matvec(potential, cavity) };
    true
}

/// Adds how far what was sent is from the message.
#[edge_fn]
pub fn compare<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    d.change[e.dst][f] += difference(d.sent[e][f], d.message[e][f], d.least, 1.0 - d.damping);
    true
}

/// Takes over the message that was sent. A function of its own: what has branches is no vector instruction on the CPU.
#[edge_fn]
pub fn mix<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    d.message[e][f] = mixed(d.sent[e][f], d.message[e][f], d.damping, d.logarithmic, d.log_new, d.log_old);
    true
}

/// Adds the message to what arrives.
#[edge_fn]
pub fn receive<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let message = d.message[e][f];
    let whole = steps(message, e.id);
    d.arrived[e.dst][f] += whole;
    d.arrived_rest[e.dst][f] += possible(message) - whole;
    d.arrived_zeros[e.dst][f] += forbids(message);
    true
}

/// Takes over the message that was sent, and adds its change to what arrives.
#[edge_fn]
pub fn receive_change<const K: usize>(f: Feature, e: Edge, d: &mut BeliefPropagation<K>) -> bool {
    let message = d.sent[e][f];
    let old = d.message[e][f];
    let whole = steps(message, e.id);
    let old_whole = steps(old, e.id);
    d.arrived[e.dst][f] += whole - old_whole;
    d.arrived_rest[e.dst][f] += (possible(message) - whole) - (possible(old) - old_whole);
    d.arrived_zeros[e.dst][f] += forbids(message) - forbids(old);
    d.change[e.dst][f] += difference(message, old, d.least, 1.0);
    d.message[e][f] = message;
    true
}

/// Believes the messages that have arrived.
#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut BeliefPropagation<K>) -> bool {
    let sum = d.known[v][f] + d.arrived[v][f];
    let zeros = d.known_zeros[v][f] + d.arrived_zeros[v][f];
    let greatest = max(among_possible(sum, zeros));
    d.belief[v][f] = belief(relative(sum, greatest) + (d.known_rest[v][f] + d.arrived_rest[v][f]), zeros);
    any(d.change[v][f] > d.tolerance)
}

/// Believes the changes that have arrived. Small ones add up until they are worth telling.
#[vertex_fn]
pub fn believe_change<const K: usize>(f: Feature, v: Vertex, d: &mut BeliefPropagation<K>) -> bool {
    let sum = d.known[v][f] + d.arrived[v][f];
    let rest = d.known_rest[v][f] + d.arrived_rest[v][f];
    let zeros = d.known_zeros[v][f] + d.arrived_zeros[v][f];
    d.known[v][f] = sum;
    d.known_rest[v][f] = rest;
    d.known_zeros[v][f] = zeros;
    let greatest = max(among_possible(sum, zeros));
    d.belief[v][f] = belief(relative(sum, greatest) + rest, zeros);
    let untold = d.untold[v] + max(d.change[v][f]);
    let is_new = untold > d.tolerance;
    d.untold[v] = if is_new { 0.0 } else { untold };
    is_new
}

/// The belief, a logarithm, in a state that `zeros` messages forbid; the variable itself counts as two.
#[inline(always)]
fn belief(sum: f32, zeros: f32) -> f32 {
    if zeros < 0.5 {
        sum
    } else if zeros < 1.5 {
        // What is nearly 0 must be apart, too.
        ALONE * if sum.abs() < 1e-8 { 1e-8 } else { sum }
    } else {
        NEVER
    }
}

/// A belief without one of its messages.
#[inline(always)]
fn without(belief: f32, message: f32) -> f32 {
    // Without branches, so that the host makes vector instructions of it.
    let (rest, alone) = (belief - message, belief * (1.0 / ALONE));
    let may_return = (message == f32::NEG_INFINITY) & (belief > NEVER);
    let otherwise = if may_return { alone } else { f32::NEG_INFINITY };
    if belief.abs() < APART { rest } else { otherwise }
}

/// The old message, a logarithm, mixed into what was sent. What is sent as impossible is impossible at once.
#[inline(always)]
fn mixed(sent: f32, old: f32, damping: f32, logarithmic: f32, log_new: f32, log_old: f32) -> f32 {
    if damping == 0.0 || sent == f32::NEG_INFINITY || old == f32::NEG_INFINITY {
        sent
    } else if logarithmic > 0.0 {
        (1.0 - damping) * sent + damping * old
    } else {
        let (new, old) = (sent + log_new, old + log_old);
        new.max(old) + ln(1.0 + exp(-(new - old).abs()))
    }
}

/// The multiple of `STEP` near a message, on one side or the other as the edge says; 0 of one that forbids.
#[inline(always)]
fn steps(message: f32, edge: u64) -> f32 {
    let side = ((edge as u32).wrapping_mul(GOLDEN) >> 8) as f32 / 16_777_216.0 - 0.5;
    let whole = possible(message) / STEP + side;
    (whole + ROUNDS - ROUNDS) * STEP
}

/// The message, or 0 in place of one that forbids.
#[inline(always)]
fn possible(message: f32) -> f32 {
    if message == f32::NEG_INFINITY { 0.0 } else { message }
}

/// 1 of a message that forbids, 0 of any other.
#[inline(always)]
fn forbids(message: f32) -> f32 {
    if message == f32::NEG_INFINITY { 1.0 } else { 0.0 }
}

/// The sum of messages, or minus infinity where one forbids.
#[inline(always)]
fn among_possible(sum: f32, zeros: f32) -> f32 {
    if zeros < 0.5 { sum } else { f32::NEG_INFINITY }
}

/// A sum and the greatest one; where no state is possible there is none.
#[inline(always)]
fn relative(sum: f32, greatest: f32) -> f32 {
    if greatest == f32::NEG_INFINITY { sum } else { sum - greatest }
}

/// How far what was sent is from the old message; infinitely where it begins to forbid. Not at all where rounding explains it, or swallows the
/// part of it that damping leaves.
#[inline(always)]
fn difference(sent: f32, old: f32, least: f32, part: f32) -> f32 {
    let (sent, old) = (if sent > least { sent } else { least }, if old > least { old } else { least });
    let difference = (sent - old).abs();
    let is_rounding = part * difference <= ROUNDING * (1.0 + sent.abs().min(old.abs()));
    if sent == old || is_rounding { 0.0 } else { difference }
}

// Rows of matrices are spread over lanes, but for those of two states, which fit one: an edge's numbers are loaded once for both (`docs/performance.md`).

foldmap! {
    /// One iteration along every edge.
    pub flood<const K: usize>(BeliefPropagation<K>) = [send::<false, false>; compare, mix, receive, believe]; features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]
}

foldmap! {
    /// One iteration along the edges of variables that have heard something new.
    pub update<const K: usize>(BeliefPropagation<K>) = [send::<false, false>; receive_change, believe_change];
        features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]; edges = active
}

foldmap! {
    /// As [`flood`], for assignments.
    pub flood_greatest<const K: usize>(BeliefPropagation<K>) = [send::<true, false>; compare, mix, receive, believe];
        features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]
}

foldmap! {
    /// As [`update`], for assignments.
    pub update_greatest<const K: usize>(BeliefPropagation<K>) = [send::<true, false>; receive_change, believe_change];
        features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]; edges = active
}

foldmap! {
    /// As [`update`], with the potentials that all edges share.
    pub update_shared<const K: usize>(BeliefPropagation<K>) = [send::<false, true>; receive_change, believe_change];
        features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]; edges = active
}

foldmap! {
    /// As [`update_greatest`], with the potentials that all edges share.
    pub update_shared_greatest<const K: usize>(BeliefPropagation<K>) = [
        send::<true, true>;
        receive_change,
        believe_change
    ]; features = [2, 4, 8, 16, 32, 64]; features_per_lane = [2, 1, 1, 1, 1, 1]; edges = active
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod verification;
#[host]
pub use host::{Answer, Prior, Propagation, Scope, belief_propagation, greatest_states, width};
#[host]
pub use verification::{Check, Reference, check, check_step};
