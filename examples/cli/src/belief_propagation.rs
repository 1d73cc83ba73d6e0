//! The command line of belief propagation.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Parser;
use onyx_runtime::graph::VertexIds;
use onyx_runtime::{Options, Report, Status};
use serde_json::{Map, Value, json};

use super::complain;
use super::error::CliError;
use super::help;
use super::interrupt::Interruptible;
use super::network::{NetworkInput, NetworkOptions, Origin};
use super::options::{ReportOptions, RunOptions};
use super::output::write_rows;
use super::program::Program;
use super::program::Runner;
use super::progress::Progress;
use super::repeat::{Seconds, Solved};
use super::report::joined;
use super::solution::Values;
use crate::image::{Picture, png};
use onyx_examples::belief_propagation::{self, Check, Propagation, Reference, Scope, flood};
use onyx_examples::markov::order::Order;
use onyx_examples::markov::serial::{Domain, Question, Settings};
use onyx_examples::markov::{Beliefs, DirectedNetwork, Messages, NetworkError};
use onyx_examples::verification::Verification;

/// Below this, rounding may keep messages going around loops forever.
const TOLERANCE: f64 = 1e-5;

const EXAMPLES: &str = "\
Examples:
  belief_propagation --noisy noisy.png --out clean.png
      a built-in picture with noise, before and after
  belief_propagation --image photo.png --states 32 --noise 20 --out clean.png
      takes noise of a standard deviation of 20 of 255 out of each channel
  belief_propagation --model grid.uai.gz --evidence grid.uai.evid.gz --marginals grid.uai.MAR.gz --damping 0.5 --json
      the distribution of each variable, and how far it is from the true one
  belief_propagation --model grid.uai --max-product --assignment states.tsv
      the most probable joint state: states.tsv gets each variable and its state

A model is a UAI file, MARKOV or BAYES, whose factors join one or two variables of up to 64 states; an evidence file that is blank observes nothing.
In a picture each pixel of each channel is a variable, an alpha channel's as well; --out is written with 8 bits a channel. With --damping all messages
are sent in each iteration, so that there is nothing to push. With --max-product what --output has of a state is how probable the best joint state with
it is; where several are best, these alone do not say one of them: --assignment does.
What has settled is verified: without loops against exact elimination, and otherwise by one more iteration, both in 64-bit floats. What has not is
verified by comparing one more iteration with the same in 64-bit floats.";

/// What `--features` takes.
const FEATURES: &str = "The room for a variable's states, 1 to 64 [default: what the variable with the most needs]";

/// What `--tolerance` takes.
const TOLERANCES: &str = "The change of a message's logarithm that is not told the neighbors [default: 1e-5, and 0 where the network has no loops]";

/// What `--output` gets.
const OUTPUT: &str = "Write a line for each variable: its number and the shares of its states, separated by tabs; after those of fewer states come zeros";

/// Belief propagation: finds the distribution of each variable of a Markov network, or takes the noise out of a picture
#[derive(Clone, Debug, Parser)]
#[command(name = "belief_propagation", version, after_help = help::after(EXAMPLES))]
#[command(mut_arg("features", |option| option.help(FEATURES)))]
#[command(mut_arg("tolerance", |option| option.help(TOLERANCES)), mut_arg("output", |option| option.help(OUTPUT)))]
pub struct BeliefPropagationProgram {
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    report: ReportOptions,
    /// Find the most probable joint state in place of each variable's distribution
    #[arg(long, help_heading = "Messages", conflicts_with = "marginals")]
    max_product: bool,
    /// Write a line for each variable: its number and its state in the joint state found, separated by a tab
    #[arg(long, value_name = "FILE", help_heading = "Messages", requires = "max_product")]
    assignment: Option<PathBuf>,
    /// The part of the old message in a new one, at least 0 and less than 1
    #[arg(long, value_name = "NUMBER", help_heading = "Messages", default_value_t = 0.0, value_parser = damping,
          allow_negative_numbers = true)]
    damping: f64,
    /// Mix the logarithms of messages in place of messages
    #[arg(long, help_heading = "Messages")]
    log_damping: bool,
}

