//! Times a pull iteration before and after vertices are renumbered by each order, and the ordering itself.
//!
//! The program is `onyx_bench::steady` with all vertices active. Each graph is run as it is, shuffled, and with the shuffled one renumbered in each
//! way. What a renumbered graph comes to is compared with the shuffled one, in its numbers, before it is timed.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use onyx_bench::steady::{Steady, step};
use onyx_runtime::graph::order::{Method, Renumbered, VertexOrder, is_worth_it};
use onyx_runtime::graph::{Generator, Graph, LoadOptions};
use onyx_runtime::{Backend, Direction, Options, Report, RunError, Store, converge};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// How far two results may lie apart: values are below 1, and sums are rounded to f32 in different orders.
const TOLERANCE: f32 = 1e-4;
/// Iterations until results are compared.
const COMPARED: usize = 3;

/// Time a pull iteration on graphs as they are, shuffled, and renumbered, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Graphs to generate.
    #[arg(long, value_delimiter = ',')]
    generate: Vec<String>,
    /// Edge lists and matrices to read.
    #[arg(long, value_delimiter = ',')]
    graph: Vec<PathBuf>,
    /// Let each edge of the files lead both ways.
    #[arg(long)]
    undirected: bool,
    /// Where to run: cpu, cuda or emulator.
    #[arg(long, default_value = "cpu")]
    backend: Backend,
    /// Feature counts, up to 64.
    #[arg(long, value_delimiter = ',', default_value = "16")]
    features: Vec<usize>,
    /// Timed iterations, after as many as `--warm-up`.
    #[arg(long, default_value_t = 20)]
    repeat: usize,
    /// Iterations that are not timed.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// The seed of the generators, of the shuffled order and of the values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A graph in an order, and how long it took to get there.
struct Ordered {
    name: &'static str,
    renumbered: Renumbered,
    order: Duration,
    renumber: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!(
        "graph,vertices,edges,features,order,mean_edge_span,greatest_edge_span,worth_it,order_ms,renumber_ms,median_ms,min_ms,max_ms,verified"
    );
    for specification in &arguments.generate {
        compare(&arguments, specification, &specification.parse::<Generator>()?.generate(arguments.seed)?)?;
    }
    for path in &arguments.graph {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        compare(&arguments, &name, &Graph::load(path, &LoadOptions { undirected: arguments.undirected })?)?;
    }
    Ok(())
}

/// Times a graph in every order.
fn compare(arguments: &Arguments, name: &str, graph: &Graph) -> Result<(), Box<dyn Error>> {
    let vertices = graph.vertex_count() as u32;
    let shuffled = graph.renumbered(&VertexOrder::shuffled(vertices, arguments.seed)?)?;
    let back = shuffled.vertices.clone().inverse();
    let start = &shuffled.graph;
    let mut orders = vec![ordered(start, "shuffled", || Ok(VertexOrder::unchanged(vertices)?))?];
    orders.push(ordered(start, "as given", || Ok(back))?);
    for method in Method::ALL {
        orders.push(ordered(start, method.name(), || Ok(method.order(start)?))?);
    }
    for features in &arguments.features {
        let values = values(vertices as usize * features, arguments.seed);
        let expected = run(arguments.backend, start, &values, *features, COMPARED)?.0;
        for order in &orders {
            println!("{name},{},{}", facts(order, *features), time(arguments, order, &values, &expected, *features)?);
        }
    }
    Ok(())
}

fn ordered(
    graph: &Graph,
    name: &'static str,
    order: impl FnOnce() -> Result<VertexOrder, Box<dyn Error>>,
) -> Result<Ordered, Box<dyn Error>> {
    let start = Instant::now();
    let order_of = order()?;
    let order = start.elapsed();
    let start = Instant::now();
    let renumbered = graph.renumbered(&order_of)?;
    Ok(Ordered { name, renumbered, order, renumber: start.elapsed() })
}

/// Random values.
fn values(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..count).map(|_| random.random()).collect()
}

fn facts(order: &Ordered, features: usize) -> String {
    let Ordered { name, renumbered: Renumbered { graph, .. }, order, renumber } = order;
    let [order, renumber] = [order, renumber].map(|time| time.as_secs_f64() * 1e3);
    let spans = format!("{:.1},{},{}", graph.mean_edge_span(), graph.greatest_edge_span(), is_worth_it(graph));
    format!("{},{},{features},{name},{spans},{order:.1},{renumber:.1}", graph.vertex_count(), graph.edge_count())
}

/// The median, least and greatest time of an iteration in milliseconds, and whether the results are those expected.
fn time(
    arguments: &Arguments,
    order: &Ordered,
    values: &[f32],
    expected: &[f32],
    features: usize,
) -> Result<String, Box<dyn Error>> {
    let Renumbered { graph, vertices, .. } = &order.renumbered;
    let values = vertices.to_new(values, features)?;
    let found = vertices.to_old(&run(arguments.backend, graph, &values, features, COMPARED)?.0, features)?;
    let verified = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= TOLERANCE);
    let report = run(arguments.backend, graph, &values, features, arguments.warm_up + arguments.repeat)?.1;
    let timed = report.iterations.iter().skip(arguments.warm_up);
    let mut times: Vec<f64> = timed.map(|iteration| iteration.time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    let [median, least, greatest] = [times[times.len() / 2], times[0], times[times.len() - 1]];
    Ok(format!("{median:.3},{least:.3},{greatest:.3},{verified}"))
}

/// The values after so many iterations, each of which pulls everything, and the report.
fn run(
    backend: Backend,
    graph: &Graph,
    values: &[f32],
    features: usize,
    iterations: usize,
) -> Result<(Vec<f32>, Report), RunError> {
    let mut store = Store::new(step, graph, features)?;
    for (vertex, row) in values.chunks_exact(features).enumerate() {
        store.row_mut(Steady::VALUE, vertex as u32).copy_from_slice(row);
    }
    store.scalars_mut(Steady::MOVES).fill(1.0);
    let weights = store.edge_scalars_mut(Steady::WEIGHT);
    graph.edges().for_each(|(edge, _, destination)| weights[edge] = 1.0 / graph.in_degree(destination) as f32);
    let direction = Some(Direction::Pull);
    let options = Options { backend, direction, iterations, read_every: 1, settle: false, ..Options::default() };
    let report = converge(step, graph, &mut store, &options, &mut |_| ControlFlow::Continue(()))?;
    let values =
        (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Steady::VALUE, vertex).to_vec()).collect();
    Ok((values, report))
}
