//! The program as a user runs it: what it predicts, writes and refuses.

use onyx_examples::ratings::Rating;
use onyx_examples::ratings::stars::Stars;
use serde_json::Value;

use crate::command::{ALS, Folder, data, refused, report, rows, run, succeeds};

/// What finds planted factors, which nothing but a little noise lies over.
const PLANTED: [&str; 7] = ["--features", "4", "--unweighted", "--lambda", "0.1", "--baseline", "zero"];

fn sweep_column(report: &Value, column: &str) -> Vec<f64> {
    report["sweeps"].as_array().unwrap().iter().map(|sweep| sweep[column].as_f64().unwrap()).collect()
}

#[test]
fn the_built_in_ratings_are_predicted() {
    for backend in ["cpu", "emulator"] {
        let report = report(ALS, &[&PLANTED[..], &["--sweeps", "6", "--backend", backend]].concat());
        assert_eq!((&report["status"], &report["verified"]), (&"iteration_limit".into(), &true.into()));
        let (errors, objectives) = (sweep_column(&report, "rmse"), sweep_column(&report, "objective"));
        assert!(errors.last().unwrap() < &0.07, "{errors:?}");
        assert!(objectives.is_sorted_by(|before, after| after <= before), "{objectives:?}");
    }
    assert_eq!(report(ALS, &["--features", "4"])["status"], "converged");
    let at_once = report(ALS, &[&PLANTED[..], &["--sweeps", "6", "--at-once"]].concat());
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
fn a_rating_of_0_is_no_implicit_feedback() {
    let folder = Folder::new();
    let (with, without) = ("ann,1,2\nann,2,0\nbob,2,3\nbob,1,0\n", "ann,1,2\nbob,2,3\n");
    let [with, without] = [("with.csv", with), ("without.csv", without)].map(|(name, text)| {
        let ratings = folder.file(name, text);
        report(ALS, &["--ratings", &ratings, "--test-share", "0", "--implicit", "--features", "2"])
    });
    assert_eq!((&with["ratings"]["train"], &with["sweeps"]), (&2.into(), &without["sweeps"]));
}

#[test]
fn ratings_that_leave_nothing_to_fit_converge() {
    let folder = Folder::new();
    let equal = folder.file("equal.csv", "ann,1,3\nann,2,3\nbob,1,3\n");
    let report = report(ALS, &["--ratings", &equal, "--test-share", "0"]);
    assert_eq!((&report["status"], sweep_column(&report, "objective")), (&"converged".into(), vec![0.0, 0.0]));
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
        (&["user", "ann"].map(str::to_owned)[..], &["item", "1"].map(str::to_owned)[..], 6)
    );
    // Products are ratings, so that Ann, of ratings 5 and 1, is near them.
    let numbers = |row: &[String]| row[2..].iter().map(|value| value.parse::<f64>().unwrap()).collect::<Vec<_>>();
    let product = |user: usize, item: usize| -> f64 {
        numbers(&found[user]).iter().zip(numbers(&found[item])).map(|(user, item)| user * item).sum()
    };
    assert!(product(0, 3) > 3.5 && product(0, 4) < 3.0, "{found:?}");
    succeeds(ALS, &[&base[..], &["--baseline", "zero"]].concat());
    assert_eq!(rows(&output)[5].len(), 4);
}

