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
pub mod interrupt;
pub mod karate;
pub mod label_propagation;
pub mod labels;
pub mod multi_manifold_ranking;
pub mod multimodal_learning;
pub mod network;
pub mod options;
pub mod output;
pub mod pagerank;
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

use error::CliError;
use input::{Input, Source};
use interrupt::Interruptible;
use options::SharedOptions;
use output::{Output, to_standard_output, write_rows};
use progress::Progress;
use repeat::{Timed, repeat};
use solution::Solution;
use verdict::Verdict;

/// An algorithm's command line.
pub trait Program: Parser + Sync {
    /// The algorithm's name in reports.
    const ALGORITHM: &'static str;
    /// The graph that is run if none is named.
    const BUILT_IN: Source = Source::Karate;

    /// The options that all algorithms share.
    fn shared(&self) -> &SharedOptions;

    /// Loads a graph.
    ///
    /// # Errors
    /// There is no such graph, or it is none for this algorithm.
    fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        self.shared().graph.load(source, progress)
    }

    /// Runs the algorithm on one graph.
    ///
    /// # Errors
    /// The options do not fit the graph, or the run fails.
    fn solve(&self, input: &Input, progress: Progress) -> Result<Solution, CliError>;
}

/// Runs an algorithm on each graph of its command line. The help of the programs says what the exit status means.
pub fn main<P: Program>() -> ExitCode {
    start(run::<P>)
}

/// Reads a command line and runs its program; an error is said in one line, and gives the exit status.
fn start<P: Parser + Sync>(run: impl FnOnce(&P) -> Result<(), CliError> + Send) -> ExitCode {
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

fn run<P: Program>(program: &P) -> Result<(), CliError> {
    let options = program.shared();
    let sources = options.graph.sources(P::BUILT_IN);
    if options.report.output.is_some() && sources.len() > 1 {
        return Err(CliError::OutputOfList { graphs: sources.len() });
    }
    sources.into_iter().try_for_each(|source| run_one(program, source))
}

fn run_one<P: Program>(program: &P, source: Source) -> Result<(), CliError> {
    let options = program.shared();
    let output = Output::create_if(options.report.output.as_ref())?;
    let channel = Channel::beside(&output);
    let progress = Progress::new(&options.report);
    let input = program.load(source, progress)?;
    let solve = || program.solve(&input, progress);
    let (solution, runs) = repeat(options.report.repeat, solve, Solution::seconds)?;
    if let Some(reason) = &solution.report.fallback {
        complain(&format!("note: running on the CPU: {reason}"));
    }
    let verdict = Verdict::of(&solution.report, solution.verification, options.report.no_verify);
    let write = |writer: &mut dyn Write| write_rows(writer, input.ids(), &solution.values);
    let delivered = output.map_or(Ok(()), |output| output.deliver(verdict, write));
    channel.print(&if options.report.json {
        report::json(P::ALGORITHM, &input, &solution, runs)?
    } else {
        report::text(&input, &solution)
    })?;
    at_rest(verdict.result(CliError::Diverged), &solution.report).and(delivered)
}

/// Says of a run at rest what was wrong with it.
fn at_rest(result: Result<(), CliError>, report: &Report) -> Result<(), CliError> {
    result.map_err(|error| match error {
        CliError::Disagrees(verification) if report.status.is_at_rest() => CliError::NotAtRest(verification),
        error => error,
    })
}

/// Where a report goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    /// Standard output.
    Output,
    /// Standard error, since the result goes to standard output.
    Error,
}

impl Channel {
    /// The one that no output file takes.
    fn beside<'a>(files: impl IntoIterator<Item = &'a Output>) -> Self {
        if files.into_iter().any(Output::is_standard) { Self::Error } else { Self::Output }
    }

    fn print(self, text: &str) -> Result<(), CliError> {
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
