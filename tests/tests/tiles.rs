//! More features than the widest compiled width, where each feature is on its own; and what is said where it is not.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Bins, Direction, Options, Store, converge};
use onyx_tests::mosaic::{lay, lay_narrow};
use onyx_tests::programs::{degrees, mix, tide};
use onyx_tests::{check, graphs, matrices, tiles};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn more_features_than_the_widest_width_are_laid() {
    let graph = graphs::generate("rmat:6:6");
    for features in [100, 128, 129, 200] {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            tiles::lay_agrees(lay, &graph, features, &check::options(backend, 20));
        }
    }
}

#[test]
fn tiles_of_four_features_are_laid_in_two_stages() {
    let graph = graphs::generate("rmat:6:6");
    for features in [3, 4, 5, 10, 12] {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            tiles::lay_agrees(lay_narrow, &graph, features, &check::options(backend, 20));
            let deterministic = Options { deterministic: true, ..check::options(backend, 20) };
            tiles::lay_agrees(lay_narrow, &graph, features, &deterministic);
            let in_bins = Options { bins: Bins::Count(4), ..check::options(backend, 20) };
            tiles::lay_agrees(lay_narrow, &graph, features, &in_bins);
        }
    }
}

#[test]
fn special_graphs_run_by_tiles() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            tiles::lay_agrees(lay_narrow, &graph, 10, &check::options(backend, 3));
            tiles::fade_agrees(&graph, 10, &check::options(backend, 100));
        }
    }
}

#[test]
fn a_vertex_runs_in_all_tiles_while_one_is_active() {
    let graph = graphs::generate("rmat:6:6");
    for features in [4, 5, 10, 33] {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            tiles::fade_agrees(&graph, features, &check::options(backend, 100));
        }
    }
}

#[test]
fn a_run_by_tiles_says_so() {
    let graph = graphs::generate("rmat:4:4");
    let mut store = Store::new(lay_narrow, &graph, 10).unwrap();
    assert_eq!((store.features(), store.width()), (10, 12));
    for backend in BACKENDS {
        let report = check::run(&graph, &mut store, lay_narrow, &check::options(backend, 2));
        assert!(report.explain[0].starts_with("tiles: 3 of 4 features"), "{:?}", report.explain);
    }
}

#[test]
fn tiles_are_pushed() {
    let graph = graphs::generate("rmat:4:4");
    let mut store = Store::new(tide, &graph, 129).unwrap();
    let options = Options { direction: Some(Direction::Push), ..check::options(Backend::Cpu, 8) };
    let report = converge(tide, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(
        report.iterations.iter().any(|iteration| iteration.direction == Direction::Push),
        "{:?}",
        report.iterations
    );
}

#[test]
fn what_needs_all_features_at_once_is_named() {
    let graph = graphs::generate("rmat:4:4");
    assert_refused(mix, &graph, 129, "`blend` calls `sum`, which works across all features, while only an `any`");
    assert_refused(degrees, &graph, 2, "has no features, and 2 are asked for: ask for 1, or declare");
    assert_refused(matrices::factorize, &graph, 17, "`gram` is a matrix");
    assert_refused(lay, &graph, 0, "has no kernel for 0 features: ask for 1 to 128");
}

fn assert_refused<F: Fold>(fold: F, graph: &Graph, features: usize, reason: &str) {
    let error = Store::new(fold, graph, features).unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{}`", F::DECLARED_NAME)) && error.contains(reason), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_run_by_tiles(graph in graphs::any(), features in 1_usize..14) {
        for backend in BACKENDS {
            tiles::lay_agrees(lay_narrow, &graph, features, &check::options(backend, 3));
            tiles::fade_agrees(&graph, features, &check::options(backend, 100));
        }
    }
}
