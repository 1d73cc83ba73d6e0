//! Alternating least squares by a few steps for each factor, on the CPU and in the emulator, and its command line.

mod command;

use std::ops::ControlFlow;

use command::{ALS, reports, run, succeeds};
use onyx_examples::als::{Model, verify};
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::serial::Serial;
use onyx_examples::ratings::{Bipartite, Factors, Feedback, Rating, Settings, Table, metric};
use onyx_runtime::{Backend, Options, Schedule, Status};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
const FEEDBACKS: [Feedback; 2] = [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }];

fn on(backend: Backend) -> Options {
    Options { backend, ..Options::default() }
}

fn planted(feedback: Feedback, users: usize, items: usize) -> Bipartite {
    let (table, _) = Plan { users, items, ..Plan::default() }.draw(feedback).unwrap();
    Bipartite::new(&table, users, items).unwrap()
}

/// The factors after each of some sweeps, the first ones before.
fn swept(bipartite: &Bipartite, settings: Settings, options: &Options, sweeps: usize) -> Vec<Factors> {
    let mut factors = vec![Factors::start(bipartite, &Settings { seed: 3, ..settings })];
    let mut model = Model::new(bipartite, settings, &factors[0], options).unwrap();
    for _ in 0..sweeps {
        let report = model.sweep(1, options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 2));
        factors.push(model.factors().unwrap());
    }
    factors
}

/// Verifies each of some sweeps.
fn sweeps_agree(bipartite: &Bipartite, settings: Settings, options: &Options) {
    for pair in swept(bipartite, settings, options, 3).windows(2) {
        let verification = verify(bipartite, settings, &pair[0], &pair[1]);
        assert!(verification.agrees(), "{settings:?} on {}: {verification:?}", options.backend);
    }
}

#[test]
fn few_steps_go_as_far_as_in_64_bits() {
    for feedback in FEEDBACKS {
        let bipartite = planted(feedback, 13, 9);
        for (features, steps) in [(1, 1), (3, 2), (8, 3), (13, 1), (33, 3), (70, 2)] {
            for (backend, weighted) in BACKENDS.into_iter().flat_map(|backend| [(backend, false), (backend, true)]) {
                let settings = Settings { features, weighted, feedback, ..Settings::default() }.steps(steps);
                sweeps_agree(&bipartite, settings, &on(backend));
            }
        }
    }
}

#[test]
fn the_scale_of_ratings_changes_the_scale_of_factors_alone() {
    const SCALE: f32 = 1.0 / (1 << 20) as f32;
    let (table, _) = Plan { users: 30, items: 20, ..Plan::default() }.draw(Feedback::Explicit).unwrap();
    let scaled = table.ratings().iter().map(|rating| Rating { value: rating.value * SCALE, ..*rating }).collect();
    let [usual, scaled] = [table, Table::new(scaled).unwrap()].map(|table| Bipartite::new(&table, 30, 20).unwrap());
    for steps in [Some(1), Some(2), None] {
        let settings = Settings { features: 5, steps, ..Settings::default() };
        let small = Settings { lambda: settings.lambda * SCALE, ..settings };
        let expected = swept(&usual, settings, &on(Backend::Cpu), 8).pop().unwrap();
        let found = swept(&scaled, small, &on(Backend::Cpu), 8).pop().unwrap();
        for (found, expected) in found.values.iter().zip(&expected.values) {
            let found = found / f64::from(SCALE).sqrt();
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{steps:?}: {found} and {expected}");
        }
    }
}

#[test]
fn users_and_items_without_ratings_agree() {
    let rating = |user, item, value| Rating { user, item, value };
    let table = Table::new(vec![rating(0, 0, 2.0), rating(2, 0, 1.0), rating(2, 3, 3.0)]).unwrap();
    let bipartite = Bipartite::new(&table, 4, 4).unwrap();
    for (feedback, backend) in FEEDBACKS.into_iter().flat_map(|feedback| BACKENDS.map(|backend| (feedback, backend))) {
        sweeps_agree(&bipartite, Settings::new().features(5).feedback(feedback).steps(3), &on(backend));
    }
}

#[test]
fn every_schedule_goes_as_far() {
    let bipartite = planted(Feedback::Implicit { alpha: 3.0 }, 40, 7);
    for schedule in [Schedule::NeighborGroup, Schedule::VertexPerWarp, Schedule::VertexPerBlock, Schedule::EdgeFlat] {
        let settings = Settings::new().features(6).feedback(Feedback::Implicit { alpha: 3.0 }).steps(2);
        sweeps_agree(&bipartite, settings, &Options { schedule, ..on(Backend::Emulator) });
    }
}

#[test]
fn many_steps_solve_the_systems() {
    for feedback in FEEDBACKS {
        let bipartite = planted(feedback, 30, 20);
        let settings = Settings::new().features(4).feedback(feedback).steps(12);
        let found = swept(&bipartite, settings, &on(Backend::Cpu), 2).pop().unwrap();
        let start = Factors::start(&bipartite, &Settings { seed: 3, ..settings });
        let mut serial = Serial::new(&bipartite, settings, start);
        (0..2).for_each(|_| serial.sweep().unwrap());
        for (found, expected) in found.values.iter().zip(&serial.factors.values) {
            assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{feedback:?}: {found} and {expected}");
        }
    }
}

