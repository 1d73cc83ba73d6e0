//! Times the convergence loop: reading the counters in every iteration or in every few, launching or replaying, and adding in a fixed order.
//!
//! Whole runs are timed from outside and divided by their iterations, so that what the host does between them counts.

use std::error::Error;
use std::ops::ControlFlow;

use clap::Parser;
use onyx_cli::options::count;
use onyx_examples::error::AlgorithmError;
use onyx_examples::label_propagation::{LabelPropagation, Settings, prepare, serial, step};
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Direction, Options, Report, RunError, Session, Store, converge};

/// How far a share may be from that of a serial loop of 64-bit floats.
const TOLERANCE: f64 = 1e-4;
/// Enough for batches to come again and to be replayed.
const VERIFIED_ITERATIONS: usize = 40;

/// Time iterations of label propagation by pull, with the loop run in several ways, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Graphs to generate: a small one, in which the loop counts, and a large one.
    #[arg(long, value_delimiter = ',', default_value = "rmat:10,rmat:18")]
    generate: Vec<String>,
    /// Where to run: cpu, cuda or emulator.
    #[arg(long, default_value = "cuda")]
    backend: Backend,
    /// Feature counts.
    #[arg(long, value_delimiter = ',', default_value = "4,64")]
    features: Vec<usize>,
    /// After how many iterations the counters are read; 1 reads every time.
    #[arg(long, value_delimiter = ',', default_value = "1,8,32", value_parser = count)]
    read_every: Vec<usize>,
    /// Iterations in a run.
    #[arg(long, default_value_t = 256, value_parser = count)]
    iterations: usize,
    /// Timed runs, after one that is not.
    #[arg(long, default_value_t = 7, value_parser = count)]
    repeat: usize,
    /// The seed of the generators.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A graph, what label propagation starts from, and what it comes to.
struct Problem<'a> {
    graph: &'a Graph,
    store: Store,
    expected: Vec<f64>,
}

/// A way to run the loop.
#[derive(Clone, Copy)]
struct Way {
    read_every: usize,
    replay: bool,
    deterministic: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!("graph,vertices,edges,features,read_every,replay,deterministic,median_us,min_us,max_us,verified");
    for specification in &arguments.generate {
        let graph = specification.parse::<Generator>()?.generate(arguments.seed)?;
        for features in &arguments.features {
            compare(&arguments, specification, &Problem::new(&graph, *features)?)?;
        }
    }
    Ok(())
}

fn compare(arguments: &Arguments, name: &str, problem: &Problem<'_>) -> Result<(), Box<dyn Error>> {
    let (vertices, edges) = (problem.graph.vertex_count(), problem.graph.edge_count());
    let features = problem.store.features();
    for way in ways(&arguments.read_every) {
        let verified = problem.verify(arguments.backend, way)?;
        let times = problem.times(arguments, way)?;
        let Way { read_every, replay, deterministic } = way;
        let (median, least, most) = (times[times.len() / 2], times[0], times[times.len() - 1]);
        print!("{name},{vertices},{edges},{features},{read_every},{replay},{deterministic},");
        println!("{median:.3},{least:.3},{most:.3},{verified}");
    }
    Ok(())
}

/// Every way: a batch of one is never replayed.
fn ways(read_every: &[usize]) -> Vec<Way> {
    let replays = read_every.iter().flat_map(|&read_every| [false, true].map(|replay| (read_every, replay)));
    let possible = replays.filter(|(read_every, replay)| *read_every > 1 || !replay);
    possible
        .flat_map(|(read_every, replay)| [false, true].map(|deterministic| Way { read_every, replay, deterministic }))
        .collect()
}

impl<'a> Problem<'a> {
    /// A seed at every seventh vertex, and a tolerance that keeps every vertex active as long as rounding moves it.
    fn new(graph: &'a Graph, features: usize) -> Result<Self, AlgorithmError> {
        let seeds: Vec<_> = (0..graph.vertex_count() as u32).step_by(7).zip((0..features).cycle()).collect();
        let data = prepare(&Session::cpu().graph(graph), &seeds, features, Settings::default())?;
        let mut store = data.into_store()?;
        store.set(LabelPropagation::TOLERANCE, -1.0);
        let expected = serial(graph, &store, VERIFIED_ITERATIONS);
        Ok(Self { graph, store, expected })
    }

    /// Whether a run comes to what the serial loop comes to.
    fn verify(&self, backend: Backend, way: Way) -> Result<bool, RunError> {
        let mut store = self.store.clone();
        self.run(&mut store, backend, way, VERIFIED_ITERATIONS)?;
        let found = (0..self.graph.vertex_count() as u32).flat_map(|vertex| store.row(LabelPropagation::LABEL, vertex));
        let close = |(found, expected): (&f32, &f64)| (f64::from(*found) - expected).abs() <= TOLERANCE;
        Ok(found.zip(&self.expected).all(close))
    }

    /// The time of an iteration in each run, in microseconds, ascending.
    fn times(&self, arguments: &Arguments, way: Way) -> Result<Vec<f64>, RunError> {
        let time = |_| {
            let report = self.run(&mut self.store.clone(), arguments.backend, way, arguments.iterations)?;
            // Some runs converge before their last iteration.
            Ok(report.run.as_secs_f64() * 1e6 / report.iterations.len() as f64)
        };
        let mut times = (0..=arguments.repeat).map(time).collect::<Result<Vec<f64>, RunError>>()?;
        times.remove(0);
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    fn run(&self, store: &mut Store, backend: Backend, way: Way, iterations: usize) -> Result<Report, RunError> {
        let Way { read_every, replay, deterministic } = way;
        let direction = Some(Direction::Pull);
        let options = Options {
            backend,
            iterations,
            direction,
            read_every,
            replay,
            deterministic,
            settle: false,
            ..Options::default()
        };
        converge(step, self.graph, store, &options, &mut |_| ControlFlow::Continue(()))
    }
}
