//! One graph with random weights and rows, and what comes of them, in `f64` by plain loops.

use onyx_bench::cusparse::Factors;
use onyx_device::half::{bf16, f16};
use onyx_device::stored::Number;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::kind::Kind;

/// How many products a comparison takes, about.
const MOST_PRODUCTS: usize = 1 << 26;

/// A graph, a weight for each edge and a row for each vertex.
pub struct Problem<'a> {
    pub graph: &'a Graph,
    pub features: usize,
    weights: Vec<f32>,
    rows: Array2<f32>,
}

impl<'a> Problem<'a> {
    /// Weights between 0.5 and 1.5, and numbers between -1 and 1.
    pub fn new(graph: &'a Graph, features: usize, seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let weights = (0..graph.edge_count()).map(|_| 0.5 + random.random::<f32>()).collect();
        let number = || 2.0 * random.random::<f32>() - 1.0;
        Self { graph, features, weights, rows: Array2::from_shape_simple_fn((graph.vertex_count(), features), number) }
    }

    /// A weight for each edge.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// A row for each vertex.
    pub fn rows(&self) -> &Array2<f32> {
        &self.rows
    }

    /// What cuSPARSE multiplies.
    pub fn factors(&self, number: Number) -> Factors<'_> {
        let rows = self.rows.as_slice().unwrap_or_default();
        Factors { graph: self.graph, weights: &self.weights, rows, features: self.features, number }
    }

    /// How far our totals are from those in `f64`, as a part of the sizes of what was added where these are more than 1.
    pub fn difference(&self, kind: Kind, found: &[f32]) -> f64 {
        self.farthest(found, |vertex| self.expected(kind, vertex, f64::from))
    }

    /// The same of a library's product, whose weights are of the type that its rows are of.
    pub fn difference_of_product(&self, number: Number, found: &[f32]) -> f64 {
        let kind = match number {
            Number::F16 => Kind::HalfSum,
            Number::Bf16 => Kind::BrainSum,
            _ => Kind::Sum,
        };
        self.farthest(found, |vertex| self.expected(kind, vertex, |weight| rounded(number, weight)))
    }

    fn farthest(&self, found: &[f32], expected: impl Fn(usize) -> (Vec<f64>, f64) + Sync) -> f64 {
        let of_row = |(vertex, row): (usize, &[f32])| {
            let (expected, size) = expected(vertex);
            row.iter().zip(expected).map(|(found, expected)| off(*found, expected, size)).fold(0.0, farther)
        };
        let rows = found.par_chunks_exact(self.features).enumerate();
        rows.step_by(self.step()).map(of_row).reduce(|| 0.0, farther)
    }

    /// Every how many rows one is compared, so that it takes no longer than the run.
    fn step(&self) -> usize {
        (self.graph.edge_count() * self.features / MOST_PRODUCTS).max(1)
    }

    /// The total of a vertex, and the weight of all of its edges, since no number of a row is greater than 1.
    fn expected(&self, kind: Kind, vertex: usize, weight: impl Fn(f32) -> f64) -> (Vec<f64>, f64) {
        let incoming = self.graph.incoming();
        let edges = incoming.offsets().row(vertex);
        let weights: Vec<f64> = edges.clone().map(|edge| weight(self.weights[edge])).collect();
        let greatest = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let exponentials: f64 = weights.iter().map(|weight| (weight - greatest).exp()).sum();
        let nothing = if kind == Kind::Maximum { f64::NEG_INFINITY } else { 0.0 };
        let mut total = vec![nothing; self.features];
        for (edge, weight) in edges.zip(&weights) {
            let row = self.rows.row(incoming.neighbors()[edge] as usize);
            for (total, x) in total.iter_mut().zip(row) {
                let x = rounded(kind.number(), *x);
                match kind {
                    Kind::Mean => *total += weight * x / weights.len() as f64,
                    Kind::Maximum => *total = total.max(weight * x),
                    Kind::Softmax => *total += (weight - greatest).exp() / exponentials * x,
                    _ => *total += weight * x,
                }
            }
        }
        (total, if kind.is_sum() { weights.iter().sum() } else { 1.0 })
    }
}

/// The number as memory has it.
fn rounded(number: Number, value: f32) -> f64 {
    f64::from(match number {
        Number::F16 => f16::from_f32(value).to_f32(),
        Number::Bf16 => bf16::from_f32(value).to_f32(),
        _ => value,
    })
}

/// Equal infinities are not apart, and NaN is as far as can be.
fn off(found: f32, expected: f64, size: f64) -> f64 {
    let found = f64::from(found);
    if found == expected { 0.0 } else { (found - expected).abs() / size.max(1.0) }
}

fn farther(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
