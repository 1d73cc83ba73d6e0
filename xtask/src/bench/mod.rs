//! `bench`: measurements that end as tables and plots in the repository.

mod folding;
mod markdown;
mod plot;
mod record;
mod thesis;

use crate::error::Result;

/// Measure, and write tables and plots
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// What is measured.
#[derive(Debug, clap::Subcommand)]
enum What {
    Thesis(thesis::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Thesis(arguments) => thesis::run(arguments),
    }
}
