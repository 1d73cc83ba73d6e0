//! The command line of the algorithms: what all binaries do the same way.

pub mod als;
pub mod als_report;
pub mod belief_propagation;
pub mod error;
pub mod files;
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
pub mod valued;
pub mod verdict;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::{ArgMatches, Parser};
use onyx_device::Fold;
use onyx_runtime::{Report, RunError, Store, converge, explain};

use error::CliError;
use input::{Input, Source};
use interrupt::Interruptible;
use options::{ReportOptions, SharedOptions};
use output::{Output, is_standard, write_rows, write_standard};
use progress::Progress;
use repeat::{Timed, repeat};
use solution::Solution;
use verdict::Verdict;

/// What the help of each program ends with.
const FILES_AND_STATUS: &str = "\
Files appear whole or not at all. One that is there is replaced by a finished, verified answer alone, with --no-verify by a finished one, and
keeps its mode and the links to it; a run that ends at its greatest number of iterations or sweeps is finished. After Ctrl-C in a run, what was
computed so far goes to FILE.interrupted, and an answer that does not agree or could not be verified goes to FILE.unverified.
With - as its FILE, the answer goes to standard output, and the report to standard error.
Exit status: 0 if all is well, 1 if the result diverged or is not verified, 2 for bad input, 129, 130 or 143 after SIGHUP, Ctrl-C or SIGTERM.";

/// An algorithm's command line.
pub trait Program: Parser {
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
fn start<P: Parser>(run: impl FnOnce(&P) -> Result<(), CliError>) -> ExitCode {
    let (program, files) = match parse::<P>() {
        Ok(parsed) => parsed,
        Err(usage) => return refuse(&usage),
    };
    interrupt::listen();
    match files.and_then(|()| run(&program)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The command line, and whether its files can be as it says.
fn parse<P: Parser>() -> Result<(P, Result<(), CliError>), clap::Error> {
    let command = P::command();
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut command = command.after_help(format!("{examples}\n\n{FILES_AND_STATUS}"));
    let matches: ArgMatches = command.try_get_matches_from_mut(std::env::args_os())?;
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

/// Writes a line to standard error, if there is one.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
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
    let text = if options.report.json {
        report::json(P::ALGORITHM, &input, &solution, runs)?
    } else {
        report::text(&input, &solution)
    };
    print(&text, &options.report)?;
    verdict.result(CliError::Diverged).and(delivered)
}

/// Writes a report to standard output, or to standard error where the answer goes to standard output.
fn print(text: &str, options: &ReportOptions) -> Result<(), CliError> {
    if options.output.as_deref().is_some_and(is_standard) {
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    write_standard(|writer| writer.write_all(text.as_bytes()))
}

/// Runs a fold with the shared options, and shows its iterations. Ctrl-C cancels it.
///
/// # Errors
/// As [`converge`].
pub fn iterate<F: Fold>(
    fold: F,
    input: &Input,
    store: &mut Store,
    options: &SharedOptions,
    progress: Progress,
) -> Result<Report, RunError> {
    let interruptible = Interruptible::begin();
    let run = options.run.options();
    if options.report.explain {
        explain(fold, &input.graph, store, &run).iter().for_each(|line| complain(line));
    }
    let bar = progress.iterations(options.run.iterations);
    converge(fold, &input.graph, store, &run, &mut |iteration| {
        bar.show_iteration(iteration);
        if interruptible.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}
