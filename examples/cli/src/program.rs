//! What all programs do the same way: files are begun before anything is loaded, and an answer is judged, written and reported.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Parser;

use super::error::CliError;
use super::input::{Input, Source};
use super::options::{ReportOptions, SharedOptions};
use super::order::Order;
use super::output::{Output, write_rows};
use super::progress::Progress;
use super::repeat::{Seconds, Solved, repeat};
use super::solution::Solution;
use super::verdict::Verdict;
use super::{Channel, complain, report};

/// Solves an input as often as it is called: on a graph that stays where it is, in one session.
pub type Runner<'a, A> = Box<dyn FnMut() -> Result<A, CliError> + 'a>;

/// An algorithm's command line.
pub trait Program: Parser + Sync {
    /// What names an input, such as a graph's file.
    type Source;
    /// What is solved.
    type Input;
    /// What is found.
    type Answer: Solved;

    /// What is reported, and where.
    fn reporting(&self) -> &ReportOptions;

    /// What is solved, one after the other.
    ///
    /// # Errors
    /// The options do not fit each other.
    fn sources(&self) -> Result<Vec<Self::Source>, CliError>;

    /// The files that an answer goes to, where they were asked for.
    fn files(&self) -> Vec<Option<&PathBuf>> {
        vec![self.reporting().output.as_ref()]
    }

    /// Loads an input.
    ///
    /// # Errors
    /// There is no such input, or it is none for this algorithm.
    fn load(&self, source: Self::Source, progress: Progress) -> Result<Self::Input, CliError>;

    /// What runs the algorithm on an input, with what all runs have in common.
    ///
    /// # Errors
    /// The options do not fit the input; of what is returned as well, or the run fails.
    fn runner<'a>(&'a self, input: &'a Self::Input, progress: Progress) -> Result<Runner<'a, Self::Answer>, CliError>;

    /// Writes the answer to one of the [files](Self::files), by its number among them.
    ///
    /// # Errors
    /// As `writer`.
    fn write(&self, file: usize, input: &Self::Input, answer: &Self::Answer, writer: &mut dyn Write) -> io::Result<()>;

    /// The report: lines of text, or one of JSON.
    ///
    /// # Errors
    /// None in practice: every field has a form in JSON.
    fn report(&self, input: &Self::Input, answer: &Self::Answer, runs: &[Seconds]) -> Result<String, CliError>;

    /// The error that an answer ends the program with, which says what is wrong with this one.
    fn explained(&self, error: CliError, answer: &Self::Answer) -> CliError;
}

/// Solves everything that a command line asks for.
pub(super) fn run<P: Program>(program: &P) -> Result<(), CliError> {
    program.sources()?.into_iter().try_for_each(|source| run_one(program, source))
}

fn run_one<P: Program>(program: &P, source: P::Source) -> Result<(), CliError> {
    let options = program.reporting();
    let outputs = program.files().into_iter().map(Output::create_if).collect::<Result<Vec<_>, _>>()?;
    let channel = Channel::beside(outputs.iter().flatten());
    let progress = Progress::new(options);
    let input = program.load(source, progress)?;
    let (answer, runs) = repeat(options.repeat, program.runner(&input, progress)?)?;
    if let Some(reason) = &answer.report().fallback {
        complain(&format!("note: running on the CPU: {reason}"));
    }
    let verdict = Verdict::of(answer.report(), answer.verification(), options.no_verify);
    let delivered = deliver(program, outputs, verdict, &input, &answer);
    channel.print(&program.report(&input, &answer, &runs)?)?;
    verdict.result().map_err(|error| program.explained(error, &answer)).and(delivered)
}

/// Puts the answer where one that is worth `verdict` belongs; the first error of several counts.
fn deliver<P: Program>(
    program: &P,
    outputs: Vec<Option<Output>>,
    verdict: Verdict,
    input: &P::Input,
    answer: &P::Answer,
) -> Result<(), CliError> {
    let outputs = outputs.into_iter().enumerate().filter_map(|(file, output)| Some((file, output?)));
    let mut delivered = Ok(());
    for (file, output) in outputs {
        let next = output.deliver(verdict, |writer| program.write(file, input, answer, writer));
        delivered = delivered.and(next);
    }
    delivered
}

/// The command line of an algorithm that has values for the vertices of a graph.
pub trait GraphProgram: Parser + Sync {
    /// The algorithm's name in reports.
    const ALGORITHM: &'static str;
    /// The graph that is run if none is named.
    const BUILT_IN: Source = Source::Karate;

    /// The options that all such algorithms share.
    fn shared(&self) -> &SharedOptions;

    /// Loads a graph.
    ///
    /// # Errors
    /// There is no such graph, or it is none for this algorithm.
    fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        self.shared().graph.load(source, progress)
    }

    /// What runs the algorithm on one graph.
    ///
    /// # Errors
    /// As [`Program::runner`].
    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError>;
}

impl<P: GraphProgram> Program for P {
    type Source = Source;
    type Input = Input;
    type Answer = Solution;

    fn reporting(&self) -> &ReportOptions {
        &self.shared().report
    }

    fn sources(&self) -> Result<Vec<Source>, CliError> {
        let sources = self.shared().graph.sources(P::BUILT_IN);
        let is_one_too_few = self.reporting().output.is_some() && sources.len() > 1;
        if is_one_too_few { Err(CliError::OutputOfList { graphs: sources.len() }) } else { Ok(sources) }
    }

    fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        let input = GraphProgram::load(self, source, progress)?;
        let order = self.shared().graph.order;
        if order == Order::None {
            return Ok(input);
        }
        let _bar = progress.waiting("ordering the vertices");
        input.ordered(order)
    }

    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError> {
        GraphProgram::runner(self, input, progress)
    }

    fn write(&self, _file: usize, input: &Input, solution: &Solution, writer: &mut dyn Write) -> io::Result<()> {
        write_rows(writer, input.ids(), &solution.values)
    }

    fn report(&self, input: &Input, solution: &Solution, runs: &[Seconds]) -> Result<String, CliError> {
        if self.reporting().json {
            report::json(P::ALGORITHM, input, solution, runs)
        } else {
            Ok(report::text(input, solution))
        }
    }

    fn explained(&self, error: CliError, solution: &Solution) -> CliError {
        match error {
            CliError::Disagrees(verification) if solution.report.status.is_at_rest() => {
                CliError::NotAtRest(verification)
            }
            error => error,
        }
    }
}