/// What a run has found.
#[derive(Debug)]
pub struct Answer {
    beliefs: Beliefs,
    /// The most probable states, if they were asked for.
    assignment: Option<Vec<usize>>,
    /// The picture of the answer, if the network was one's.
    denoised: Option<Picture>,
    report: Report,
    check: Option<Check>,
}

impl Solved for Answer {
    fn report(&self) -> &Report {
        &self.report
    }

    fn verification(&self) -> Option<Verification> {
        self.check.map(|check| check.verification)
    }
}

impl Program for BeliefPropagationProgram {
    type Source = ();
    type Input = NetworkInput;
    type Answer = Answer;

    fn reporting(&self) -> &ReportOptions {
        &self.report
    }

    fn sources(&self) -> Result<Vec<()>, CliError> {
        Ok(vec![()])
    }

    /// What is believed of each variable, the pictures and the joint state, which go by one verdict, so that they belong together.
    fn files(&self) -> Vec<Option<&PathBuf>> {
        [&self.report.output, &self.network.noisy, &self.network.out, &self.assignment].map(Option::as_ref).into()
    }

    fn load(&self, (): (), _progress: Progress) -> Result<NetworkInput, CliError> {
        self.network.load()
    }

    fn runner<'a>(&'a self, input: &'a NetworkInput, progress: Progress) -> Result<Runner<'a, Answer>, CliError> {
        let network = &input.network;
        let unsolvable = |problem: NetworkError| CliError::Unsolvable { network: input.name.clone(), problem };
        let width = belief_propagation::width(network, self.run.features).map_err(unsolvable)?;
        let directed = DirectedNetwork::new(network, width);
        let directed = directed.map_err(|problem| CliError::Layout { network: input.name.clone(), problem })?;
        let (settings, scope) = (self.settings(input), self.scope());
        let session = self.run.session(flood, &directed.graph, width)?;
        Ok(Box::new(move || {
            let mut propagation = Propagation::new(&session, &directed, &settings, scope)?;
            let report = self.iterate(&mut propagation, progress)?;
            let places = Messages::new(network);
            let messages = propagation.messages(&places)?;
            let beliefs = places.beliefs(&messages).map_err(unsolvable)?;
            let is_checked = !self.report.no_verify;
            let check = match report.status {
                status if is_checked && status.is_at_rest() => {
                    Some(belief_propagation::check(network, &messages, &settings).map_err(unsolvable)?)
                }
                Status::IterationLimit if is_checked => {
                    self.step(&mut propagation)?;
                    let next = propagation.messages(&places)?;
                    Some(belief_propagation::check_step(network, &messages, &next, &settings).map_err(unsolvable)?)
                }
                _ => None,
            };
            let assignment = self.max_product.then(|| places.assignment(&messages));
            let denoised = denoised(input, &beliefs, assignment.as_deref());
            Ok(Answer { beliefs, assignment, denoised, report, check })
        }))
    }

    fn write(&self, file: usize, input: &NetworkInput, answer: &Answer, writer: &mut dyn Write) -> io::Result<()> {
        if let (3, Some(assignment)) = (file, &answer.assignment) {
            return assignment
                .iter()
                .enumerate()
                .try_for_each(|(variable, state)| writeln!(writer, "{variable}\t{state}"));
        }
        match (file, &input.origin, &answer.denoised) {
            (0, ..) => {
                let ids = VertexIds::Dense { first: 0, count: input.network.variable_count() };
                write_rows(writer, &ids, &values(input, &answer.beliefs))
            }
            (1, Origin::Picture { noisy, .. }, _) => png::write(writer, noisy),
            (_, _, Some(denoised)) => png::write(writer, denoised),
            _ => Ok(()),
        }
    }

    fn report(&self, input: &NetworkInput, answer: &Answer, runs: &[Seconds]) -> Result<String, CliError> {
        let (result, lines) = self.result(input, answer);
        Ok(if self.report.json { json(input, answer, runs, result) } else { text(input, answer, &lines) })
    }

