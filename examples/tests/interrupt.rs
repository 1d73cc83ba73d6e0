//! Ctrl-C in a binary that runs for long.
#![cfg(unix)]

mod command;

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use command::{LABEL_PROPAGATION, PAGERANK, report, rows};
use serde_json::Value;

/// A bipartite graph, and next to no damping: thousands of iterations.
const PAGERANK_FOR_LONG: [&str; 7] =
    ["--generate", "grid:300x300", "--damping", "0.9999999", "--direction", "pull", "--tolerance=1e-30"];
const LABELS_FOR_LONG: [&str; 7] =
    ["--generate", "grid:300x300", "--alpha", "0.9999999", "--direction", "pull", "--tolerance=1e-30"];

fn start(binary: &str, backend: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(binary);
    command.args(["--json", "--iterations", "100000000", "--backend", backend]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Interrupts a run once it iterates: a run that was not there yet ends without a report, and is tried again with more patience.
fn interrupted(binary: &str, arguments: &[&str]) -> Output {
    let tries = [1, 3, 9, 27].into_iter().map(|seconds| {
        let child = start(binary, "cpu", arguments);
        sleep(Duration::from_secs(seconds));
        interrupt(&child);
        child.wait_with_output().unwrap()
    });
    tries.into_iter().find(|output| !output.stdout.is_empty()).expect("a report")
}

fn cancelled(output: &Output) -> Value {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["status"]), (Some(130), &"cancelled".into()));
    assert!(report["verified"].is_null());
    let iterations = report["iterations"].as_u64().unwrap();
    assert_eq!(report["active"].as_array().unwrap().len() as u64, iterations);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(error, format!("error: cancelled after {iterations} iterations\n"));
    report
}

#[test]
fn ctrl_c_ends_a_run_behind_its_last_iteration() {
    let cancelled = cancelled(&interrupted(PAGERANK, &PAGERANK_FOR_LONG));
    let iterations = cancelled["iterations"].to_string();
    let whole = report(PAGERANK, &[&PAGERANK_FOR_LONG[..], &["--iterations", &iterations, "--no-verify"]].concat());
    assert_eq!((&whole["status"], &whole["result"]), (&"iteration_limit".into(), &cancelled["result"]));
}

#[test]
fn what_was_computed_is_written() {
    let folder = command::Folder::new();
    let path = folder.path("labels.tsv");
    cancelled(&interrupted(LABEL_PROPAGATION, &[&LABELS_FOR_LONG[..], &["--output", &path]].concat()));
    assert_eq!(rows(&path).len(), 300 * 300);
}

#[test]
fn a_second_ctrl_c_ends_the_program() {
    // Iterations of minutes, so that the first one only asks.
    let child = start(LABEL_PROPAGATION, "emulator", &["--generate", "rmat:14:16", "--features", "64"]);
    sleep(Duration::from_secs(4));
    (0..20).for_each(|_| {
        interrupt(&child);
        sleep(Duration::from_millis(50));
    });
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
}
