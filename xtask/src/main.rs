//! Developer commands of Onyx: `cargo xtask <command>`. One file a command; this one only dispatches.

mod architecture;
mod artifacts;
mod bench;
mod build_ptx;
mod bundle;
mod check_ptx;
mod ci;
mod compiler;
mod description;
mod doctor;
mod error;
mod explain;
mod folds;
mod fuzz;
mod gpu;
mod install;
mod kernels;
mod loads;
mod local;
mod metadata;
#[path = "../../onyx-macros/src/lower/methods.rs"]
mod methods;
mod name;
mod new;
mod panics;
mod process;
mod ptx;
mod ptxas;
mod random;
mod registers;
mod rows;
mod shape;
mod source;
mod test;
mod toolchain;
mod usage;

use std::process::ExitCode;

use clap::Parser;

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
    Bench(bench::Arguments),
    Random(random::Arguments),
    Fuzz(fuzz::Arguments),
}

fn main() -> ExitCode {
    match dispatch(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
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
        Arguments::Bench(arguments) => bench::run(&arguments),
        Arguments::Random(arguments) => random::run(&arguments),
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
            "ci --keep-going",
            "new d",
            "bench thesis --quick",
            "random",
            "random plain:3 history:0..7",
            "random --programs 1000 --seed 40 --style history --chunk 20 --shrink",
            "bench thesis --from a.csv,b.csv",
            "fuzz --inputs 1000 --seed 7 --jobs 2",
        ] {
            let words = ["xtask"].into_iter().chain(line.split(' '));
            assert!(Arguments::try_parse_from(words).is_ok(), "{line}");
        }
    }

    #[test]
    fn unknown_and_missing_arguments_are_refused() {
        for line in ["bench", "bundle", "explain", "new", "test --cuda", "build-ptx extra"] {
            let words = ["xtask"].into_iter().chain(line.split(' '));
            assert_eq!(Arguments::try_parse_from(words).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
    }
}
