//! Belief propagation: neighbors are a little more likely to be in the same state, and the first state is the likeliest of all.

use onyx_examples::belief_propagation::{BeliefPropagation as Data, Prior, flood, update};
use onyx_examples::thesis_folds::{flood_scalar, update_scalar};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::measure::converge;
use crate::values::{normalize, number, number_between, wide_rows};
use crate::variant::Variant;

/// How much more likely the same state may be at the other end.
const COUPLING: f32 = 0.5;

pub struct BeliefPropagation;

impl Algorithm for BeliefPropagation {
    const NAME: Name = Name::BeliefPropagation;
    const SPREAD: f64 = 50.0;

    fn prepare(graph: &Graph, features: usize, tolerance: f32) -> crate::Result<Store> {
        let mut store = Store::new(flood, graph, features)?;
        store.set(Data::TOLERANCE, tolerance);
        for (edge, source, destination) in graph.edges() {
            let other = 1.0 / (1.0 + COUPLING * number_between(source, destination));
            for row in 0..features {
                let potentials = store.edge_matrix_row_mut(Data::POTENTIAL, edge, row);
                potentials.fill(other);
                potentials[row] = 1.0;
            }
        }
        Ok(store)
    }

    fn start(graph: &Graph, store: &mut Store) {
        let features = store.features();
        for (vertex, row) in (0..).zip(fields(graph, features).chunks_exact(features)) {
            for (state, prior) in row.iter().map(|field| Prior::of(*field)).enumerate() {
                store.row_mut(Data::KNOWN, vertex)[state] = prior.known;
                store.row_mut(Data::KNOWN_REST, vertex)[state] = prior.rest;
                store.row_mut(Data::KNOWN_ZEROS, vertex)[state] = prior.zeros;
                store.row_mut(Data::BELIEF, vertex)[state] = prior.belief;
            }
        }
        store.scalars_mut(Data::UNTOLD).fill(0.0);
        let even = -(features as f32).ln();
        (0..graph.edge_count()).for_each(|edge| store.edge_row_mut(Data::MESSAGE, edge).fill(even));
    }

    fn run(variant: Variant, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
        match (variant.is_feature_aware, variant.is_change_driven) {
            (true, true) => converge(update, graph, store, options),
            (true, false) => converge(flood, graph, store, options),
            (false, true) => converge(update_scalar, graph, store, options),
            (false, false) => converge(flood_scalar, graph, store, options),
        }
    }

    fn results(graph: &Graph, store: &Store) -> Vec<f32> {
        let mut beliefs = wide_rows(graph, store, Data::BELIEF);
        beliefs.chunks_mut(store.features()).for_each(share);
        beliefs.into_iter().map(|belief| belief as f32).collect()
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        let k = store.features();
        let unary = fields(graph, k);
        let mut belief = unary.clone();
        let edges: Vec<_> = graph.edges().collect();
        let reverse = |u, v| edges.iter().position(|(_, from, to)| (*from, *to) == (v, u)).unwrap_or_default();
        let reverse: Vec<usize> = edges.iter().map(|(_, u, v)| reverse(*u, *v)).collect();
        let mut messages = vec![-(k as f64).ln(); edges.len() * k];
        for _ in 0..iterations {
            let (old, mut sums) = (messages.clone(), unary.clone());
            for &(edge, source, destination) in &edges {
                let mut cavity: Vec<f64> = belief[source as usize * k..][..k].to_vec();
                cavity.iter_mut().zip(&old[reverse[edge] * k..][..k]).for_each(|(belief, heard)| *belief -= heard);
                share(&mut cavity);
                let message = &mut messages[edge * k..][..k];
                let potentials = |row| store.edge_matrix_row(Data::POTENTIAL, edge, row).iter();
                let product = |row| potentials(row).zip(&cavity).map(|(a, b)| f64::from(*a) * b).sum();
                message.iter_mut().enumerate().for_each(|(row, place)| *place = product(row));
                normalize(message);
                message.iter_mut().for_each(|share| *share = share.ln());
                let sums = sums[destination as usize * k..][..k].iter_mut();
                sums.zip(message).for_each(|(sum, message)| *sum += *message);
            }
            belief = sums;
        }
        belief.chunks_mut(k).for_each(share);
        belief
    }
}

/// What each variable says of itself, as logarithms.
fn fields(graph: &Graph, features: usize) -> Vec<f64> {
    let states = (0..graph.vertex_count()).flat_map(|vertex| (0..features).map(move |state| (vertex, state)));
    let field = |(vertex, state)| if state == 0 { 0.0 } else { -2.0 * f64::from(number(vertex, state)) };
    states.map(field).collect()
}

/// Logarithms as shares of 1.
fn share(row: &mut [f64]) {
    let greatest = row.iter().fold(f64::NEG_INFINITY, |most, value| most.max(*value));
    row.iter_mut().for_each(|value| *value = (*value - greatest).exp());
    normalize(row);
}