    /// The error, which says what a wrong answer was compared with.
    fn explained(&self, error: CliError, answer: &Answer) -> CliError {
        match (error, answer.check.map(|check| check.reference)) {
            (CliError::Disagrees(verification), Some(Reference::Elimination)) => CliError::NotExact(verification),
            (CliError::Disagrees(verification), Some(Reference::Iteration)) => CliError::NotAtRest(verification),
            (CliError::Disagrees(verification), Some(Reference::Step)) => CliError::OtherStep(verification),
            (error, _) => error,
        }
    }
}

impl BeliefPropagationProgram {
    /// Runs one more iteration, in which all variables take part.
    fn step(&self, propagation: &mut Propagation<'_>) -> Result<(), CliError> {
        let options = Options { change_driven: true, iterations: 1, ..self.run.options() };
        propagation.run(&options, &mut |_| ControlFlow::Continue(()))?;
        Ok(())
    }

    /// Runs the fold, and shows its iterations. Ctrl-C cancels it.
    fn iterate(&self, propagation: &mut Propagation<'_>, progress: Progress) -> Result<Report, CliError> {
        let interruptible = Interruptible::begin();
        // What is sent is decided by the fold: with all edges or with those of variables that have heard something new.
        let options = Options { change_driven: true, ..self.run.options() };
        if self.report.explain {
            propagation.explain(&options).iter().for_each(|line| complain(line));
        }
        let bar = progress.iterations(self.run.iterations);
        let report = propagation.run(&options, &mut |iteration| {
            bar.show_iteration(iteration);
            if interruptible.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(report)
    }

    /// A damped message changes again when it is sent again, though its sender has heard nothing new: then all are sent.
    fn scope(&self) -> Scope {
        if self.run.no_change_driven { Scope::All } else { Scope::of(self.damping) }
    }

    fn settings(&self, input: &NetworkInput) -> Settings {
        // Without loops messages come to rest by themselves.
        let default = || if Order::of(&input.network).is_forest { 0.0 } else { TOLERANCE };
        Settings {
            question: if self.max_product { Question::Assignment } else { Question::Marginals },
            damping: self.damping,
            domain: if self.log_damping { Domain::Logarithmic } else { Domain::Linear },
            tolerance: self.run.tolerance.map_or_else(default, f64::from),
            iterations: self.run.iterations,
        }
    }

    /// What is particular to this network: fields of the JSON object, and lines of text.
    fn result(&self, input: &NetworkInput, answer: &Answer) -> (Map<String, Value>, Vec<String>) {
        let (mut result, mut lines) = (Map::new(), Vec::new());
        result.insert("max_product".to_owned(), self.max_product.into());
        if let Some(assignment) = &answer.assignment {
            let score = input.network.log_score(assignment);
            result.insert("log_score".to_owned(), score.into());
            lines.push(scored(score));
        }
        match &input.origin {
            Origin::Model { observed, marginals } => {
                result.insert("observed".to_owned(), (*observed).into());
                compare(&answer.beliefs, marginals.as_ref(), &mut result, &mut lines);
            }
            Origin::Picture { noisy, clean, .. } => {
                let size = json!({ "width": noisy.width, "height": noisy.height, "channels": noisy.channels });
                result.insert("picture".to_owned(), size);
                rate(noisy, clean.as_ref(), answer.denoised.as_ref(), &mut result, &mut lines);
            }
        }
        (result, lines)
    }
}

/// The picture of the answer, if the network was one's.
fn denoised(input: &NetworkInput, beliefs: &Beliefs, assignment: Option<&[usize]>) -> Option<Picture> {
    let Origin::Picture { noisy, model, .. } = &input.origin else { return None };
    Some(match assignment {
        Some(assignment) => model.picture(noisy, assignment),
        None => model.mean(noisy, beliefs),
    })
}

/// How far the beliefs are from the true marginals.
fn compare(beliefs: &Beliefs, marginals: Option<&Beliefs>, result: &mut Map<String, Value>, lines: &mut Vec<String>) {
    let Some(marginals) = marginals else { return };
    let distance = beliefs.distance(marginals);
    let (greatest, mean) = (distance.greatest, distance.mean);
    result.insert("distance".to_owned(), json!({ "greatest": greatest, "mean": mean }));
    lines.push(format!("shares differ from the true marginals by {greatest:.6} at most, by {mean:.6} in the mean"));
}

/// What states that were found are worth. A network with loops may let each variable's state seem possible where they contradict each other.
fn scored(score: f64) -> String {
    match score {
        f64::NEG_INFINITY => "the states found contradict each other: their log score is -inf".to_owned(),
        score => format!("the states found have the log score {score:.6}"),
    }
}

/// How much of the noise is gone.
fn rate(
    noisy: &Picture,
    clean: Option<&Picture>,
    denoised: Option<&Picture>,
    result: &mut Map<String, Value>,
    lines: &mut Vec<String>,
) {
    let (Some(clean), Some(denoised)) = (clean, denoised) else { return };
    let (before, after) = (noisy.peak_ratio(clean), denoised.peak_ratio(clean));
    result.insert("decibels".to_owned(), json!({ "noisy": before, "denoised": after }));
    lines.push(format!("peak signal-to-noise ratio: {before:.2} dB before, {after:.2} dB after"));
}

fn json(input: &NetworkInput, answer: &Answer, runs: &[Seconds], result: Map<String, Value>) -> String {
    let (network, report) = (&input.network, &answer.report);
    let object = json!({
        "algorithm": "belief_propagation",
        "network": {
            "name": input.name, "variables": network.variable_count(), "pairs": network.pairs().len(),
            "states": network.greatest_states(),
        },
        "backend": report.backend.to_string(),
        "device": report.device,
        "schedule": report.schedule,
        "explain": report.explain,
        "iterations": report.iterations.len(),
        "status": report.status,
        "active": report.iterations.iter().map(|iteration| iteration.active).collect::<Vec<_>>(),
        "verified": answer.check.map(|check| check.verification.agrees()),
        "difference": answer.check.map(|check| check.verification.difference),
        "reference": answer.check.map(|check| match check.reference {
            Reference::Elimination => "elimination",
            Reference::Iteration => "iteration",
            Reference::Step => "step",
        }),
        "seconds": {
            "load": input.load.as_secs_f64(),
            "prepare": report.prepare.as_secs_f64(),
            "run": report.run.as_secs_f64(),
            "runs": runs.iter().map(|run| run.iterations).collect::<Vec<_>>(),
        },
        "result": result,
    });
    format!("{object}\n")
}

fn text(input: &NetworkInput, answer: &Answer, lines: &[String]) -> String {
    let network = &input.network;
    let (variables, pairs, states) = (network.variable_count(), network.pairs().len(), network.greatest_states());
    let report = &answer.report;
    let head = [
        format!("{}: {variables} variables of {states} states at most, {pairs} pairs", input.name),
        format!(
            "{} after {} iterations in {:.3} ms on {} ({})",
            report.status,
            report.iterations.len(),
            report.run.as_secs_f64() * 1e3,
            report.device,
            report.schedule
        ),
        verdict(answer),
    ];
    joined(&[&head, lines].concat())
}

/// What the verification says.
fn verdict(answer: &Answer) -> String {
    match answer.check.map(|check| (check.reference, check.verification.difference)) {
        Some((Reference::Elimination, difference)) => {
            format!("differs by {difference:.1e} from exact elimination in 64-bit floats")
        }
        Some((Reference::Iteration, difference)) => {
            format!("at rest: one more iteration in 64-bit floats changes it by {difference:.1e}")
        }
        Some((Reference::Step, difference)) => {
            format!(
                "messages were still changing: one more iteration differs by {difference:.1e} from that in 64-bit floats"
            )
        }
        None => "not verified".to_owned(),
    }
}

/// The beliefs for `--output`; rows of fewer states end in zeros.
fn values(input: &NetworkInput, beliefs: &Beliefs) -> Values {
    let width = input.network.greatest_states().max(1);
    let rows = beliefs.rows();
    let padded = |row: &[f64]| (0..width).map(|state| row.get(state).map_or(0.0, |&share| share as f32)).collect();
    Values { values: rows.flat_map(|row| -> Vec<f32> { padded(row) }).collect(), width }
}

/// A number of at least 0 and less than 1.
fn damping(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.0..1.0).contains(number));
    number.ok_or_else(|| "a number of at least 0 and less than 1 is needed".to_owned())
}
