//! Programs that nobody should have to wait for.
#![cfg(unix)]

mod command;
#[path = "../../../cli/tests/command/signal.rs"]
mod signal;

use std::fs;
use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use command::{CLASSIFICATION, PROGRAMS, run, said};
use signal::{send, start};

/// How long a program may take to end.
const PATIENCE: Duration = Duration::from_secs(60);

fn begin(program: &str, arguments: &[&str]) -> Child {
    start(Command::new(program).args(["--backend", "cpu", "--json"]).args(arguments).env("RAYON_NUM_THREADS", "1"))
}

/// What a program has said that ends in time.
fn ended(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it has not ended");
        }
        sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn graphs_are_learned_by_one_thread() {
    let output = ended(begin(CLASSIFICATION, &["--epochs", "1", "--folds", "2"]));
    assert!(output.status.success() && said(&output).0.starts_with('{'), "{output:?}");
}

#[test]
fn ctrl_c_ends_training_however_seldom_it_is_reported() {
    let children = PROGRAMS.map(|program| begin(program, &["--epochs", "1000000000", "--report-every", "1000000000"]));
    sleep(Duration::from_secs(5));
    for child in children {
        send(&child, libc::SIGINT);
        let output = ended(child);
        let (report, error) = said(&output);
        assert_eq!(output.status.code(), Some(130), "{error}");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let epochs = report["epochs"].as_u64().unwrap();
        assert_eq!(error, format!("error: interrupted after {epochs} epochs\n"));
        assert!(epochs > 0 && report["loss_epochs"] == serde_json::json!([epochs]), "{report}");
    }
}

#[test]
fn what_an_interrupted_run_has_learned_lies_beside_what_was_saved_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (weights, curve) = (path("weights"), path("curve"));
    fs::write(&weights, "old").unwrap();
    let child = begin(PROGRAMS[0], &["--epochs", "1000000", "--save", &weights, "--curve", &curve]);
    sleep(Duration::from_secs(2));
    send(&child, libc::SIGINT);
    let output = ended(child);
    let (_, error) = said(&output);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains(&format!("it is in {weights}.interrupted, and {weights} was left as it is")), "{error}");
    assert!(error.contains(&format!("it is in {curve}.interrupted, and {curve} was not written")), "{error}");
    assert_eq!(fs::read_to_string(&weights).unwrap(), "old");
    let output = run(PROGRAMS[0], &["--epochs", "1", "--load", &path("weights.interrupted")]);
    assert!(output.status.success() && !fs::exists(&curve).unwrap(), "{output:?}");
    let resumed = ["--epochs", "1", "--load", &path("weights.interrupted"), "--save", &weights];
    let output = run(PROGRAMS[0], &resumed);
    assert!(output.status.success() && fs::read(&weights).unwrap() != b"old", "{output:?}");
}

#[test]
fn epochs_that_never_come_take_no_memory() {
    let children = [PROGRAMS[0], CLASSIFICATION].map(|program| begin(program, &["--epochs", &usize::MAX.to_string()]));
    sleep(Duration::from_secs(2));
    for child in children {
        send(&child, libc::SIGINT);
        let output = ended(child);
        assert_eq!(output.status.code(), Some(130), "{}", said(&output).1);
    }
}
