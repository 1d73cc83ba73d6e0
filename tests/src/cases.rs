//! Every program with a start of its own, for checks that compare a run with another run.

use onyx_device::Fold;
use onyx_examples::{label_propagation, multi_manifold_ranking, multimodal_learning, pagerank};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Direction, Options, Report, Store};

use crate::matrices::{Factors, factorize};
use crate::programs::{Decay, Degrees, Gates, Mixture, Tide, decay, degrees, mix};
use crate::registers::{Ripple, ripple};
use crate::{algorithms, check, gates, linear, relay, tide};

/// What a run reports, and the values that it leaves.
#[derive(Debug)]
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// The values, vertex after vertex.
    pub values: Vec<f32>,
}

/// A program: its name, whether it may be pushed, and how it runs.
pub type Case = (&'static str, bool, fn(&Graph, &Options) -> Outcome);

/// All programs.
pub static CASES: [Case; 11] = [
    ("mix", false, run_mix),
    ("decay", false, run_decay),
    ("degrees", false, run_degrees),
    ("pagerank", true, run_pagerank),
    ("label propagation", true, run_label_propagation),
    ("multi-manifold ranking", true, run_multi_manifold_ranking),
    ("multimodal learning", true, run_multimodal_learning),
    ("tide", true, run_tide),
    ("ripple", true, run_ripple),
    ("gates", true, run_gates),
    ("factorize", true, run_factorize),
];

/// The directions that may be forced in a program.
pub fn directions(is_pushed: bool) -> impl Iterator<Item = Direction> {
    [Direction::Pull, Direction::Push].into_iter().take(1 + usize::from(is_pushed))
}

impl Outcome {
    /// The bits of the values.
    pub fn bits(&self) -> Vec<u32> {
        self.values.iter().map(|value| value.to_bits()).collect()
    }

    /// The vertices and edges that each iteration has left active.
    pub fn active(&self) -> Vec<(usize, u64)> {
        self.report.iterations.iter().map(|iteration| (iteration.active, iteration.active_edges)).collect()
    }
}

fn outcome<F: Fold>(
    graph: &Graph,
    mut store: Store,
    fold: F,
    options: &Options,
    values: impl Fn(&Store, u32) -> Vec<f32>,
) -> Outcome {
    let report = check::run(graph, &mut store, fold, options);
    let values = (0..graph.vertex_count() as u32).flat_map(|vertex| values(&store, vertex)).collect();
    Outcome { report, values }
}

fn run_mix(graph: &Graph, options: &Options) -> Outcome {
    let store = check::mixture_store(graph, 5, &check::mixture(graph, 5));
    outcome(graph, store, mix, options, |store, vertex| {
        let size = store.scalars(Mixture::SIZE)[vertex as usize];
        [store.row(Mixture::VALUE, vertex), store.row(Mixture::KEPT, vertex), &[size]].concat()
    })
}

fn run_decay(graph: &Graph, options: &Options) -> Outcome {
    let mut store = Store::new(decay, graph, 3).expect("a compiled width");
    (0..graph.vertex_count() as u32).for_each(|vertex| store.row_mut(Decay::VALUE, vertex).fill(1.0 + vertex as f32));
    store.set(Decay::FLOOR, 0.5);
    outcome(graph, store, decay, options, |store, vertex| store.row(Decay::VALUE, vertex).to_vec())
}

fn run_degrees(graph: &Graph, options: &Options) -> Outcome {
    let mut store = Store::new(degrees, graph, 1).expect("a compiled width");
    let weights = store.edge_scalars_mut(Degrees::WEIGHT).iter_mut().enumerate();
    weights.for_each(|(edge, weight)| *weight = 1.0 / (1 + edge) as f32);
    outcome(graph, store, degrees, options, |store, vertex| {
        vec![store.scalars(Degrees::STRENGTH)[vertex as usize], store.scalars(Degrees::DEGREE)[vertex as usize]]
    })
}

fn run_pagerank(graph: &Graph, options: &Options) -> Outcome {
    let settings = pagerank::Settings { tolerance: 1e-3, ..Default::default() };
    let store = algorithms::start(graph, |graph| pagerank::prepare(graph, settings));
    outcome(graph, store, pagerank::step, options, |store, vertex| {
        let ranks = store.scalars(pagerank::PageRank::RANK);
        // Relative to their mean, so that a tolerance means the same in every graph.
        vec![ranks[vertex as usize] * ranks.len() as f32]
    })
}

fn run_label_propagation(graph: &Graph, options: &Options) -> Outcome {
    let seeds: Vec<_> = (0..graph.vertex_count() as u32).step_by(7).zip((0..4).cycle()).collect();
    let settings = label_propagation::Settings { tolerance: 1e-3, ..Default::default() };
    let store = algorithms::start(graph, |graph| label_propagation::prepare(graph, &seeds, 4, settings));
    outcome(graph, store, label_propagation::step, options, |store, vertex| {
        store.row(label_propagation::LabelPropagation::LABEL, vertex).to_vec()
    })
}

fn run_factorize(graph: &Graph, options: &Options) -> Outcome {
    let mut store = linear::factors_store(factorize, graph, 3);
    store.set(Factors::TOLERANCE, 1e-3);
    outcome(graph, store, factorize, options, |store, vertex| store.row(Factors::FACTOR, vertex).to_vec())
}

fn run_multi_manifold_ranking(graph: &Graph, options: &Options) -> Outcome {
    let (weights, queries) = algorithms::numbers(graph, 3, 3, 0.0);
    let settings = multi_manifold_ranking::Settings { tolerance: 1e-3, ..Default::default() };
    let store =
        algorithms::start(graph, |graph| multi_manifold_ranking::prepare(graph, &weights, &queries, 3, settings));
    outcome(graph, store, multi_manifold_ranking::step, options, |store, vertex| {
        store.row(multi_manifold_ranking::MultiManifoldRanking::RANK, vertex).to_vec()
    })
}

fn run_multimodal_learning(graph: &Graph, options: &Options) -> Outcome {
    let (matrices, seeds) = algorithms::numbers(graph, 9, 3, -0.5);
    let settings = multimodal_learning::Settings { tolerance: 1e-3, ..Default::default() };
    let store = algorithms::start(graph, |graph| multimodal_learning::prepare(graph, &matrices, &seeds, 3, settings));
    outcome(graph, store, multimodal_learning::step, options, |store, vertex| {
        store.row(multimodal_learning::MultimodalLearning::MODE, vertex).to_vec()
    })
}

fn run_tide(graph: &Graph, options: &Options) -> Outcome {
    outcome(graph, tide::store(graph, 4), crate::programs::tide, options, |store, vertex| {
        store.row(Tide::LEVEL, vertex).to_vec()
    })
}

fn run_ripple(graph: &Graph, options: &Options) -> Outcome {
    outcome(graph, relay::ripple_store(graph, 4, 1e-3), ripple, options, |store, vertex| {
        store.row(Ripple::LEVEL, vertex).to_vec()
    })
}

fn run_gates(graph: &Graph, options: &Options) -> Outcome {
    outcome(graph, gates::store(graph, 4), crate::programs::gates, options, |store, vertex| {
        store.row(Gates::LEVEL, vertex).to_vec()
    })
}
