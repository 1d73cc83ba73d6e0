//! `label_propagation`: see `label_propagation --help`.

use std::process::ExitCode;

use onyx_examples::cli::{self, label_propagation::LabelPropagationProgram};

fn main() -> ExitCode {
    cli::main::<LabelPropagationProgram>()
}
