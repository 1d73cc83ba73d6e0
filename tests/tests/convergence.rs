//! The loop: batches of iterations, cancellation, refreshes, and runs that give the same bits each time.

use std::ops::ControlFlow;

use onyx_runtime::{Backend, Direction, Options, Schedule, Status, converge};
use onyx_tests::cases::{CASES, Case, Outcome, directions};
use onyx_tests::check::{Place, assert_close, options};
use onyx_tests::programs::{Tide, tide as fold};
use onyx_tests::{gates, graphs, tide};

/// How far 10,000 iterations may be from a serial loop of `f64` where everything is pulled after 64 pushes, as a part of the highest value.
const DRIFT: f64 = 5e-6;

fn assert_same(what: &str, found: &Outcome, expected: &Outcome) {
    assert_eq!((found.report.status, found.active()), (expected.report.status, expected.active()), "{what}");
    assert!(found.bits() == expected.bits(), "{what}: other bits");
}

/// The schedules that a direction may be forced to. Left to be chosen, a push is chosen where counters are read: other bits.
fn schedules_of(direction: Direction) -> Vec<Schedule> {
    use Schedule::{EdgeFlat, NeighborGroup, VertexPerBlock, VertexPerWarp, WarpWord, WordPerWarp};
    if direction == Direction::Push {
        vec![NeighborGroup, WarpWord]
    } else {
        vec![NeighborGroup, VertexPerWarp, VertexPerBlock, WordPerWarp, EdgeFlat]
    }
}

/// Every `step`th case, others for each graph, so that each graph and each case is there: the emulator runs without optimization here.
fn one_of(step: usize, graph: usize) -> impl Iterator<Item = Case> {
    CASES.into_iter().enumerate().filter(move |(case, _)| (case + graph).is_multiple_of(step)).map(|(_, case)| case)
}

#[test]
fn batches_give_what_single_iterations_give() {
    for (number, (name, graph)) in graphs::special().into_iter().enumerate() {
        for (case, is_pushed, run) in one_of(7, number) {
            for direction in directions(is_pushed) {
                for schedule in schedules_of(direction) {
                    let place = Place::from(Backend::Emulator).by(schedule);
                    let options = Options { direction: Some(direction), read_every: 1, ..options(place, 9) };
                    let expected = run(&graph, &options);
                    let found = run(&graph, &Options { read_every: 3, ..options.clone() });
                    let what = format!("{case} on {name}, {direction} by {schedule}, batches of 3");
                    assert_same(&what, &found, &expected);
                }
            }
        }
    }
}

#[test]
fn batches_that_choose_their_direction_agree_within_the_tolerance() {
    let graph = graphs::generate("rmat:9:8");
    for (case, is_pushed, run) in CASES {
        let options = Options { read_every: 1, ..options(Backend::Emulator, 40) };
        let expected = run(&graph, &options).values;
        let found = run(&graph, &Options { read_every: 8, ..options }).values;
        let highest = expected.iter().fold(1.0_f32, |most, value| most.max(value.abs()));
        let differences = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
        let difference = differences.fold(0.0, f32::max) / highest;
        // What a push leaves behind is a multiple of the tolerance of 1e-3.
        assert!(difference <= if is_pushed { 1e-2 } else { 1e-6 }, "{case}: {difference:e}");
    }
}

#[test]
fn deterministic_runs_agree_with_the_others() {
    for (number, (name, graph)) in graphs::special().into_iter().enumerate() {
        for (case, _, run) in one_of(5, number) {
            for backend in [Backend::Emulator, Backend::Cpu] {
                let options = Options { direction: Some(Direction::Pull), ..options(backend, 5) };
                let expected: Vec<f64> = run(&graph, &options).values.iter().map(|value| f64::from(*value)).collect();
                let found = run(&graph, &Options { deterministic: true, direction: None, ..options });
                assert_close(&format!("{case} on {name} on {backend}"), &found.values, &expected);
                assert!(found.report.schedule.contains("deterministic"), "{}", found.report.schedule);
            }
        }
    }
}

#[test]
fn what_was_switched_off_is_not_pushed() {
    let graph = graphs::generate("rmat:8:8");
    for (case, is_pushed, run) in CASES.into_iter().filter(|(_, is_pushed, _)| *is_pushed) {
        let start = Options { change_driven: false, ..options(Backend::Cpu, 60) };
        for options in [start.clone(), Options { deterministic: true, change_driven: true, ..start }] {
            let iterations = run(&graph, &options).report.iterations;
            assert!(is_pushed && iterations.iter().all(|iteration| iteration.direction == Direction::Pull), "{case}");
        }
    }
}

#[test]
fn a_push_that_was_switched_off_is_refused() {
    let graph = graphs::generate("grid:3x3");
    let start = Options { direction: Some(Direction::Push), ..options(Backend::Cpu, 3) };
    let excluded = [
        (Options { deterministic: true, ..start.clone() }, "a deterministic run allows no push"),
        (Options { change_driven: false, ..start }, "a run that is not change-driven allows no push"),
    ];
    for (options, reason) in excluded {
        let mut store = tide::store(&graph, 1);
        let error = converge(fold, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_cancelled_run_leaves_the_values_of_its_last_iteration() {
    let graph = graphs::generate("rmat:6:6");
    for (backend, read_every, ran) in [(Backend::Emulator, 4, 4), (Backend::Emulator, 1, 3), (Backend::Cpu, 4, 3)] {
        let options = Options { read_every, ..options(backend, 100) };
        let mut store = tide::store(&graph, 3);
        let mut stop = |iteration: &onyx_runtime::Iteration| {
            if iteration.number == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let report = converge(fold, &graph, &mut store, &options, &mut stop).expect("a run");
        assert_eq!((report.status, report.iterations.len()), (Status::Cancelled, ran), "{backend}");
        let expected = tide::levels(&graph, &tide::store(&graph, 3), ran);
        let found: Vec<f32> =
            (0..graph.vertex_count() as u32).flat_map(|v| store.row(Tide::LEVEL, v).to_vec()).collect();
        assert_close("level", &found, &expected);
    }
}

#[test]
fn refreshes_bound_the_drift_of_pushes() {
    let graph = graphs::generate("rmat:6:8");
    let drift = |refresh| {
        let options = Options { direction: Some(Direction::Push), refresh, ..options(Backend::Cpu, 10_000) };
        tide::drift(&graph, 4, &options)
    };
    let [default, never] = [64, usize::MAX].map(drift);
    println!("drift after 10,000 iterations: {default:.2e} at 64, {never:.2e} without a refresh");
    assert!(default <= DRIFT, "{default:e}");
    assert!(never >= 3.0 * default, "{never:e} without, {default:e} with");
}

#[test]
fn refreshes_bound_the_drift_of_products() {
    let graph = graphs::generate("rmat:6:8");
    let options = Options { direction: Some(Direction::Push), refresh: 64, ..options(Backend::Cpu, 10_000) };
    let drift = gates::drift(&graph, 4, &options);
    assert!(drift <= DRIFT, "{drift:e}");
}
