//! `multimodal_learning`: see `multimodal_learning --help`.

use std::process::ExitCode;

use onyx_examples::cli::{self, multimodal_learning::MultimodalLearningProgram};

fn main() -> ExitCode {
    cli::main::<MultimodalLearningProgram>()
}
