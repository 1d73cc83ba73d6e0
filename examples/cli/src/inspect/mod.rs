//! What there is to know of a graph before anything runs on it: the loader and extractor of GNNAdvisor.
//!
//! `facts` counts vertices and edges, `degrees` their distribution, `components` what hangs together, `orders` what other orders of the vertices
//! would do, `decisions` which schedules would be chosen, `plot` draws, and `report` says it all.

mod components;
mod decisions;
pub mod degrees;
mod facts;
mod orders;
mod plot;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;

use super::Channel;
use super::error::CliError;
use super::help;
use super::input::{Input, Source};
use super::options::{GraphOptions, ReportOptions, Specification, count, seed};
use super::order::Order;
use super::output::Output;
use super::progress::Progress;
use super::verdict::Verdict;
use decisions::Device;
use facts::Facts;
use report::Inspection;

const EXAMPLES: &str = "\
Examples:
  onyx-inspect wiki-Vote.txt.gz
      counts, degrees, edge spans, communities, and which schedules a GPU would run
  onyx-inspect roads.mtx --undirected --orders --plot degrees.svg
      besides, what each order of the vertices does to the edge spans, and a plot of the degrees
  onyx-inspect --generate rmat:18,grid:500x500 --json
      two synthetic graphs, one JSON object each

The average edge span is how far the numbers of an edge's ends are from each other. Renumbering is recommended where its root is greater than
a hundredth of the root of the number of vertices, rounded down (GNNAdvisor); --order of the other programs does it.";

/// Says what a graph looks like: its size, degrees, components and communities, how far edges reach, and what that means for its runs
#[derive(Clone, Debug, Parser)]
#[command(name = "onyx-inspect", version, after_help = help::after_report(EXAMPLES))]
pub struct InspectProgram {
    /// A SNAP edge list or a Matrix Market file, plain or gzip-compressed [default: Zachary's karate club]
    #[arg(value_name = "GRAPH|FILE")]
    graph: Option<PathBuf>,
    /// The graph in binary form: read if it was made from this very graph file with the same options, otherwise written
    #[arg(long, value_name = "FILE", requires = "graph")]
    cache: Option<PathBuf>,
    /// Let each edge of the graph file lead both ways
    #[arg(long, requires = "graph")]
    undirected: bool,
    /// Synthetic graphs, each in turn: rmat:SCALE, rmat:SCALE:EDGE_FACTOR, grid:WIDTHxHEIGHT, uniform:VERTICES:EDGES, ring:VERTICES:DEGREE
    #[arg(long, value_name = "GRAPH,...", value_delimiter = ',', conflicts_with_all = ["graph", "cache", "undirected"])]
    generate: Vec<Specification>,
    /// The seed of everything that is drawn at random
    #[arg(long, value_name = "NUMBER", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    seed: u64,
    /// Order the vertices in each way, and say what that does to the edge spans, and how long it takes
    #[arg(long)]
    orders: bool,
    /// Draw how many vertices have which degree, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object a graph instead of text
    #[arg(long)]
    json: bool,
    /// The multiprocessors of the GPU for which schedules are chosen [default: those of an NVIDIA H200]
    #[arg(long, value_name = "NUMBER", default_value_t = Device::default().multiprocessors, value_parser = count, hide_default_value = true,
          allow_negative_numbers = true)]
    multiprocessors: usize,
    /// The second-level cache of that GPU, in MiB [default: that of an NVIDIA H200]
    #[arg(long, value_name = "NUMBER", default_value_t = Device::default().cache, value_parser = count, hide_default_value = true,
          allow_negative_numbers = true)]
    l2: usize,
}

/// Inspects each graph that a command line names.
///
/// # Errors
/// A graph cannot be had, or a file cannot be written.
pub fn run(program: &InspectProgram) -> Result<(), CliError> {
    let sources = program.graph_options().sources(Source::Karate);
    if program.plot.is_some() && sources.len() > 1 {
        return Err(CliError::PlotOfList { graphs: sources.len() });
    }
    sources.into_iter().try_for_each(|source| program.inspect(source))
}

impl InspectProgram {
    fn inspect(&self, source: Source) -> Result<(), CliError> {
        let plot = Output::create_if(self.plot.as_ref())?;
        let channel = Channel::beside(&plot);
        let progress = Progress::new(&self.reporting());
        let input = self.graph_options().load(source, progress)?;
        let inspection = self.inspection(&input, progress)?;
        if let Some(plot) = plot {
            let drawn = plot::draw(&inspection.facts, &input.source.to_string())?;
            plot.deliver(Verdict::Good, |writer| writer.write_all(drawn.as_bytes()))?;
        }
        channel.print(&if self.json { report::json(&input, &inspection)? } else { report::text(&input, &inspection) })
    }

    fn inspection(&self, input: &Input, progress: Progress) -> Result<Inspection, CliError> {
        let _bar = progress.waiting("inspecting");
        let start = Instant::now();
        let device = Device { multiprocessors: self.multiprocessors, cache: self.l2 };
        Ok(Inspection {
            facts: Facts::of(&input.graph)?,
            orders: if self.orders { orders::all(&input.graph)? } else { Vec::new() },
            decisions: decisions::at_widths(&input.graph, device),
            device,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Where the graph comes from, as other programs are told.
    fn graph_options(&self) -> GraphOptions {
        let Self { graph, cache, undirected, generate, seed, .. } = self.clone();
        GraphOptions { graph, cache, undirected, generate, order: Order::None, seed }
    }

    /// How the report goes, as other programs are told.
    fn reporting(&self) -> ReportOptions {
        ReportOptions { json: self.json, explain: false, output: None, no_verify: true, repeat: 1 }
    }
}
