//! Commands whose programs are packages of their own, since they need more than the others: nobody compiles that for `doctor`.

use std::ffi::OsString;

use crate::error::Result;
use crate::{metadata, process};

/// What the command's own program takes, its `--help` as well.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

/// Builds the program of a package, and runs it here.
pub fn run(package: &str, arguments: &Arguments) -> Result<()> {
    let manifest = metadata::checkout().join("Cargo.toml");
    let mut command = process::cargo(".".as_ref(), &["run", "--quiet", "--profile", "xtask", "--package", package]);
    command.arg("--manifest-path").arg(manifest).arg("--").args(&arguments.arguments);
    process::run(&mut command)
}
