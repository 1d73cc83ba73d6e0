//! The command line of multi-manifold ranking.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Value, json};

use super::error::CliError;
use super::help;
use super::input::{Input, Source};
use super::options::{SharedOptions, fraction};
use super::program::Runner;
use super::progress::Progress;
use super::seeds::Origin;
use super::solution::{Solution, Values};
use super::{GraphProgram, iterate, valued};
use onyx_examples::edge_values::{self, Shape};
use onyx_examples::multi_manifold_ranking::{
    Combination, MultiManifoldRanking, Settings, prepare, scores, step, verify,
};
use onyx_examples::planted::Rings;

/// One query is drawn for this many vertices.
const VERTICES_PER_QUERY: u32 = 100;

const EXAMPLES: &str = "\
Examples:
  multi_manifold_ranking
      8 rings that are told apart by three views together: the members of the query's ring rank first
  multi_manifold_ranking --graph pictures.txt --undirected --query 17 --top 20
      what is near vertex 17 on every manifold
  multi_manifold_ranking --graph pictures.txt.gz --queries queries.txt --combine mean --output ranks.tsv --json
      ranks.tsv gets the id and the rank of each vertex on each manifold
  multi_manifold_ranking --generate rmat:16 --features 16 --backend cpu
      a synthetic graph with weights and queries drawn at random

A graph file has \"source destination weight weight ...\" on every line, a weight of 0 or more for each manifold; a file for --queries has
\"id value value ...\", a value for each manifold.

--tolerance is a part of the greatest query, on the manifold where that is least: queries that are a thousandth as great have ranks that are a
thousandth as great.";

/// Multi-manifold ranking: finds what is near a query on several manifolds that the same vertices lie on
#[derive(Clone, Debug, Parser)]
#[command(name = "multi_manifold_ranking", version, after_help = help::after(EXAMPLES))]
// With the usual alpha, an answer to 1e-6 takes 131 iterations.
#[command(mut_arg("iterations", |option| option.default_value("1000")))]
pub struct MultiManifoldRankingProgram {
    #[command(flatten)]
    shared: SharedOptions,
    /// The vertices to find others near to, on every manifold
    #[arg(long, value_name = "ID,...", help_heading = "Ranks", value_delimiter = ',', conflicts_with = "queries")]
    query: Vec<u64>,
    /// The vertices to find others near to, with a value for each manifold
    #[arg(long, value_name = "FILE", help_heading = "Ranks")]
    queries: Option<PathBuf>,
    /// How the ranks on the manifolds become one score, among those that a query is on
    #[arg(long, value_enum, help_heading = "Ranks", default_value_t = Combination::Least)]
    combine: Combination,
    /// How many of the highest scores to report, queries left out
    #[arg(long, value_name = "NUMBER", help_heading = "Ranks", default_value_t = 10, allow_negative_numbers = true)]
    top: usize,
    /// The part of a rank that comes from the neighbors, between 0 and 1; the rest comes from the query
    #[arg(long, value_name = "NUMBER", help_heading = "Ranks", value_parser = fraction, allow_negative_numbers = true,
          default_value_t = Settings::default().alpha)]
    alpha: f32,
}

/// The queries of a run.
struct Queries {
    origin: Origin,
    rows: Vec<(u32, Vec<f32>)>,
}

impl GraphProgram for MultiManifoldRankingProgram {
    const ALGORITHM: &'static str = "multi_manifold_ranking";
    const BUILT_IN: Source = Source::Planted("rings in three views");

    fn shared(&self) -> &SharedOptions {
        &self.shared
    }

    fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        valued::load(step, &self.shared, source, Shape::Vector, progress, || self.rings().graph())
    }

    fn runner<'a>(&'a self, input: &'a Input, progress: Progress) -> Result<Runner<'a, Solution>, CliError> {
        let queries = self.queries(input)?;
        let tolerance = self.shared.run.tolerance.unwrap_or(Settings::default().tolerance);
        let settings = Settings { alpha: self.alpha, tolerance, iterations: self.shared.run.iterations };
        let session = self.shared.run.session(step, input.running(), input.features)?;
        let graph = session.graph(input.running());
        let rows: Vec<_> = queries.rows.iter().map(|(vertex, row)| (input.number(*vertex), row.clone())).collect();
        Ok(Box::new(move || {
            let mut data = prepare(&graph, &input.values, &rows, input.features, settings)?;
            let report = iterate(step, &graph, &mut data, &self.shared, progress)?;
            let count = input.graph.vertex_count().saturating_mul(input.features);
            let found = data.on_host()?;
            let verification = self.shared.report.verify(&report, count, || verify(input.running(), found, &report))?;
            let scores = input.to_own(scores(&mut data, self.combine)?)?;
            let ranks = input.rows_to_own(data.read(MultiManifoldRanking::RANK)?)?;
            let answers = answers(&queries, &scores);
            let planted = self.planted(input, &queries, &answers);
            let top = &answers[..self.top.min(answers.len())];
            let result = json!({
                "features": input.features, "queries": queries.rows.len(), "queries_from": queries.origin,
                "combine": self.combine, "top": objects(input, &ranks, &scores, top),
                "planted": planted.map(|(first, members)| json!({ "members": members, "first": first })),
            });
            let lines = lines(input, &ranks, &scores, &queries, top, planted);
            Ok(Solution { report, verification, result, lines, values: ranks })
        }))
    }
}

