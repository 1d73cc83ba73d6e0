//! Graphs whose edges have several numbers: read, planted, or generated with numbers drawn at random.

use std::time::Instant;

use onyx_device::Fold;
use onyx_runtime::RunError;
use onyx_runtime::graph::{GraphError, VertexIds};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::error::CliError;
use super::input::{Input, Source};
use super::options::SharedOptions;
use super::progress::Progress;
use crate::edge_values::{self, Shape, ValuedGraph};

/// The features of a generated graph, unless --features says otherwise.
const DRAWN_FEATURES: usize = 4;

/// Loads a graph for `fold`, whose edges have the numbers of `shape`; `plant` makes the one that is built in.
///
/// # Errors
/// There is no such graph, its edges have other numbers than was asked for, or it has no vertices.
pub fn load<F: Fold>(
    _fold: F,
    options: &SharedOptions,
    source: Source,
    shape: Shape,
    progress: Progress,
    plant: impl FnOnce() -> Result<ValuedGraph, GraphError>,
) -> Result<Input, CliError> {
    let start = Instant::now();
    let asked = options.run.features;
    asked.map_or(Ok(()), check_features::<F>)?;
    let valued = match &source {
        _ if options.graph.cache.is_some() => return Err(CliError::CacheOfValues),
        Source::File(path) => edge_values::read(path, shape, asked, options.graph.undirected)?,
        Source::Generated(_) => draw(options, source.clone(), shape, progress)?,
        Source::Karate | Source::Planted(_) => plant()?,
    };
    check_features::<F>(valued.features)?;
    match asked.filter(|features| *features != valued.features) {
        Some(features) => Err(CliError::OtherFeatures { features, graph: source.to_string(), found: valued.features }),
        None => Ok(Input::valued(source, valued, start)),
    }
}

/// Whether a compiled width holds that many features; matrices of too many would not fit the memory.
fn check_features<F: Fold>(features: usize) -> Result<(), RunError> {
    let widest = F::WIDTHS.last().copied().unwrap_or(0);
    if (1..=widest).contains(&features) { Ok(()) } else { Err(RunError::Features { fold: F::NAME, features, widest }) }
}

/// A generated graph with numbers between 0 and 1.
fn draw(options: &SharedOptions, source: Source, shape: Shape, progress: Progress) -> Result<ValuedGraph, CliError> {
    let graph = options.graph.load(source, progress)?.graph;
    let features = options.run.features.unwrap_or(DRAWN_FEATURES);
    let mut random = Pcg64Mcg::seed_from_u64(options.graph.seed);
    let values = (0..graph.edge_count() * shape.length(features)).map(|_| random.random::<f32>()).collect();
    let ids = VertexIds::Dense { first: 0, count: graph.vertex_count() };
    Ok(ValuedGraph { graph, ids, values, features })
}
