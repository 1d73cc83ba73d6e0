//! `belief_propagation`: see `belief_propagation --help`.

use std::process::ExitCode;

use onyx_examples::cli::belief_propagation;

fn main() -> ExitCode {
    belief_propagation::main()
}
