//! The programs, as people start them.

mod command;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use command::{CLASSIFICATION, PROGRAMS, run, said};

fn report(program: &str, arguments: &[&str]) -> serde_json::Value {
    let output = run(program, &[arguments, &["--json"]].concat());
    let (report, errors) = said(&output);
    assert!(output.status.success(), "{errors}");
    serde_json::from_str(&report).unwrap()
}

#[test]
fn each_learns_the_club_and_says_how_it_goes() {
    for program in PROGRAMS {
        let output = run(program, &["--epochs", "60", "--report-every", "20"]);
        let (lines, errors) = said(&output);
        assert!(output.status.success() && errors.is_empty(), "{errors}");
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines[0].starts_with("karate club: 34 vertices, 156 edges, 34 features, 2 classes; 2 "), "{lines:?}");
        assert_eq!(lines.len(), 5, "{lines:?}");
        assert!(lines[3].starts_with("epoch   60: loss 0.") && lines[3].contains("train 100.0 %"), "{lines:?}");
        assert!(lines[4].starts_with("60 epochs in "), "{lines:?}");
    }
}

#[test]
fn what_is_reported_seldom_is_learned_as_well() {
    let [each, some] = ["1", "4"].map(|every| report(PROGRAMS[0], &["--epochs", "10", "--report-every", every]));
    let losses = |report: &serde_json::Value| report["loss"].as_array().unwrap().clone();
    let (each_loss, some_loss) = (losses(&each), losses(&some));
    assert_eq!((each_loss.len(), &each["epochs"], &some["epochs"]), (10, &10.into(), &10.into()));
    assert_eq!(some_loss, [&each_loss[3], &each_loss[7], &each_loss[9]].map(Clone::clone));
    assert_eq!(some["loss_epochs"], serde_json::json!([4, 8, 10]));
    assert_eq!(some["accuracy"], each["accuracy"]);
}

#[test]
fn what_another_program_heeds_is_refused() {
    for (program, option) in [(0, ["--heads", "2"]), (2, ["--attention", "dynamic"]), (3, ["--aggregate", "max"])] {
        let output = run(PROGRAMS[program], &option);
        let errors = said(&output).1;
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with(&format!("error: {} is an option of ", option[0])), "{errors}");
    }
}

