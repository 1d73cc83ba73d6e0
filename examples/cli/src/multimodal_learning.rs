//! The command line of multimodal learning.

use std::path::PathBuf;

use clap::Parser;
use serde_json::json;

use super::error::CliError;
use super::help;
use super::input::{Input, Source};
use super::options::{SharedOptions, fraction};
use super::program::Runner;
use super::progress::Progress;
use super::seeds::{Origin, Score, Seeds};
use super::solution::Solution;
use super::{GraphProgram, iterate, labels, valued};
use onyx_examples::edge_values::{self, Shape};
use onyx_examples::multimodal_learning::{MultimodalLearning, Settings, greatest, prepare, step, verify};
use onyx_examples::planted::Modalities;

const EXAMPLES: &str = "\
Examples:
  multimodal_learning
      four classes in three modalities, each with a code of its own: every class is recovered from two vertices
  multimodal_learning --graph media.txt --undirected --seeds seeds.txt --known classes.txt --json
      learns from the seeds, and scores the greatest value of each vertex against its true class
  multimodal_learning --graph media.txt.gz --seeds seeds.txt --output modes.tsv
      modes.tsv gets the id and the values of each vertex
  multimodal_learning --generate rmat:14 --features 8 --backend cpu
      a synthetic graph with matrices and seeds drawn at random

A graph file has \"source destination\" and the K x K weights of a matrix, row after row, on every line; the matrix is transposed for the way
back of --undirected. A file for --seeds has \"id value value ...\", K values; one for --known has \"id class\", classes numbered from 0.

--tolerance is a part of the greatest value of a seed: seeds that are a thousandth as great have modes that are a thousandth as great.";

/// What `--features` takes: as many as there are matrices for.
const FEATURES: &str = "The number of features of a vertex, 1 to 32 [default: what the edges have]";

/// Multimodal learning: vertices that describe things in different ways learn from each other, by matrices that translate
#[derive(Clone, Debug, Parser)]
#[command(name = "multimodal_learning", version, after_help = help::after(EXAMPLES))]
// With the usual alpha, an answer to 1e-6 takes 131 iterations.
#[command(mut_arg("iterations", |option| option.default_value("1000")))]
#[command(mut_arg("features", |option| option.help(FEATURES)))]
pub struct MultimodalLearningProgram {
    #[command(flatten)]
    shared: SharedOptions,
    /// What is known at the start: vertices with a value for each feature
    #[arg(long, value_name = "FILE", help_heading = "Modes")]
    seeds: Option<PathBuf>,
    /// The true classes to score against: a label file
    #[arg(long, value_name = "FILE", help_heading = "Modes")]
    known: Option<PathBuf>,
    /// The part of a mode that comes from the neighbors, between 0 and 1; the rest comes from the seed
    #[arg(long, value_name = "NUMBER", help_heading = "Modes", value_parser = fraction, allow_negative_numbers = true,
          default_value_t = Settings::default().alpha)]
    alpha: f32,
}

/// What is known at the start: the values, and whose they are.
struct Start {
    rows: Vec<(u32, Vec<f32>)>,
    seeds: Seeds,
}

impl GraphProgram for MultimodalLearningProgram {
    const ALGORITHM: &'static str = "multimodal_learning";
    const BUILT_IN: Source = Source::Planted("classes in three modalities");

    fn shared(&self) -> &SharedOptions {
        &self.shared
    }

    fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        valued::load(step, &self.shared, source, Shape::Matrix, progress, || self.modalities().graph())
    }

    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError> {
        let Start { rows, seeds } = self.start(input, progress)?;
        let tolerance = self.shared.run.tolerance.unwrap_or(Settings::default().tolerance);
        let settings = Settings { alpha: self.alpha, tolerance, iterations: self.shared.run.iterations };
        let session = self.shared.run.session(step, input.running(), input.features)?;
        let graph = session.graph(input.running());
        let rows: Vec<_> = rows.into_iter().map(|(vertex, row)| (input.number(vertex), row)).collect();
        Ok(Box::new(move || {
            let mut data = prepare(&graph, &input.values, &rows, input.features, settings)?;
            let report = iterate(step, &graph, &mut data, &self.shared, progress)?;
            let count = input.graph.vertex_count().saturating_mul(input.features);
            let found = data.on_host()?;
            let verification = self.shared.report.verify(&report, count, || verify(input.running(), found, &report))?;
            let score = seeds.score(&input.to_own(greatest(&mut data)?)?);
            let result = json!({
                "features": input.features, "seeds": rows.len(), "seeds_from": seeds.origin,
                "scored": score.scored, "accuracy": score.accuracy(),
            });
            let values = input.rows_to_own(data.read(MultimodalLearning::MODE)?)?;
            Ok(Solution { report, verification, result, lines: lines(&seeds, score), values })
        }))
    }
}

impl MultimodalLearningProgram {
    fn modalities(&self) -> Modalities {
        Modalities { classes: 4, modalities: 3, members: 40, seed: self.shared.graph.seed }
    }

    /// The seeds of the file; those planted; else drawn at random.
    fn start(&self, input: &Input, progress: Progress) -> Result<Start, CliError> {
        let mut start = match (&self.seeds, &input.source) {
            (Some(path), _) => Start::given(edge_values::read_rows(path, input.ids(), input.features)?, Origin::File),
            (None, Source::Planted(_)) => self.planted(),
            (None, _) => Start::drawn(input, self.shared.graph.seed, progress)?,
        };
        if let Some(path) = &self.known {
            let bar = progress.loading();
            start.seeds.known = labels::read(path, input.ids(), &|phase, done, total| bar.show(phase, done, total))?;
        }
        Ok(start)
    }

    fn planted(&self) -> Start {
        let mut start = Start::given(self.modalities().seeds(), Origin::Planted);
        start.seeds.known = (0..).zip(self.modalities().labels()).collect();
        start
    }
}

impl Start {
    fn given(rows: Vec<(u32, Vec<f32>)>, origin: Origin) -> Self {
        // Of the seeds' classes nothing is asked, only whose they are.
        let seeds = rows.iter().map(|(vertex, _)| (*vertex, 0)).collect();
        Self { rows, seeds: Seeds { origin, seeds, known: Vec::new() } }
    }

    fn drawn(input: &Input, seed: u64, progress: Progress) -> Result<Self, CliError> {
        let seeds = Seeds::find(input, None, None, Some(input.features), seed, progress)?;
        let row = |class: usize| (0..input.features).map(|f| if f == class { 1.0 } else { 0.0 }).collect();
        let rows = seeds.seeds.iter().map(|&(vertex, class)| (vertex, row(class))).collect();
        Ok(Self { rows, seeds })
    }
}

fn lines(seeds: &Seeds, score: Score) -> Vec<String> {
    let origin = match seeds.origin {
        Origin::Drawn => "drawn at random, as none were given".to_owned(),
        origin => origin.to_string(),
    };
    let mut lines = vec![format!("{} seeds, {origin}", seeds.seeds.len())];
    let Some(accuracy) = score.accuracy() else { return lines };
    lines.push(format!("accuracy {accuracy:.4}: {} of {} vertices", score.right, score.scored));
    if seeds.origin == Origin::Planted {
        let verdict = if score.right == score.scored { "recovered" } else { "NOT recovered" };
        lines.push(format!("planted answer {verdict}: the class of each vertex in the code of its modality"));
    }
    lines
}
