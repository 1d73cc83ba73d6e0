//! The command line of the program `graph_classification`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::{CommandFactory, Parser};
use onyx_cli::Channel;
use onyx_cli::interrupt::Interruptible;
use onyx_cli::options::{count, positive, seed};
use onyx_cli::verdict::Verdict;
use onyx_data::small_graphs::{self, GraphCollection};
use onyx_gnn::classifier::ClassifierSettings;
use onyx_gnn::error::GnnError;
use onyx_gnn::gin::combine;
use onyx_gnn::rings;
use onyx_gnn::validation::{Round, Schedule, Score, Validation, cross_validate};
use onyx_runtime::{Backend, Session};
use serde_json::json;

use crate::console::{self, note_fallback, say};
use crate::curve::{self, Line};
use crate::outputs::{Outputs, deliver};
use crate::program::share;

/// A graph isomorphism network (Xu et al.): learns the classes of whole graphs, and says by cross-validation how well.
#[derive(Clone, Debug, Parser)]
#[command(name = "graph_classification", version)]
struct Options {
    /// A collection of graphs: a file in the text form of GIN, plain or gzip-compressed, or a folder of TU Dortmund [default: rings and stars]
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Into how many parts the graphs are cut, each of which is tested with once
    #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = count, allow_negative_numbers = true)]
    folds: usize,
    /// How often all graphs of the other parts are learned from
    #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = count, allow_negative_numbers = true)]
    epochs: usize,
    /// How many graphs are learned from at once
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_parser = count, allow_negative_numbers = true)]
    batch: usize,
    /// How many isomorphism layers the network has
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = count, allow_negative_numbers = true)]
    layers: usize,
    /// The features of each layer
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_parser = count, allow_negative_numbers = true)]
    hidden: usize,
    /// The learning rate
    #[arg(long, value_name = "NUMBER", default_value_t = 0.01, value_parser = positive, allow_negative_numbers = true)]
    rate: f32,
    /// After how many epochs the learning rate is halved, again and again
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = count, allow_negative_numbers = true)]
    halve: usize,
    /// How likely a sum over a graph is to be dropped in training
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5, value_parser = share, allow_negative_numbers = true)]
    dropout: f32,
    /// What everything random is made of
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    seed: u64,
    /// Where to run: auto, cpu, cuda, or emulator if built with `--features emulator`; auto takes the GPU if there is one
    #[arg(long, default_value_t = Backend::Auto)]
    backend: Backend,
    /// Draw the mean loss and accuracy of the folds in each epoch into this SVG file
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Print one JSON object in the end instead of lines
    #[arg(long)]
    json: bool,
}

/// Cross-validates as the command line says.
pub fn main() -> ExitCode {
    console::run(Options::command(), Options::run)
}

impl Options {
    fn run(&self) -> Result<(), GnnError> {
        let outputs = Outputs::begin(None, self.curve.as_ref())?;
        let collection =
            Arc::new(self.data.as_ref().map_or_else(rings::collection, |path| Ok(small_graphs::read(path)?))?);
        let session = Session::able(combine, self.backend, collection.graph(), self.hidden, &Default::default())?;
        note_fallback(&session);
        if !self.json {
            say(outputs.channel, &self.described(&collection))?;
        }
        let (begin, interruptible) = (Instant::now(), Interruptible::begin());
        let mut said = Ok(());
        let is_ended = || interruptible.is_interrupted();
        let validation = cross_validate(&session, &collection, self.settings(), self.schedule(), is_ended, |round| {
            // What cannot be said is no reason to lose what is learned.
            if !self.json && round.epoch == self.epochs && said.is_ok() {
                said = say(outputs.channel, &line(round));
            }
        })?;
        if interruptible.is_interrupted() {
            return Err(GnnError::Interrupted { epochs: validation.rounds.iter().map(Vec::len).sum() });
        }
        let seconds = begin.elapsed().as_secs_f64();
        let said = said.and_then(|()| self.report(&validation, seconds, session.backend(), outputs.channel));
        deliver(outputs.curve, Verdict::Good, || self.draw(&validation)).and(said)
    }

    fn name(&self) -> String {
        self.data.as_ref().map_or_else(|| "rings and stars".to_owned(), |path| path.display().to_string())
    }

    fn settings(&self) -> ClassifierSettings {
        let Self { layers, hidden, dropout, rate, seed, .. } = *self;
        ClassifierSettings { layers, hidden, dropout, rate, seed }
    }

    fn schedule(&self) -> Schedule {
        let Self { folds, epochs, batch, halve, .. } = *self;
        Schedule { folds, epochs, batch, halve }
    }

    fn described(&self, collection: &GraphCollection) -> String {
        format!(
            "{}: {} graphs, {} vertices, {} edges, {} features, {} classes",
            self.name(),
            collection.len(),
            collection.graph().vertex_count(),
            collection.graph().edge_count(),
            collection.columns(),
            collection.classes()
        )
    }

    fn report(
        &self,
        validation: &Validation,
        seconds: f64,
        backend: Backend,
        channel: Channel,
    ) -> Result<(), GnnError> {
        if self.json {
            return say(channel, &self.summary(validation, seconds, backend));
        }
        for (name, score) in [("last epoch", validation.last()), ("best epoch", validation.best())] {
            score.into_iter().try_for_each(|score| say(channel, &described(name, &score)))?;
        }
        say(channel, &format!("{} epochs of {} folds in {seconds:.3} s on {backend}", self.epochs, self.folds))
    }

    fn summary(&self, validation: &Validation, seconds: f64, backend: Backend) -> String {
        let folds: Vec<Option<&Round>> = validation.rounds.iter().map(|rounds| rounds.last()).collect();
        json!({
            "data": self.name(),
            "backend": backend.to_string(),
            "seconds": seconds,
            "folds": folds,
            "last": validation.last(),
            "best": validation.best(),
        })
        .to_string()
    }

    /// The mean over the folds of each epoch.
    fn draw(&self, validation: &Validation) -> Result<Vec<u8>, GnnError> {
        let rounds = &validation.rounds;
        let mean = |epoch: usize| rounds.iter().map(|fold| fold[epoch].loss).sum::<f32>() / rounds.len() as f32;
        let loss = Line { name: "loss", values: (0..self.epochs).map(mean).collect() };
        let values = validation.scores().iter().map(|score| score.mean).collect();
        curve::picture(&self.name(), &loss, &[Line { name: "test", values }])
    }
}

fn line(round: &Round) -> String {
    format!("fold {:>2}: loss {:.4}, right: test {:.1} %", round.fold, round.loss, 100.0 * round.accuracy)
}

fn described(name: &str, score: &Score) -> String {
    let Score { epoch, mean, deviation } = score;
    format!("{name}, {epoch}: {:.1} % +- {:.1}", 100.0 * mean, 100.0 * deviation)
}
