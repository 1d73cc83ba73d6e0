//! Three vertex functions: normalize, mix, normalize.

use onyx_bench::programs::Mixing;
use onyx_device::Fold;
use onyx_runtime::Store;

use crate::Result;
use crate::program::{Problem, Program, normalized, number};

const ALPHA: f64 = 0.75;
/// The first column of the seed among the numbers of a vertex.
const SEED: usize = 99;

/// The mixtures in 64-bit floats.
pub struct Reference<'a> {
    problem: Problem<'a>,
    mixed: Vec<f64>,
}

impl<'a> Reference<'a> {
    pub fn new(problem: Problem<'a>) -> Self {
        Self {
            problem,
            mixed: problem.vertices().flat_map(|vertex| mixed(vertex as usize, problem.features)).collect(),
        }
    }
}

fn mixed(vertex: usize, features: usize) -> Vec<f64> {
    let shares = normalized((0..features).map(|feature| number(vertex, feature)).collect());
    let mix = |(feature, share)| ALPHA * share + (1.0 - ALPHA) * number(vertex, feature + SEED);
    normalized(shares.into_iter().enumerate().map(mix).collect())
}

impl Program for Reference<'_> {
    const NAME: &'static str = "mixing";
    const FUNCTIONS: usize = 3;

    fn store<F: Fold>(&self, fold: F) -> Result<Store> {
        let mut store = Store::new(fold, self.problem.graph, self.problem.features)?;
        for vertex in self.problem.vertices() {
            for feature in 0..self.problem.features {
                store.row_mut(Mixing::VALUE, vertex)[feature] = number(vertex as usize, feature) as f32;
                store.row_mut(Mixing::SEED, vertex)[feature] = number(vertex as usize, feature + SEED) as f32;
            }
        }
        store.set(Mixing::ALPHA, ALPHA as f32);
        Ok(store)
    }

    fn check(&self, store: &Store) -> Result<()> {
        self.problem.agree(|vertex| store.row(Mixing::MIXED, vertex), &self.mixed)
    }
}
