//! The graph that a run starts from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onyx_runtime::graph::{CacheState, Graph, GraphError, LoadOptions, VertexIds};
use onyx_runtime::text::STANDARD_INPUT;

use super::complain;
use super::error::CliError;
use super::karate;
use super::options::{GraphOptions, Specification};
use super::order::Ordered;
use super::progress::Progress;
use onyx_examples::edge_values::ValuedGraph;

/// Where a graph comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Zachary's karate club.
    Karate,
    /// A file.
    File(PathBuf),
    /// A generator.
    Generated(Specification),
    /// A graph with a planted answer, in words.
    Planted(&'static str),
}

/// A graph with what is known of it.
#[derive(Debug)]
pub struct Input {
    /// Where it comes from.
    pub source: Source,
    /// The graph, by whose vertices options and files say what they say.
    pub graph: Graph,
    /// The graph to run on, where its vertices have other numbers.
    pub(super) order: Option<Ordered>,
    /// The vertices' own ids, where the graph does not have them.
    members: Option<VertexIds>,
    /// The numbers of each edge, by edge number in the graph to run on, where edges have several; otherwise none.
    pub values: Vec<f32>,
    /// The features that these numbers are for; 0 where there are none.
    pub features: usize,
    /// How long it took to load.
    pub load: Duration,
}

impl GraphOptions {
    /// The graphs to run, in order; the one that is built in if none is named.
    pub fn sources(&self, built_in: Source) -> Vec<Source> {
        match &self.graph {
            Some(path) => vec![Source::File(path.clone())],
            None if self.generate.is_empty() => vec![built_in],
            None => self.generate.iter().cloned().map(Source::Generated).collect(),
        }
    }

    /// Loads the graph of one of [`sources`](Self::sources).
    ///
    /// # Errors
    /// There is no such graph, or it has no vertices.
    ///
    /// # Panics
    /// The graph is a planted one, which its algorithm makes.
    pub fn load(&self, source: Source, progress: Progress) -> Result<Input, CliError> {
        let start = Instant::now();
        if self.cache.as_deref() == Some(Path::new(STANDARD_INPUT)) {
            return Err(CliError::CacheOnStandardOutput);
        }
        if self.cache.is_some() && matches!(&source, Source::File(path) if path == Path::new(STANDARD_INPUT)) {
            return Err(CliError::CacheOfInput);
        }
        let graph = match &source {
            Source::Planted(words) => unreachable!("{words} are made by their algorithm"),
            Source::Karate => karate::graph()?,
            Source::File(path) => self.load_file(path, progress)?,
            Source::Generated(specification) => self.generate(specification, progress)?,
        };
        if graph.vertex_count() == 0 {
            return Err(CliError::NoVertices { graph: source.to_string() });
        }
        let members = matches!(source, Source::Karate).then_some(karate::IDS);
        Ok(Input { source, graph, order: None, members, values: Vec::new(), features: 0, load: start.elapsed() })
    }

    fn generate(&self, specification: &Specification, progress: Progress) -> Result<Graph, GraphError> {
        let bar = progress.loading();
        let watch = |phase, done, total| bar.show(phase, done, total);
        specification.generator.generate_with_progress(self.seed, &watch)
    }

    fn load_file(&self, path: &Path, progress: Progress) -> Result<Graph, GraphError> {
        let bar = progress.loading();
        let watch = |phase, done, total| bar.show(phase, done, total);
        let options = LoadOptions { undirected: self.undirected };
        let Some(cache) = &self.cache else { return Graph::load_with_progress(path, &options, &watch) };
        let (graph, state) = Graph::load_cached(path, cache, &options, &watch)?;
        drop(bar);
        if let CacheState::Renewed(problem) = state {
            complain(&format!("note: {} was written again: {problem}", cache.display()));
        }
        Ok(graph)
    }
}

impl Input {
    /// A graph whose edges have several numbers.
    pub fn valued(source: Source, valued: ValuedGraph, start: Instant) -> Self {
        let ValuedGraph { graph, ids, values, features } = valued;
        Self { source, graph, order: None, members: Some(ids), values, features, load: start.elapsed() }
    }

    /// The vertex with an id that an option names.
    ///
    /// # Errors
    /// There is none.
    pub fn vertex(&self, option: &'static str, id: u64) -> Result<u32, CliError> {
        self.ids().lookup(id).ok_or(CliError::UnknownVertex { option, id })
    }

    /// The ids that the vertices had where they come from.
    pub fn ids(&self) -> &VertexIds {
        self.members.as_ref().unwrap_or_else(|| self.graph.ids())
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Karate => f.write_str("Zachary's karate club"),
            Self::File(path) => path.display().fmt(f),
            Self::Generated(specification) => f.write_str(&specification.text),
            Self::Planted(words) => f.write_str(words),
        }
    }
}
