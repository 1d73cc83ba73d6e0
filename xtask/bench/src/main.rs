//! `cargo xtask bench`: runs what is measured from one table of cases, and makes pages of the CSVs.

mod bandwidth;
mod case;
mod cell;
mod chart;
mod command;
mod compare;
mod error;
mod folding;
mod form;
mod machine;
mod markdown;
mod missing;
mod output;
mod page;
mod plot;
mod record;
mod report;
mod rows;
mod run;
mod section;
mod source;
mod statistics;
mod thesis;

use std::process::ExitCode;

use clap::Parser;

/// Run benchmarks from the table of cases, verify them, and write CSVs; make pages of those
#[derive(Debug, Parser)]
#[command(name = "xtask-bench", bin_name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Run,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Report(report::Arguments),
    Compare(compare::Arguments),
    ThesisReport(thesis::Arguments),
}

fn main() -> ExitCode {
    let Arguments { command, run } = Arguments::parse();
    error::exit(match command {
        None => run::run(&run),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        Some(Command::ThesisReport(arguments)) => thesis::run(&arguments),
    })
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Arguments, Command};

    #[test]
    fn commands_are_parsed() {
        Arguments::command().debug_assert();
        for line in [
            "",
            "--smoke",
            "pull peers-cpu --filter rmat --baseline cusparse,torch --out a",
            "thesis --dry-run --binary-folder bin --script-folder bench --python python3.12",
            "report --check --from a --out b",
            "compare a.csv b.csv",
            "thesis-report a.csv b.csv",
        ] {
            let words = ["bench"].into_iter().chain(line.split_whitespace());
            let found = Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
            let first = line.split_whitespace().next();
            let is_command = matches!(first, Some("report" | "compare" | "thesis-report"));
            assert_eq!(found.command.is_some(), is_command, "{line}");
        }
        let report = Arguments::try_parse_from(["bench", "report"]).unwrap().command;
        assert!(matches!(report, Some(Command::Report(_))));
    }

    #[test]
    fn missing_and_unknown_arguments_are_refused() {
        for line in ["compare a.csv", "report --smoke", "pull --cuda"] {
            let words = ["bench"].into_iter().chain(line.split_whitespace());
            assert_eq!(Arguments::try_parse_from(words).map_err(|error| error.exit_code()).err(), Some(2), "{line}");
        }
    }
}
