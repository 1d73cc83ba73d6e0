//! Functions in any order: folded, unfolded and along the edges of active sources, against a serial interpreter.

use onyx_runtime::{Backend, Bins, Direction, Options, Schedule};
use onyx_tests::sequences::{CASES, Case};
use onyx_tests::{check, graphs};
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

fn directions(case: &Case) -> Vec<Option<Direction>> {
    if case.is_active && case.pushes { check::DIRECTIONS.to_vec() } else { vec![None] }
}

#[test]
fn folds_whose_last_stage_alone_reduces_may_be_pushed() {
    let pushed: Vec<&str> =
        CASES.iter().filter(|case| case.is_active && case.pushes).map(|case| case.functions).collect();
    assert_eq!(pushed, ["gather, absorb", "stamp; gather, absorb, keep"]);
}

#[test]
fn special_graphs_run_every_sequence() {
    for (name, graph) in graphs::special() {
        for case in CASES {
            for backend in BACKENDS {
                for direction in directions(case) {
                    println!("{name}: [{}] on {backend}, {direction:?}", case.functions);
                    let options = Options { direction, ..check::options(backend, 3) };
                    check::sequence_agrees(case, &graph, 3, &options);
                }
            }
        }
    }
}

#[test]
fn every_schedule_runs_every_sequence() {
    let graph = graphs::generate("rmat:6:6");
    for schedule in Schedule::ALL {
        for case in CASES {
            println!("[{}] by {schedule}", case.functions);
            let options = Options { schedule, ..check::options(Backend::Emulator, 3) };
            check::sequence_agrees(case, &graph, 4, &options);
        }
    }
}

#[test]
fn every_sequence_runs_in_bins_of_sources() {
    let graph = graphs::generate("rmat:6:6");
    for (case, deterministic) in CASES.iter().flat_map(|case| [(case, false), (case, true)]) {
        let bins = Bins::Count(3);
        let options = Options { deterministic, bins, ..check::options(Backend::Emulator, 3) };
        check::sequence_agrees(case, &graph, 4, &options);
    }
}

#[test]
fn every_sequence_is_deterministic_on_request() {
    let graph = graphs::generate("rmat:6:6");
    for case in CASES {
        let options = Options { deterministic: true, ..check::options(Backend::Emulator, 3) };
        check::sequence_agrees(case, &graph, 4, &options);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_run_random_sequences(graph in graphs::any(), features in 1_usize..5, number in 0..CASES.len()) {
        for backend in BACKENDS {
            check::sequence_agrees(&CASES[number], &graph, features, &check::options(backend, 3));
        }
    }
}