#[test]
fn attention_may_depend_on_both_ends_and_layers_may_be_more() {
    let arguments = ["--attention", "dynamic", "--layers", "3", "--epochs", "60", "--dropout", "0"];
    let report = report(PROGRAMS[3], &arguments);
    assert_eq!(report["model"], "gatv2");
    assert_eq!(report["accuracy"]["train"], 1.0);
    let output = run(PROGRAMS[0], &["--layers", "0"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_learning_curve_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curve.svg");
    report(PROGRAMS[0], &["--epochs", "30", "--curve", file.to_str().unwrap()]);
    let picture = fs::read_to_string(&file).unwrap();
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(picture.contains("gcn on karate club") && picture.contains("train") && !picture.contains("validation"));
    // A point for each epoch, in the line of the loss and in those of what is right.
    let lines = picture.lines().filter(|line| line.starts_with("<polyline") && line.matches(',').count() >= 30);
    assert_eq!(lines.count(), 3, "{picture}");
}

#[test]
fn a_seed_gives_the_same_numbers_again() {
    let losses = |seed: &str| report(PROGRAMS[0], &["--epochs", "5", "--seed", seed])["loss"].clone();
    assert_eq!(losses("1"), losses("1"));
    assert_ne!(losses("1"), losses("2"));
    assert_eq!(losses("1").as_array().unwrap().len(), 5);
}

#[test]
fn learning_goes_on_where_weights_were_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    let file = path.to_str().unwrap();
    let still = ["--dropout", "0", "--epochs"];
    let first = report(PROGRAMS[2], &[&still[..], &["30", "--save", file]].concat());
    let next = report(PROGRAMS[2], &[&still[..], &["1", "--load", file]].concat());
    let loss = |report: &serde_json::Value, at: usize| report["loss"][at].as_f64().unwrap();
    assert!(loss(&next, 0) < loss(&first, 29), "{next} after {first}");
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = folder.path().join("nothing");
    let nothing = nothing.to_str().unwrap();
    let expected: [(&[&str], &str); 4] = [
        (&["--data", nothing], "nothing"),
        (&["--load", nothing], "nothing"),
        (&["--rate", "-1"], "a finite number above 0 is needed"),
        (&["--dropout", "1"], "1 not included"),
    ];
    for (arguments, expected) in expected {
        let output = run(PROGRAMS[0], arguments);
        let (_, errors) = said(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(expected) && !Path::new(nothing).exists(), "{errors}");
    }
    let output = run(PROGRAMS[3], &["--hidden", "20", "--heads", "8"]);
    assert!(said(&output).1.contains("20 hidden features cannot be shared by 8 heads"), "{output:?}");
}

#[test]
fn a_loss_that_is_no_number_ends_the_run_with_its_step() {
    let output = run(PROGRAMS[0], &["--rate", "1e38", "--dropout", "0"]);
    let (_, errors) = said(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("error: the loss is ") && errors.contains(" at step "), "{errors}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    let file = path.to_str().unwrap();
    let output = run(PROGRAMS[0], &["--rate", "1e38", "--dropout", "0", "--save", file]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // What is saved are the last weights with which the loss was finite: they are numbers, and one step can be taken.
    let step = report(PROGRAMS[0], &["--epochs", "1", "--dropout", "0", "--load", file]);
    assert!(step["loss"][0].is_f64(), "{step}");
}

#[test]
fn whole_graphs_are_learned_and_tested_with_once_each() {
    let folder = tempfile::tempdir().unwrap();
    let curve = folder.path().join("curve.svg");
    let arguments = ["--folds", "2", "--epochs", "3", "--batch", "4", "--layers", "2"];
    let output = run(CLASSIFICATION, &[&arguments[..], &["--curve", curve.to_str().unwrap()]].concat());
    let (lines, errors) = said(&output);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(lines[0].ends_with("100 graphs, 738 vertices, 1376 edges, 1 features, 2 classes"), "{lines:?}");
    assert!(lines[2].starts_with("fold  2: loss ") && lines[3].starts_with("last epoch, 3: "), "{lines:?}");
    assert!(lines[5].starts_with("3 epochs of 2 folds in "), "{lines:?}");
    assert!(fs::read_to_string(curve).unwrap().contains("</svg>"));
    let first = report(CLASSIFICATION, &arguments);
    // Degrees alone say it.
    assert!(first["best"]["mean"].as_f64() > Some(0.9), "{first}");
    assert_eq!(first["folds"].as_array().unwrap().len(), 2);
    let again = report(CLASSIFICATION, &arguments);
    assert_eq!((&first["folds"], &first["best"]), (&again["folds"], &again["best"]));
    let other = report(CLASSIFICATION, &[&arguments[..], &["--seed", "1"]].concat());
    assert_ne!(first["folds"], other["folds"]);
}

#[test]
fn graphs_that_cannot_be_learned_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.txt");
    fs::write(&path, format!("6\n{}", "1 0\n0 0\n1 1\n3 0\n".repeat(3))).unwrap();
    let bad = folder.path().join("bad.txt");
    fs::write(&bad, "1\n2 0\n0 1 1\n0 1 2\n").unwrap();
    let [path, bad] = [&path, &bad].map(|path| path.to_str().unwrap());
    let expected: [(&[&str], i32, &str); 5] = [
        (&["--data", path], 2, "10 folds of 6 graphs"),
        (&["--data", path, "--folds", "1"], 2, "2 folds at least"),
        (&["--data", bad], 2, "bad.txt:4: there is no vertex 2"),
        (&["--data", path, "--batch", "0"], 2, "at least 1"),
        (&["--folds", "2", "--rate", "1e38", "--dropout", "0"], 1, " at step "),
    ];
    for (arguments, code, expected) in expected {
        let output = run(CLASSIFICATION, arguments);
        let (_, errors) = said(&output);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn graphs_without_edges_are_learned_from_tags() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.txt");
    fs::write(&path, format!("20\n{}", "1 0\n0 0\n1 1\n3 0\n".repeat(10))).unwrap();
    let report = report(CLASSIFICATION, &["--data", path.to_str().unwrap(), "--folds", "2", "--epochs", "10"]);
    assert_eq!(report["last"]["mean"], 1.0, "{report}");
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_mutagens_are_told_apart() {
    let folder = PathBuf::from(env::var_os("ONYX_DATA").expect("ONYX_DATA names the folder of the data"));
    let path = folder.join("graphs/MUTAG.txt");
    let report =
        report(CLASSIFICATION, &["--data", path.to_str().unwrap(), "--folds", "3", "--epochs", "6", "--batch", "16"]);
    // Who always says the greater class is right for 125 of 188.
    assert!(report["last"]["mean"].as_f64() > Some(0.72), "{report}");
}
