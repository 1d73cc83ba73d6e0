//! Belief propagation: neighbors are a little more likely to be in the same state, and the first state is the likeliest of all.

use onyx_device::FoldOf;
use onyx_examples::belief_propagation::{BeliefPropagation as Beliefs, Prior, flood, update};
use onyx_examples::thesis_folds::{flood_scalar, update_scalar};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, Store};

use crate::algorithm::{Algorithm, Name, run_one};
use crate::values::{fill, normalize, number, number_between};
use crate::variant::Variant;

/// How much more likely the same state may be at the other end.
const COUPLING: f32 = 0.5;

pub struct BeliefPropagation;

impl Algorithm for BeliefPropagation {
    const NAME: Name = Name::BeliefPropagation;
    const SPREAD: f64 = 50.0;

    type Structure = Beliefs;

    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Beliefs>> {
        let mut data = graph.session().data(flood, graph, features)?;
        data.set(Beliefs::TOLERANCE, tolerance);
        data.set(Beliefs::LEAST, f32::NEG_INFINITY);
        let mut potentials = data.view_mut(Beliefs::POTENTIAL)?;
        for ((_, source, destination), mut matrix) in graph.graph().edges().zip(potentials.outer_iter_mut()) {
            matrix.fill(1.0 / (1.0 + COUPLING * number_between(source, destination)));
            matrix.diag_mut().fill(1.0);
        }
        Ok(data)
    }

    fn start(graph: &Graph, data: &mut Data<Beliefs>) -> Result<(), RunError> {
        let (vertices, edges, features) = (graph.vertex_count(), graph.edge_count(), data.features());
        let priors: Vec<Prior> = fields(graph, features).into_iter().map(Prior::of).collect();
        let prior = |vertex: usize, state: usize| &priors[vertex * features + state];
        fill(data, Beliefs::KNOWN, vertices, |vertex, state| prior(vertex, state).known)?;
        fill(data, Beliefs::KNOWN_REST, vertices, |vertex, state| prior(vertex, state).rest)?;
        fill(data, Beliefs::KNOWN_ZEROS, vertices, |vertex, state| prior(vertex, state).zeros)?;
        fill(data, Beliefs::BELIEF, vertices, |vertex, state| prior(vertex, state).belief)?;
        data.write(Beliefs::UNTOLD, &vec![0.0; vertices])?;
        let even = -(features as f32).ln();
        fill(data, Beliefs::MESSAGE, edges, |_, _| even)
    }

    fn folds() -> (impl FoldOf<Beliefs>, impl FoldOf<Beliefs>) {
        (flood, flood_scalar)
    }

    fn run(
        variant: Variant,
        graph: &ResidentGraph<'_>,
        data: &mut Data<Beliefs>,
        options: &Options,
    ) -> Result<Report, RunError> {
        if variant.is_change_driven {
            run_one(variant, (update, update_scalar), graph, data, options)
        } else {
            run_one(variant, Self::folds(), graph, data, options)
        }
    }

    fn results(_: &Graph, data: &mut Data<Beliefs>) -> Result<Vec<f32>, RunError> {
        let features = data.features();
        let mut beliefs: Vec<f64> = data.read(Beliefs::BELIEF)?.iter().copied().map(f64::from).collect();
        beliefs.chunks_mut(features).for_each(share);
        Ok(beliefs.into_iter().map(|belief| belief as f32).collect())
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
                let potentials = |row| store.edge_matrix_row(Beliefs::POTENTIAL, edge, row).iter();
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
