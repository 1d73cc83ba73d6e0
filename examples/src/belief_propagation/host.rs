//! Running belief propagation on a Markov network.

use onyx_device::Fold;
use onyx_device::logarithmic::LEAST_FINITE;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Observer, Options, Report, RunError, Store, converge};

use super::{
    BeliefPropagation, STEP, flood, flood_greatest, update, update_greatest, update_shared, update_shared_greatest,
};
use crate::markov::directed::Potentials;
use crate::markov::serial::{Domain, Question, Settings};
use crate::markov::{DirectedNetwork, MarkovNetwork, Messages, NetworkError};

/// Along which edges messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Those of variables that have heard something new. Not for damped messages, which move on each time they are sent.
    Changed,
}

/// What keeps getting less likely around a loop, without ever being impossible, is left alone from here on.
const FAINT: f32 = -100.0;

/// The most states that a variable may have.
pub fn greatest_states() -> usize {
    widest(flood)
}

fn widest<F: Fold>(_fold: F) -> usize {
    F::WIDTHS.last().copied().unwrap_or(0)
}

/// The room for a variable's states: what is asked for, or what the network needs.
///
/// # Errors
/// A variable has more states than there is room for, or more room is asked for than there is.
pub fn width(network: &MarkovNetwork, asked: Option<usize>) -> Result<usize, NetworkError> {
    let (needed, limit) = (network.greatest_states(), greatest_states());
    let variable = || (0..network.variable_count()).find(|&variable| network.states(variable) == needed).unwrap_or(0);
    match asked.unwrap_or(needed.max(1)) {
        _ if needed > limit => Err(NetworkError::TooWide { variable: variable(), states: needed, limit }),
        width if width > limit || width == 0 => Err(NetworkError::Room { width, limit }),
        width if width < needed => Err(NetworkError::Width { variable: variable(), states: needed, width }),
        width => Ok(width),
    }
}

/// The store that one run starts from: all messages alike.
///
/// # Errors
/// No compiled width holds the states.
pub fn prepare(network: &DirectedNetwork, settings: &Settings, scope: Scope) -> Result<Store, RunError> {
    let (graph, features) = (&network.graph, network.width);
    let mut store = Store::new(flood, graph, features)?;
    store.set(BeliefPropagation::DAMPING, settings.damping as f32);
    store.set(BeliefPropagation::LOGARITHMIC, if settings.domain == Domain::Logarithmic { 1.0 } else { 0.0 });
    store.set(BeliefPropagation::TOLERANCE, settings.tolerance as f32);
    store.set(BeliefPropagation::LEAST, if network.may_fade { FAINT } else { f32::NEG_INFINITY });
    start(graph, &mut store, &network.log_unary, &network.uniform_messages());
    match (&network.potentials, scope) {
        (Potentials::Shared(matrix), Scope::Changed) => share(&mut store, matrix),
        _ => distribute(&mut store, network),
    }
    Ok(store)
}

/// Sets what a run starts from: the logarithms of the unary potentials, vertices x K, and messages that favor no state, edges x K.
pub fn start(graph: &Graph, store: &mut Store, log_unary: &[f64], messages: &[f32]) {
    let features = store.features();
    for (vertex, row) in (0..graph.vertex_count() as u32).zip(log_unary.chunks_exact(features)) {
        for (state, &logarithm) in row.iter().enumerate() {
            let is_possible = logarithm > f64::NEG_INFINITY;
            let logarithm = if is_possible { logarithm.max(LEAST_FINITE) } else { 0.0 };
            let zeros = if is_possible { 0.0 } else { 2.0 };
            let whole = (logarithm / f64::from(STEP)).round() * f64::from(STEP);
            store.row_mut(BeliefPropagation::KNOWN, vertex)[state] = whole as f32;
            store.row_mut(BeliefPropagation::KNOWN_REST, vertex)[state] = (logarithm - f64::from(whole as f32)) as f32;
            store.row_mut(BeliefPropagation::KNOWN_ZEROS, vertex)[state] = zeros;
            store.row_mut(BeliefPropagation::BELIEF, vertex)[state] = super::belief(logarithm as f32, zeros);
        }
    }
    for (edge, row) in messages.chunks_exact(features).enumerate() {
        store.edge_row_mut(BeliefPropagation::MESSAGE, edge).copy_from_slice(row);
    }
    if graph.vertex_count() > 0 {
        store.scalars_mut(BeliefPropagation::UNTOLD).fill(0.0);
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

/// Sends messages until none changes by more than the tolerance, the change of a logarithm.
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

/// The messages in the store, in the order of `places`.
pub fn messages(places: &Messages, directed: &DirectedNetwork, store: &Store) -> Vec<f64> {
    let mut messages = places.uniform();
    for (edge, source, destination) in directed.graph.edges() {
        let Some(place) = places.edge(source, destination) else { continue };
        let row = store.edge_row(BeliefPropagation::MESSAGE, edge).iter();
        let entries = places.of_mut(&mut messages, place).iter_mut();
        entries.zip(row).for_each(|(entry, &logarithm)| *entry = f64::from(logarithm));
    }
    messages
}
