//! Alternating least squares as folds, on the CPU and in the emulator, and its command line.

mod command;

use std::ops::ControlFlow;

use command::{ALS, Folder, data, golden, refused, report, rows, run, succeeds};
use onyx_examples::als::{Direct, Model, verify};
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::serial::Serial;
use onyx_examples::ratings::{Bipartite, Catalog, Factors, Feedback, Rating, Settings, Table, metric};
use onyx_runtime::{Backend, Options, Schedule, Status};
use serde_json::Value;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

fn planted(feedback: Feedback, users: usize, items: usize) -> (Bipartite, Catalog) {
    let (table, catalog) = Plan { users, items, ..Plan::default() }.draw(feedback).unwrap();
    (Bipartite::new(&table, users, items).unwrap(), catalog)
}

/// Runs sweeps on a backend, and compares the factors with those of the serial loop.
fn sweeps_agree(bipartite: &Bipartite, settings: Settings, options: &Options, sweeps: usize) {
    let start = Factors::initial(bipartite, settings.features, 3);
    let mut model = Model::new(bipartite, settings, &start).unwrap();
    let report = model.sweep(sweeps, options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 2 * sweeps));
    let verification = verify(bipartite, settings, start, sweeps, &model.factors()).unwrap();
    assert!(verification.difference < 1e-4, "{settings:?} on {}: {verification:?}", options.backend);
}

fn on(backend: Backend) -> Options {
    Options { backend, ..Options::default() }
}

#[test]
fn every_feature_count_and_feedback_agrees() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let (bipartite, _) = planted(feedback, 13, 9);
        for features in [1, 3, 4, 7, 8, 16, 21] {
            for (backend, weighted) in BACKENDS.into_iter().flat_map(|backend| [(backend, false), (backend, true)]) {
                let settings = Settings { features, lambda: 0.1, weighted, feedback, seed: 0 };
                sweeps_agree(&bipartite, settings, &on(backend), 2);
            }
        }
    }
}

#[test]
fn wide_factors_agree() {
    let (bipartite, _) = planted(Feedback::Explicit, 9, 6);
    for features in [29, 32] {
        for backend in BACKENDS {
            let settings = Settings { features, ..Settings::default() };
            sweeps_agree(&bipartite, settings, &on(backend), 1);
        }
    }
}

#[test]
fn conjugate_gradients_agree() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        let (bipartite, _) = planted(feedback, 13, 9);
        for (features, weighted) in [(40, false), (64, true), (128, false)] {
            for backend in BACKENDS {
                let settings = Settings { features, lambda: 0.1, weighted, feedback, seed: 0 };
                sweeps_agree(&bipartite, settings, &on(backend), 2);
            }
        }
    }
}

#[test]
fn conjugate_gradients_never_raise_the_objective() {
    for feedback in [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }] {
        // More ratings than features, so that all steps are needed.
        let (bipartite, _) = planted(feedback, 180, 150);
        for weighted in [false, true] {
            let settings = Settings { features: 40, weighted, feedback, ..Settings::default() };
            let start = Factors::initial(&bipartite, 40, 3);
            let mut model = Model::new(&bipartite, settings, &start).unwrap();
            let mut objectives = vec![metric::objective(&bipartite, &settings, &start)];
            for _ in 0..5 {
                model.sweep(1, &on(Backend::Cpu), &mut |_| ControlFlow::Continue(())).unwrap();
                objectives.push(metric::objective(&bipartite, &settings, &model.factors()));
            }
            assert!(objectives.is_sorted_by(|before, after| after <= before), "{settings:?}: {objectives:?}");
            let verification = verify(&bipartite, settings, start, 5, &model.factors()).unwrap();
            assert!(verification.agrees(), "{settings:?}: {verification:?}");
        }
    }
}

