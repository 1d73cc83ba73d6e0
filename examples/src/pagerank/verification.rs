//! PageRank in 64-bit floats.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Report, Store};

use super::PageRank;
use super::host::{inverse_out_degree, normalized};
use crate::verification::{self, Equation, Verification, unpropagated};

/// Verifies the ranks in `store`: differences are parts of a rank.
pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
    verification::verify(&Ranks { graph, store }, report)
}

/// The equation, for ranks that are not divided by their sum.
struct Ranks<'a> {
    graph: &'a Graph,
    store: &'a Store,
}

impl Ranks<'_> {
    fn damping(&self) -> f64 {
        f64::from(self.store.get(PageRank::DAMPING))
    }

    fn teleport(&self) -> impl Iterator<Item = f64> {
        self.store.scalars(PageRank::TELEPORT).iter().map(|&rank| f64::from(rank))
    }
}

impl Equation for Ranks<'_> {
    fn start(&self) -> Vec<f64> {
        self.teleport().map(|rank| rank / (1.0 - self.damping())).collect()
    }

    fn found(&self) -> Vec<f64> {
        self.store.scalars(PageRank::RANK).iter().map(|&rank| f64::from(rank)).collect()
    }

    fn next(&self, ranks: &[f64]) -> Vec<f64> {
        self.spread(ranks).iter().zip(self.teleport()).map(|(arrived, teleport)| arrived + teleport).collect()
    }

    fn spread(&self, distances: &[f64]) -> Vec<f64> {
        let mut sums = arriving(self.graph, distances);
        sums.iter_mut().for_each(|sum| *sum *= self.damping());
        sums
    }

    fn magnitudes(&self, _ranks: &[f64], next: &[f64]) -> Vec<f64> {
        next.to_vec()
    }

    fn terms(&self, place: usize) -> f64 {
        self.graph.in_degree(place as u32) as f64
    }

    fn tolerance(&self, rank: f64) -> f64 {
        rank * unpropagated(self.store.get(PageRank::TOLERANCE), 1.0)
    }

    fn unit(&self, rank: f64) -> f64 {
        rank
    }
}

/// What arrives at each vertex of what every vertex has.
fn arriving(graph: &Graph, ranks: &[f64]) -> Vec<f64> {
    let share = |(vertex, rank): (u32, &f64)| rank * inverse_out_degree(graph, vertex);
    let shares: Vec<f64> = (0..).zip(ranks).map(share).collect();
    let mut sums = vec![0.0; ranks.len()];
    graph.edges().for_each(|(_, source, destination)| sums[destination as usize] += shares[source as usize]);
    sums
}

/// The ranks after `iterations` of the equation in 64-bit floats on one thread, with the jumps of `store`; they sum to 1.
pub fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
    let damping = f64::from(store.get(PageRank::DAMPING));
    let restart = normalized(store.scalars(PageRank::TELEPORT).iter().map(|&jump| f64::from(jump)).collect());
    let teleport: Vec<f64> = restart.iter().map(|share| (1.0 - damping) * share).collect();
    let mut rank = restart;
    for _ in 0..iterations {
        rank = arriving(graph, &rank).iter().zip(&teleport).map(|(sum, teleport)| teleport + damping * sum).collect();
    }
    normalized(rank)
}
