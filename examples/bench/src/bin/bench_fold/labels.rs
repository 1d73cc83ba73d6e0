//! The vertex function of label propagation in three.

use onyx_bench::programs::labels::Labels;
use onyx_device::Fold;
use onyx_runtime::Store;

use crate::Result;
use crate::program::{Problem, Program, normalized, number};

const ALPHA: f64 = 0.85;
/// The first columns of the seed and of the label among the numbers of a vertex.
const SEED: usize = 99;
const LABEL: usize = 555;
/// Below 0 every label has moved, so that each iteration does the same work.
const TOLERANCE: f32 = -1.0;

/// The labels in 64-bit floats.
pub struct Reference<'a> {
    problem: Problem<'a>,
    label: Vec<f64>,
}

impl<'a> Reference<'a> {
    pub fn new(problem: Problem<'a>) -> Self {
        Self {
            problem,
            label: problem.vertices().flat_map(|vertex| label(vertex as usize, problem.features)).collect(),
        }
    }
}

/// What is normalized first does not add up to 1, as sums over neighbors do not.
fn label(vertex: usize, features: usize) -> Vec<f64> {
    let arrived = normalized((0..features).map(|feature| number(vertex, feature)).collect());
    let blend = |(feature, share)| ALPHA * share + (1.0 - ALPHA) * number(vertex, feature + SEED);
    normalized(arrived.into_iter().enumerate().map(blend).collect())
}

impl Program for Reference<'_> {
    const NAME: &'static str = "labels";
    const FUNCTIONS: usize = 3;

    fn store<F: Fold>(&self, fold: F) -> Result<Store> {
        let mut store = Store::new(fold, self.problem.graph, self.problem.features)?;
        for vertex in self.problem.vertices() {
            for feature in 0..self.problem.features {
                let value = |column| number(vertex as usize, feature + column) as f32;
                store.row_mut(Labels::SUM, vertex)[feature] = value(0);
                store.row_mut(Labels::SEED, vertex)[feature] = value(SEED);
                store.row_mut(Labels::LABEL, vertex)[feature] = value(LABEL);
            }
        }
        store.set(Labels::ALPHA, ALPHA as f32);
        store.set(Labels::TOLERANCE, TOLERANCE);
        Ok(store)
    }

    fn check(&self, store: &Store) -> Result<()> {
        self.problem.agree(|vertex| store.row(Labels::LABEL, vertex), &self.label)
    }
}
