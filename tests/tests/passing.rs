//! What stages leave for later ones agrees with a serial reference, in memory and in a block's shared memory.

use std::slice;

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Options, RunFold, Schedule, Session};
use onyx_tests::check::Place;
use onyx_tests::graphs;
use onyx_tests::passing::{self, Passing, pass_on};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
const FEATURES: [usize; 6] = [1, 3, 4, 5, 11, 16];

#[test]
fn special_graphs_pass_rows_on() {
    for (name, graph) in graphs::special() {
        for (backend, features) in BACKENDS.into_iter().flat_map(|backend| [3, 16].map(|features| (backend, features)))
        {
            println!("{name}, {features} features on {backend}");
            passing::agree(&graph, features, backend.into());
            passing::agree(&graphs::batch(slice::from_ref(&graph)), features, by_graphs(backend));
            passing::unfolded_agree(&graph, 3, backend.into());
        }
    }
}

/// Blocks of few vertices have rows in shared memory, blocks of many in memory.
#[test]
fn batches_pass_rows_on() {
    let members: Vec<Graph> =
        (1..40).map(|vertices| graphs::graph(vertices, vec![(0, vertices as u32 - 1), (0, 0)])).collect();
    for count in [1, 3, 39] {
        let graph = graphs::batch(&members[..count]);
        for (backend, features) in BACKENDS.into_iter().flat_map(|backend| FEATURES.map(|features| (backend, features)))
        {
            println!("{count} graphs, {features} features on {backend}");
            passing::agree(&graph, features, by_graphs(backend));
        }
    }
}

/// Nothing is left of scratch after a run, and the next one makes it again.
#[test]
fn runs_follow_each_other() {
    let graph = graphs::batch(&[graphs::generate("rmat:5:6")]);
    for session in BACKENDS.map(|backend| Session::of(backend).unwrap()) {
        let resident = session.graph(&graph);
        let mut data = session.data(pass_on, &resident, 16).unwrap();
        let mut outs = (0..3).map(|_| {
            pass_on.on(&resident, &mut data).times(1, &Options::new()).unwrap();
            data.read(Passing::OUT).unwrap().to_owned()
        });
        let first = outs.next().unwrap();
        assert!(outs.all(|out| out == first), "{session:?}");
    }
}

fn by_graphs(backend: Backend) -> Place {
    Place::from(backend).by(Schedule::GraphPerBlock)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_pass_rows_on(graph in graphs::any(), features in 1_usize..17) {
        passing::agree(&graph, features, Backend::Emulator.into());
        passing::agree(&graphs::batch(&[graph]), features, by_graphs(Backend::Emulator));
    }
}
