//! Times layers of a graph convolutional network over a batch of small graphs, and says what it timed as CSV: four layers to a fold that one kernel runs graph by
//! graph, the same folds with a kernel for each stage, and layer after layer with products between them. The outputs are compared first.

use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

use clap::Parser;
use onyx_cli::options::count;
use onyx_gnn::molecules;
use onyx_gnn::random::bits;
use onyx_gnn::stack::{FoldedLayers, LayerWeights, PlainLayers};
use onyx_runtime::graph::{Graph, GraphBuilder, GraphError};
use onyx_runtime::ndarray::{Array1, Array2};
use onyx_runtime::{Backend, Recording, RunError, Session};

/// How far an output may be from that of another way, of the greatest one: sums are added up in another order.
const TOLERANCE: f32 = 1e-3;

/// Time the layers of a network over a batch of small graphs, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// How many graphs the batch has, of 23 vertices in the mean.
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_value = "4096", value_parser = count)]
    graphs: Vec<usize>,
    /// How many layers there are: multiples of four.
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_value = "12,28", value_parser = count)]
    layers: Vec<usize>,
    /// The features of each vertex in each layer, up to 32.
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_parser = count)]
    features: usize,
    /// Where to run: cpu or cuda.
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
    seed: u32,
}

/// A way to compute the layers.
enum Way<'g> {
    Folded(Box<FoldedLayers<'g>>),
    Plain(Box<PlainLayers<'g>>),
}

impl Way<'_> {
    fn forward(&mut self) -> Result<(), RunError> {
        match self {
            Self::Folded(layers) => layers.forward(),
            Self::Plain(layers) => layers.forward(),
        }
    }

    fn read(&mut self) -> Result<Array2<f32>, RunError> {
        match self {
            Self::Folded(layers) => layers.read(),
            Self::Plain(layers) => layers.read(),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    writeln!(io::stdout(), "graphs,vertices,edges,features,layers,way,backend,ms_forward,ms_forward_queued")?;
    for graphs in &arguments.graphs {
        let batch = molecules::batch(*graphs, arguments.seed)?;
        for layers in &arguments.layers {
            arguments.rows(*graphs, &batch, *layers)?;
        }
    }
    Ok(())
}

impl Arguments {
    /// Compares and times all ways of so many layers.
    fn rows(&self, graphs: usize, batch: &Graph, layers: usize) -> Result<(), Box<dyn Error>> {
        let session = Session::of(self.backend)?;
        let plain = no_batch(batch)?;
        let (batch, plain) = (session.graph(batch), session.graph(&plain));
        let (weights, rows) = (self.weights(layers), self.input(batch.graph().vertex_count()));
        let mut folded = [FoldedLayers::new(&batch, &weights)?, FoldedLayers::new(&plain, &weights)?];
        folded.iter_mut().try_for_each(|layers| layers.write(rows.view()))?;
        let mut one_by_one = PlainLayers::new(&batch, &weights)?;
        one_by_one.write(rows.view())?;
        let [by_graph, by_row] = folded.map(|layers| Way::Folded(Box::new(layers)));
        let mut ways = [
            ("graph by graph", by_graph),
            ("stage by stage", by_row),
            ("layer by layer", Way::Plain(Box::new(one_by_one))),
        ];
        verify(&mut ways)?;
        for (name, way) in &mut ways {
            let (waited, queued) = self.time(&session, way)?;
            let (vertices, edges) = (batch.graph().vertex_count(), batch.graph().edge_count());
            let (features, backend) = (self.features, session.backend());
            let line =
                format!("{graphs},{vertices},{edges},{features},{layers},{name},{backend},{waited:.4},{queued:.4}");
            writeln!(io::stdout(), "{line}")?;
        }
        Ok(())
    }

    /// A number between -1 and 1 for each place.
    fn number(&self, layer: usize, row: usize, column: usize) -> f32 {
        bits(self.seed, layer as u32, row as u32, column as u32) as f32 / u32::MAX as f32 * 2.0 - 1.0
    }

    /// Weights that neither shrink nor blow up what goes through many layers.
    fn weights(&self, layers: usize) -> Vec<LayerWeights> {
        let (features, scale) = (self.features, (6.0 / self.features as f32).sqrt());
        let layer = |layer: usize| LayerWeights {
            weight: Array2::from_shape_fn((features, features), |(row, column)| {
                scale * self.number(layer, row, column)
            }),
            bias: Array1::from_shape_fn(features, |column| 0.1 * self.number(layer, features, column)),
        };
        (0..layers).map(layer).collect()
    }

    fn input(&self, vertices: usize) -> Array2<f32> {
        Array2::from_shape_fn((vertices, self.features), |(row, column)| self.number(usize::MAX, row, column))
    }

    /// Milliseconds of one run, waited for, and of one of many that are waited for together.
    fn time(&self, session: &Session, way: &mut Way<'_>) -> Result<(f64, f64), Box<dyn Error>> {
        let mut recording = session.recording();
        let run = |recording: &mut Recording, way: &mut Way<'_>| recording.repeat(|| way.forward());
        (0..self.warm_up).try_for_each(|_| run(&mut recording, way))?;
        session.finish()?;
        let mut each = Vec::with_capacity(self.repeat);
        for _ in 0..self.repeat {
            let begin = Instant::now();
            run(&mut recording, way)?;
            session.finish()?;
            each.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        each.sort_by(f64::total_cmp);
        let begin = Instant::now();
        (0..self.repeat).try_for_each(|_| run(&mut recording, way))?;
        session.finish()?;
        Ok((each[each.len() / 2], begin.elapsed().as_secs_f64() * 1e3 / self.repeat as f64))
    }
}

/// The same graph, of which nobody knows that it is a batch.
fn no_batch(batch: &Graph) -> Result<Graph, GraphError> {
    let edges = batch.edges().map(|(_, source, destination)| (source, destination)).collect();
    GraphBuilder::new().vertices(batch.vertex_count()).edges(edges).build()
}

/// Whether all ways have the same outputs, and whether those say anything.
fn verify(ways: &mut [(&str, Way<'_>)]) -> Result<(), Box<dyn Error>> {
    let mut expected: Option<(&str, Array2<f32>)> = None;
    for (name, way) in ways {
        way.forward()?;
        let found = way.read()?;
        let greatest = found.iter().fold(0.0, |greatest: f32, value| greatest.max(value.abs()));
        if !greatest.is_finite() || greatest == 0.0 {
            return Err(format!("the greatest output of {name} is {greatest}").into());
        }
        let Some((other, expected)) = &expected else {
            expected = Some((name, found));
            continue;
        };
        let far = found.indexed_iter().zip(expected).find(|((_, a), b)| (*a - *b).abs() > TOLERANCE * greatest);
        if let Some(((place, found), expected)) = far {
            return Err(format!("{place:?} of {name} is {found}, and of {other} {expected}").into());
        }
    }
    Ok(())
}
