//! What can go wrong in `cargo xtask bench`, and what to do about it.

use std::path::PathBuf;
use std::process::ExitCode;

use xtask::error::indented;

/// The result of every command here.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Xtask(#[from] xtask::error::Error),
    #[error("{file}: {reason}")]
    Data { file: &'static str, reason: String },
    #[error("no suite is named `{name}`; there are: {suites}")]
    NoSuite { name: String, suites: String },
    #[error("no case compares with `{name}`; there are: {baselines}")]
    NoBaseline { name: String, baselines: String },
    #[error("none of the cases that were asked for is left: {choice}; `cargo xtask bench --dry-run` prints all")]
    NoCase { choice: String },
    #[error("no case ran: this machine lacks what each of them needs")]
    NothingRan,
    #[error("failed:{}", indented(.0))]
    Failed(Vec<String>),
    #[error("{} has rows of these cases, which do not run now:{}\nrun all of its cases, or write elsewhere with --out", .path.display(), indented(.cases))]
    PartOfTable { path: PathBuf, cases: Vec<String> },
    #[error("{name}: {reason}")]
    NotRows { name: String, reason: String },
    #[error("{name} has no column `{column}`; it has {columns}")]
    NoColumn { name: String, column: &'static str, columns: String },
    #[error("{name}, line {line}: `{text}` in the column `{column}` is not a number")]
    NoNumber { name: String, line: usize, column: String, text: String },
    #[error("{first} and {second} have different columns: only the first has {}; only the second has {}", list(.only_first), list(.only_second))]
    OtherColumns { first: String, second: String, only_first: Vec<String>, only_second: Vec<String> },
    #[error("{first} and {second} have no row in common")]
    NothingInCommon { first: String, second: String },
    #[error(
        "{name} does not say where and when it was measured: a line such as `# NVIDIA H200, driver 580.159.04, 2026-11-23`"
    )]
    NoSource { name: String },
    #[error("{name} has no row that compares anything: {wanted}")]
    NothingCompared { name: String, wanted: String },
    #[error("not what the CSVs give; write anew with `cargo xtask bench report`:{}", indented(.0))]
    Stale(Vec<String>),
    #[error("{path}: {reason}; name a CSV that bench_thesis or bench_fold has written")]
    NotMeasured { path: PathBuf, reason: String },
    #[error("could not draw {what}: {reason}")]
    Plot { what: String, reason: String },
}

impl Error {
    /// 2 for something wrong with the input or the machine, 1 for a check that failed.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Xtask(error) => error.exit_code(),
            Self::Failed(_) | Self::Stale(_) => 1,
            _ => 2,
        }
    }
}

/// Says what went wrong, if anything did, and how the program ends.
pub fn exit(result: Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::from(error.exit_code())
}

fn list(columns: &[String]) -> String {
    if columns.is_empty() { "none".to_owned() } else { columns.join(", ") }
}
