//! The programs, as people start them.

use std::path::Path;
use std::process::{Command, Output};

const PROGRAMS: [&str; 4] =
    [env!("CARGO_BIN_EXE_gcn"), env!("CARGO_BIN_EXE_gin"), env!("CARGO_BIN_EXE_sage"), env!("CARGO_BIN_EXE_gat")];

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(["--backend", "cpu"]).args(arguments).output().unwrap()
}

fn said(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

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
    assert_eq!(some["accuracy"], each["accuracy"]);
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
}
