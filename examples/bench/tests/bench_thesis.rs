//! `bench_thesis`: that every variant agrees with the serial program and with the others, and that the CSV says what ran. No time is asserted.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench_thesis")).args(arguments).output().expect("the program starts")
}

/// The lines after the heading, in columns.
fn lines(output: &Output) -> Vec<Vec<String>> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn all_variants_agree_on_the_cpu() {
    let lines = lines(&bench(&["--quick", "--backend", "cpu"]));
    // Five algorithms on three graphs, two with three feature counts, in four variants.
    assert_eq!(lines.len(), (5 * 3 + 2 * 3) * 4);
    assert!(lines.iter().all(|columns| columns.len() == 19), "{lines:?}");
    // One class alone is known at once; nothing else rests after an iteration.
    let goes_on = |columns: &Vec<String>| columns[5] == "1" || columns[12].parse::<usize>().unwrap() > 1;
    assert!(lines.iter().all(goes_on), "{lines:?}");
}

#[test]
fn all_variants_agree_in_the_emulator() {
    let few = ["--figures", "7.2", "--graphs", "grid:4x3", "--repeats", "1", "--iterations", "3"];
    let lines = lines(&bench(&[&few[..], &["--backend", "emulator"]].concat()));
    let variants: Vec<&str> = lines.iter().map(|columns| &*columns[8]).collect();
    assert_eq!(variants, ["NFA/NCD", "NFA-W/NCD", "FA/NCD", "NFA/CD", "NFA-W/CD", "FA/CD"].repeat(5));
}

#[test]
fn a_graph_that_is_not_there_is_named() {
    let output = bench(&["--graphs", "no such file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such file"));
}
