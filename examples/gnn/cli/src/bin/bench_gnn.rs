//! Times inference and steps of training of a network, and says what it timed as CSV.
//!
//! What is timed is recorded: a GPU replays one graph. Before, the losses of recorded steps are compared with those of steps that come one fold at a time.

use std::error::Error;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Parser, ValueEnum};
use onyx_cli::options::count;
use onyx_data::{gnn_benchmark, planetoid};
use onyx_gnn::dataset::{Dataset, normalize_rows};
use onyx_gnn::model::Model;
use onyx_gnn::molecules;
use onyx_gnn::network::Network;
use onyx_gnn::random::bits;
use onyx_gnn::settings::Settings;
use onyx_gnn::storage::Storage;
use onyx_runtime::graph::{Generator, Graph, LoadOptions};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Backend, Session};

/// How far a loss may be from that of a step without a recording, relatively: sums of long rows may be added up in another order.
const TOLERANCE: f32 = 1e-4;
/// After how many steps losses are compared each time. Nobody looks at the first ones, so that a GPU repeats the second one; the last one is called and replayed. Where random features teach nothing,
/// last bits decide a few steps later.
const COMPARED: [usize; 2] = [3, 1];
/// Classes of a generated graph.
const CLASSES: usize = 7;

/// Time inference and training steps of a network, and print CSV.
#[derive(Parser)]
#[command(group(clap::ArgGroup::new("source").required(true).args(["data", "graph", "generate"])))]
struct Arguments {
    /// Which layers the network has.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "gcn")]
    model: Vec<Which>,
    /// A folder of Planetoid text, or an .npz file of the GNN benchmark.
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// An edge list or Matrix Market file, whose vertices get random features and classes.
    #[arg(long, value_name = "PATH")]
    graph: Option<PathBuf>,
    /// A graph to generate, such as rmat:20:16, with random features and classes; molecules:4096 is a batch of so many small graphs.
    #[arg(long, value_name = "GENERATOR")]
    generate: Option<String>,
    /// Features of each vertex of a graph that has none.
    #[arg(long, value_name = "NUMBER", default_value_t = 96, value_parser = count)]
    features: usize,
    /// The features of the hidden layer [default: 16, of gat 64].
    #[arg(long, value_name = "NUMBER", value_parser = count)]
    hidden: Option<usize>,
    /// How many layers the network has, the last one included.
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = count)]
    layers: usize,
    /// What edges read rows from, in gcn, gin and sage: f32, f16 or bf16. The column `way` says it where it is not f32.
    #[arg(long, default_value_t)]
    storage: Storage,
    /// How likely a value before a layer is to be dropped [default: as in training with --data, otherwise 0].
    #[arg(long, value_name = "NUMBER")]
    dropout: Option<f32>,
    /// Where to run: cpu, cuda or emulator.
    #[arg(long, default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Timed runs, of which the median counts.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = count)]
    repeat: usize,
    /// Runs before those.
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    warm_up: usize,
    /// What everything random is made of.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

/// The models by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    Gcn,
    Gin,
    Sage,
    SageMax,
    Gat,
    Gatv2,
}

impl Which {
    fn model(self) -> Model {
        match self {
            Self::Gcn => Model::Gcn,
            Self::Gin => Model::Gin,
            Self::Sage => Model::Sage,
            Self::SageMax => Model::SageMax,
            Self::Gat => Model::Gat,
            Self::Gatv2 => Model::Gatv2,
        }
    }
}

/// Milliseconds of one run, waited for, and of one of many that are waited for together.
struct Times {
    waited: f64,
    queued: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    // As the programs run: a thread of the pool does not sleep until the others have done what it gave them.
    Ok(rayon::scope(|_| run(&arguments).map_err(|error| error.to_string()))?)
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let (name, set) = arguments.dataset()?;
    let columns = "model,graph,vertices,edges,features,hidden,way,layers,backend,ms_inference,ms_step,ms_inference_queued,ms_step_queued,peak_mib";
    writeln!(io::stdout(), "{columns}")?;
    for which in &arguments.model {
        writeln!(io::stdout(), "{}", arguments.row(*which, &name, &set)?)?;
    }
    Ok(())
}

impl Arguments {
    fn dataset(&self) -> Result<(String, Dataset), Box<dyn Error>> {
        if let Some(generator) = &self.generate {
            return Ok((self.named(generator), self.described(graph(generator, self.seed)?)));
        }
        if let Some(path) = &self.graph {
            let graph = Graph::load(path, &LoadOptions::default())?;
            return Ok((self.named(&file_name(path)), self.described(graph)));
        }
        let path = self.data.as_deref().unwrap_or(Path::new("."));
        let is_archive = path.extension().is_some_and(|extension| extension == "npz");
        let mut set = if is_archive { gnn_benchmark::read(path, self.seed)? } else { planetoid::read(path)? };
        normalize_rows(&mut set.features);
        Ok((self.named(&file_name(path)), set))
    }

