//! Runs the programs as a user does.
#![allow(dead_code, reason = "each test program uses a part")]

use std::process::{Command, Output};

pub const PROGRAMS: [&str; 4] =
    [env!("CARGO_BIN_EXE_gcn"), env!("CARGO_BIN_EXE_gin"), env!("CARGO_BIN_EXE_sage"), env!("CARGO_BIN_EXE_gat")];

pub const CLASSIFICATION: &str = env!("CARGO_BIN_EXE_graph_classification");

pub fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(["--backend", "cpu"]).args(arguments).output().unwrap()
}

pub fn said(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The one line in which a run is refused; it prints nothing else.
pub fn refused(program: &str, arguments: &[&str]) -> String {
    let output = run(program, arguments);
    let (lines, error) = said(&output);
    assert_eq!((output.status.code(), lines.as_str()), (Some(2), ""), "{arguments:?}: {error}");
    assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
    error
}
