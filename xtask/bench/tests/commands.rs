//! The program itself: what it runs, what it leaves out, and how it ends. Benches are scripts here, which write what a bench would.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const VERIFIED: &str = "graph,median_us,verified\nx,1.5,true\n";

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask-bench")).args(arguments).env_remove("ONYX_DATA").output().unwrap()
}

/// A folder with programs that write a text and end with a status.
fn programs(programs: &[(&str, &str, u8)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, status) in programs {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{text}END\nexit {status}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    bench(&[arguments, &["--binary-folder", folder.to_str().unwrap()]].concat())
}

#[test]
fn wrong_input_is_said_and_ends_with_2() {
    for (arguments, word) in [
        (&["pulls"][..], "no suite is named `pulls`; there are: copy, pull"),
        (&["--smoke", "compare", "a.csv"], "no suite is named `compare`"),
        (&["--baseline", "nothing"], "no case compares with `nothing`"),
        (&["pull", "--filter", "kron"], "none of the cases"),
        (&["compare", "no.csv", "other.csv"], "no.csv"),
        (&["report", "--from", "no/such/folder"], "no/such/folder/pull-h200.csv"),
        (&["thesis-report", "no.csv", "--out", "/dev/null/x"], "/dev/null/x"),
    ] {
        let output = bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(word), "{arguments:?}: {}", said(&output));
    }
}

#[test]
fn a_dry_run_prints_a_line_a_case() {
    let output = bench(&["peers-gpu", "loop", "--dry-run", "--binary-folder", "/b/bin", "--script-folder", "/b/bench"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.code(), text.lines().count()), (Some(0), 6), "{text}");
    assert!(text.starts_with("/b/bin/bench_loop --backend cuda  # loop/gpu\n"), "{text}");
    assert!(
        text.contains("python3 /b/bench/pagerank_scikit_network.py --backend cuda --binary-folder /b/bin  # "),
        "{text}"
    );
}

#[test]
fn a_smoke_run_wants_verified_rows_and_keeps_none() {
    let folder = programs(&[("bench_loop", VERIFIED, 0)]);
    let output = run(folder.path(), &["loop", "--filter", "cpu", "--smoke"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("1 cases ran, 0 failed, 0 left out"), "{}", said(&output));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    for (text, status) in
        [("graph,median_us,verified\nx,1.5,false\n", 0), ("graph,median_us,verified\n", 0), (VERIFIED, 3), ("", 0)]
    {
        let folder = programs(&[("bench_loop", text, status)]);
        let output = run(folder.path(), &["loop", "--filter", "cpu", "--smoke"]);
        assert_eq!(output.status.code(), Some(1), "{text}: {}", said(&output));
        assert!(said(&output).contains("FAILED  loop/cpu: "), "{}", said(&output));
    }
}

#[test]
fn a_program_that_is_not_there_is_a_failure() {
    let output = run(programs(&[]).path(), &["loop", "--filter", "cpu", "--smoke"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("bench_loop"), "{}", said(&output));
}

#[test]
fn what_cannot_run_is_left_out_and_is_no_pass() {
    let folder = programs(&[("bench_order", VERIFIED, 0)]);
    let output = run(folder.path(), &["order", "--smoke"]);
    assert!(said(&output).contains("1 cases ran, 0 failed, 2 left out"), "{}", said(&output));
    assert!(said(&output).contains("left out: order/crawl: needs data"), "{}", said(&output));
    let output = run(folder.path(), &["order", "--filter", "crawl", "--smoke"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("no case ran"), "{}", said(&output));
}

#[test]
fn a_run_writes_the_table_with_where_and_when() {
    let folder = programs(&[("bench_loop", VERIFIED, 0)]);
    let out = folder.path().join("out");
    let to = ["loop", "--filter", "cpu", "--out", out.to_str().unwrap()];
    let output = run(folder.path(), &to);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = fs::read_to_string(out.join("loop-cpu.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "# bench_loop --backend cpu --iterations 64");
    assert!(lines[1].contains(" cores, commit "), "{text}");
    assert_eq!(lines[2..], VERIFIED.lines().collect::<Vec<_>>());
    let compared =
        bench(&["compare", out.join("loop-cpu.csv").to_str().unwrap(), out.join("loop-cpu.csv").to_str().unwrap()]);
    assert!(said(&compared).contains("1 times: geometric mean 1.000"), "{}", said(&compared));
}

#[test]
fn a_failed_run_leaves_an_older_table_alone() {
    let folder = programs(&[("bench_loop", VERIFIED, 1)]);
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("loop-cpu.csv"), "old").unwrap();
    let output = run(folder.path(), &["loop", "--filter", "cpu", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(fs::read_to_string(out.join("loop-cpu.csv")).unwrap(), "old");
    assert!(out.join("loop-cpu.csv.unfinished").is_file(), "{}", said(&output));
}