impl MultiManifoldRankingProgram {
    fn rings(&self) -> Rings {
        Rings { views: 3, members: 48, seed: self.shared.graph.seed }
    }

    /// Those that were given; the first member of the first planted ring; else some drawn at random.
    fn queries(&self, input: &Input) -> Result<Queries, CliError> {
        let everywhere = |vertex| (vertex, vec![1.0; input.features]);
        if let Some(path) = &self.queries {
            let rows = edge_values::read_rows(path, input.ids(), input.features)?;
            return Ok(Queries { origin: Origin::File, rows });
        }
        let asked = self.query.iter().map(|&id| input.vertex("--query", id));
        let asked = asked.collect::<Result<BTreeSet<u32>, CliError>>()?;
        Ok(match &input.source {
            _ if !asked.is_empty() => {
                Queries { origin: Origin::Labels, rows: asked.into_iter().map(everywhere).collect() }
            }
            Source::Planted(_) => Queries { origin: Origin::Planted, rows: vec![everywhere(0)] },
            _ => Queries { origin: Origin::Drawn, rows: self.drawn(input).into_iter().map(everywhere).collect() },
        })
    }

    /// One vertex in a hundred, one at least.
    fn drawn(&self, input: &Input) -> BTreeSet<u32> {
        let mut random = Pcg64Mcg::seed_from_u64(self.shared.graph.seed);
        let vertices = input.graph.vertex_count() as u32;
        (0..vertices.div_ceil(VERTICES_PER_QUERY)).map(|_| random.random_range(0..vertices)).collect()
    }

    /// How many of the first answers are on the rings of the queries, and how many there are of those; for planted rings alone.
    fn planted(&self, input: &Input, queries: &Queries, answers: &[u32]) -> Option<(usize, usize)> {
        let Source::Planted(_) = input.source else { return None };
        let rings: HashSet<u32> = queries.rows.iter().map(|(vertex, _)| self.rings().ring(*vertex)).collect();
        let is_member = |vertex: &&u32| rings.contains(&self.rings().ring(**vertex));
        let members = answers.iter().filter(is_member).count();
        Some((answers.iter().take(members).filter(is_member).count(), members))
    }
}

/// All vertices but the queries, the highest score first, the lower vertex first of equal ones.
fn answers(queries: &Queries, scores: &[f32]) -> Vec<u32> {
    let asked: HashSet<u32> = queries.rows.iter().map(|(vertex, _)| *vertex).collect();
    let mut vertices: Vec<u32> = (0..scores.len() as u32).filter(|vertex| !asked.contains(vertex)).collect();
    vertices.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
    vertices
}

fn objects(input: &Input, ranks: &Values, scores: &[f32], top: &[u32]) -> Vec<Value> {
    let object = |&vertex: &u32| {
        let ranks = ranks.row(vertex);
        json!({ "id": input.ids().original(vertex), "score": scores[vertex as usize], "ranks": ranks })
    };
    top.iter().map(object).collect()
}

fn lines(
    input: &Input,
    ranks: &Values,
    scores: &[f32],
    queries: &Queries,
    top: &[u32],
    planted: Option<(usize, usize)>,
) -> Vec<String> {
    let origin = match queries.origin {
        Origin::Labels => "as asked for".to_owned(),
        Origin::Drawn => "drawn at random, as none were given".to_owned(),
        origin => origin.to_string(),
    };
    let head = format!("{} queries on {} manifolds, {origin}", queries.rows.len(), input.features);
    let answer = |&vertex: &u32| {
        let ranks = ranks.row(vertex).iter().map(|rank| format!(" {rank:.6}"));
        format!(
            "{:>12}  {:.6}  from{}",
            input.ids().original(vertex),
            scores[vertex as usize],
            ranks.collect::<String>()
        )
    };
    let planted = planted.map(|(first, members)| {
        let verdict = if first == members { "recovered" } else { "NOT recovered" };
        format!("planted answer {verdict}: {first} of the first {members} answers are on the query's ring")
    });
    [head].into_iter().chain(top.iter().map(answer)).chain(planted).collect()
}
