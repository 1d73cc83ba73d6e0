//! The bench verifies what it times, and says it as CSV.

use std::process::{Command, Output};

const BENCH: &str = env!("CARGO_BIN_EXE_bench_gnn");

fn bench(arguments: &[&str]) -> Output {
    Command::new(BENCH).args(["--backend", "cpu", "--repeat", "3", "--warm-up", "1"]).args(arguments).output().unwrap()
}

#[test]
fn each_model_has_a_line() {
    let output = bench(&["--generate", "rmat:6:4", "--features", "5", "--model", "gcn,gin,sage,sage-max,gat,gatv2"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Vec<&str>> = lines.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{lines:?}");
    for (line, model) in lines[1..].iter().zip(["gcn", "gin", "sage", "sage-max", "gat", "gatv2"]) {
        assert_eq!(line[..5], [model, "rmat:6:4", "64", "256", "5"], "{lines:?}");
        assert!(line[9..13].iter().all(|time| time.parse::<f64>().unwrap() > 0.0), "{lines:?}");
        assert_eq!(line[13..], [""], "no GPU, no memory of its own");
    }
}

#[test]
fn vertices_of_a_file_get_random_features() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("square.txt");
    std::fs::write(&path, "0 1\n1 2\n2 3\n3 0\n").unwrap();
    let output = bench(&["--graph", path.to_str().unwrap(), "--features", "5"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && lines.contains("gcn,square.txt,4,4,5,"), "{lines}");
}

#[test]
fn what_edges_read_is_said() {
    let output = bench(&["--generate", "rmat:6:4", "--features", "5", "--storage", "bf16"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && lines.contains(",Onyx bf16,2,cpu,"), "{lines}");
}

#[test]
fn something_must_be_timed() {
    let output = bench(&[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("--generate") && said.contains("--data"), "{said}");
}
