//! Two edge functions that read the same row of the source.

use onyx_bench::programs::Moments;
use onyx_device::Fold;
use onyx_runtime::Store;

use crate::Result;
use crate::program::{Problem, Program, number};

/// The column of the ratings among the numbers of an edge.
const RATING: usize = 77;

/// The sums in 64-bit floats.
pub struct Reference<'a> {
    problem: Problem<'a>,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl<'a> Reference<'a> {
    pub fn new(problem: Problem<'a>) -> Self {
        let mut reference = Self { problem, first: problem.zeros(), second: problem.zeros() };
        for (edge, source, destination) in problem.graph.edges() {
            reference.add(number(edge, RATING), source as usize, destination);
        }
        reference
    }

    fn add(&mut self, rating: f64, source: usize, destination: u32) {
        for (feature, place) in self.problem.places(destination).enumerate() {
            let factor = number(source, feature);
            self.first[place] += rating * factor;
            self.second[place] += factor * factor;
        }
    }
}

impl Program for Reference<'_> {
    const NAME: &'static str = "moments";
    const FUNCTIONS: usize = 2;

    fn store<F: Fold>(&self, fold: F) -> Result<Store> {
        let mut store = Store::new(fold, self.problem.graph, self.problem.features)?;
        for vertex in self.problem.vertices() {
            for (feature, value) in store.row_mut(Moments::FACTOR, vertex).iter_mut().enumerate() {
                *value = number(vertex as usize, feature) as f32;
            }
        }
        for (edge, rating) in store.edge_scalars_mut(Moments::RATING).iter_mut().enumerate() {
            *rating = number(edge, RATING) as f32;
        }
        Ok(store)
    }

    fn check(&self, store: &Store) -> Result<()> {
        self.problem.agree(|vertex| store.row(Moments::FIRST, vertex), &self.first)?;
        self.problem.agree(|vertex| store.row(Moments::SECOND, vertex), &self.second)
    }
}
