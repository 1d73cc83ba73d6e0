//! The command line of PageRank.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Parser;
use serde_json::json;

use super::error::CliError;
use super::help;
use super::input::Input;
use super::options::{SharedOptions, fraction};
use super::program::Runner;
use super::progress::Progress;
use super::solution::{Solution, Values};
use super::{GraphProgram, iterate};
use onyx_examples::edge_values::read_weights;
use onyx_examples::pagerank::{Settings, personalize, prepare, ranks, step, top, verify};

const EXAMPLES: &str = "\
Examples:
  pagerank
      Zachary's karate club
  pagerank --graph wiki-Vote.txt.gz --top 20
      the 20 highest ranks
  pagerank --graph roads.mtx --undirected --cache roads.onyx --output ranks.tsv --json
      ranks.tsv gets the id and the rank of each vertex
  pagerank --graph wiki-Vote.txt.gz --restart 30,3352
      personalised: what is near two vertices
  pagerank --generate rmat:18,uniform:100000:1000000 --direction pull --no-verify
      two synthetic graphs, one after the other

Weights of edges do not count; equal edges of a directed graph count each. What is at a vertex without outgoing edges goes where the walker
jumps to: to every vertex alike, or to those of --restart or --personalize. A file for --personalize has lines \"id weight\".";

/// What `--features` takes.
const FEATURES: &str = "The number of features of a vertex: 1, since a rank is one number";

/// PageRank: finds how often a walker along random edges is at each vertex
#[derive(Clone, Debug, Parser)]
#[command(name = "pagerank", version, after_help = help::after(EXAMPLES))]
#[command(mut_arg("features", |option| option.help(FEATURES)))]
pub struct PageRankProgram {
    #[command(flatten)]
    shared: SharedOptions,
    /// How many of the highest ranks to report
    #[arg(long, value_name = "NUMBER", help_heading = "Ranks", default_value_t = 10, allow_negative_numbers = true)]
    top: usize,
    /// How likely the walker is to follow an edge rather than to jump, between 0 and 1
    #[arg(long, value_name = "NUMBER", help_heading = "Ranks", value_parser = fraction, allow_negative_numbers = true,
          default_value_t = Settings::default().damping)]
    damping: f32,
    /// The vertices that the walker jumps to, all alike, in place of any vertex
    #[arg(long, value_name = "ID,...", help_heading = "Ranks", value_delimiter = ',', conflicts_with = "personalize")]
    restart: Vec<u64>,
    /// The vertices that the walker jumps to, and how often in comparison
    #[arg(long, value_name = "FILE", help_heading = "Ranks")]
    personalize: Option<PathBuf>,
}

impl GraphProgram for PageRankProgram {
    const ALGORITHM: &'static str = "pagerank";

    fn shared(&self) -> &SharedOptions {
        &self.shared
    }

    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError> {
        let tolerance = self.shared.run.tolerance.unwrap_or(Settings::default().tolerance);
        let settings = Settings { damping: self.damping, tolerance, iterations: self.shared.run.iterations };
        let session = self.shared.run.session(step, input.running(), self.features()?)?;
        let graph = session.graph(input.running());
        let restart = self.restart(input)?;
        Ok(Box::new(move || {
            let mut data = prepare(&graph, settings)?;
            if !restart.is_empty() {
                let restart: Vec<_> = restart.iter().map(|&(vertex, weight)| (input.number(vertex), weight)).collect();
                personalize(&mut data, &restart)?;
            }
            let report = iterate(step, &graph, &mut data, &self.shared, progress)?;
            let count = input.graph.vertex_count();
            let found = data.on_host()?;
            let verification = self.shared.report.verify(&report, count, || verify(input.running(), found, &report))?;
            let ranks = input.to_own(ranks(&mut data)?)?;
            let highest: Vec<(u64, f64)> = self.highest(input, &ranks);
            let objects: Vec<_> = highest.iter().map(|(id, rank)| json!({ "id": id, "rank": rank })).collect();
            let said =
                (!restart.is_empty()).then(|| format!("personalised: the walker jumps to {} vertices", restart.len()));
            let lines = highest.iter().map(|(id, rank)| format!("{id:>12}  {rank:.8}"));
            let lines = said.into_iter().chain(lines).collect();
            let values = Values { values: ranks.iter().map(|&rank| rank as f32).collect(), width: 1 };
            Ok(Solution {
                report,
                verification,
                result: json!({ "restarts": restart.len(), "top": objects }),
                lines,
                values,
            })
        }))
    }
}

impl PageRankProgram {
    fn features(&self) -> Result<usize, CliError> {
        match self.shared.run.features {
            None | Some(1) => Ok(1),
            Some(features) => Err(CliError::ScalarFeatures { features }),
        }
    }

    /// Where the walker jumps, and how often in comparison; nothing if everywhere alike.
    fn restart(&self, input: &Input) -> Result<Vec<(u32, f32)>, CliError> {
        let Some(path) = &self.personalize else { return self.alike(input) };
        let restart = read_weights(path, input.ids())?;
        if restart.iter().all(|&(_, weight)| weight == 0.0) {
            return Err(CliError::NoRestart { path: path.clone() });
        }
        Ok(restart)
    }

    /// The vertices of --restart, each once, however often it is named.
    fn alike(&self, input: &Input) -> Result<Vec<(u32, f32)>, CliError> {
        let vertices = self.restart.iter().map(|&id| input.vertex("--restart", id));
        let vertices = vertices.collect::<Result<BTreeSet<u32>, CliError>>()?;
        Ok(vertices.into_iter().map(|vertex| (vertex, 1.0)).collect())
    }

    /// The highest ranks with their vertices' own ids.
    fn highest(&self, input: &Input, ranks: &[f64]) -> Vec<(u64, f64)> {
        let vertices = top(ranks, self.top).into_iter();
        vertices.map(|vertex| (input.ids().original(vertex), ranks[vertex as usize])).collect()
    }
}
