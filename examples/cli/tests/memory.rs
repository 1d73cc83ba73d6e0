//! Programs that have little memory end well, or say in one line that it is too little.
#![cfg(target_os = "linux")]

mod command;

use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use command::{
    ALS, BELIEF_PROPAGATION, Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK,
};

/// Each limit is this much greater than the one before.
const STEP: f64 = 2.4;
/// What a limit begins with, in KiB: about what it takes to be loaded.
const LEAST: f64 = 10_000.0;
/// With so much every run ends well.
const MOST: f64 = 1_000_000.0;

/// Runs a binary with so many KiB of address space.
fn limited(kibibytes: u64, binary: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v $0 && exec \"$@\"", &kibibytes.to_string(), binary]);
    command.args(arguments).env("RAYON_NUM_THREADS", "3").env("RUST_BACKTRACE", "0").output().unwrap()
}

/// Whether the program comes to its own first line; below that, the system cannot even load it.
fn is_loaded(kibibytes: u64, binary: &str) -> bool {
    limited(kibibytes, binary, &["--version"]).status.success()
}

/// Runs a binary with ever more memory, until it has ended well twice: whatever there is, it ends with 0, or with 2 and a line that says why.
fn ends_well(binary: &str, arguments: &[&str]) {
    let mut limit = LEAST;
    while !is_loaded(limit as u64, binary) {
        limit *= STEP;
    }
    let (mut refused, mut done) = (0, 0);
    while limit < MOST && done < 2 {
        let output = limited(limit as u64, binary, arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let case = format!("{binary} {arguments:?} with {limit} KiB: {} {error}", output.status);
        assert_eq!(output.status.signal(), None, "{case}");
        match output.status.code() {
            Some(0) => done += 1,
            Some(2) => {
                let is_said = ["memory", "cannot start", "emory (os error 12)"].iter().any(|word| error.contains(word));
                assert!(error.starts_with("error: ") && error.lines().count() == 1 && is_said, "{case}");
                refused += 1;
            }
            _ => panic!("{case}"),
        }
        limit *= STEP;
    }
    assert!(refused > 0 && done > 0, "{binary}: {refused} refused, {done} done");
}

#[test]
fn more_threads_than_anybody_has_are_refused() {
    let output = Command::new(PAGERANK).env("RAYON_NUM_THREADS", "100000").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: cannot start 100000 threads: 4096 are the most;"), "{error}");
}

#[test]
fn pagerank_with_little_memory() {
    ends_well(PAGERANK, &["--backend", "cpu", "--generate", "rmat:15"]);
    let folder = Folder::new();
    let edges = (0..300_000_u32).fold(String::new(), |mut text, edge| {
        let _ = writeln!(text, "{} {}", edge % 70_001, edge * 7 % 90_007);
        text
    });
    let (graph, output) = (folder.file("graph", edges), folder.path("output"));
    ends_well(PAGERANK, &["--backend", "cpu", "--graph", &graph, "--undirected", "--output", &output]);
}

#[test]
fn label_propagation_with_little_memory() {
    ends_well(LABEL_PROPAGATION, &["--backend", "cpu", "--generate", "rmat:13", "--features", "32"]);
    ends_well(LABEL_PROPAGATION, &["--backend", "emulator", "--iterations", "2"]);
}

#[test]
fn multi_manifold_ranking_with_little_memory() {
    ends_well(MULTI_MANIFOLD_RANKING, &["--backend", "cpu", "--generate", "rmat:11", "--features", "32"]);
}

#[test]
fn multimodal_learning_with_little_memory() {
    ends_well(MULTIMODAL_LEARNING, &["--backend", "cpu", "--generate", "rmat:10", "--features", "16"]);
}

#[test]
fn als_with_little_memory() {
    let folder = Folder::new();
    let ratings = (0..200_000_u32).fold(String::from("user,item,rating\n"), |mut text, number| {
        let _ = writeln!(text, "{},i{},{}", number / 20, number * 31 % 4001, number % 5 + 1);
        text
    });
    let ratings = folder.file("ratings", ratings);
    ends_well(ALS, &["--backend", "cpu", "--ratings", &ratings, "--sweeps", "1", "--no-verify", "--features", "16"]);
}

#[test]
fn belief_propagation_with_little_memory() {
    ends_well(BELIEF_PROPAGATION, &["--backend", "cpu", "--iterations", "2", "--no-verify"]);
}

#[test]
fn sizes_that_nobody_has_are_refused() {
    let folder = Folder::new();
    let matrix = folder.file("matrix", "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 0\n");
    let model = folder.file("model", format!("MARKOV\n40000\n{}\n0\n", "65536 ".repeat(40_000)));
    let cases: [(&str, &[&str]); 6] = [
        (ALS, &["--features", "2000000000"]),
        (PAGERANK, &["--graph", &matrix]),
        (PAGERANK, &["--generate", "uniform:4294967295:8589934592"]),
        (LABEL_PROPAGATION, &["--generate", "rmat:31:4", "--features", "128"]),
        (MULTI_MANIFOLD_RANKING, &["--generate", "grid:60000x60000", "--features", "128"]),
        (BELIEF_PROPAGATION, &["--model", &model]),
    ];
    for (binary, arguments) in cases {
        // A machine may have more memory than any test should take.
        let output = limited(8 << 20, binary, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
        if arguments[0] != "--features" {
            assert!(error.contains("memory"), "{error}");
        }
    }
}