#[test]
fn conjugate_gradients_find_what_is_not_positive_definite() {
    let (bipartite, _) = planted(Feedback::Explicit, 13, 9);
    for backend in BACKENDS {
        let settings = Settings { features: 40, lambda: -1000.0, ..Settings::default() };
        let start = Factors::initial(&bipartite, 40, 3);
        let mut model = Model::new(&bipartite, settings, &start).unwrap();
        let report = model.sweep(2, &on(backend), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(report.status, Status::Diverged);
    }
}

#[test]
fn every_schedule_agrees() {
    let (bipartite, _) = planted(Feedback::Explicit, 40, 7);
    for schedule in [Schedule::NeighborGroup, Schedule::VertexPerWarp, Schedule::VertexPerBlock, Schedule::EdgeFlat] {
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
            let settings = Settings { features: 6, lambda: 0.5, ..Settings::default() };
            let start = Factors::initial(&bipartite, 6, 3);
            let mut model = Direct::new(&bipartite, settings, &start).unwrap();
            let options = Options { iterations: 4, change_driven, ..on(backend) };
            model.fit_together(1e-6, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            let mut serial = Serial::new(&bipartite, settings, start);
            (0..4).for_each(|_| serial.fit_together().unwrap());
            for (found, expected) in model.factors().values.iter().zip(&serial.factors.values) {
                assert!(
                    (found - expected).abs() < 1e-3 * expected.abs().max(1.0),
                    "{found} and {expected} on {backend}"
                );
            }
        }
    }
}

fn sweep_column(report: &Value, column: &str) -> Vec<f64> {
    report["sweeps"].as_array().unwrap().iter().map(|sweep| sweep[column].as_f64().unwrap()).collect()
}

#[test]
fn the_built_in_ratings_are_predicted() {
    for backend in ["cpu", "emulator"] {
        let report = report(ALS, &["--features", "4", "--sweeps", "6", "--backend", backend]);
        assert_eq!((&report["status"], &report["verified"]), (&"iteration_limit".into(), &true.into()));
        let (errors, objectives) = (sweep_column(&report, "rmse"), sweep_column(&report, "objective"));
        assert!(errors.last().unwrap() < &0.07, "{errors:?}");
        assert!(objectives.is_sorted_by(|before, after| after <= before), "{objectives:?}");
    }
    assert_eq!(report(ALS, &["--features", "4"])["status"], "converged");
    let at_once = report(ALS, &["--features", "4", "--sweeps", "6", "--at-once"]);
    assert_eq!((at_once["iterations"].as_u64(), sweep_column(&at_once, "rmse").len()), (Some(12), 1));
    assert_eq!(at_once["verified"], true);
}

#[test]
fn wide_factors_are_verified() {
    for arguments in [["--features", "64"], ["--features", "128"]] {
        for more in [&[][..], &["--weighted"], &["--implicit"]] {
            let report = report(ALS, &[&arguments[..], &["--sweeps", "3", "--backend", "cpu"], more].concat());
            assert_eq!(report["verified"], true, "{arguments:?} {more:?}: {report}");
            assert_eq!(report["iterations"], 6);
        }
    }
}

#[test]
fn the_built_in_tastes_are_recommended() {
    let arguments = ["--implicit", "--features", "4", "--lambda", "1", "--sweeps", "5", "--user", "u3", "--top", "4"];
    let report = report(ALS, &arguments);
    assert_eq!((&report["verified"], report["recommended"].as_array().unwrap().len()), (&true.into(), 4));
    let recall = sweep_column(&report, "recall");
    assert!(recall.last().unwrap() > &0.8, "{recall:?}");
}

#[test]
fn titles_and_factors_are_written() {
    let folder = Folder::new();
    let ratings =
        folder.file("ratings.csv", "userId,movieId,rating\nann,1,5\nann,2,1\nbob,1,4\nbob,3,5\ncid,2,2\ncid,3,1\n");
    let titles = folder.file("movies.csv", "movieId,title\n3,\"Up, Again\"\n");
    let output = folder.path("factors.tsv");
    let base =
        ["--ratings", &ratings, "--test-share", "0", "--features", "2", "--titles", &titles, "--output", &output];
    let text = succeeds(ALS, &[&base[..], &["--user", "ann", "--top", "5"]].concat());
    assert!(text.contains("  Up, Again\n"), "{text}");
    let found = rows(&output);
    assert_eq!(found.len(), 6);
    assert_eq!(
        (&found[0][..2], &found[3][..2], found[5].len()),
        (&["user", "ann"].map(str::to_owned)[..], &["item", "1"].map(str::to_owned)[..], 4)
    );
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::new();
    let few = folder.file("few.csv", "1,1,1\n1,2,3\n2,1,4\n2,2,1\n3,1,2\n");
    let bad = folder.file("bad.csv", "1,1,1\n1,2\n");
    let lists = folder.file("lists.txt", "1 2 3\n2 3\n");
    let negative = folder.file("negative.csv", "1,1,1\n2,1,-1\n");
    let cases: [(&[&str], &str); 10] = [
        (&["--ratings", &bad], ":2: 2 of the columns user, item and rating: a line needs all three"),
        (&["--ratings", &lists], "has lists of items without ratings: add --implicit"),
        (&["--ratings", &few, "--user", "9"], "--user 9: there is no such user in"),
        (&["--ratings", &negative, "--implicit"], "implicit feedback needs values of 0 and more"),
        (&["--features", "0"], "--features 0: ask for 1 to 128"),
        (&["--features", "129"], "--features 129: ask for 1 to 128"),
        (&["--features", "2000000000"], "--features 2000000000: ask for 1 to 128"),
        (
            &["--ratings", &few, "--lambda", "0", "--features", "2", "--test-share", "0"],
            "the user 3 has fewer ratings than features, 1 of 2",
        ),
        (&["--features", "4", "--lambda", "-1000"], "is singular or not positive definite with a lambda of -1000"),
        (&["--ratings", "/nowhere.csv"], "cannot read /nowhere.csv"),
    ];
    for (arguments, expected) in cases {
        let error = refused(ALS, arguments);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn what_overflows_has_diverged() {
    let folder = Folder::new();
    let huge = folder.file("huge.csv", "1,1,3e38\n1,2,3e38\n2,1,3e38\n2,2,-3e38\n");
    let output = run(ALS, &["--ratings", &huge, "--test-share", "0", "--features", "2", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "diverged");
}

#[test]
fn folds_come_to_the_golden_factors() {
    come_to_golden("als_small.json");
}

#[test]
fn conjugate_gradients_come_to_the_golden_factors() {
    come_to_golden("als_wide.json");
}

fn come_to_golden(file: &str) {
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
        let settings = Settings { features, lambda, weighted, feedback, seed: 0 };
        for backend in BACKENDS {
            let mut model = Model::new(&bipartite, settings, &start).unwrap();
            model.sweep(3, &on(backend), &mut |_| ControlFlow::Continue(())).unwrap();
            for (found, expected) in model.factors().values.iter().zip(rows(wanted)) {
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

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_jester_and_gowalla() {
    let path = data("ratings/jester5k.csv.gz");
    let jester = report(ALS, &["--ratings", path.to_str().unwrap(), "--lambda", "5", "--sweeps", "4"]);
    assert_eq!(jester["verified"], true);
    assert!(sweep_column(&jester, "rmse").last().unwrap() < &4.6);
    let [train, test] = ["train", "test"].map(|part| data(&format!("ratings/gowalla.{part}.txt.gz")));
    let files = ["--ratings", train.to_str().unwrap(), "--test", test.to_str().unwrap()];
    let gowalla = report(
        ALS,
        &[&files[..], &["--implicit", "--alpha", "10", "--lambda", "10", "--sweeps", "3", "--at-once"]].concat(),
    );
    assert_eq!(gowalla["verified"], true);
    assert!(sweep_column(&gowalla, "recall").last().unwrap() > &0.05);
}
