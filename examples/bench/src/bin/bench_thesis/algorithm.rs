//! What an algorithm must say of itself to be measured.

use std::fmt;

use clap::ValueEnum;
use onyx_device::FoldOf;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, RunFold, Store};

use crate::variant::Variant;

/// The algorithms, by the thesis's abbreviations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    #[value(name = "lp")]
    LabelPropagation,
    #[value(name = "als")]
    LeastSquares,
    #[value(name = "bp")]
    BeliefPropagation,
    #[value(name = "mmr")]
    ManifoldRanking,
    #[value(name = "mml")]
    MultimodalLearning,
}

impl Name {
    /// In the order of the table.
    pub const ALL: [Self; 5] = [
        Self::LabelPropagation,
        Self::LeastSquares,
        Self::BeliefPropagation,
        Self::ManifoldRanking,
        Self::MultimodalLearning,
    ];
    /// Those without matrices, which run with up to 128 features.
    pub const OF_ANY_WIDTH: [Self; 2] = [Self::LabelPropagation, Self::ManifoldRanking];

    /// The most features that all of its variants are compiled for, where figure 7.3 has more.
    pub const fn widest(self) -> usize {
        match self {
            Self::ManifoldRanking => 64,
            _ => 128,
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LabelPropagation => "LP",
            Self::LeastSquares => "ALS",
            Self::BeliefPropagation => "BP",
            Self::ManifoldRanking => "MMR",
            Self::MultimodalLearning => "MML",
        })
    }
}

/// An algorithm on synthetic weights and starts.
pub trait Algorithm {
    /// Its name.
    const NAME: Name;
    /// How far apart two results may be that both stop at changes of the tolerance, in tolerances.
    const SPREAD: f64;

    /// What it keeps of vertices and edges.
    type Structure;

    /// Data in which all that a run does not change is set.
    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Self::Structure>>;

    /// Sets what a run changes.
    fn start(graph: &Graph, data: &mut Data<Self::Structure>) -> Result<(), RunError>;

    /// The fold with features across lanes, and the same by threads that have all of them.
    fn folds() -> (impl FoldOf<Self::Structure>, impl FoldOf<Self::Structure>);

    /// Runs one variant; the options say whether it is change-driven.
    fn run(
        variant: Variant,
        graph: &ResidentGraph<'_>,
        data: &mut Data<Self::Structure>,
        options: &Options,
    ) -> Result<Report, RunError> {
        run_one(variant, Self::folds(), graph, data, options)
    }

    /// What was computed, vertex after vertex.
    fn results(graph: &Graph, data: &mut Data<Self::Structure>) -> Result<Vec<f32>, RunError>;

    /// The same in 64-bit floats on one thread, after `iterations` from the start that is in `store`.
    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64>;
}

/// Runs the fold of two that a variant is of.
pub fn run_one<D>(
    variant: Variant,
    (aware, scalar): (impl FoldOf<D>, impl FoldOf<D>),
    graph: &ResidentGraph<'_>,
    data: &mut Data<D>,
    options: &Options,
) -> Result<Report, RunError> {
    if variant.is_feature_aware() {
        aware.on(graph, data).until_settled(options)
    } else {
        scalar.on(graph, data).until_settled(options)
    }
}
