//! Every program agrees with its serial reference, on the CPU and in the emulator.

use onyx_runtime::Backend;
use onyx_tests::{algorithms, check, graphs, relay};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn special_graphs_mix() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::mixture_agrees(&graph, 3, backend.into());
        }
    }
}

#[test]
fn special_graphs_relay() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            relay::agrees(&graph, 3, backend.into());
            relay::agrees_unfolded(&graph, 3, backend.into());
            relay::ripple_agrees(&graph, 3, &check::options(backend, 12));
        }
    }
}

#[test]
fn every_feature_count_relays() {
    let graph = graphs::generate("rmat:5:6");
    for features in check::FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            relay::agrees(&graph, features, backend.into());
            relay::ripple_agrees(&graph, features, &check::options(backend, 12));
        }
    }
}

#[test]
fn special_graphs_decay_and_count() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::decay_agrees(&graph, 5, backend.into());
            check::degrees_agree(&graph, backend.into());
        }
    }
}

#[test]
fn special_graphs_run_the_algorithms() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            algorithms::agree(&graph, 3, backend, 60);
        }
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_graphs_run_the_algorithms() {
    data_graphs_agree(110_000, Backend::Cpu, 8);
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_graphs_run_the_algorithms_in_the_emulator() {
    data_graphs_agree(30_000, Backend::Emulator, 4);
}

/// Runs the algorithms on the graphs of at most so many edges. Without optimization large ones take minutes: `cargo test --release` takes all of them.
fn data_graphs_agree(most_edges: usize, backend: Backend, iterations: usize) {
    let is_tried = |edges: usize| edges <= most_edges || !cfg!(debug_assertions) && backend == Backend::Cpu;
    for path in algorithms::data_graphs() {
        let graph = algorithms::load(&path);
        if is_tried(graph.edge_count()) {
            println!("{}: {} edges", path.display(), graph.edge_count());
            algorithms::agree(&graph, 4, backend, iterations);
        }
    }
}

#[test]
fn every_feature_count_mixes() {
    let graph = graphs::generate("rmat:5:6");
    for features in check::FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            check::mixture_agrees(&graph, features, backend.into());
        }
    }
}

#[test]
fn special_graphs_operate_and_reduce() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            check::operations_agree(&graph, 5, backend.into());
            check::reductions_agree(&graph, 3, backend.into());
        }
    }
}

#[test]
fn every_feature_count_operates_and_reduces() {
    let graph = graphs::generate("rmat:5:6");
    for features in check::FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            check::operations_agree(&graph, features, backend.into());
            check::reductions_agree(&graph, features, backend.into());
        }
    }
}

#[test]
fn wide_labels_agree() {
    for (name, graph) in graphs::special() {
        for (features, direction) in algorithms::wide_labels() {
            println!("{name}, {features} features");
            algorithms::labels_agree(&graph, features, Backend::Cpu, direction, 8);
        }
    }
    let graph = graphs::generate("rmat:3:4");
    for (features, direction) in algorithms::wide_labels() {
        algorithms::labels_agree(&graph, features, Backend::Emulator, direction, 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_mix(graph in graphs::any(), features in 1_usize..10) {
        for backend in BACKENDS {
            check::mixture_agrees(&graph, features, backend.into());
        }
    }

    #[test]
    fn random_graphs_relay(graph in graphs::any(), features in 1_usize..10) {
        for backend in BACKENDS {
            relay::agrees(&graph, features, backend.into());
            relay::agrees_unfolded(&graph, features.min(4), backend.into());
            relay::ripple_agrees(&graph, features, &check::options(backend, 20));
        }
    }

    #[test]
    fn random_graphs_run_the_algorithms(graph in graphs::any(), features in 1_usize..10) {
        for backend in BACKENDS {
            algorithms::agree(&graph, features, backend, 40);
        }
    }

    #[test]
    fn random_graphs_count(graph in graphs::any()) {
        for backend in BACKENDS {
            check::degrees_agree(&graph, backend.into());
        }
    }
}
