//! `als`: see `als --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    onyx_examples::cli::als::main()
}
