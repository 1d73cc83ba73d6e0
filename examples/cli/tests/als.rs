//! Alternating least squares as folds, on the CPU and in the emulator, and its command line.

mod command;
mod least_squares;

use std::ops::ControlFlow;

use command::golden;
use onyx_examples::als::{Direct, Model, verify};
use onyx_examples::ratings::bipartite::Side;
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::serial::Serial;
use onyx_examples::ratings::{Bipartite, Catalog, Factors, Feedback, Rating, Settings, Solver, Table, metric};
use onyx_runtime::{Backend, Options, Schedule, Session, Status};
use serde_json::Value;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

fn planted(feedback: Feedback, users: usize, items: usize) -> (Bipartite, Catalog) {
    let (table, catalog) = Plan { users, items, ..Plan::default() }.draw(feedback).unwrap();
    (Bipartite::new(&table, users, items).unwrap(), catalog)
}

/// What a model comes to after some sweeps, and what it was before the last one.
fn sweep(model: &mut Model<'_>, start: &Factors, sweeps: usize, options: &Options) -> (Factors, Factors) {
    let (mut before, mut after) = (start.clone(), start.clone());
    for _ in 0..sweeps {
        let report = model.sweep(1, options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 2));
        before = std::mem::replace(&mut after, model.factors().unwrap());
    }
    (before, after)
}

/// How far the products of `found` are from those of as many serial sweeps in 64-bit floats: the root of the mean square, as a part of theirs.
fn distance(bipartite: &Bipartite, settings: Settings, start: Factors, sweeps: usize, found: &Factors) -> f64 {
    let mut serial = Serial::new(bipartite, settings, start);
    (0..sweeps).for_each(|_| serial.sweep().unwrap());
    let (mut wrong, mut all) = (0.0, 0.0);
    for user in bipartite.vertices(Side::Users) {
        for (item, _) in bipartite.incoming(user) {
            let product = serial.factors.product(user, item);
            wrong += (found.product(user, item) - product).powi(2);
            all += product * product;
        }
    }
    if wrong == 0.0 { 0.0 } else { (wrong / all).sqrt() }
}

/// Runs sweeps on a backend, compares the factors with those of the serial loop, and verifies the last sweep.
fn sweeps_agree(bipartite: &Bipartite, settings: Settings, options: &Options, sweeps: usize) {
    let start = Factors::initial(bipartite, settings.features, 3);
    let mut model = Model::new(bipartite, settings, &start, options).unwrap();
    let (before, after) = sweep(&mut model, &start, sweeps, options);
    let verification = verify(bipartite, settings, &before, &after);
    assert!(verification.agrees(), "{settings:?} on {}: {verification:?}", options.backend);
    let distance = distance(bipartite, settings, start, sweeps, &after);
    assert!(distance < 1e-4, "{settings:?} on {}: {distance}", options.backend);
}

fn on(backend: Backend) -> Options {
    Options { backend, ..Options::default() }
}

#[test]
fn every_feature_count_and_feedback_agrees() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let (bipartite, _) = planted(feedback, 13, 9);
        for features in [1, 3, 8, 13, 21] {
            for (backend, weighted) in BACKENDS.into_iter().flat_map(|backend| [(backend, false), (backend, true)]) {
                let settings = Settings { features, lambda: 0.1, weighted, feedback, ..Settings::default() };
                sweeps_agree(&bipartite, settings, &on(backend), 2);
            }
        }
    }
}

#[test]
fn wide_factors_agree() {
    let (bipartite, _) = planted(Feedback::Explicit, 9, 6);
    for (features, backend) in [(29, Backend::Cpu), (32, Backend::Cpu), (31, Backend::Emulator)] {
        let settings = Settings { features, ..Settings::default() };
        sweeps_agree(&bipartite, settings, &on(backend), 1);
    }
}

/// Users without ratings, of one, and of as many as there are items, and items alike.
fn uneven(users: u32, items: u32) -> Bipartite {
    let is_rated =
        |user: u32, item: u32| user == 0 || item == 1 || (user > 3 && (user * 7 + item * 5).is_multiple_of(6));
    let value = |user: u32, item: u32| 1.0 + ((user * 3 + item * 11) % 9) as f32 / 2.0;
    let of_user = |user| (0..items).map(move |item| (user, item)).filter(|(user, item)| is_rated(*user, *item));
    let ratings = (0..users).filter(|user| *user != 2).flat_map(of_user);
    let ratings = ratings.map(|(user, item)| Rating { user, item, value: value(user, item) }).collect();
    Bipartite::new(&Table::new(ratings).unwrap(), users as usize, items as usize + 1).unwrap()
}