    /// The name of a graph, with the layers where they are more or fewer than two.
    fn named(&self, graph: &str) -> String {
        if self.layers == 2 { graph.to_owned() } else { format!("{graph} of {} layers", self.layers) }
    }

    /// A graph with random features and classes; one vertex of twenty is learned from.
    fn described(&self, graph: Graph) -> Dataset {
        let (vertices, seed) = (graph.vertex_count(), self.seed as u32);
        let number = |row: usize, column: usize| bits(seed, row as u32, column as u32, 0) as f32 / u32::MAX as f32;
        let features = Array2::from_shape_fn((vertices, self.features), |(row, column)| number(row, column) - 0.5);
        let labels = (0..vertices).map(|row| bits(seed, row as u32, 0, 1) % CLASSES as u32).collect();
        let part = |range: Range<usize>| range.step_by(20).map(|vertex| vertex as u32).collect();
        let [train, validation, test] = [part(0..vertices), part(1..vertices), part(2..vertices)];
        Dataset { graph, features, labels, classes: CLASSES, train, validation, test }
    }

    fn settings(&self, model: Model) -> Settings {
        let usual = Settings::of(model);
        let of_source = |usual: f32| self.dropout.unwrap_or(if self.data.is_none() { 0.0 } else { usual });
        Settings {
            layers: self.layers,
            hidden: self.hidden.unwrap_or(usual.hidden),
            dropout: of_source(usual.dropout),
            edge_dropout: of_source(usual.edge_dropout),
            storage: self.storage,
            seed: self.seed,
            ..usual
        }
    }

    /// Verifies a model, and times it.
    fn row(&self, which: Which, name: &str, set: &Dataset) -> Result<String, Box<dyn Error>> {
        let (model, settings) = (which.model(), self.settings(which.model()));
        let session = Session::of(self.backend)?;
        let graph = session.graph(&set.graph);
        {
            let network = || Network::new(model, &graph, set, settings);
            verify(&mut network()?, &mut network()?)?;
        }
        session.forget_peak_memory();
        let mut network = Network::new(model, &graph, set, settings)?;
        let inference = self.time(&session, &mut network, |network| Ok(network.infer()?))?;
        let step = self.time(&session, &mut network, |network| Ok(network.step()?))?;
        network.loss()?;
        let peak = session.peak_memory().map_or_else(String::new, |bytes| (bytes >> 20).to_string());
        let (vertices, edges) = (set.graph.vertex_count(), set.graph.edge_count());
        let name = name.replace(',', ";");
        let way = if self.storage == Storage::F32 { "Onyx".to_owned() } else { format!("Onyx {}", self.storage) };
        Ok(format!(
            "{},{name},{vertices},{edges},{},{},{way},{},{},{:.4},{:.4},{:.4},{:.4},{peak}",
            which.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned()),
            set.features.ncols(),
            settings.hidden,
            network.layer_count(),
            session.backend(),
            inference.waited,
            step.waited,
            inference.queued,
            step.queued,
        ))
    }

    fn time(
        &self,
        session: &Session,
        network: &mut Network<'_>,
        run: impl Fn(&mut Network<'_>) -> Result<(), Box<dyn Error>>,
    ) -> Result<Times, Box<dyn Error>> {
        (0..self.warm_up).try_for_each(|_| run(network))?;
        session.finish()?;
        let mut each = Vec::with_capacity(self.repeat);
        for _ in 0..self.repeat {
            let begin = Instant::now();
            run(network)?;
            session.finish()?;
            each.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        each.sort_by(f64::total_cmp);
        let begin = Instant::now();
        (0..self.repeat).try_for_each(|_| run(network))?;
        session.finish()?;
        let queued = begin.elapsed().as_secs_f64() * 1e3 / self.repeat as f64;
        Ok(Times { waited: each[each.len() / 2], queued })
    }
}

/// The last part of a path.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Whether recorded steps have the losses of steps without a recording.
fn verify(recorded: &mut Network<'_>, plain: &mut Network<'_>) -> Result<(), Box<dyn Error>> {
    let mut step = 0;
    for count in COMPARED {
        step += count;
        (0..count).try_for_each(|_| recorded.step())?;
        (0..count).try_for_each(|_| plain.step_as_it_comes())?;
        let (found, expected) = (recorded.loss()?, plain.loss()?);
        if (found - expected).abs() > TOLERANCE * expected.abs().max(1.0) {
            return Err(format!("step {step}: the recorded loss is {found}, and {expected} without a recording").into());
        }
    }
    Ok(())
}

/// The graph of a generator.
fn graph(generator: &str, seed: u64) -> Result<Graph, Box<dyn Error>> {
    match generator.strip_prefix("molecules:") {
        Some(number) => Ok(molecules::batch(count(number)?, seed as u32)?),
        None => Ok(generator.parse::<Generator>()?.generate(seed)?),
    }
}
