//! Reads at the reverse edge agree with a serial reference, under every schedule.

use std::ops::ControlFlow;

use onyx_runtime::{Backend, Options, RunError, Store, converge};
use onyx_tests::{check, echo, graphs, replies};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn special_graphs_answer() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        for backend in BACKENDS {
            replies::agree(&replies::both_ways(&graph), 3, backend.into());
        }
    }
}

#[test]
fn every_feature_count_answers() {
    let graph = replies::both_ways(&graphs::generate("rmat:4:6"));
    for features in check::FEATURES {
        for backend in BACKENDS {
            replies::agree(&graph, features, backend.into());
        }
    }
}

#[test]
fn an_edge_without_a_reverse_is_named() {
    let edges = vec![(0, 1), (1, 0), (2, 1), (1, 2), (1, 2), (3, 3)];
    let graph = graphs::graph(4, edges);
    let mut store = Store::new(echo::echo, &graph, 1).unwrap();
    let options = Options { backend: Backend::Cpu, ..Options::default() };
    let error = converge(echo::echo, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(error, RunError::NoReverse { origin: 1, destination: 2, .. }), "{error}");
    assert!(error.to_string().contains("from 1 to 2: symmetrize the graph"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_answer(graph in graphs::any(), features in 1_usize..10) {
        for backend in BACKENDS {
            replies::agree(&replies::both_ways(&graph), features, backend.into());
        }
    }
}
