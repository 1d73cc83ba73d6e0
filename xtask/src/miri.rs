//! Miri: the tests of what is unsafe on the host, on small graphs, run by an interpreter that sees undefined behavior.
//!
//! The CPU backend and the memory of the emulator are looked at. The emulator's lanes are not: they are coroutines in assembly, which Miri has not.

use std::process::Command;
use std::thread;

use crate::error::{Error, Result};
use crate::{metadata, process};

/// What is run, each by its package: Miri takes minutes for what takes a second otherwise.
const RUNS: [&[&str]; 3] = [
    &["--package", "onyx-device", "--features", "emulator", "--lib", "--", "emulator::memory::"],
    &["--package", "onyx-runtime", "--lib", "--", "what_is_out_of_bounds_of_one_array", "look::", "rows_are_shared"],
    &[
        "--package",
        "onyx-runtime",
        "--test",
        "session",
        "--",
        "folds_take_turns",
        "only_some_vertices",
        "values_of_edges",
        "what_there_is_none_of",
        "of_another_owner",
    ],
];

/// The host's files and clocks may be read, threads that wait for work at the end are no leak, rustix asks libc, which Miri knows, and there are
/// several threads, but few. Pointers follow the rules of tree borrows: rayon's threads share work by crossbeam-epoch, which breaks those of stacked borrows.
const FLAGS: [(&str, &str); 3] = [
    ("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks -Zmiri-tree-borrows"),
    ("RUSTFLAGS", "--cfg=rustix_use_libc"),
    ("RAYON_NUM_THREADS", "3"),
];

/// What is said where nothing was run.
const NOT_HERE: &str = "Miri: no nightly toolchain has it; `rustup +nightly component add miri rust-src` gets it";

/// Runs the tests where Miri is installed; says that they did not run where it is not, which is an error if they `must`.
pub fn run(must: bool) -> Result<Option<String>> {
    match toolchain() {
        Some(toolchain) => run_all(&toolchain).map(|()| None),
        None if must => Err(Error::NoMiri(NOT_HERE)),
        None => Ok(Some(NOT_HERE.to_string())),
    }
}

/// All of them at the same time, as Miri has one thread: cargo compiles one after the other, and each runs while the next is compiled.
fn run_all(toolchain: &str) -> Result<()> {
    process::run(&mut cargo_miri(toolchain, &["setup"]))?;
    thread::scope(|scope| {
        let running = RUNS.map(|run| scope.spawn(move || run_quietly(&mut command(toolchain, run))));
        running.into_iter().try_for_each(|run| run.join().expect("what starts a program does not panic"))
    })
}

/// Runs a command and shows what it wrote when it has ended, in one piece.
fn run_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(process::start_error(command))?;
    println!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    process::checked(command, output.status, String::new())
}

/// The first nightly of rustup that has Miri.
fn toolchain() -> Option<String> {
    let listed = process::output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
    let has_miri = |name: &String| {
        let mut which = Command::new("rustup");
        which.args(["which", "--toolchain", name, "cargo-miri"]);
        process::output(&mut which).is_ok()
    };
    nightlies(&listed).find(has_miri)
}

/// The nightlies in what `rustup toolchain list` says.
fn nightlies(listed: &str) -> impl Iterator<Item = String> {
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with("nightly")).map(str::to_string)
}

fn command(toolchain: &str, run: &[&str]) -> Command {
    cargo_miri(toolchain, &[&["test"], run].concat())
}

fn cargo_miri(toolchain: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.current_dir(metadata::checkout()).args(["run", toolchain, "cargo", "miri"]).args(arguments);
    for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    command.envs(FLAGS);
    command
}

#[cfg(test)]
mod tests {
    use super::{NOT_HERE, RUNS, command, nightlies, run, toolchain};
    use crate::process;

    #[test]
    fn nightlies_are_found_in_the_list() {
        let listed = "stable-x86_64-unknown-linux-gnu (active, default)\nnightly-2026-05-01-x86_64-unknown-linux-gnu\nnightly-x86_64 (x)\n";
        let found: Vec<String> = nightlies(listed).collect();
        assert_eq!(found, ["nightly-2026-05-01-x86_64-unknown-linux-gnu", "nightly-x86_64"]);
    }

    #[test]
    fn the_tests_are_named_to_the_nightly() {
        let line = process::line(&command("nightly", RUNS[0]));
        let wanted = "--package onyx-device --features emulator --lib -- emulator::memory::";
        assert_eq!(line, format!("rustup run nightly cargo miri test {wanted}"));
    }

    #[test]
    fn the_tests_that_are_named_are_there() {
        let files = [
            include_str!("../../onyx-runtime/src/backend/emulator/tests.rs"),
            include_str!("../../onyx-runtime/src/graph/reversed.rs"),
            include_str!("../../onyx-runtime/tests/session/borrowing.rs"),
            include_str!("../../onyx-runtime/tests/session/directions.rs"),
            include_str!("../../onyx-runtime/tests/session/runs.rs"),
            include_str!("../../onyx-runtime/tests/session/values.rs"),
        ];
        let names = RUNS.iter().flat_map(|run| run.iter().skip_while(|word| **word != "--").skip(1));
        let names: Vec<&str> = names.filter(|name| !name.contains("::")).copied().collect();
        let functions =
            || files.iter().flat_map(|file| file.lines()).filter(|line| line.trim_start().starts_with("fn "));
        let missing: Vec<_> = names.iter().filter(|name| !functions().any(|line| line.contains(**name))).collect();
        assert_eq!((names.len(), missing), (7, Vec::new()));
    }

    #[test]
    fn where_it_is_not_it_says_so_and_is_an_error_for_who_asked() {
        if toolchain().is_none() {
            assert_eq!(run(false).unwrap().as_deref(), Some(NOT_HERE));
            assert!(run(true).unwrap_err().to_string().contains("component add miri"));
        }
    }
}