#[test]
fn the_objective_falls_and_comes_to_that_of_solutions() {
    for feedback in FEEDBACKS {
        let bipartite = planted(feedback, 120, 100);
        let settings = Settings::new().features(16).feedback(feedback);
        let objectives = |settings: Settings| -> Vec<f64> {
            let factors = swept(&bipartite, settings, &on(Backend::Cpu), 40);
            factors.iter().map(|factors| metric::objective(&bipartite, &settings, factors)).collect()
        };
        let (few, solved) = (objectives(settings.steps(3)), objectives(settings));
        assert!(few.is_sorted_by(|before, after| *after <= before * (1.0 + 1e-6)), "{feedback:?}: {few:?}");
        assert!(few[40] < 1.05 * solved[40], "{feedback:?}: {} beside {}", few[40], solved[40]);
    }
}

#[test]
fn other_factors_do_not_pass_for_those_of_the_steps() {
    let bipartite = planted(Feedback::Explicit, 30, 20);
    let settings = Settings::new().features(6).steps(1);
    let factors = swept(&bipartite, settings, &on(Backend::Cpu), 1);
    assert!(verify(&bipartite, settings, &factors[0], &factors[1]).agrees());
    // One step leaves more than three, and what has not moved more than either.
    for (settings, after) in [(settings.steps(3), &factors[1]), (settings, &factors[0])] {
        assert!(!verify(&bipartite, settings, &factors[0], after).agrees());
    }
    let mut broken = factors[1].clone();
    broken.values[7] = f64::NAN;
    assert!(!verify(&bipartite, settings, &factors[0], &broken).agrees());
}

/// Factors of steps that fall towards 0, before and after the last of some sweeps.
fn fallen(bipartite: &Bipartite, settings: Settings) -> [Factors; 2] {
    let mut factors = swept(bipartite, settings, &on(Backend::Cpu), 20);
    let after = factors.pop().unwrap();
    [factors.pop().unwrap(), after]
}

#[test]
fn factors_that_fall_to_nothing_have_gone_far_enough() {
    let bipartite = planted(Feedback::Explicit, 30, 20);
    let settings = Settings::new().features(6).lambda(10.0).steps(3);
    let [before, mut after] = fallen(&bipartite, settings);
    assert!(after.values.iter().all(|value| value.abs() < 1e-15), "{after:?}");
    let verification = verify(&bipartite, settings, &before, &after);
    assert!(verification.agrees(), "{verification:?}");
    // What is little beside ratings is much beside these factors.
    for wrong in [1e-12, f64::NAN] {
        after.values[7] = wrong;
        assert!(!verify(&bipartite, settings, &before, &after).agrees(), "{wrong}");
    }
}

#[test]
fn ratings_that_the_steps_take_for_nothing_are_found() {
    let rating = |user| Rating { user, item: user % 2, value: 1e-20 };
    let bipartite = Bipartite::new(&Table::new((0..6).map(rating).collect()).unwrap(), 6, 2).unwrap();
    let settings = Settings::new().features(1).lambda(1e-21).steps(2);
    let factors = Factors { values: vec![2e-10; 8], features: 1 };
    let verification = verify(&bipartite, settings, &factors, &factors);
    assert!(!verification.agrees(), "{verification:?}");
}

#[test]
fn what_is_not_positive_definite_is_found() {
    let bipartite = planted(Feedback::Explicit, 13, 9);
    for backend in BACKENDS {
        let settings = Settings::new().features(5).lambda(-1000.0).steps(3);
        let start = Factors::initial(&bipartite, 5, 3);
        let mut model = Model::new(&bipartite, settings, &start, &on(backend)).unwrap();
        let report = model.sweep(2, &on(backend), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(report.status, Status::Diverged);
    }
}

#[test]
fn the_program_takes_few_steps_and_verifies_them() {
    for more in [&["--implicit"][..], &["--features", "20"]] {
        let report = &reports(ALS, &[&["--steps", "3"], more].concat())[0];
        assert_eq!((&report["verified"], &report["settings"]["steps"]), (&true.into(), &3.into()), "{report}");
    }
    let fallen = &reports(ALS, &["--steps", "3", "--lambda", "10", "--at-once"])[0];
    assert_eq!(fallen["verified"], true, "{fallen}");
    let said = succeeds(ALS, &["--steps", "2"]);
    assert!(
        said.contains("verified: the last sweep's steps leave no more than as many in 64-bit floats but for "),
        "{said}"
    );
    for more in [["3", "--solver", "cholesky"], ["0", "--solver", "auto"]] {
        assert_eq!(run(ALS, &[&["--steps"], &more[..]].concat()).status.code(), Some(2));
    }
}
