//! Developer commands of Onyx: `cargo xtask <command>`. One file a command; this one only dispatches.

use std::env;
use std::process::ExitCode;

use clap::Parser;
use xtask::{build_ptx, bundle, check_ptx, ci, doctor, elsewhere, error, explain, fuzz, metadata, new, rustc, test};

#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", about = "Developer commands of Onyx")]
enum Arguments {
    Doctor(doctor::Arguments),
    BuildPtx(build_ptx::Arguments),
    CheckPtx(check_ptx::Arguments),
    Explain(explain::Arguments),
    Bundle(bundle::Arguments),
    Test(test::Arguments),
    Ci(ci::Arguments),
    New(new::Arguments),
    /// Run benchmarks, verify them and write CSVs; compare those, and make pages of them
    Bench(elsewhere::Arguments),
    /// Compile and run random programs on the CPU and in the emulator, and compare them with a plain interpreter
    Random(elsewhere::Arguments),
    Fuzz(fuzz::Arguments),
}

fn main() -> ExitCode {
    if env::var_os(rustc::VARIABLE).is_some() {
        let mut arguments = env::args_os();
        arguments.next();
        return rustc::run(arguments);
    }
    error::exit(dispatch(Arguments::parse()))
}

fn dispatch(arguments: Arguments) -> error::Result<()> {
    match arguments {
        Arguments::Doctor(arguments) => doctor::run(&arguments),
        Arguments::BuildPtx(arguments) => build_ptx::run(&arguments),
        Arguments::CheckPtx(arguments) => check_ptx::run(&arguments),
        Arguments::Explain(arguments) => explain::run(&arguments),
        Arguments::Bundle(arguments) => bundle::run(&arguments),
        Arguments::Test(arguments) => test::run(&arguments),
        Arguments::Ci(arguments) => ci::run(&arguments),
        Arguments::New(arguments) => new::run(&arguments),
        Arguments::Bench(arguments) => elsewhere::run(metadata::BENCH_COMMAND, &arguments),
        Arguments::Random(arguments) => elsewhere::run("xtask-random", &arguments),
        Arguments::Fuzz(arguments) => fuzz::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn commands_are_parsed() {
        for line in [
            "doctor --install",
            "build-ptx --package a --check",
            "check-ptx",
            "check-ptx --bless",
            "explain step --package a",
            "bundle d",
            "test --gpu",
            "test --miri",
            "test --no-ptx",
            "ci --keep-going",
            "new d",
            "bench pull peers-cpu --filter rmat --smoke",
            "random",
            "random plain:3 history:0..7",
            "random --programs 1000 --seed 40 --style history --chunk 20 --shrink",
            "bench compare a.csv b.csv",
            "fuzz --inputs 1000 --seed 7 --jobs 2",
        ] {
            let words = ["xtask"].into_iter().chain(line.split(' '));
            assert!(Arguments::try_parse_from(words).is_ok(), "{line}");
        }
    }

    #[test]
    fn unknown_and_missing_arguments_are_refused() {
        for line in ["bundle", "explain", "new", "test --cuda", "build-ptx extra"] {
            let words = ["xtask"].into_iter().chain(line.split(' '));
            assert_eq!(Arguments::try_parse_from(words).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
    }
}
