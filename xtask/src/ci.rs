//! `ci`: everything that must hold before a change is merged.

use std::time::Instant;

use crate::error::{Error, Result};
use crate::{metadata, process, test};

/// Format, lints, documentation and all tests
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Go on after a failed step
    #[arg(long)]
    keep_going: bool,
}

/// One step: its name, and what it does.
struct Step {
    name: &'static str,
    run: fn() -> Result<()>,
}

const STEPS: [Step; 4] = [
    Step { name: "format", run: format },
    Step { name: "lints", run: lints },
    Step { name: "documentation", run: documentation },
    Step { name: "tests", run: tests },
];

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut summary = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS {
        let (line, result) = timed(&step);
        summary.push(line);
        if let Err(error) = result {
            eprintln!("error: {error}");
            failed.push(step.name);
        }
        if !failed.is_empty() && !arguments.keep_going {
            break;
        }
    }
    println!("\n{}", summary.join("\n"));
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed.join(", "))) }
}

fn timed(step: &Step) -> (String, Result<()>) {
    println!("\n== {} ==", step.name);
    let start = Instant::now();
    let result = (step.run)();
    let word = if result.is_ok() { "ok" } else { "FAILED" };
    let line = format!("{:14} {word:6} {:7.1} s", step.name, start.elapsed().as_secs_f64());
    println!("{line}");
    (line, result)
}

fn format() -> Result<()> {
    process::run(&mut process::cargo(&metadata::checkout(), &["fmt", "--all", "--check"]))
}

fn lints() -> Result<()> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    process::run(&mut process::cargo(&metadata::checkout(), &arguments))
}

/// Of all libraries but those of tests: nobody reads what tests and programs have inside.
fn documentation() -> Result<()> {
    let mut command = process::cargo(&metadata::checkout(), &["doc", "--workspace", "--no-deps", "--lib"]);
    for package in metadata::packages_of_tests()? {
        command.args(["--exclude", &package]);
    }
    process::run(command.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn tests() -> Result<()> {
    test::run(&test::Arguments::default())
}
