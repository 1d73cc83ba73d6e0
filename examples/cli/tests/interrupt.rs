//! Signals to a program that runs for long.
#![cfg(unix)]

mod command;

use std::fs;
use std::process::{Child, Command, Output};
use std::thread::sleep;
use std::time::Duration;

use command::signal::{send, start};
use command::{
    ALS, BELIEF_PROPAGATION, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK, report,
};
use serde_json::Value;

/// A bipartite graph, and next to no damping: thousands of iterations.
const PAGERANK_FOR_LONG: [&str; 7] =
    ["--generate", "grid:300x300", "--damping", "0.9999999", "--direction", "pull", "--tolerance=1e-30"];
const SPREADING_FOR_LONG: [&str; 7] =
    ["--generate", "grid:100x100", "--alpha", "0.9999999", "--direction", "pull", "--tolerance=1e-30"];
const FOR_LONG: [&str; 2] = ["--iterations", "100000000"];

fn begin(binary: &str, backend: &str, arguments: &[&str]) -> Child {
    start(Command::new(binary).args(["--json", "--backend", backend]).args(arguments))
}

/// Interrupts a run once it iterates: a run that was not there yet ends without a report, and is tried again with more patience.
fn interrupted(binary: &str, arguments: &[&str]) -> Output {
    let tries = [1, 3, 9, 27].into_iter().map(|seconds| {
        let child = begin(binary, "cpu", arguments);
        sleep(Duration::from_secs(seconds));
        send(&child, libc::SIGINT);
        child.wait_with_output().unwrap()
    });
    tries.into_iter().find(|output| !output.stdout.is_empty()).expect("a report")
}

fn cancelled(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["status"]), (Some(130), &"cancelled".into()), "{error}");
    assert!(report["verified"].is_null());
    let iterations = report["iterations"].as_u64().unwrap();
    assert_eq!(error.lines().last(), Some(format!("error: cancelled after {iterations} iterations").as_str()));
    report
}

#[test]
fn ctrl_c_ends_a_run_after_its_last_iteration() {
    let cancelled = cancelled(&interrupted(PAGERANK, &[&PAGERANK_FOR_LONG[..], &FOR_LONG].concat()));
    let iterations = cancelled["iterations"].to_string();
    assert_eq!(cancelled["active"].as_array().unwrap().len().to_string(), iterations);
    let whole = report(PAGERANK, &[&PAGERANK_FOR_LONG[..], &["--iterations", &iterations, "--no-verify"]].concat());
    assert_eq!((&whole["status"], &whole["result"]), (&"iteration_limit".into(), &cancelled["result"]));
}

/// Interrupts a run that would write `option`, and checks that what was computed is beside the old file, and nothing else is anywhere.
fn keeps_the_old(binary: &str, option: &str, arguments: &[&str]) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.file("answer", "old");
    let output = interrupted(binary, &[arguments, &[option, &path]].concat());
    cancelled(&output);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("note: ") && error.contains("answer.interrupted, and "), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["answer", "answer.interrupted"]);
    fs::read(folder.path("answer.interrupted")).unwrap()
}

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Variables that all repel each other, so that each message turns around in each iteration.
fn model(folder: &Folder) -> String {
    let pairs: Vec<_> = (0..8).flat_map(|one| (0..one).map(move |other| (other, one))).collect();
    let scopes: String = pairs.iter().map(|(one, other)| format!("2 {one} {other}\n")).collect();
    let tables = "4\n 1 20 20 1\n".repeat(pairs.len());
    let text = format!("MARKOV\n8\n{}\n{}\n1 0\n{scopes}\n2\n 0.6 0.4\n{tables}", "2 ".repeat(8), pairs.len() + 1);
    folder.file("model.uai", text)
}

#[test]
fn what_was_computed_is_written_beside_the_old_file() {
    let spreading = [&SPREADING_FOR_LONG[..], &FOR_LONG].concat();
    for binary in [LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        assert_eq!(lines(&keeps_the_old(binary, "--output", &spreading)), 100 * 100, "{binary}");
    }
    assert_eq!(lines(&keeps_the_old(PAGERANK, "--output", &[&PAGERANK_FOR_LONG[..], &FOR_LONG].concat())), 300 * 300);
    let sweeps = ["--sweeps", "100000000", "--at-once"];
    assert!(lines(&keeps_the_old(ALS, "--output", &sweeps)) > 100);
    let folder = Folder::new();
    let model = model(&folder);
    let messages = [&["--model", &model, "--tolerance=1e-30"][..], &FOR_LONG].concat();
    assert_eq!(lines(&keeps_the_old(BELIEF_PROPAGATION, "--output", &messages)), 8);
}

#[test]
fn a_second_ctrl_c_ends_the_program() {
    let folder = Folder::new();
    let path = folder.file("answer", "old");
    // Iterations of minutes, so that the first one only asks.
    let arguments = ["--generate", "rmat:14:16", "--features", "64", "--output", &path];
    let child = begin(LABEL_PROPAGATION, "emulator", &arguments);
    sleep(Duration::from_secs(4));
    (0..20).for_each(|_| {
        send(&child, libc::SIGINT);
        sleep(Duration::from_millis(50));
    });
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.names().len()), ("old", 1));
}

#[test]
fn other_signals_end_a_run_at_once_and_leave_nothing() {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let folder = Folder::new();
        let path = folder.file("answer", "old");
        let child = begin(PAGERANK, "cpu", &[&PAGERANK_FOR_LONG[..], &FOR_LONG, &["--output", &path]].concat());
        sleep(Duration::from_secs(1));
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0));
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.names().len()), ("old", 1));
    }
}

#[test]
fn any_signal_ends_a_program_that_loads() {
    for (signal, code) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let folder = Folder::new();
        let (pipe, path) = (folder.path("pipe"), folder.file("answer", "old"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let child = begin(PAGERANK, "cpu", &["--graph", &pipe, "--output", &path]);
        // Waits until the program reads, and never writes.
        let writer = fs::File::options().write(true).open(&pipe).unwrap();
        sleep(Duration::from_millis(100));
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        drop(writer);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0));
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), folder.names().len()), ("old", 2));
    }
}

#[test]
fn a_signal_that_was_ignored_before_stays_ignored() {
    let mut command = Command::new("sh");
    let ignoring = r#"trap "" HUP; exec "$0" "$@""#;
    command
        .args(["-c", ignoring, PAGERANK, "--backend", "cpu", "--iterations", "50", "--no-verify"])
        .args(PAGERANK_FOR_LONG);
    let child = start(&mut command);
    for _ in 0..10 {
        sleep(Duration::from_millis(50));
        send(&child, libc::SIGHUP);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
