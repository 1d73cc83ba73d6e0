//! The serial verifiers find what is wrong.

use std::env;
use std::ops::ControlFlow;
use std::path::PathBuf;

use onyx_examples::label_propagation::{self, LabelPropagation};
use onyx_examples::pagerank::{self, PageRank};
use onyx_examples::{fixed_point, multi_manifold_ranking as ranking, multimodal_learning as learning};
use onyx_runtime::graph::{Generator, Graph, GraphBuilder, LoadOptions};
use onyx_runtime::{Backend, Direction, Options, Report, Status, Store, converge};

fn graph() -> Graph {
    "rmat:8".parse::<Generator>().unwrap().generate(7).unwrap()
}

fn options() -> Options {
    Options { backend: Backend::Cpu, ..Options::default() }
}

fn ranks(graph: &Graph) -> (Store, Report) {
    let mut store = pagerank::prepare(graph, 1, pagerank::Settings::default()).unwrap();
    let report = converge(pagerank::step, graph, &mut store, &options(), &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

fn labels(graph: &Graph, features: usize) -> (Store, Report) {
    let seeds: Vec<(u32, usize)> = (0..20).map(|seed| (seed * 12, seed as usize % features)).collect();
    let mut store =
        label_propagation::prepare(graph, &seeds, features, label_propagation::Settings::default()).unwrap();
    let fold = label_propagation::step;
    let report = converge(fold, graph, &mut store, &options(), &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

#[test]
fn right_results_agree() {
    let graph = graph();
    let (store, report) = ranks(&graph);
    assert!(pagerank::verify(&graph, &store, &report).agrees());
    for features in [1, 2, 3, 7, 16, 100, 128] {
        let (store, report) = labels(&graph, features);
        assert!(label_propagation::verify(&graph, &store, &report).agrees(), "{features} features");
    }
}

#[test]
fn one_wrong_value_is_found() {
    let graph = graph();
    let (mut store, report) = ranks(&graph);
    store.scalars_mut(PageRank::RANK)[200] *= 1.1;
    assert!(!pagerank::verify(&graph, &store, &report).agrees());
    let (mut store, report) = labels(&graph, 3);
    store.row_mut(LabelPropagation::LABEL, 200)[2] += 1e-3;
    assert!(!label_propagation::verify(&graph, &store, &report).agrees());
}

#[test]
fn what_is_no_number_is_found() {
    let graph = graph();
    let (mut store, report) = ranks(&graph);
    store.scalars_mut(PageRank::RANK)[0] = f32::NAN;
    assert!(!pagerank::verify(&graph, &store, &report).agrees());
    let (mut store, report) = labels(&graph, 3);
    store.row_mut(LabelPropagation::LABEL, 0)[0] = f32::NAN;
    assert!(!label_propagation::verify(&graph, &store, &report).agrees());
}

/// A run of PageRank that is not as usual.
fn ranks_by(graph: &Graph, settings: pagerank::Settings, options: &Options) -> (Store, Report) {
    let mut store = pagerank::prepare(graph, 1, settings).unwrap();
    pagerank::personalize(&mut store, &[(1, 1.0), (17, 3.0), (40, 0.5)]);
    let report = converge(pagerank::step, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

fn labels_by(graph: &Graph, settings: label_propagation::Settings, options: &Options) -> (Store, Report) {
    let seeds: Vec<(u32, usize)> = (0..20).map(|seed| (seed * 12, seed as usize % 3)).collect();
    let mut store = label_propagation::prepare(graph, &seeds, 3, settings).unwrap();
    let fold = label_propagation::step;
    let report = converge(fold, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).unwrap();
    (store, report)
}

/// Ways to run: directions, limits, and a refresh that comes too late.
fn ways() -> impl Iterator<Item = Options> {
    let directions = [None, Some(Direction::Pull), Some(Direction::Push)];
    let limits = [1, 3, 40];
    directions.into_iter().flat_map(move |direction| {
        limits.into_iter().map(move |iterations| Options { direction, iterations, refresh: 100, ..options() })
    })
}

/// A hub that thousands of equal vertices lead to, and that leads back to some.
fn star() -> Graph {
    let edges = (1..600_u32).flat_map(|leaf| [(leaf, 0), (0, leaf)]).filter(|(from, to)| *from > 0 || *to < 300);
    GraphBuilder::new().vertices(600).edges(edges.collect::<Vec<_>>()).build().unwrap()
}

const PARTS: [f32; 3] = [0.5, 0.85, 0.9999];
const TOLERANCES: [f32; 3] = [1e-9, 1e-5, 0.1];

#[test]
fn right_results_are_never_called_wrong() {
    for graph in [graph(), star()] {
        for (part, tolerance) in PARTS.iter().flat_map(|part| TOLERANCES.map(|tolerance| (*part, tolerance))) {
            for options in ways() {
                let case = format!("{part} {tolerance} {options:?}");
                let (store, report) = ranks_by(&graph, pagerank::Settings { damping: part, tolerance }, &options);
                let found = pagerank::verify(&graph, &store, &report);
                assert!(found.agrees(), "ranks, {case}: {}, {found:?}", report.status);
                let (store, report) =
                    labels_by(&graph, label_propagation::Settings { alpha: part, tolerance }, &options);
                let found = label_propagation::verify(&graph, &store, &report);
                assert!(found.agrees(), "labels, {case}: {}, {found:?}", report.status);
            }
        }
    }
}

/// Numbers between -1 and 1 that only must not be regular.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn mixtures_are_right_at_any_tolerance_and_a_little_is_found() {
    let (graph, features) = ("rmat:6:6".parse::<Generator>().unwrap().generate(7).unwrap(), 3);
    let weights: Vec<f32> = numbers(graph.edge_count() * features).iter().map(|weight| weight.abs()).collect();
    let matrices = numbers(graph.edge_count() * features * features);
    let start = [(3, vec![1.0, -2.0, 0.5]), (11, vec![0.0, 4.0, 0.25])];
    for (alpha, tolerance) in PARTS.iter().flat_map(|part| TOLERANCES.map(|tolerance| (*part, tolerance))) {
        let settings = fixed_point::Settings { alpha, tolerance };
        for options in ways() {
            let mut ranks = ranking::prepare(&graph, &weights, &start, features, settings).unwrap();
            let report = converge(ranking::step, &graph, &mut ranks, &options, &mut |_| ControlFlow::Continue(()));
            let (report, case) = (report.unwrap(), format!("{settings:?} {options:?}"));
            let verify = |ranks: &Store| ranking::verify(&graph, ranks, &report);
            assert!(verify(&ranks).agrees(), "ranks, {case}: {}, {:?}", report.status, verify(&ranks));
            ranks.row_mut(ranking::MultiManifoldRanking::RANK, 40)[1] += 1e-3;
            assert!(tolerance > 1e-4 || alpha > 0.99 || !verify(&ranks).agrees(), "ranks, {case}: {}", report.status);

            let mut modes = learning::prepare(&graph, &matrices, &start, features, settings).unwrap();
            let report = converge(learning::step, &graph, &mut modes, &options, &mut |_| ControlFlow::Continue(()));
            let report = report.unwrap();
            let verify = |modes: &Store| learning::verify(&graph, modes, &report);
            assert!(verify(&modes).agrees(), "modes, {case}: {}, {:?}", report.status, verify(&modes));
            modes.row_mut(learning::MultimodalLearning::MODE, 40)[1] += 1e-3;
            assert!(tolerance > 1e-4 || alpha > 0.99 || !verify(&modes).agrees(), "modes, {case}: {}", report.status);
        }
    }
}

/// Stars of about five hundred equal leaves. The roundings of a hub's sum all go one way: two answers, one a few hundred units from the other,
/// come to each other and back in an iteration each.
fn stars() -> Graph {
    let hubs = (0..4_u32).map(|number| (number * 512, 510 + number % 2));
    let edges = hubs.flat_map(|(hub, leaves)| (hub + 1..hub + leaves).flat_map(move |leaf| [(hub, leaf), (leaf, hub)]));
    GraphBuilder::new().vertices(2048).edges(edges.collect::<Vec<_>>()).build().unwrap()
}

#[test]
fn what_went_around_in_circles_settles() {
    let graph = stars();
    for direction in [None, Some(Direction::Pull)] {
        let options = Options { iterations: 4000, direction, ..options() };
        let mut store = pagerank::prepare(&graph, 1, pagerank::Settings::default()).unwrap();
        let report =
            converge(pagerank::step, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(report.status, Status::Settled, "ranks after {}", report.iterations.len());
        let found = pagerank::verify(&graph, &store, &report);
        assert!(found.agrees() && found.allowed < 1e-3, "{found:?}");
        let settings = label_propagation::Settings { alpha: 0.99, tolerance: 1e-6 };
        let (store, report) = labels_by(&graph, settings, &options);
        assert_eq!(report.status, Status::Settled, "labels after {}", report.iterations.len());
        let found = label_propagation::verify(&graph, &store, &report);
        assert!(found.agrees(), "{found:?}");
    }
}

#[test]
fn a_little_is_found_in_any_value() {
    let graph = graph();
    for iterations in [10, 1000] {
        let options = Options { iterations, direction: Some(Direction::Pull), ..options() };
        let (mut store, report) = ranks_by(&graph, pagerank::Settings::default(), &options);
        assert_eq!(report.status.is_at_rest(), iterations > 10);
        for vertex in (0..graph.vertex_count()).step_by(7) {
            let rank = store.scalars(PageRank::RANK)[vertex];
            for part in [0.9999, 1.0001] {
                store.scalars_mut(PageRank::RANK)[vertex] = rank * part;
                assert_eq!(pagerank::verify(&graph, &store, &report).agrees(), rank == 0.0, "{vertex} by {part}");
            }
            store.scalars_mut(PageRank::RANK)[vertex] = rank;
        }
        let (mut store, report) = labels_by(&graph, label_propagation::Settings::default(), &options);
        for vertex in (0..graph.vertex_count() as u32).step_by(7) {
            for change in [1e-4, -1e-4] {
                store.row_mut(LabelPropagation::LABEL, vertex)[2] += change;
                assert!(!label_propagation::verify(&graph, &store, &report).agrees(), "{vertex} by {change}");
                store.row_mut(LabelPropagation::LABEL, vertex)[2] -= change;
            }
        }
    }
}

#[test]
fn a_point_that_is_not_fixed_is_no_answer() {
    let graph = graph();
    let (store, report) = ranks_by(&graph, pagerank::Settings::default(), &Options { iterations: 4, ..options() });
    assert!(pagerank::verify(&graph, &store, &report).agrees());
    let claims = Report { status: Status::Converged, ..report };
    assert!(!pagerank::verify(&graph, &store, &claims).agrees());
    assert!(!pagerank::verify(&graph, &store, &Report { status: Status::Settled, ..claims }).agrees());
}

/// Rows of equal terms: rounding goes one way in all of them, and back in the next iteration.
#[test]
#[ignore = "needs ONYX_DATA"]
fn data_ranks_that_went_around_in_circles_settle() {
    let folder = PathBuf::from(env::var("ONYX_DATA").expect("ONYX_DATA"));
    let graph = Graph::load(folder.join("snap/cnr-2000.txt.gz"), &LoadOptions::default()).unwrap();
    let mut store = pagerank::prepare(&graph, 1, pagerank::Settings::default()).unwrap();
    let options = Options { iterations: 400, ..options() };
    let report = converge(pagerank::step, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(report.status, Status::Settled, "after {}", report.iterations.len());
    let found = pagerank::verify(&graph, &store, &report);
    assert!(found.agrees(), "{found:?}");
}
