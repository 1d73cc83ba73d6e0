//! `cargo xtask bench`: measurements that end as tables and plots in the repository.

mod folding;
mod markdown;
mod plot;
mod record;
mod thesis;

use std::process::ExitCode;

use clap::Parser;

/// Measure, and write tables and plots
#[derive(Debug, Parser)]
#[command(name = "xtask-bench", bin_name = "cargo xtask bench")]
enum Arguments {
    Thesis(thesis::Arguments),
}

fn main() -> ExitCode {
    let Arguments::Thesis(arguments) = Arguments::parse();
    xtask::error::exit(thesis::run(&arguments))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Arguments;

    #[test]
    fn commands_are_parsed() {
        Arguments::command().debug_assert();
        for line in ["thesis --quick", "thesis --from a.csv,b.csv"] {
            let words = ["bench"].into_iter().chain(line.split(' '));
            assert!(Arguments::try_parse_from(words).is_ok(), "{line}");
        }
        let missing = Arguments::try_parse_from(["bench"]).map_err(|error| error.exit_code());
        assert_eq!(missing.err(), Some(2));
    }
}
