//! Running belief propagation on a Markov network.

use onyx_runtime::{Observer, Options, Report, RunError, Store, converge};

use super::{
    BeliefPropagation, IMPOSSIBLE, flood, flood_greatest, update, update_greatest, update_shared,
    update_shared_greatest,
};
use crate::markov::directed::Potentials;
use crate::markov::serial::{self, Domain, Outcome, Question, Settings};
use crate::markov::{Beliefs, DirectedNetwork, MarkovNetwork, NetworkError};
use crate::verification::Verification;

/// Along which edges messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Those of variables that have heard something new. Not for damped messages, which move on each time they are sent.
    Changed,
}

/// How far a share may be from the serial loop's, once both have settled.
const ROUNDING: f64 = 1e-4;

/// How many tolerances the beliefs may be from the fixed point: a hub hears many messages, each off by one.
const SETTLED: f64 = 100.0;

/// The store a run starts from: all messages alike.
///
/// # Errors
/// No compiled width holds the states.
pub fn prepare(network: &DirectedNetwork, settings: &Settings, scope: Scope) -> Result<Store, RunError> {
    let (graph, features) = (&network.graph, network.width);
    let mut store = Store::new(flood, graph, features)?;
    store.set(BeliefPropagation::DAMPING, settings.damping as f32);
    store.set(BeliefPropagation::LOGARITHMIC, if settings.domain == Domain::Logarithmic { 1.0 } else { 0.0 });
    store.set(BeliefPropagation::TOLERANCE, settings.tolerance as f32);
    let unary = network.log_unary(IMPOSSIBLE);
    let messages = network.uniform_messages();
    for (vertex, row) in (0..).zip(unary.chunks_exact(features)) {
        store.row_mut(BeliefPropagation::UNARY, vertex).copy_from_slice(row);
        store.row_mut(BeliefPropagation::BELIEF, vertex).copy_from_slice(row);
    }
    for (edge, row) in messages.chunks_exact(features).enumerate() {
        let logarithms = row.iter().map(|&share| if share > 0.0 { share.ln() } else { IMPOSSIBLE });
        let to = store.edge_row_mut(BeliefPropagation::MESSAGE, edge).iter_mut();
        to.zip(logarithms).for_each(|(to, logarithm)| *to = logarithm);
    }
    believe_first(&mut store, network);
    match (&network.potentials, scope) {
        (Potentials::Shared(matrix), Scope::Changed) => share(&mut store, matrix),
        _ => distribute(&mut store, network),
    }
    Ok(store)
}

/// Adds the first messages to the beliefs, so that changes can be added to those.
fn believe_first(store: &mut Store, network: &DirectedNetwork) {
    for (edge, _, destination) in network.graph.edges() {
        let message = store.edge_row(BeliefPropagation::MESSAGE, edge).to_vec();
        let belief = store.row_mut(BeliefPropagation::BELIEF, destination).iter_mut();
        belief.zip(message).for_each(|(belief, message)| *belief += message);
    }
}

/// Sets the potentials that all edges share.
fn share(store: &mut Store, matrix: &[f32]) {
    let width = store.features();
    for (row, values) in matrix.chunks_exact(width).enumerate() {
        store.graph_matrix_row_mut(BeliefPropagation::COUPLING, row).copy_from_slice(values);
    }
}

/// Sets the potentials of each edge.
fn distribute(store: &mut Store, network: &DirectedNetwork) {
    for edge in 0..network.graph.edge_count() {
        for (row, values) in network.matrix(edge).chunks_exact(network.width).enumerate() {
            store.edge_matrix_row_mut(BeliefPropagation::POTENTIAL, edge, row).copy_from_slice(values);
        }
    }
}

/// Sends messages until none changes by more than the tolerance.
///
/// # Errors
/// As [`converge`].
pub fn run(
    network: &DirectedNetwork,
    store: &mut Store,
    question: Question,
    scope: Scope,
    options: &Options,
    observer: Observer<'_>,
) -> Result<Report, RunError> {
    let graph = &network.graph;
    let is_shared = matches!(network.potentials, Potentials::Shared(_));
    match (question, scope, is_shared) {
        (Question::Marginals, Scope::All, _) => converge(flood, graph, store, options, observer),
        (Question::Assignment, Scope::All, _) => converge(flood_greatest, graph, store, options, observer),
        (Question::Marginals, Scope::Changed, false) => converge(update, graph, store, options, observer),
        (Question::Assignment, Scope::Changed, false) => converge(update_greatest, graph, store, options, observer),
        (Question::Marginals, Scope::Changed, true) => converge(update_shared, graph, store, options, observer),
        (Question::Assignment, Scope::Changed, true) => {
            converge(update_shared_greatest, graph, store, options, observer)
        }
    }
}

/// The beliefs that follow from the messages in the store, added up anew in 64 bits.
///
/// # Errors
/// The potentials of 0 contradict each other: no state of a variable is possible.
pub fn solution(network: &MarkovNetwork, directed: &DirectedNetwork, store: &Store) -> Result<Beliefs, NetworkError> {
    let width = directed.width;
    let vertices = 0..directed.graph.vertex_count() as u32;
    let unary = vertices.flat_map(|vertex| store.row(BeliefPropagation::UNARY, vertex));
    let mut beliefs: Vec<f64> = unary.map(|&value| f64::from(value)).collect();
    for (edge, _, destination) in directed.graph.edges() {
        let row = beliefs[destination as usize * width..].iter_mut();
        let message = store.edge_row(BeliefPropagation::MESSAGE, edge);
        row.zip(message).for_each(|(belief, &message)| *belief += f64::from(message));
    }
    beliefs.chunks_exact_mut(width).try_for_each(shares)?;
    let rows: Vec<f32> = beliefs.into_iter().map(|share| share as f32).collect();
    Ok(Beliefs::of_rows(network, &rows, width))
}

/// Turns logarithms into shares.
fn shares(row: &mut [f64]) -> Result<(), NetworkError> {
    let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest <= f64::from(IMPOSSIBLE) {
        return Err(NetworkError::Contradiction);
    }
    row.iter_mut().for_each(|value| *value = (*value - greatest).exp());
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= total);
    Ok(())
}

/// Compares beliefs with those of the serial loop in 64 bits, which runs until it settles: the greatest difference of a share.
///
/// Messages that change by less than the tolerance are not sent, which is as far as both may be from the fixed point.
///
/// # Errors
/// As [`serial::solve`].
pub fn reference(
    network: &MarkovNetwork,
    beliefs: &Beliefs,
    settings: &Settings,
) -> Result<(Outcome, Verification), NetworkError> {
    let outcome = serial::solve(network, settings)?;
    let difference = beliefs.distance(&outcome.beliefs).greatest;
    let allowed = ROUNDING + SETTLED * settings.tolerance;
    Ok((outcome, Verification { difference, allowed }))
}
