//! The command line of the algorithms: what all binaries do the same way.
#![deny(missing_docs)]

pub mod als;
pub mod als_report;
pub mod als_sweeps;
pub mod belief_propagation;
pub mod error;
pub mod files;
pub mod help;
pub mod image;
pub mod input;
pub mod inspect;
pub mod interrupt;
pub mod karate;
pub mod label_propagation;
pub mod labels;
pub mod multi_manifold_ranking;
pub mod multimodal_learning;
pub mod network;
pub mod options;
pub mod order;
pub mod output;
pub mod pagerank;
pub mod program;
pub mod progress;
pub mod ratings;
pub mod repeat;
pub mod report;
pub mod seeds;
pub mod solution;
pub mod threads;
pub mod valued;
pub mod verdict;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::Parser;
use onyx_device::{Fold, FoldOf};
use onyx_runtime::file::remove_unfinished;
use onyx_runtime::text::escaped;
use onyx_runtime::{Data, Iteration, Report, ResidentGraph, RunError, RunFold, memory};

pub use program::{GraphProgram, Program};

use error::CliError;
use interrupt::Interruptible;
use options::SharedOptions;
use output::{Output, to_standard_output};
use progress::Progress;

/// Runs an algorithm on everything that its command line names; an error is said in one line. The help of the programs says what the exit
/// status means.
pub fn main<P: Program>() -> ExitCode {
    main_of::<P>(program::run)
}

/// As [`main`], for a program that is no algorithm: `run` does what its command line asks for.
pub fn main_of<P: Parser + Sync>(run: impl Fn(&P) -> Result<(), CliError> + Sync) -> ExitCode {
    let (program, files) = match parse::<P>() {
        Ok(parsed) => parsed,
        Err(usage) => return refuse(&usage),
    };
    memory::before_exit(remove_unfinished);
    // Who listens is a thread, too.
    if threads::has_room() {
        interrupt::listen();
    }
    match files.and_then(|()| threads::start()).and_then(|()| threads::with_stack(|| run(&program))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The command line, and whether its files can be as it says.
fn parse<P: Parser>() -> Result<(P, Result<(), CliError>), clap::Error> {
    let mut command = P::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Ok((P::from_arg_matches(&matches)?, files::check(&command, &matches)))
}

/// Shows help, or says in one line what is wrong with the command line.
fn refuse(usage: &clap::Error) -> ExitCode {
    if !usage.use_stderr() {
        // Help that nobody reads on is no failure.
        let _ = usage.print();
        return ExitCode::SUCCESS;
    }
    let message = usage.to_string();
    let lines: Vec<&str> = message.split("\n\n").next().unwrap_or_default().lines().map(str::trim).collect();
    complain(&format!("{} (--help shows all options)", lines.join(" ")));
    ExitCode::from(2)
}

/// Writes a line to standard error, if there is one. Nothing in it is for the terminal to obey.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{}", escaped(line));
}

/// Where a report goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Standard output.
    Output,
    /// Standard error, since the result goes to standard output.
    Error,
}

impl Channel {
    /// The one that no output file takes.
    pub fn beside<'a>(files: impl IntoIterator<Item = &'a Output>) -> Self {
        if files.into_iter().any(Output::is_standard) { Self::Error } else { Self::Output }
    }

    /// Prints a text. Who reads no further is no failure.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn print(self, text: &str) -> Result<(), CliError> {
        match self {
            Self::Output => to_standard_output(|writer| writer.write_all(text.as_bytes())),
            Self::Error => {
                let _ = io::stderr().write_all(text.as_bytes());
                Ok(())
            }
        }
    }
}

/// Runs a fold where its graph and data are, with the shared options, and shows its iterations. Ctrl-C cancels it.
///
/// # Errors
/// As [`RunOn::until_settled`](onyx_runtime::RunOn::until_settled).
pub fn iterate<D, F: FoldOf<D>>(
    fold: F,
    graph: &ResidentGraph<'_>,
    data: &mut Data<D>,
    options: &SharedOptions,
    progress: Progress,
) -> Result<Report, RunError> {
    let interruptible = Interruptible::begin();
    let run = options.run.options();
    if options.report.explain {
        data.explain(fold, graph, &run).iter().for_each(|line| complain(line));
    }
    let bar = progress.iterations(options.run.iterations);
    let observer = |iteration: &Iteration| {
        bar.show_iteration(iteration);
        if interruptible.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    fold.on(graph, data).observed(observer).until_settled(&run)
}

/// The most features that a fold takes at once.
fn widest<F: Fold>(_fold: F) -> usize {
    F::WIDTHS.last().copied().unwrap_or(0)
}
