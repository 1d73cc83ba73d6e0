//! The command line of the programs `gcn`, `gin`, `sage` and `gat`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory, Parser, ValueEnum};
use onyx_cli::interrupt::Interruptible;
use onyx_cli::options::{count, positive, seed};
use onyx_cli::verdict::Verdict;
use onyx_data::{gnn_benchmark, planetoid};
use onyx_gnn::dataset::{Dataset, normalize_rows};
use onyx_gnn::error::GnnError;
use onyx_gnn::loss::Accuracy;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_gnn::storage::Storage;
use onyx_gnn::train::{Epoch, train_until};
use onyx_gnn::weight::Optimizer;
use onyx_gnn::{checkpoint, karate};
use onyx_runtime::{Backend, RunError, Session};
use serde_json::json;

use crate::console::{self, complain, note_fallback, say};
use crate::curve::{self, Line};
use crate::outputs::{Outputs, deliver};

/// What a network is made, trained and reported by.
#[derive(Clone, Debug, Parser)]
#[command(version)]
struct Options {
    /// A folder of Planetoid text (NAME.adjlist.txt, .features.txt, .labels.txt, .split.txt), or an .npz file of the GNN benchmark, of which --seed
    /// draws 20 vertices of each class to learn from [default: Zachary's karate club, of which the sides of the two leaders are known]
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// How many steps over all vertices are taken
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = count, allow_negative_numbers = true)]
    epochs: usize,
    /// How many layers the network has, the last one included
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = count, allow_negative_numbers = true)]
    layers: usize,
    /// The features of a hidden layer, of all heads together [default: 16, of gat 64]
    #[arg(long, value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    hidden: Option<usize>,
    /// The heads of attention of a hidden layer, in gat [default: 8]
    #[arg(long, value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    heads: Option<usize>,
    /// What neighbors come to, in sage [default: mean]
    #[arg(long, value_enum)]
    aggregate: Option<Aggregate>,
    /// What scores of attention depend on, in gat: `dynamic` is GATv2 [default: static]
    #[arg(long, value_enum)]
    attention: Option<Attention>,
    /// What edges read rows from, in gcn, in gin and in sage with means: f32, f16 or bf16; weights and sums stay f32
    #[arg(long, default_value_t)]
    storage: Storage,
    /// The learning rate [default: 0.01, of gat 0.005]
    #[arg(long, value_name = "NUMBER", value_parser = positive, allow_negative_numbers = true)]
    rate: Option<f32>,
    /// How likely a value before a layer is to be dropped in training, and in gat an edge [default: 0.5, of gat 0.6]
    #[arg(long, value_name = "NUMBER", value_parser = share, allow_negative_numbers = true)]
    dropout: Option<f32>,
    /// How much of a weight is added to its gradient, of hidden layers alone but in gat [default: 0.0005]
    #[arg(long, value_name = "NUMBER", value_parser = share, allow_negative_numbers = true)]
    decay: Option<f32>,
    /// What everything random is made of
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    seed: u64,
    /// Where to run: auto, cpu, cuda, or emulator if built with `--features emulator`; auto takes the GPU if there is one
    #[arg(long, default_value_t = Backend::Auto)]
    backend: Backend,
    /// Begin with the weights of this safetensors file, such as PyTorch Geometric writes
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Write the weights to this safetensors file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draw the loss, and how many vertices are right, into this SVG file
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// After how many epochs loss and accuracy are read and reported; training waits for nothing in between [default: 10, with --json or --curve 1]
    #[arg(long, alias = "every", value_name = "NUMBER", value_parser = count, allow_negative_numbers = true)]
    report_every: Option<usize>,
    /// Print one JSON object in the end instead of lines
    #[arg(long)]
    json: bool,
}

/// What neighbors come to in GraphSAGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Aggregate {
    /// The mean of their rows
    Mean,
    /// The greatest of each feature
    Max,
}

/// What scores of attention depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Attention {
    /// The sum of a number for each end
    Static,
    /// Both ends at once
    Dynamic,
}

/// What a program does.
fn about(model: Model) -> &'static str {
    match model {
        Model::Gcn => "A graph convolutional network (Kipf and Welling): learns the classes of vertices from a few",
        Model::Gin => "A graph isomorphism network (Xu et al.): learns the classes of vertices from a few",
        Model::Sage | Model::SageMax => "GraphSAGE (Hamilton et al.): learns the classes of vertices from a few",
        Model::Gat | Model::Gatv2 => {
            "A graph attention network (Veličković et al.): learns the classes of vertices from a few"
        }
    }
}

