//! `bench_thesis`: the thesis's table 7.2 and figure 7.3, measured: five algorithms, with and without feature-awareness, with and without
//! change-driven computation. Writes CSV.
//!
//! The variants start from the same values and stop by the same rule. They are compared with a serial program in 64-bit floats on a
//! small graph, and with one another on each graph, before anything is timed. A time is that of all iterations of a run; reading and making
//! graphs, copies to and from the device and the compilation of kernels are not in it.

mod algorithm;
mod arguments;
mod belief_propagation;
mod input;
mod label_propagation;
mod least_squares;
mod manifold_ranking;
mod measure;
mod multimodal_learning;
mod row;
mod thesis;
mod values;
mod variant;

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use onyx_runtime::Session;
use onyx_runtime::file::{beside, resolve};
use onyx_runtime::graph::Graph;

use crate::algorithm::Name;
use crate::arguments::{Arguments, Figure, Plan};
use crate::belief_propagation::BeliefPropagation;
use crate::label_propagation::LabelPropagation;
use crate::least_squares::LeastSquares;
use crate::manifold_ranking::ManifoldRanking;
use crate::measure::Bench;
use crate::multimodal_learning::MultimodalLearning;
use crate::row::HEADER;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("error: {failed} programs were not timed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Measures, and returns how many programs failed; the others are measured all the same.
///
/// A file grows under another name for as long as that takes, so that an earlier one stays whole until this one is, and what was measured
/// before an interruption is not lost.
fn run(arguments: &Arguments) -> Result<usize> {
    let Some(path) = &arguments.out else { return write(arguments, &mut io::stdout()) };
    let named = |error: io::Error| format!("{}: {error}", path.display());
    let path = resolve(path).map_err(named)?;
    let unfinished = beside(&path, ".unfinished");
    let failed = write(arguments, &mut File::create(&unfinished).map_err(named)?)?;
    fs::rename(unfinished, path).map_err(named)?;
    Ok(failed)
}

fn write(arguments: &Arguments, output: &mut dyn Write) -> Result<usize> {
    writeln!(output, "{HEADER}")?;
    let session = Session::of(arguments.backend)?;
    let mut failed = 0;
    for figure in &arguments.figures {
        let plan = arguments.plan(*figure);
        for name in &plan.graphs {
            let graph = input::graph(name, arguments.undirected)?;
            eprintln!("{name}: {} vertices, {} edges", graph.vertex_count(), graph.edge_count());
            failed += measure_graph((arguments, &session), *figure, &plan, (name, &graph), output)?;
        }
    }
    Ok(failed)
}

fn measure_graph(
    (arguments, session): (&Arguments, &Session),
    figure: Figure,
    plan: &Plan,
    (name, graph): (&str, &Graph),
    output: &mut dyn Write,
) -> Result<usize> {
    let mut failed = 0;
    for algorithm in &plan.algorithms {
        for &features in plan.features.iter().filter(|features| **features <= algorithm.widest()) {
            let bench = Bench { arguments, session, figure, repeats: plan.repeats, name, graph, features };
            if let Err(error) = measure(*algorithm, &bench, output) {
                eprintln!("error: {algorithm}, {name}, {features} features: {error}");
                failed += 1;
            }
        }
    }
    Ok(failed)
}

fn measure(algorithm: Name, bench: &Bench<'_>, output: &mut dyn Write) -> Result<()> {
    match algorithm {
        Name::LabelPropagation => bench.measure::<LabelPropagation>(output),
        Name::LeastSquares => bench.measure::<LeastSquares>(output),
        Name::BeliefPropagation => bench.measure::<BeliefPropagation>(output),
        Name::ManifoldRanking => bench.measure::<ManifoldRanking>(output),
        Name::MultimodalLearning => bench.measure::<MultimodalLearning>(output),
    }
}
