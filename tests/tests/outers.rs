//! Sums of outer products agree with their serial reference, on the CPU and in the emulator.

use std::slice;

use onyx_runtime::Backend;
use onyx_tests::{graphs, outers};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn every_feature_count_sums() {
    let graph = graphs::batch(&[graphs::generate("rmat:5:6")]);
    for features in [1, 4, 5, 16, 20, 32] {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            outers::gathered_agree(&graph, features, backend.into());
            if features <= 16 {
                outers::summed_agree(&graph, features, backend.into());
            }
        }
    }
}

#[test]
fn special_graphs_sum() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            outers::summed_agree(&graph, 11, backend.into());
            outers::gathered_agree(&graphs::batch(slice::from_ref(&graph)), 32, backend.into());
        }
    }
}

/// The last warps have groups without a vertex, which add with the others.
#[test]
fn groups_without_a_vertex_add_nothing() {
    for vertices in [1, 7, 8, 9, 67, 300] {
        let graph = graphs::batch(&[graphs::graph(vertices, vec![(0, 0)])]);
        for features in [13, 16, 32] {
            println!("{features} features of {vertices} vertices");
            outers::gathered_agree(&graph, features, Backend::Emulator.into());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_batches_sum(graph in graphs::any(), features in prop::sample::select(&[3_usize, 12, 16, 32][..])) {
        outers::gathered_agree(&graphs::batch(&[graph]), features, Backend::Emulator.into());
    }
}
