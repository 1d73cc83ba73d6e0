//! Batches of small graphs, all stages of a fold at once, on the CPU and in the emulator: the same as a serial interpreter says of the whole graph.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Options, RunFold, Schedule, Session};
use onyx_tests::check::{self, Place};
use onyx_tests::sequences::{CASES, folded_1, folded_3};
use onyx_tests::{graphs, relay, replies};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

/// Graphs of no vertex, one vertex, isolated vertices, loops and duplicates, and some with more vertices than the groups of a block take at once.
fn special() -> Graph {
    let names = ["no vertex", "one vertex", "one loop", "duplicates", "grid", "one word and a vertex"];
    let mut members: Vec<Graph> = Vec::new();
    for name in names.into_iter().chain(["no vertex", "one vertex", "only isolated vertices", "no vertex"]) {
        members.extend(graphs::special().into_iter().filter(|(other, _)| *other == name).map(|(_, graph)| graph));
    }
    graphs::batch(&members)
}

fn place(backend: Backend) -> Place {
    Place::from(backend).by(Schedule::GraphPerBlock)
}

#[test]
fn batches_run_every_sequence() {
    let graph = special();
    for case in CASES {
        for backend in BACKENDS {
            println!("[{}] on {backend}", case.functions);
            for features in [1, 3, 4] {
                check::sequence_agrees(case, &graph, features, &check::options(place(backend), 3));
            }
        }
    }
}

#[test]
fn scratch_in_memory_and_reverse_edges_stay_in_their_graph() {
    let both = replies::both_ways(&special());
    let graph = both.with_members(special().members().unwrap().to_vec()).unwrap();
    for backend in BACKENDS {
        relay::agrees_unfolded(&special(), 3, place(backend));
        replies::messages_agree(&graph, 3, place(backend));
        replies::replies_agree(&graph, 3, place(backend));
    }
}

#[test]
fn a_batch_of_nothing_runs() {
    let graph = graphs::batch(&[graphs::graph(0, vec![]), graphs::graph(0, vec![])]);
    BACKENDS.into_iter().for_each(|backend| check::sequence_agrees(&CASES[4], &graph, 4, &check::options(backend, 3)));
}

/// The decision about pulls, with its reason.
fn explained(graph: &Graph, backend: Backend, options: Options) -> String {
    let session = Session::of(backend).unwrap();
    let resident = session.graph(graph);
    let mut data = session.data(folded_3, &resident, 4).unwrap();
    let report = folded_3.on(&resident, &mut data).times(1, &options).unwrap();
    report.explain.join("\n")
}

#[test]
fn a_batch_is_run_graph_by_graph_where_nothing_else_is_asked_for() {
    let (graph, plain) = (special(), graphs::generate("rmat:6:6"));
    let of = |graph, options| explained(graph, Backend::Emulator, options);
    let chosen = of(&graph, Options::new());
    assert!(chosen.contains("graph_per_block, because the graph is a batch, whose largest graph has 153"), "{chosen}");
    assert!(!of(&graph, Options::new().schedule(Schedule::NeighborGroup)).contains("graph_per_block"));
    let refused = of(&plain, Options::new().schedule(Schedule::GraphPerBlock));
    assert!(refused.contains("the graph is no batch: `Graph::with_members` says"), "{refused}");
    let on_cpu = explained(&graph, Backend::Cpu, Options::new());
    assert!(on_cpu.contains("graph by graph"), "{on_cpu}");
    assert!(explained(&plain, Backend::Cpu, Options::new()).contains("balanced"));
}

#[test]
fn folds_of_one_stage_go_along_rows() {
    let graph = special();
    let session = Session::emulator();
    let resident = session.graph(&graph);
    let mut data = session.data(folded_1, &resident, 4).unwrap();
    let options = Options::new().schedule(Schedule::GraphPerBlock);
    let report = folded_1.on(&resident, &mut data).times(1, &options).unwrap();
    assert!(report.explain.join("\n").contains("all stages run at once where a fold has several"), "{report:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_batches_run_random_sequences(
        members in prop::collection::vec(graphs::any(), 1..5),
        features in 1_usize..5,
        number in 0..CASES.len(),
    ) {
        let graph = graphs::batch(&members);
        for backend in BACKENDS {
            check::sequence_agrees(&CASES[number], &graph, features, &check::options(place(backend), 3));
        }
    }
}
