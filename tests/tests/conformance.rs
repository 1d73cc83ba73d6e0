//! Every program agrees with its serial reference, on the CPU and in the emulator.

use onyx_runtime::Backend;
use onyx_tests::{check, graphs};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn special_graphs_mix() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::mixture_agrees(&graph, 3, backend);
        }
    }
}

#[test]
fn special_graphs_decay_and_count() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::decay_agrees(&graph, 5, backend);
            check::degrees_agree(&graph, backend);
        }
    }
}

#[test]
fn every_feature_count_mixes() {
    let graph = graphs::generate("rmat:6:6");
    for features in check::FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            check::mixture_agrees(&graph, features, backend);
        }
    }
}

#[test]
fn special_graphs_operate_and_reduce() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::operations_agree(&graph, 5, backend);
            check::reductions_agree(&graph, 3, backend);
        }
    }
}

#[test]
fn every_feature_count_operates_and_reduces() {
    let graph = graphs::generate("rmat:6:6");
    for features in check::FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            check::operations_agree(&graph, features, backend);
            check::reductions_agree(&graph, features, backend);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_mix(graph in graphs::any(), features in 1_usize..10) {
        for backend in BACKENDS {
            check::mixture_agrees(&graph, features, backend);
        }
    }

    #[test]
    fn random_graphs_count(graph in graphs::any()) {
        for backend in BACKENDS {
            check::degrees_agree(&graph, backend);
        }
    }
}
