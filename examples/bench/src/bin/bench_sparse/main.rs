//! Times one iteration as fewer and fewer vertices are active: a full pull, and a push by each schedule.
//!
//! The program is `onyx_bench::steady`, whose active set is the same in every iteration. A push evaluates each active edge twice, adds
//! atomically, and runs the vertex functions where something arrived; a pull does everything for every vertex, whatever is active. Each push
//! is compared with the full pull on the CPU before it is timed.

mod problem;

use std::error::Error;
use std::time::Duration;

use clap::Parser;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Direction, Schedule};

use crate::problem::{Problem, Way};

/// Time a push iteration by each schedule, and a pull iteration, as fewer vertices are active, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Graphs to generate.
    #[arg(long, value_delimiter = ',', default_value = "rmat:20")]
    generate: Vec<String>,
    /// Where to run: cpu, cuda or emulator.
    #[arg(long, default_value = "cuda")]
    backend: Backend,
    /// Feature counts, up to 64.
    #[arg(long, value_delimiter = ',', default_value = "4,16,64")]
    features: Vec<usize>,
    /// How many percent of the vertices are active.
    #[arg(long, value_delimiter = ',', default_value = "100,10,1,0.1,0.01")]
    active: Vec<f64>,
    /// Push schedules to try: auto, neighbor_group, warp_word.
    #[arg(long, value_delimiter = ',', default_value = "neighbor_group,warp_word")]
    schedules: Vec<Schedule>,
    /// Timed iterations, after as many as `--warm-up`.
    #[arg(long, default_value_t = 20)]
    repeat: usize,
    /// Iterations that are not timed, besides the first, which always pulls.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// The seed of the generators and of the active vertices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!(
        "graph,vertices,edges,features,active_percent,active_vertices,active_edges,what,median_ms,min_ms,max_ms,verified"
    );
    for specification in &arguments.generate {
        let graph = specification.parse::<Generator>()?.generate(arguments.seed)?;
        for features in &arguments.features {
            arguments.active.iter().try_for_each(|percent| {
                compare(&arguments, specification, &Problem::new(&graph, *features, *percent, arguments.seed)?)
            })?;
        }
    }
    Ok(())
}

/// Times a pull, and a push by every schedule, of one problem.
fn compare(arguments: &Arguments, name: &str, problem: &Problem<'_>) -> Result<(), Box<dyn Error>> {
    let backend = arguments.backend;
    let push = |&schedule| Way { backend, schedule, direction: Direction::Push };
    let pull = Way { backend, schedule: Schedule::Auto, direction: Direction::Pull };
    for way in std::iter::once(pull).chain(arguments.schedules.iter().map(push)) {
        let verified = problem.verify(way)?;
        let (times, active_edges) = problem.time(way, 1 + arguments.warm_up + arguments.repeat)?;
        let what = if way.direction == Direction::Pull { "pull".to_owned() } else { format!("push {}", way.schedule) };
        let timed = &times[1 + arguments.warm_up..];
        println!("{name},{},{active_edges},{what},{},{verified}", describe(problem), statistics(timed));
    }
    Ok(())
}

fn describe(problem: &Problem<'_>) -> String {
    let graph: &Graph = problem.graph;
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    format!("{vertices},{edges},{},{},{}", problem.features, problem.percent, problem.active)
}

/// The median, least and greatest time, in milliseconds.
fn statistics(times: &[Duration]) -> String {
    let mut times: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    format!("{:.4},{:.4},{:.4}", times[times.len() / 2], times[0], times[times.len() - 1])
}
