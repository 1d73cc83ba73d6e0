//! The serial verifiers find what is wrong.

use std::env;
use std::path::PathBuf;

use onyx_examples::label_propagation::{self, LabelPropagation};
use onyx_examples::pagerank::{self, PageRank};
use onyx_examples::verification::Verification;
use onyx_examples::{fixed_point, multi_manifold_ranking as ranking, multimodal_learning as learning};
use onyx_runtime::graph::{Generator, Graph, GraphBuilder, LoadOptions};
use onyx_runtime::{Data, Direction, Options, Report, RunFold, Session, Status};

fn graph() -> Graph {
    "rmat:8".parse::<Generator>().unwrap().generate(7).unwrap()
}

fn ranks(graph: &Graph) -> (Data<PageRank>, Report) {
    let graph = Session::cpu().graph(graph);
    let mut data = pagerank::prepare(&graph, pagerank::Settings::default()).unwrap();
    let report = pagerank::step.on(&graph, &mut data).until_settled(&Options::new()).unwrap();
    (data, report)
}

fn labels(graph: &Graph, features: usize) -> (Data<LabelPropagation>, Report) {
    let seeds: Vec<(u32, usize)> = (0..20).map(|seed| (seed * 12, seed as usize % features)).collect();
    let graph = Session::cpu().graph(graph);
    let mut data =
        label_propagation::prepare(&graph, &seeds, features, label_propagation::Settings::default()).unwrap();
    let report = label_propagation::step.on(&graph, &mut data).until_settled(&Options::new()).unwrap();
    (data, report)
}

fn ranks_agree(graph: &Graph, data: &mut Data<PageRank>, report: &Report) -> Verification {
    pagerank::verify(graph, data.on_host().unwrap(), report)
}

fn labels_agree(graph: &Graph, data: &mut Data<LabelPropagation>, report: &Report) -> Verification {
    label_propagation::verify(graph, data.on_host().unwrap(), report)
}

#[test]
fn right_results_agree() {
    let graph = graph();
    let (mut data, report) = ranks(&graph);
    assert!(ranks_agree(&graph, &mut data, &report).agrees());
    for features in [1, 2, 3, 7, 16, 100, 128] {
        let (mut data, report) = labels(&graph, features);
        assert!(labels_agree(&graph, &mut data, &report).agrees(), "{features} features");
    }
}

#[test]
fn one_wrong_value_is_found() {
    let graph = graph();
    let (mut data, report) = ranks(&graph);
    data.view_mut(PageRank::RANK).unwrap()[200] *= 1.1;
    assert!(!ranks_agree(&graph, &mut data, &report).agrees());
    let (mut data, report) = labels(&graph, 3);
    data.view_mut(LabelPropagation::LABEL).unwrap()[[200, 2]] += 1e-3;
    assert!(!labels_agree(&graph, &mut data, &report).agrees());
}

#[test]
fn what_is_no_number_is_found() {
    let graph = graph();
    let (mut data, report) = ranks(&graph);
    data.view_mut(PageRank::RANK).unwrap()[0] = f32::NAN;
    assert!(!ranks_agree(&graph, &mut data, &report).agrees());
    let (mut data, report) = labels(&graph, 3);
    data.view_mut(LabelPropagation::LABEL).unwrap()[[0, 0]] = f32::NAN;
    assert!(!labels_agree(&graph, &mut data, &report).agrees());
}

/// A run of PageRank that is not as usual.
fn ranks_by(graph: &Graph, settings: pagerank::Settings, options: &Options) -> (Data<PageRank>, Report) {
    let graph = Session::cpu().graph(graph);
    let mut data = pagerank::prepare(&graph, settings).unwrap();
    pagerank::personalize(&mut data, &[(1, 1.0), (17, 3.0), (40, 0.5)]).unwrap();
    let report = pagerank::step.on(&graph, &mut data).until_settled(options).unwrap();
    (data, report)
}

fn labels_by(
    graph: &Graph,
    settings: label_propagation::Settings,
    options: &Options,
) -> (Data<LabelPropagation>, Report) {
    let seeds: Vec<(u32, usize)> = (0..20).map(|seed| (seed * 12, seed as usize % 3)).collect();
    let graph = Session::cpu().graph(graph);
    let mut data = label_propagation::prepare(&graph, &seeds, 3, settings).unwrap();
    let report = label_propagation::step.on(&graph, &mut data).until_settled(options).unwrap();
    (data, report)
}

