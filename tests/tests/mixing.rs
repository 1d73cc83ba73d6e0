//! Products of matrices of the graph agree with their serial reference, on the CPU and in the emulator.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Schedule};
use onyx_tests::check::Place;
use onyx_tests::{graphs, mixing};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
const FEATURES: [usize; 9] = [1, 2, 4, 5, 8, 11, 16, 20, 32];

#[test]
fn every_feature_count_mixes() {
    let graph = graphs::generate("rmat:5:6");
    for features in FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            mixing::mixed_agree(&graph, features, backend.into());
            if features <= 8 {
                mixing::seen_agree(&graph, features, backend.into());
            }
        }
    }
}

#[test]
fn every_schedule_gathers_what_is_mixed() {
    let graph = graphs::generate("rmat:5:6");
    for features in [5, 8, 16, 20, 32] {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            mixing::gathered_agree(&graph, features, backend.into());
        }
    }
}

#[test]
fn special_graphs_mix() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            mixing::mixed_agree(&graph, 32, backend.into());
            mixing::gathered_agree(&graph, 8, backend.into());
        }
    }
}

/// Groups of the last warps come alone, those before them share: four of 8 lanes, four of 4, two of 2.
#[test]
fn products_have_the_same_bits_shared_and_alone() {
    for (vertices, features) in [(7, 32), (13, 16), (35, 8)] {
        let graph = graphs::graph(vertices, vec![(0, 1), (2, 1)]);
        mixing::bits_agree(&graph, features, Backend::Emulator.into());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_batches_mix(graph in graphs::any(), features in prop::sample::select(&[3_usize, 8, 16, 32][..])) {
        let offsets = vec![0, graph.vertex_count() as u32];
        let batch: Graph = graph.with_members(offsets).expect("one graph");
        mixing::mixed_agree(&batch, features, Place::from(Backend::Emulator).by(Schedule::GraphPerBlock));
    }
}