/// A number from 0 to 1, 1 not included.
pub(crate) fn share(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| (0.0..1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is needed, 1 not included".to_owned())
}

/// Trains a model as the command line says; an error is said in one line.
pub fn main(model: Model) -> ExitCode {
    let command = Options::command().name(model.name()).about(about(model));
    console::run(command, |options: &Options| {
        options.check(model)?;
        options.run(options.variant(model))
    })
}

impl Options {
    /// Refuses what another program alone would heed.
    fn check(&self, model: Model) -> Result<(), GnnError> {
        let options = [
            ("--heads", self.heads.is_some(), Model::Gat),
            ("--attention", self.attention.is_some(), Model::Gat),
            ("--aggregate", self.aggregate.is_some(), Model::Sage),
        ];
        match options.into_iter().find(|(_, is_given, of)| *is_given && *of != model) {
            Some((option, _, of)) => Err(GnnError::OptionOfOther { option, program: of.name() }),
            None => Ok(()),
        }
    }

    /// The model of a program that the options ask for.
    fn variant(&self, model: Model) -> Model {
        match model {
            Model::Sage if self.aggregate == Some(Aggregate::Max) => Model::SageMax,
            Model::Gat if self.attention == Some(Attention::Dynamic) => Model::Gatv2,
            _ => model,
        }
    }

    fn run(&self, model: Model) -> Result<(), GnnError> {
        let outputs = Outputs::begin(self.save.as_ref(), self.curve.as_ref())?;
        let (name, set) = self.dataset()?;
        let settings = self.settings(model);
        let session = self.session(model, &set, &settings)?;
        note_fallback(&session);
        let graph = session.graph(&set.graph);
        let mut network = Network::new(model, &graph, &set, settings)?;
        if let Some(path) = &self.load {
            checkpoint::load(&mut network, path)?;
        }
        if !self.json {
            say(outputs.channel, &described(&name, &set))?;
        }
        self.learn(model, &name, &mut network, session.backend(), outputs)
    }

    /// Trains, saves and reports. The last good weights are saved as well where the loss stops being a number.
    fn learn(
        &self,
        model: Model,
        name: &str,
        network: &mut Network<'_>,
        backend: Backend,
        outputs: Outputs,
    ) -> Result<(), GnnError> {
        let (begin, interruptible) = (Instant::now(), Interruptible::begin());
        let (channel, mut said) = (outputs.channel, Ok(()));
        let trained = train_until(
            network,
            self.epochs,
            self.every(),
            || interruptible.is_interrupted(),
            |epoch| {
                // What cannot be said is no reason to lose what is learned.
                if !self.json && said.is_ok() {
                    said = say(channel, &line(epoch));
                }
                ControlFlow::Continue(())
            },
        );
        let seconds = begin.elapsed().as_secs_f64();
        let verdict = verdict(&interruptible, trained.as_ref().map_or(0, |curve| epochs(curve)));
        let saved = deliver(outputs.weights, verdict, || checkpoint::content(network));
        let curve = trained.inspect_err(|_| complain_of(&saved))?;
        let drawn = deliver(outputs.curve, verdict, || draw(model, name, &curve));
        let said = said.and_then(|()| say(channel, &self.report(model, name, &curve, seconds, backend)));
        saved.and(drawn).and(said).and(ended(verdict))
    }

    /// After how many epochs loss and accuracy are read.
    fn every(&self) -> usize {
        self.report_every.unwrap_or(if self.json || self.curve.is_some() { 1 } else { 10 })
    }

    /// What is said in the end.
    fn report(&self, model: Model, name: &str, curve: &[Epoch], seconds: f64, backend: Backend) -> String {
        if self.json {
            return report(model, name, curve, seconds, backend);
        }
        format!("{} epochs in {seconds:.3} s on {backend}", epochs(curve))
    }

    fn dataset(&self) -> Result<(String, Dataset), GnnError> {
        let Some(path) = &self.data else { return Ok(("karate club".to_owned(), karate::dataset()?)) };
        let is_archive = path.extension().is_some_and(|extension| extension == "npz");
        let read = || if is_archive { gnn_benchmark::read(path, self.seed) } else { planetoid::read(path) };
        let mut set = read()?;
        normalize_rows(&mut set.features);
        Ok((path.display().to_string(), set))
    }

    fn settings(&self, model: Model) -> Settings {
        let usual = Settings::of(model);
        let rate = self.rate.unwrap_or(usual.optimizer.rate());
        let decay = |usual: f32| if usual > 0.0 { self.decay.unwrap_or(usual) } else { usual };
        Settings {
            layers: self.layers,
            hidden: self.hidden.unwrap_or(usual.hidden),
            heads: self.heads.unwrap_or(usual.heads),
            dropout: self.dropout.unwrap_or(usual.dropout),
            edge_dropout: if matches!(model, Model::Gat | Model::Gatv2) {
                self.dropout.unwrap_or(usual.edge_dropout)
            } else {
                0.0
            },
            storage: self.storage,
            optimizer: Optimizer::Adam { rate },
            decay: decay(usual.decay),
            last_decay: decay(usual.last_decay),
            seed: self.seed,
        }
    }

    /// The session of the backend that was asked for, in which the model's fold can run.
    fn session(&self, model: Model, set: &Dataset, settings: &Settings) -> Result<Session, RunError> {
        model.session(self.backend, &set.graph, settings)
    }
}

/// What is worth what has been learned in so many epochs.
fn verdict(interruptible: &Interruptible, epochs: usize) -> Verdict {
    if interruptible.is_interrupted() { Verdict::Interrupted { iterations: epochs } } else { Verdict::Good }
}

/// The error that an interrupted run ends with.
fn ended(verdict: Verdict) -> Result<(), GnnError> {
    match verdict {
        Verdict::Interrupted { iterations } => Err(GnnError::Interrupted { epochs: iterations }),
        _ => Ok(()),
    }
}

/// Says that something could not be written, where the program ends with another error.
fn complain_of(written: &Result<(), GnnError>) {
    if let Err(error) = written {
        complain(&format!("error: {error}"));
    }
}

/// How many epochs have run: the last one is always shown.
fn epochs(curve: &[Epoch]) -> usize {
    curve.last().map_or(0, |epoch| epoch.number)
}

fn described(name: &str, set: &Dataset) -> String {
    format!(
        "{name}: {} vertices, {} edges, {} features, {} classes; {} vertices to learn from",
        set.graph.vertex_count(),
        set.graph.edge_count(),
        set.features.ncols(),
        set.classes,
        set.train.len()
    )
}

fn line(epoch: &Epoch) -> String {
    let part = |name: &str, right: Option<f32>| right.map(|right| format!("{name} {:.1} %", 100.0 * right));
    let Epoch { number, loss, accuracy } = epoch;
    let parts = [part("train", accuracy.train), part("validation", accuracy.validation), part("test", accuracy.test)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!("epoch {number:>4}: loss {loss:.4}, right: {}", parts.join(", "))
}

fn draw(model: Model, name: &str, curve: &[Epoch]) -> Result<Vec<u8>, GnnError> {
    let right = |name, part: fn(&Accuracy) -> Option<f32>| Line {
        name,
        values: by_epoch(curve, |epoch| part(&epoch.accuracy).unwrap_or(f32::NAN)),
    };
    let parts = [
        right("train", |part| part.train),
        right("validation", |part| part.validation),
        right("test", |part| part.test),
    ];
    let parts: Vec<Line> = parts.into_iter().filter(|line| line.values.iter().any(|value| value.is_finite())).collect();
    let loss = Line { name: "loss", values: by_epoch(curve, |epoch| epoch.loss) };
    curve::picture(&format!("{} on {name}", model.name()), &loss, &parts)
}

/// A value for each epoch, NaN where it was not reported.
fn by_epoch(curve: &[Epoch], value: impl Fn(&Epoch) -> f32) -> Vec<f32> {
    let mut values = vec![f32::NAN; epochs(curve)];
    curve.iter().for_each(|epoch| values[epoch.number - 1] = value(epoch));
    values
}

fn report(model: Model, name: &str, curve: &[Epoch], seconds: f64, backend: Backend) -> String {
    let losses: Vec<f32> = curve.iter().map(|epoch| epoch.loss).collect();
    let numbers: Vec<usize> = curve.iter().map(|epoch| epoch.number).collect();
    json!({
        "model": model.name(),
        "data": name,
        "backend": backend.to_string(),
        "epochs": epochs(curve),
        "seconds": seconds,
        "loss": losses,
        "loss_epochs": numbers,
        "accuracy": curve.last().map(|epoch| epoch.accuracy),
    })
    .to_string()
}
