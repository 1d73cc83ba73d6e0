//! Runs a fold at a place, and compares all that it leaves with the serial meaning.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store, converge};

use crate::attention::Attention;
use crate::average::Average;
use crate::serial::{log_sum_exp, mean, softmax_sum};
use crate::world::Numbers;

/// How far `f32` may be from `f64`, relative to the greater of 1 and the value.
const TOLERANCE: f64 = 2e-5;

/// Fails where a value is another one; NaN is NaN.
pub fn assert_same(what: &str, found: f32, expected: f64) {
    let is_same = f64::from(found) == expected || found.is_nan() && expected.is_nan();
    let is_near = (f64::from(found) - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    assert!(is_same || is_near, "{what}: found {found}, expected {expected}");
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

/// The edges into a vertex: the number of each, and its source.
pub fn edges_into(graph: &Graph, vertex: u32) -> impl Iterator<Item = (usize, usize)> + '_ {
    let first: usize = (0..vertex).map(|before| graph.in_degree(before)).sum();
    graph.incoming().row(vertex).iter().enumerate().map(move |(offset, source)| (first + offset, *source as usize))
}

/// What a fold over [`Average`] starts from.
#[derive(Clone, Debug)]
pub struct Averaged {
    /// By edge.
    pub weight: Vec<f32>,
    /// By vertex, then feature.
    pub value: Vec<Vec<f32>>,
}

impl Averaged {
    /// Numbers without a rule.
    pub fn random(graph: &Graph, features: usize, seed: u32) -> Self {
        let mut numbers = Numbers(seed);
        let weight = numbers.list(graph.edge_count(), |x| x);
        Self { weight, value: (0..graph.vertex_count()).map(|_| numbers.list(features, |x| 3.0 * x)).collect() }
    }

    /// One iteration of a fold.
    pub fn run<F: Fold>(&self, fold: F, graph: &Graph, features: usize, options: &Options) -> Store {
        let mut store = Store::new(fold, graph, features).expect("a store");
        store.edge_scalars_mut(Average::WEIGHT).copy_from_slice(&self.weight);
        for (vertex, row) in (0..).zip(&self.value) {
            store.row_mut(Average::VALUE, vertex).copy_from_slice(row);
        }
        converge(fold, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).expect("a run");
        store
    }

    /// The mean of what `of` makes of the weight and value of each edge into a vertex, without what it leaves out.
    pub fn mean(&self, graph: &Graph, vertex: u32, feature: usize, of: impl Fn(f64, f64) -> Vec<f64>) -> f64 {
        let parts = edges_into(graph, vertex)
            .flat_map(|(edge, source)| of(f64::from(self.weight[edge]), f64::from(self.value[source][feature])));
        mean(&parts.collect::<Vec<_>>())
    }

    /// The sum of the values of all sources.
    pub fn sum(&self, graph: &Graph, vertex: u32, feature: usize) -> f64 {
        edges_into(graph, vertex).map(|(_, source)| f64::from(self.value[source][feature])).sum()
    }
}

/// What a fold over [`Attention`] starts from.
#[derive(Clone, Debug)]
pub struct Attended {
    /// By vertex.
    pub left: Vec<f32>,
    /// By vertex.
    pub right: Vec<f32>,
    /// By edge.
    pub mask: Vec<f32>,
    /// By vertex, then feature.
    pub x: Vec<Vec<f32>>,
}

impl Attended {
    /// Scores of up to about `scale`, of which one of four is hidden.
    pub fn random(graph: &Graph, features: usize, scale: f32, seed: u32) -> Self {
        let mut numbers = Numbers(seed);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        Self {
            left: numbers.list(vertices, |x| scale * x),
            right: numbers.list(vertices, |x| scale * x),
            mask: numbers.list(edges, |x| if x > 0.5 { f32::NEG_INFINITY } else { 0.0 }),
            x: (0..vertices).map(|_| numbers.list(features, |x| x)).collect(),
        }
    }

    /// One iteration of a fold.
    pub fn run<F: Fold>(&self, fold: F, graph: &Graph, features: usize, options: &Options) -> Store {
        let mut store = Store::new(fold, graph, features).expect("a store");
        store.scalars_mut(Attention::LEFT).copy_from_slice(&self.left);
        store.scalars_mut(Attention::RIGHT).copy_from_slice(&self.right);
        store.edge_scalars_mut(Attention::MASK).copy_from_slice(&self.mask);
        for (vertex, row) in (0..).zip(&self.x) {
            store.row_mut(Attention::X, vertex).copy_from_slice(row);
        }
        converge(fold, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).expect("a run");
        store
    }

    /// The number, source and score of each edge into a vertex, as `attend` has it.
    pub fn scored(&self, graph: &Graph, vertex: u32) -> Vec<(usize, f64)> {
        let right = self.right[vertex as usize];
        let score = |(edge, source): (usize, usize)| {
            let raw = self.left[source] + right;
            (source, f64::from(raw.max(0.2 * raw) + self.mask[edge]))
        };
        edges_into(graph, vertex).map(score).collect()
    }

    /// The score of each edge out of a vertex, and where it leads, as `attend_outward` has them.
    pub fn outward(&self, graph: &Graph, vertex: u32) -> Vec<(f64, usize)> {
        let edges = graph.edges().filter(|(_, source, _)| *source == vertex);
        let score =
            |(edge, _, end): (usize, u32, u32)| (f64::from(self.left[end as usize] + self.mask[edge]), end as usize);
        edges.map(score).collect()
    }

    /// The weighted sum of one feature.
    pub fn out(&self, graph: &Graph, vertex: u32, feature: usize) -> f64 {
        let scored = self.scored(graph, vertex).into_iter();
        softmax_sum(&scored.map(|(source, score)| (score, f64::from(self.x[source][feature]))).collect::<Vec<_>>())
    }

    /// The same where edges alone have scores: what sources bring is in the masks.
    pub fn by_edges(&self, graph: &Graph) -> Self {
        let mut alone = self.clone();
        for (edge, source) in (0..graph.vertex_count() as u32).flat_map(|vertex| edges_into(graph, vertex)) {
            alone.mask[edge] += alone.left[source];
        }
        alone.left.fill(0.0);
        alone
    }

    /// The weighted sum of one feature by the scores of sources and masks, as `attend_meeting` has it.
    pub fn row(&self, graph: &Graph, vertex: u32, feature: usize) -> f64 {
        let score = |(edge, source): (usize, usize)| {
            (f64::from(self.left[source] + self.mask[edge]), f64::from(self.x[source][feature]))
        };
        softmax_sum(&edges_into(graph, vertex).map(score).collect::<Vec<_>>())
    }

    /// The weighted sum of the sources' left scalars.
    pub fn own(&self, graph: &Graph, vertex: u32) -> f64 {
        let scored = self.scored(graph, vertex).into_iter();
        softmax_sum(&scored.map(|(source, score)| (score, f64::from(self.left[source]))).collect::<Vec<_>>())
    }

    /// The log-sum of the scores.
    pub fn log_sum(&self, graph: &Graph, vertex: u32) -> f64 {
        log_sum_exp(&self.scored(graph, vertex).into_iter().map(|(_, score)| score).collect::<Vec<_>>())
    }

    /// The score of one feature and its value for each edge into a vertex, as `attend_each` has them.
    pub fn each(&self, graph: &Graph, vertex: u32, feature: usize) -> Vec<(f64, f64)> {
        let score = |(edge, source): (usize, usize)| {
            let x = self.x[source][feature];
            (f64::from(0.5 * (self.left[source] * x) + self.mask[edge]), f64::from(x))
        };
        edges_into(graph, vertex).map(score).collect()
    }

    /// The score of both ends' features and one feature's value for each visible edge into a vertex, as `attend_product` has them.
    pub fn products(&self, graph: &Graph, vertex: u32, feature: usize) -> Vec<(f64, f64)> {
        let seen = edges_into(graph, vertex).filter(|(edge, _)| self.mask[*edge] == 0.0);
        let score = |(_, source): (usize, usize)| {
            let both = wide(&self.x[source]).into_iter().zip(wide(&self.x[vertex as usize]));
            (0.25 * both.map(|(one, other)| one * other).sum::<f64>(), f64::from(self.x[source][feature]))
        };
        seen.map(score).collect()
    }
}