#[test]
fn matrices_of_blocks_are_factorized() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let bipartite = uneven(12, 7);
        assert!((0..12).any(|user| bipartite.graph.in_degree(user) == 0));
        assert!((0..12).any(|user| bipartite.graph.in_degree(user) == 1));
        let cases = [(33, false), (64, true), (50, true)].into_iter();
        let cases = cases.flat_map(|case| BACKENDS.map(|backend| (case, backend)));
        for ((features, weighted), backend) in cases.chain([((128, false), Backend::Cpu), ((100, true), Backend::Cpu)])
        {
            let solver = Solver::Cholesky;
            let settings = Settings { features, lambda: 0.1, weighted, feedback, solver, ..Settings::default() };
            sweeps_agree(&bipartite, settings, &on(backend), 2);
        }
    }
}

#[test]
fn the_widest_matrices_are_factorized_by_emulated_blocks() {
    let bipartite = uneven(5, 3);
    for (features, feedback) in [(128, Feedback::Explicit), (101, Feedback::Implicit { alpha: 3.0 })] {
        let settings = Settings { features, lambda: 0.2, feedback, solver: Solver::Cholesky, ..Settings::default() };
        sweeps_agree(&bipartite, settings, &on(Backend::Emulator), 1);
    }
}

#[test]
fn blocks_solve_what_warps_could() {
    let bipartite = uneven(12, 7);
    for (features, feedback) in [(32, Feedback::Explicit), (27, Feedback::Implicit { alpha: 3.0 })] {
        let settings = Settings { features, lambda: 0.1, feedback, ..Settings::default() };
        let options = Options { schedule: Schedule::MatrixPerBlock, ..on(Backend::Emulator) };
        sweeps_agree(&bipartite, settings, &options, 2);
        let start = Factors::initial(&bipartite, features, 3);
        let model = Model::new(&bipartite, settings, &start, &options).unwrap();
        let said = model.explain(&options).join("\n");
        assert!(said.contains("pull: matrix_per_block, because it was asked for"), "{said}");
    }
}

#[test]
fn what_solves_wide_systems_is_said() {
    let bipartite = uneven(5, 3);
    let said = |features, solver, schedule| {
        let settings = Settings { features, solver, ..Settings::default() };
        let options = Options { schedule, ..on(Backend::Emulator) };
        let model = Model::new(&bipartite, settings, &Factors::initial(&bipartite, features, 3), &options).unwrap();
        model.explain(&options).join("\n")
    };
    let block = "pull: matrix_per_block, because a matrix of 64 rows fills a warp's registers, so that a block has a row in each lane, and 10 KiB of \
                 shared memory";
    for schedule in [Schedule::Auto, Schedule::NeighborGroup] {
        let found = said(64, Solver::Cholesky, schedule);
        assert!(found.contains(block), "{found}");
    }
    assert!(said(64, Solver::Auto, Schedule::Auto).contains(block));
    assert!(said(65, Solver::Auto, Schedule::Auto).contains("method: conjugate gradients, because wide matrices"));
    assert!(said(8, Solver::ConjugateGradients, Schedule::Auto).contains("because they were asked for"));
    let narrow = said(8, Solver::Auto, Schedule::MatrixPerBlock);
    assert!(narrow.contains("pull: neighbor_group, because blocks are for a matrix of 32 rows and more"), "{narrow}");
}

#[test]
fn conjugate_gradients_agree() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let (bipartite, _) = planted(feedback, 13, 9);
        let cases = [(40, false), (64, true)].into_iter().flat_map(|case| BACKENDS.map(|backend| (case, backend)));
        for ((features, weighted), backend) in cases.chain([((128, false), Backend::Cpu)]) {
            let settings = Settings {
                features,
                lambda: 0.1,
                weighted,
                feedback,
                solver: Solver::ConjugateGradients,
                ..Settings::default()
            };
            sweeps_agree(&bipartite, settings, &on(backend), 2);
        }
    }
}

#[test]
fn conjugate_gradients_never_raise_the_objective() {
    for (feedback, weighted) in [(Feedback::Explicit, true), (Feedback::Implicit { alpha: 10.0 }, false)] {
        // More ratings than features, so that all steps are needed.
        let (bipartite, _) = planted(feedback, 120, 100);
        let settings =
            Settings { features: 40, weighted, feedback, solver: Solver::ConjugateGradients, ..Settings::default() };
        let start = Factors::initial(&bipartite, 40, 3);
        let mut model = Model::new(&bipartite, settings, &start, &on(Backend::Cpu)).unwrap();
        let mut objectives = vec![metric::objective(&bipartite, &settings, &start)];
        let mut before = start;
        for _ in 0..4 {
            let (_, after) = sweep(&mut model, &before, 1, &on(Backend::Cpu));
            objectives.push(metric::objective(&bipartite, &settings, &after));
            let verification = verify(&bipartite, settings, &before, &after);
            assert!(verification.agrees(), "{settings:?}: {verification:?}");
            before = after;
        }
        assert!(objectives.is_sorted_by(|before, after| after <= before), "{settings:?}: {objectives:?}");
    }
}

