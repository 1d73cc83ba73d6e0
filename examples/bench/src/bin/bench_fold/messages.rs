//! Four edge functions of belief propagation.

use onyx_bench::programs::messages::Messages;
use onyx_device::Fold;
use onyx_runtime::Store;

use crate::Result;
use crate::program::{Problem, Program, normalized, number};

/// The column of the coupling among the numbers of an edge, and the first one of what was heard.
const COUPLING: usize = 77;
const HEARD: usize = 123;
/// The greatest distance between logarithms of one row.
const RANGE: f64 = 3.0;

/// The sums of messages in 64-bit floats.
pub struct Reference<'a> {
    problem: Problem<'a>,
    arrived: Vec<f64>,
}

impl<'a> Reference<'a> {
    pub fn new(problem: Problem<'a>) -> Self {
        let mut arrived = problem.zeros();
        for (edge, source, destination) in problem.graph.edges() {
            let message = message(edge, source as usize, problem.features);
            let sums = arrived[problem.places(destination)].iter_mut();
            sums.zip(message).for_each(|(sum, message)| *sum += message);
        }
        Self { problem, arrived }
    }

    /// The sums of the messages that a variant has left on the edges.
    fn summed(&self, store: &Store) -> Vec<f32> {
        let mut sums = self.problem.zeros();
        for (edge, _, destination) in self.problem.graph.edges() {
            let sums = sums[self.problem.places(destination)].iter_mut();
            sums.zip(store.edge_row(Messages::MESSAGE, edge)).for_each(|(sum, message)| *sum += f64::from(*message));
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }
}

fn message(edge: usize, source: usize, features: usize) -> impl Iterator<Item = f64> {
    let coupling = number(edge, COUPLING);
    let cavity = |feature| (belief(source, feature) - heard(edge, feature)).exp();
    let cavity: Vec<f64> = (0..features).map(cavity).collect();
    let total: f64 = cavity.iter().sum();
    let sent = cavity.into_iter().map(|share| coupling * share + (1.0 - coupling) * total);
    normalized(sent.collect()).into_iter().map(f64::ln)
}

fn belief(vertex: usize, feature: usize) -> f64 {
    -RANGE * number(vertex, feature)
}

fn heard(edge: usize, feature: usize) -> f64 {
    -RANGE * number(edge, feature + HEARD)
}

impl Program for Reference<'_> {
    const NAME: &'static str = "messages";
    const FUNCTIONS: usize = 4;

    fn store<F: Fold>(&self, fold: F) -> Result<Store> {
        let mut store = Store::new(fold, self.problem.graph, self.problem.features)?;
        for vertex in self.problem.vertices() {
            for (feature, value) in store.row_mut(Messages::BELIEF, vertex).iter_mut().enumerate() {
                *value = belief(vertex as usize, feature) as f32;
            }
        }
        for edge in 0..self.problem.graph.edge_count() {
            store.edge_scalars_mut(Messages::COUPLING)[edge] = number(edge, COUPLING) as f32;
            for (feature, value) in store.edge_row_mut(Messages::HEARD, edge).iter_mut().enumerate() {
                *value = heard(edge, feature) as f32;
            }
        }
        Ok(store)
    }

    fn check(&self, store: &Store) -> Result<()> {
        self.problem.agree(|vertex| store.row(Messages::ARRIVED, vertex), &self.arrived)?;
        let summed = self.summed(store);
        self.problem.agree(|vertex| &summed[self.problem.places(vertex)], &self.arrived)
    }
}
