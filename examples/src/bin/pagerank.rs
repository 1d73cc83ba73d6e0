//! `pagerank`: see `pagerank --help`.

use std::process::ExitCode;

use onyx_examples::cli::{self, pagerank::PageRankProgram};

fn main() -> ExitCode {
    cli::main::<PageRankProgram>()
}
