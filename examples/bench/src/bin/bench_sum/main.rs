//! Times one reduction over edges and nothing else: weighted sums of rows of four and of two bytes a feature, means, maxima and softmax-weighted sums.
//!
//! Peers are cuSPARSE's products, by each CSR algorithm, preprocessed, in the same precision, and our own weighted sum, to say what another operator, half precision and wide rows
//! cost or save. On a GPU several are timed together on data that is there already: ours, a sequence, by the host's clock, and products by CUDA events. Every result is compared with loops in `f64` before its time counts,
//! of large ones a part of the rows.

mod kind;
mod problem;
mod row;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use onyx_bench::cusparse::{self, Cusparse};
use onyx_runtime::graph::{Generator, Graph, LoadOptions};
use onyx_runtime::{Backend, ResidentGraph, Session};

use crate::kind::Kind;
use crate::problem::Problem;
use crate::row::{Outcome, Row};

/// The widest rows that are one tile.
const TILE: usize = 128;

/// Time sums, means, maxima and softmax-weighted sums over edges, on a GPU against cuSPARSE, and print CSV.
#[derive(Parser)]
struct Arguments {
    /// Graphs to generate.
    #[arg(long, value_delimiter = ',', default_value = "rmat:20")]
    generate: Vec<String>,
    /// A graph to load instead.
    #[arg(long)]
    graph: Option<PathBuf>,
    /// Where to run: cpu or cuda.
    #[arg(long, default_value = "cuda")]
    backend: Backend,
    /// Feature counts, ascending; rows of more than 128 are compared with as many floats of 128, if these are there, too.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64,128,256,602")]
    features: Vec<usize>,
    /// How often sums are timed, on a GPU several at once, after as many as `--warm-up`.
    #[arg(long, default_value_t = 20)]
    repeat: usize,
    /// How often they run before that and are not timed.
    #[arg(long, default_value_t = 5)]
    warm_up: usize,
    /// The most neighbors in a neighbor group, in place of what is chosen.
    #[arg(long)]
    group_size: Option<usize>,
    /// Leave cuSPARSE out.
    #[arg(long)]
    without_peers: bool,
    /// The seed of the generators, of weights and of rows.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let session = Session::of(arguments.backend)?;
    Row::head();
    if let Some(path) = &arguments.graph {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return compare_all(&arguments, &session, &name, &Graph::load(path, &LoadOptions::default())?);
    }
    for specification in &arguments.generate {
        let graph = specification.parse::<Generator>()?.generate(arguments.seed)?;
        compare_all(&arguments, &session, specification, &graph)?;
    }
    Ok(())
}

/// Times everything on one graph.
fn compare_all(arguments: &Arguments, session: &Session, name: &str, graph: &Graph) -> Result<(), Box<dyn Error>> {
    let (resident, mut of_tile) = (session.graph(graph), None);
    let way = Way { arguments, graph: &resident };
    for &features in &arguments.features {
        let problem = Problem::new(graph, features, arguments.seed);
        let sum = way.time(&problem, Kind::Sum)?;
        let row = Row { graph: name, of: graph, features, machine: &sum.device, backend: arguments.backend };
        if features == TILE {
            of_tile = Some(sum.time);
        }
        if let Some(tile) = of_tile.filter(|_| features > TILE) {
            let as_many = tile.mul_f64(features as f64 / TILE as f64);
            row.write(Kind::Sum, &sum, "Onyx at K = 128 for as many floats", &Outcome::of(as_many));
        }
        way.compare_sums(&problem, &row, &sum)?;
        way.compare_products(&problem, &row, Kind::Sum, &sum)?;
    }
    Ok(())
}

/// How sums are timed, and where.
struct Way<'a> {
    arguments: &'a Arguments,
    graph: &'a ResidentGraph<'a>,
}

impl Way<'_> {
    /// Compares every other kind with the weighted sum of the same rows.
    fn compare_sums(&self, problem: &Problem<'_>, row: &Row<'_>, sum: &Outcome) -> Result<(), Box<dyn Error>> {
        for kind in Kind::OTHERS.into_iter().filter(|kind| problem.features >= kind.least_features()) {
            let found = self.time(problem, kind)?;
            row.write(kind, &found, "Onyx weighted sum", sum);
            if kind == Kind::HalfSum {
                row.write(kind, &found, "Onyx with four features a lane", &self.time(problem, Kind::HalfSumByFours)?);
            }
            if kind.is_half() {
                self.compare_products(problem, row, kind, &found)?;
            }
        }
        Ok(())
    }

    /// Compares a sum with each of cuSPARSE's products in the same precision, where there is a GPU.
    fn compare_products(
        &self,
        problem: &Problem<'_>,
        row: &Row<'_>,
        kind: Kind,
        ours: &Outcome,
    ) -> Result<(), Box<dyn Error>> {
        let arguments = self.arguments;
        if arguments.backend != Backend::Cuda || arguments.without_peers {
            return Ok(());
        }
        let factors = problem.factors(kind.number());
        let mut cusparse = Cusparse::new(&factors)?;
        for (name, algorithm) in cusparse::ALGORITHMS {
            let measured = cusparse.time(algorithm, arguments.warm_up, arguments.repeat);
            let outcome = measured.map(|(times, product)| {
                let difference = problem.difference_of_product(kind.number(), &product);
                Outcome { time: median(times), difference, device: String::new() }
            });
            let outcome = outcome.unwrap_or_else(|error| Outcome::failed(&*error));
            row.write(kind, ours, &format!("cusparse SpMM {name}"), &outcome);
        }
        Ok(())
    }

    /// The median time of an iteration, if it is right.
    fn time(&self, problem: &Problem<'_>, kind: Kind) -> Result<Outcome, Box<dyn Error>> {
        let arguments = self.arguments;
        let (device, times, found) =
            kind.run(self.graph, problem, arguments.group_size, arguments.warm_up + arguments.repeat)?;
        let difference = problem.difference(kind, &found);
        let outcome = Outcome { time: median(times[arguments.warm_up..].to_vec()), difference, device };
        if outcome.is_right() {
            return Ok(outcome);
        }
        Err(format!("{kind} of {} features is off by {:.2e}", problem.features, outcome.difference).into())
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
