//! `cargo xtask random`: compiles and runs random programs, a chunk at a time, and cuts failing ones down.

mod chunk;
mod shrink;

use std::process::ExitCode;

use clap::Parser;
use onyx_random::name::Name;
use xtask::error::{Error, Result};

use crate::chunk::{Outcome, Verdict};

/// Compile and run random programs on the CPU and in the emulator, and compare them with a plain interpreter
#[derive(Debug, Parser)]
#[command(name = "xtask-random", bin_name = "cargo xtask random")]
struct Arguments {
    /// The programs, such as `plain:12` or `history:0..20`; without any, those that --programs asks for
    names: Vec<String>,
    /// How many programs to draw
    #[arg(long, default_value_t = 200)]
    programs: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// What the programs may do: plain, history, near, width, tables, halves, inputs, heads, outward, states, totals, integers or gathers
    #[arg(long, default_value = "plain")]
    style: String,
    /// How many programs are compiled at once
    #[arg(long, default_value_t = 40)]
    chunk: usize,
    /// Cut each failing program down to the smallest that still fails
    #[arg(long)]
    shrink: bool,
}

fn main() -> ExitCode {
    xtask::error::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<()> {
    let names = names(arguments)?;
    let mut failed = Vec::new();
    let mut tried = 0;
    for chunk in names.chunks(arguments.chunk.max(1)) {
        let outcomes = chunk::run(chunk)?;
        tried += outcomes.len();
        for outcome in outcomes.into_iter().filter(|outcome| outcome.verdict != Verdict::Agrees) {
            report(&outcome);
            failed.push(outcome);
        }
        println!("{tried} of {} programs tried, {} failed", names.len(), failed.len());
    }
    if arguments.shrink {
        failed.iter().try_for_each(shrink::shrink)?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(list(&failed))) }
}

fn names(arguments: &Arguments) -> Result<Vec<Name>> {
    let text = if arguments.names.is_empty() {
        format!("{}:{}..{}", arguments.style, arguments.seed, arguments.seed + arguments.programs)
    } else {
        arguments.names.join(",")
    };
    Name::list(&text).map_err(Error::NoProgram)
}

fn report(outcome: &Outcome) {
    println!("\n{} {}\n{}", outcome.name, outcome.verdict, outcome.text);
}

fn list(failed: &[Outcome]) -> String {
    failed.iter().map(|outcome| outcome.name.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    #[test]
    fn commands_are_parsed() {
        Arguments::command().debug_assert();
        for line in ["plain:3 history:0..7", "--programs 1000 --seed 40 --style history --chunk 20 --shrink"] {
            let words = ["random"].into_iter().chain(line.split(' '));
            assert!(Arguments::try_parse_from(words).is_ok(), "{line}");
        }
    }
}