#[test]
fn bad_input_is_refused() {
    let folder = Folder::new();
    let few = folder.file("few.csv", "1,1,1\n1,2,3\n2,1,4\n2,2,1\n3,1,2\n");
    let bad = folder.file("bad.csv", "1,1,1\n1,2\n");
    let lists = folder.file("lists.txt", "1 2 3\n2 3\n");
    let negative = folder.file("negative.csv", "1,1,1\n2,1,-1\n");
    let zeros = folder.file("zeros.csv", "1,1,0\n2,1,0\n");
    let cases: [(&[&str], &str); 13] = [
        (&["--unweighted"], "give a --lambda: how much a factor is held back once"),
        (&["--implicit", "--weighted"], "give a --lambda: how much a factor is held back once"),
        (
            &["--ratings", &bad],
            ":2: 2 of the columns user, item and rating, separated by commas as the first line has them: a line needs",
        ),
        (&["--ratings", &lists], "has lists of items without ratings: add --implicit, or if the third word of"),
        (&["--ratings", &few, "--user", "9"], "--user 9: there is no such user in"),
        (&["--ratings", &negative, "--implicit"], "implicit feedback needs values of 0 and more"),
        (&["--ratings", &zeros, "--implicit"], "zeros.csv has no rating above 0"),
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

/// A file of ratings from one to five stars.
fn stars(folder: &Folder, plan: Stars) -> String {
    let (table, catalog) = plan.draw().unwrap();
    let line = |rating: &Rating| {
        format!("{},{},{}\n", catalog.users.name(rating.user), catalog.items.name(rating.item), rating.value)
    };
    folder.file("stars.csv", table.ratings().iter().map(line).collect::<String>())
}

/// The error on the test after the last sweep.
fn last_error(arguments: &[&str]) -> f64 {
    *sweep_column(&report(ALS, arguments), "rmse").last().unwrap()
}

#[test]
fn defaults_predict_ratings_as_people_give_them() {
    let folder = Folder::new();
    // As many ratings of a user and of an item as MovieLens has.
    let ratings = stars(&folder, Stars { users: 300, items: 400, each: 100, seed: 1 });
    let of_defaults = report(ALS, &["--ratings", &ratings]);
    let (found, mean) =
        (*sweep_column(&of_defaults, "rmse").last().unwrap(), of_defaults["rmse_of_mean"].as_f64().unwrap());
    assert!(found < 0.93 * mean && of_defaults["worse_than_mean"] == false, "{found} and {mean}: {of_defaults}");
    let base = ["--ratings", &ratings, "--no-verify", "--sweeps", "8", "--at-once"];
    let with = |more: &[&str]| last_error(&[&base[..], more].concat());
    let weighted = ["0.02", "0.05", "0.15", "0.25"].map(|lambda| with(&["--lambda", lambda]));
    let once = ["0.1", "1", "5"].map(|lambda| with(&["--unweighted", "--lambda", lambda]));
    let others = ["mean", "zero"].map(|baseline| with(&["--baseline", baseline]));
    let grid = [&weighted[..], &once, &others].concat();
    let best = grid.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(found < 1.02 * best, "{found} and {best} of {grid:?}");
    // Ten times the stars are ten times the errors.
    let content = std::fs::read_to_string(&ratings).unwrap().replace('\n', "0\n");
    let tenfold = last_error(&["--ratings", &folder.file("tenfold.csv", content)]);
    assert!((tenfold / found / 10.0 - 1.0).abs() < 0.01, "{tenfold} and {found}");
}

#[test]
fn what_is_worse_than_the_mean_says_so() {
    let folder = Folder::new();
    let ratings = stars(&folder, Stars { users: 120, items: 200, each: 30, seed: 0 });
    let base = ["--ratings", &ratings, "--features", "16"];
    let poor = [&base[..], &["--unweighted", "--lambda", "0.1", "--baseline", "zero"]].concat();
    let note = "note: this is worse than predicting the mean of all ratings, whose RMSE is 1.";
    assert!(succeeds(ALS, &poor).contains(note));
    assert_eq!(report(ALS, &poor)["worse_than_mean"], true);
    assert!(!succeeds(ALS, &base).contains("note: "));
    let untested = report(ALS, &[&base[..], &["--test-share", "0"]].concat());
    assert_eq!((&untested["worse_than_mean"], &untested["rmse_of_mean"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_overflows_has_diverged() {
    let folder = Folder::new();
    let huge = folder.file("huge.csv", "1,1,3e38\n1,2,3e38\n2,1,3e38\n2,2,-3e38\n");
    let output = run(
        ALS,
        &[
            "--ratings",
            &huge,
            "--test-share",
            "0",
            "--features",
            "2",
            "--json",
            "--baseline",
            "zero",
            "--unweighted",
            "--lambda",
            "0.1",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "diverged");
}

#[test]
fn a_first_sweep_that_diverges_names_the_other_solver() {
    let folder = Folder::new();
    let few = folder.file("few.csv", "a,x,3\na,y,1\nb,x,5\nb,y,4\nc,x,2\nc,z,1\n");
    let base = ["--ratings", &few, "--test-share", "0", "--lambda", "1e-8"];
    let output = run(ALS, &base);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && error.contains("give --solver conjugate_gradients"), "{error}");
    let solved = report(ALS, &[&base[..], &["--solver", "conjugate_gradients"]].concat());
    assert_eq!(solved["verified"], true, "{solved}");
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_jester_and_gowalla() {
    let path = data("ratings/jester5k.csv.gz");
    let jester = report(
        ALS,
        &["--ratings", path.to_str().unwrap(), "--unweighted", "--lambda", "5", "--baseline", "zero", "--sweeps", "4"],
    );
    assert_eq!(jester["verified"], true);
    assert!(sweep_column(&jester, "rmse").last().unwrap() < &4.6);
    let [train, test] = ["train", "test"].map(|part| data(&format!("ratings/gowalla.{part}.txt.gz")));
    let files = ["--ratings", train.to_str().unwrap(), "--test", test.to_str().unwrap()];
    let gowalla = report(
        ALS,
        &[
            &files[..],
            &["--implicit", "--alpha", "10", "--lambda", "10", "--features", "8", "--sweeps", "2", "--at-once"],
        ]
        .concat(),
    );
    assert_eq!(gowalla["verified"], true);
    assert!(sweep_column(&gowalla, "recall").last().unwrap() > &0.04);
}