/// Ways to run: directions, limits, and a refresh that comes too late.
fn ways() -> impl Iterator<Item = Options> {
    let directions = [None, Some(Direction::Pull), Some(Direction::Push)];
    let limits = [1, 3, 40];
    directions.into_iter().flat_map(move |direction| {
        limits.into_iter().map(move |iterations| Options { direction, iterations, refresh: 100, ..Options::new() })
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
                let (mut data, report) =
                    ranks_by(&graph, pagerank::Settings::new().damping(part).tolerance(tolerance), &options);
                let found = ranks_agree(&graph, &mut data, &report);
                assert!(found.agrees(), "ranks, {case}: {}, {found:?}", report.status);
                let (mut data, report) =
                    labels_by(&graph, label_propagation::Settings::new().alpha(part).tolerance(tolerance), &options);
                let found = labels_agree(&graph, &mut data, &report);
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
        let settings = fixed_point::Settings::new().alpha(alpha).tolerance(tolerance);
        for options in ways() {
            let (resident, case) = (Session::cpu().graph(&graph), format!("{settings:?} {options:?}"));
            let mut ranks = ranking::prepare(&resident, &weights, &start, features, settings).unwrap();
            let report = ranking::step.on(&resident, &mut ranks).until_settled(&options).unwrap();
            let found = ranking::verify(&graph, ranks.on_host().unwrap(), &report);
            assert!(found.agrees(), "ranks, {case}: {}, {found:?}", report.status);
            ranks.view_mut(ranking::MultiManifoldRanking::RANK).unwrap()[[40, 1]] += 1e-3;
            let found = ranking::verify(&graph, ranks.on_host().unwrap(), &report);
            assert!(tolerance > 1e-4 || alpha > 0.99 || !found.agrees(), "ranks, {case}: {}", report.status);

            let mut modes = learning::prepare(&resident, &matrices, &start, features, settings).unwrap();
            let report = learning::step.on(&resident, &mut modes).until_settled(&options).unwrap();
            let found = learning::verify(&graph, modes.on_host().unwrap(), &report);
            assert!(found.agrees(), "modes, {case}: {}, {found:?}", report.status);
            modes.view_mut(learning::MultimodalLearning::MODE).unwrap()[[40, 1]] += 1e-3;
            let found = learning::verify(&graph, modes.on_host().unwrap(), &report);
            assert!(tolerance > 1e-4 || alpha > 0.99 || !found.agrees(), "modes, {case}: {}", report.status);
        }
    }
}

/// A run of each mixture on a path of three vertices, from what is known of the first: what it finds, and whether that is verified.
fn mixtures(known: [f32; 2], change: Option<f32>) -> [(Vec<f32>, bool); 2] {
    let graph = GraphBuilder::new().vertices(3).edges(vec![(0, 1), (1, 2)]).build().unwrap();
    let (start, settings) = ([(0, known.to_vec())], fixed_point::Settings::new());
    let resident = Session::cpu().graph(&graph);
    let mut ranks = ranking::prepare(&resident, &[1.0; 4], &start, 2, settings).unwrap();
    change.into_iter().for_each(|change| ranks.set(ranking::MultiManifoldRanking::TOLERANCE, change));
    let report = ranking::step.on(&resident, &mut ranks).until_settled(&Options::new()).unwrap();
    let are_ranks = ranking::verify(&graph, ranks.on_host().unwrap(), &report).agrees();
    let matrices = [1.0, 0.5, 0.25, 1.0, 1.0, 0.0, 0.0, 1.0];
    let mut modes = learning::prepare(&resident, &matrices, &start, 2, settings).unwrap();
    change.into_iter().for_each(|change| modes.set(learning::MultimodalLearning::TOLERANCE, change));
    let report = learning::step.on(&resident, &mut modes).until_settled(&Options::new()).unwrap();
    let are_modes = learning::verify(&graph, modes.on_host().unwrap(), &report).agrees();
    let ranks = ranks.read(ranking::MultiManifoldRanking::RANK).unwrap().iter().copied().collect();
    let modes = modes.read(learning::MultimodalLearning::MODE).unwrap().iter().copied().collect();
    [(ranks, are_ranks), (modes, are_modes)]
}

#[test]
fn little_is_answered_as_much_is() {
    let expected = mixtures([1.0, 0.5], None);
    // Of a power of two every bit is the same.
    for size in [-80, -20, 0, 60].map(|exponent| 2.0_f32.powi(exponent)) {
        let found = mixtures([size, 0.5 * size], None);
        for ((found, is_verified), (expected, _)) in found.iter().zip(&expected) {
            assert_eq!(*found, expected.iter().map(|value| size * value).collect::<Vec<_>>());
            assert!(is_verified, "{size:e}");
        }
    }
    let [(ranks, _), _] = mixtures([1.0, 2.0_f32.powi(-30)], None);
    let ratio = |row: usize| ranks[2 * row] / ranks[2 * row + 1] * 2.0_f32.powi(-30);
    assert!((0..3).all(|row| (ratio(row) - 1.0).abs() < 1e-5), "{ranks:?}");
    for (values, is_verified) in mixtures([0.0, 0.0], None) {
        assert_eq!((values, is_verified), (vec![0.0; 6], true));
    }
}

#[test]
fn what_leaves_out_nearly_all_is_not_verified() {
    for (values, is_verified) in mixtures([1e-7, 5e-8], Some(1e-6)) {
        assert!(!is_verified, "{values:?}");
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
        let options = Options { iterations: 4000, direction, ..Options::new() };
        let resident = Session::cpu().graph(&graph);
        let mut data = pagerank::prepare(&resident, pagerank::Settings::default()).unwrap();
        let report = pagerank::step.on(&resident, &mut data).until_settled(&options).unwrap();
        assert_eq!(report.status, Status::Settled, "ranks after {}", report.iterations.len());
        let found = ranks_agree(&graph, &mut data, &report);
        assert!(found.agrees() && found.allowed < 1e-3, "{found:?}");
        let settings = label_propagation::Settings::new().alpha(0.99).tolerance(1e-6);
        let (mut data, report) = labels_by(&graph, settings, &options);
        assert_eq!(report.status, Status::Settled, "labels after {}", report.iterations.len());
        let found = labels_agree(&graph, &mut data, &report);
        assert!(found.agrees(), "{found:?}");
    }
}

#[test]
fn a_little_is_found_in_any_value() {
    let graph = graph();
    for iterations in [10, 1000] {
        let options = Options { iterations, direction: Some(Direction::Pull), ..Options::new() };
        let (mut data, report) = ranks_by(&graph, pagerank::Settings::default(), &options);
        assert_eq!(report.status.is_at_rest(), iterations > 10);
        for vertex in (0..graph.vertex_count()).step_by(7) {
            let rank = data.read(PageRank::RANK).unwrap()[vertex];
            for part in [0.9999, 1.0001] {
                data.view_mut(PageRank::RANK).unwrap()[vertex] = rank * part;
                assert_eq!(ranks_agree(&graph, &mut data, &report).agrees(), rank == 0.0, "{vertex} by {part}");
            }
            data.view_mut(PageRank::RANK).unwrap()[vertex] = rank;
        }
        let (mut data, report) = labels_by(&graph, label_propagation::Settings::default(), &options);
        for vertex in (0..graph.vertex_count()).step_by(7) {
            for change in [1e-4, -1e-4] {
                data.view_mut(LabelPropagation::LABEL).unwrap()[[vertex, 2]] += change;
                assert!(!labels_agree(&graph, &mut data, &report).agrees(), "{vertex} by {change}");
                data.view_mut(LabelPropagation::LABEL).unwrap()[[vertex, 2]] -= change;
            }
        }
    }
}

#[test]
fn a_point_that_is_not_fixed_is_no_answer() {
    let graph = graph();
    let (mut data, report) =
        ranks_by(&graph, pagerank::Settings::default(), &Options { iterations: 4, ..Options::new() });
    assert!(ranks_agree(&graph, &mut data, &report).agrees());
    let claims = Report { status: Status::Converged, ..report };
    assert!(!ranks_agree(&graph, &mut data, &claims).agrees());
    assert!(!ranks_agree(&graph, &mut data, &Report { status: Status::Settled, ..claims }).agrees());
}

/// Rows of equal terms: rounding goes one way in all of them, and back in the next iteration.
#[test]
#[ignore = "needs ONYX_DATA"]
fn data_ranks_that_went_around_in_circles_settle() {
    let folder = PathBuf::from(env::var("ONYX_DATA").expect("ONYX_DATA"));
    let graph = Graph::load(folder.join("snap/cnr-2000.txt.gz"), &LoadOptions::default()).unwrap();
    let resident = Session::cpu().graph(&graph);
    let mut data = pagerank::prepare(&resident, pagerank::Settings::default()).unwrap();
    let report = pagerank::step.on(&resident, &mut data).until_settled(&Options::new().iterations(400)).unwrap();
    assert_eq!(report.status, Status::Settled, "after {}", report.iterations.len());
    let found = ranks_agree(&graph, &mut data, &report);
    assert!(found.agrees(), "{found:?}");
}