#[test]
fn conjugate_gradients_find_what_is_not_positive_definite() {
    let (bipartite, _) = planted(Feedback::Explicit, 13, 9);
    for backend in BACKENDS {
        let settings =
            Settings { features: 40, lambda: -1000.0, solver: Solver::ConjugateGradients, ..Settings::default() };
        let start = Factors::initial(&bipartite, 40, 3);
        let mut model = Model::new(&bipartite, settings, &start, &on(backend)).unwrap();
        let report = model.sweep(2, &on(backend), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(report.status, Status::Diverged);
    }
}

#[test]
fn every_schedule_agrees() {
    let (bipartite, _) = planted(Feedback::Explicit, 40, 7);
    for schedule in [
        Schedule::NeighborGroup,
        Schedule::VertexPerWarp,
        Schedule::VertexPerBlock,
        Schedule::WordPerWarp,
        Schedule::EdgeFlat,
    ] {
        for (features, sweeps) in [(5, 2), (33, 1)] {
            let settings = Settings { features, ..Settings::default() };
            sweeps_agree(&bipartite, settings, &Options { schedule, ..on(Backend::Emulator) }, sweeps);
        }
    }
}

#[test]
fn users_and_items_without_ratings_stay_zero() {
    let rating = |user, item, value| Rating { user, item, value };
    let table = Table::new(vec![rating(0, 0, 2.0), rating(2, 0, 1.0), rating(2, 3, 3.0)]).unwrap();
    let bipartite = Bipartite::new(&table, 4, 4).unwrap();
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 1.0 }] {
        for (backend, weighted) in BACKENDS.into_iter().flat_map(|backend| [(backend, false), (backend, true)]) {
            for features in [3, 40] {
                let settings = Settings { features, weighted, feedback, ..Settings::default() };
                sweeps_agree(&bipartite, settings, &on(backend), 3);
            }
        }
    }
}

#[test]
fn both_sides_at_once_agree() {
    let (bipartite, _) = planted(Feedback::Explicit, 13, 9);
    for backend in BACKENDS {
        for change_driven in [false, true] {
            let settings = Settings { features: 6, lambda: 0.5, weighted: false, ..Settings::default() };
            let start = Factors::initial(&bipartite, 6, 3);
            let options = Options { iterations: 4, change_driven, ..on(backend) };
            let mut model = Direct::new(&Session::of(backend).unwrap(), &bipartite, settings, &start).unwrap();
            model.fit_together(1e-6, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            let mut serial = Serial::new(&bipartite, settings, start);
            (0..4).for_each(|_| serial.fit_together().unwrap());
            for (found, expected) in model.factors().unwrap().values.iter().zip(&serial.factors.values) {
                assert!(
                    (found - expected).abs() < 1e-3 * expected.abs().max(1.0),
                    "{found} and {expected} on {backend}"
                );
            }
        }
    }
}

#[test]
fn folds_come_to_the_golden_factors() {
    come_to_golden("als_small.json", Solver::Auto);
}

#[test]
fn conjugate_gradients_come_to_the_golden_factors() {
    come_to_golden("als_wide.json", Solver::ConjugateGradients);
}

#[test]
fn blocks_come_to_the_golden_factors() {
    come_to_golden("als_wide.json", Solver::Cholesky);
}

fn come_to_golden(file: &str, solver: Solver) {
    let golden = golden(file);
    let list = |value: &Value| {
        value.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap().clone()).collect::<Vec<_>>()
    };
    let numbers = |values: Vec<Value>| values.iter().map(|value| value.as_f64().unwrap()).collect::<Vec<f64>>();
    let rows = |value: &Value| numbers([list(&value["users"]), list(&value["items"])].concat());
    let features = golden["features"].as_u64().unwrap() as usize;
    for wanted in golden["runs"].as_array().unwrap() {
        let alpha = wanted["alpha"].as_f64();
        let triples = numbers(list(&golden[if alpha.is_some() { "clicks" } else { "ratings" }]));
        let rating =
            |triple: &[f64]| Rating { user: triple[0] as u32, item: triple[1] as u32, value: triple[2] as f32 };
        let table = Table::new(triples.chunks_exact(3).map(rating).collect()).unwrap();
        let start = Factors { values: rows(&golden["start"]), features };
        let bipartite = Bipartite::new(
            &table,
            wanted["users"].as_array().unwrap().len(),
            wanted["items"].as_array().unwrap().len(),
        )
        .unwrap();
        let feedback = alpha.map_or(Feedback::Explicit, |alpha| Feedback::Implicit { alpha: alpha as f32 });
        let (lambda, weighted) = (wanted["lambda"].as_f64().unwrap() as f32, wanted["weighted"].as_bool().unwrap());
        let settings = Settings { features, lambda, weighted, feedback, solver, ..Settings::default() };
        for backend in BACKENDS {
            let mut model = Model::new(&bipartite, settings, &start, &on(backend)).unwrap();
            model.sweep(3, &on(backend), &mut |_| ControlFlow::Continue(())).unwrap();
            for (found, expected) in model.factors().unwrap().values.iter().zip(rows(wanted)) {
                let error = (found - expected).abs();
                assert!(
                    error < 1e-4 * expected.abs().max(1.0),
                    "{} on {backend}: {found} and {expected}",
                    wanted["name"]
                );
            }
        }
    }
}
