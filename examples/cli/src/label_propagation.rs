//! The command line of label propagation.

use std::path::PathBuf;

use clap::Parser;
use serde_json::json;

use super::error::CliError;
use super::help;
use super::input::Input;
use super::options::{SharedOptions, fraction};
use super::program::Runner;
use super::progress::Progress;
use super::seeds::{Known, Score, Seeds};
use super::solution::Solution;
use super::{GraphProgram, iterate, widest};
use onyx_examples::error::AlgorithmError;
use onyx_examples::label_propagation::{LabelPropagation, Settings, check_weights, classes, prepare, step, verify};

const EXAMPLES: &str = "\
Examples:
  label_propagation
      Zachary's karate club, from its two leaders
  label_propagation --graph cora.txt --undirected --labels cora.labels --known 0.05 --json
      5% of the labels are seeds, the others are scored
  label_propagation --graph web.txt.gz --cache web.onyx --labels seeds.txt --output labels.tsv
      seeds.txt has lines \"id label\"; labels.tsv gets the id and the share of each class
  label_propagation --generate rmat:16,grid:500x500 --features 16 --backend cpu --json
      two synthetic graphs, one JSON object each, seeds drawn at random

A label file has \"id label\" on every line, or a label alone on every line for the vertices in id order; classes are numbered from 0.";

/// What `--features` takes: as many as the widest kernels have.
const FEATURES: &str = "The number of features of a vertex, 1 to 640 [default: what the algorithm needs]";

/// Label propagation: finds the class of every vertex from a few whose class is known
#[derive(Clone, Debug, Parser)]
#[command(name = "label_propagation", version, after_help = help::after(EXAMPLES))]
#[command(mut_arg("features", |option| option.help(FEATURES)))]
pub struct LabelPropagationProgram {
    #[command(flatten)]
    shared: SharedOptions,
    /// The vertices whose class is known: a label file, as described below
    #[arg(long, value_name = "FILE", help_heading = "Labels")]
    labels: Option<PathBuf>,
    /// The true classes to score against: a label file, or the share of --labels to keep as seeds, the rest being scored
    #[arg(long, value_name = "FILE|SHARE", help_heading = "Labels", allow_negative_numbers = true)]
    known: Option<Known>,
    /// The part of a label that comes from the neighbors, between 0 and 1; the rest comes from the seed
    #[arg(long, value_name = "NUMBER", help_heading = "Labels", value_parser = fraction, allow_negative_numbers = true,
          default_value_t = Settings::default().alpha)]
    alpha: f32,
}

impl GraphProgram for LabelPropagationProgram {
    const ALGORITHM: &'static str = "label_propagation";

    fn shared(&self) -> &SharedOptions {
        &self.shared
    }

    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError> {
        check_weights(&input.graph).map_err(|error| named(input, error))?;
        let seeds = self.seeds(input, progress)?;
        let features = self.features(&seeds)?;
        let session = self.shared.run.session(step, input.running(), features)?;
        let graph = session.graph(input.running());
        let numbered = seeds.numbered(input)?;
        Ok(Box::new(move || {
            let mut data = prepare(&graph, &numbered, features, self.settings())?;
            let report = iterate(step, &graph, &mut data, &self.shared, progress)?;
            let count = input.graph.vertex_count().saturating_mul(features);
            let found = data.on_host()?;
            let verification = self.shared.report.verify(&report, count, || verify(input.running(), found, &report))?;
            let score = seeds.score(&input.to_own(classes(&mut data)?)?);
            let result = json!({
                "classes": seeds.classes(), "features": features, "seeds": seeds.seeds.len(), "seeds_from": seeds.origin,
                "scored": score.scored, "accuracy": score.accuracy(),
            });
            let values = input.rows_to_own(data.read(LabelPropagation::LABEL)?)?;
            Ok(Solution { report, verification, result, lines: lines(&seeds, score), values })
        }))
    }
}

impl LabelPropagationProgram {
    fn seeds(&self, input: &Input, progress: Progress) -> Result<Seeds, CliError> {
        if self.labels.is_none() && matches!(self.known, Some(Known::Share(_))) {
            return Err(CliError::ShareWithoutLabels);
        }
        let (features, seed) = (self.shared.run.features, self.shared.graph.seed);
        Ok(Seeds::find(input, self.labels.as_ref(), self.known.as_ref(), features, seed, progress)?)
    }

    fn features(&self, seeds: &Seeds) -> Result<usize, CliError> {
        let (classes, widest) = (seeds.classes(), widest(step));
        match self.shared.run.features {
            None if classes > widest => Err(CliError::Classes { classes, widest }),
            Some(features) if features > 0 && features < classes => Err(CliError::TooFewFeatures { features, classes }),
            features => Ok(features.unwrap_or(classes)),
        }
    }

    fn settings(&self) -> Settings {
        let tolerance = self.shared.run.tolerance.unwrap_or(Settings::default().tolerance);
        Settings { alpha: self.alpha, tolerance, iterations: self.shared.run.iterations }
    }
}

/// The error, which names vertices by their ids.
fn named(input: &Input, error: AlgorithmError) -> CliError {
    let AlgorithmError::EdgeWeight { origin, destination, weight, .. } = error else { return error.into() };
    let [source_id, destination_id] = [origin, destination].map(|vertex| input.ids().original(vertex));
    CliError::NegativeWeight { source_id, destination_id, weight }
}

fn lines(seeds: &Seeds, score: Score) -> Vec<String> {
    let mut lines = vec![format!("{} seeds of {} classes, {}", seeds.seeds.len(), seeds.classes(), seeds.origin)];
    if let Some(accuracy) = score.accuracy() {
        lines.push(format!("accuracy {accuracy:.4}: {} of {} vertices", score.right, score.scored));
    }
    lines
}
