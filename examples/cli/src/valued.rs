//! Graphs whose edges have several numbers: read, planted, or generated with numbers drawn at random.

use std::time::Instant;

use onyx_device::Fold;
use onyx_runtime::graph::{GraphError, VertexIds};
use onyx_runtime::memory;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::error::CliError;
use super::input::{Input, Source};
use super::options::SharedOptions;
use super::progress::Progress;
use onyx_examples::edge_values::{self, Shape, ValuedGraph};

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
    let (asked, widest) = (options.run.features, F::WIDTHS.last().copied().unwrap_or(0));
    if let Some(features) = asked.filter(|features| !(1..=widest).contains(features)) {
        return Err(CliError::Features { features, widest });
    }
    let valued = match &source {
        _ if options.graph.cache.is_some() => return Err(CliError::CacheOfValues),
        Source::File(path) => {
            let bar = progress.loading();
            let watch = |phase, done, total| bar.show(phase, done, total);
            edge_values::read_with_progress(path, shape, asked, options.graph.undirected, &watch)?
        }
        Source::Generated(_) => draw(options, source.clone(), shape, progress)?,
        Source::Karate | Source::Planted(_) => plant()?,
    };
    if valued.features > widest {
        return Err(CliError::EdgeFeatures { graph: source.to_string(), features: valued.features, widest });
    }
    match asked.filter(|features| *features != valued.features) {
        Some(features) => Err(CliError::OtherFeatures { features, graph: source.to_string(), found: valued.features }),
        None => Ok(Input::valued(source, valued, start)),
    }
}

/// A generated graph with numbers between 0 and 1.
fn draw(options: &SharedOptions, source: Source, shape: Shape, progress: Progress) -> Result<ValuedGraph, CliError> {
    let graph = options.graph.load(source, progress)?.graph;
    let features = options.run.features.unwrap_or(DRAWN_FEATURES);
    let mut random = Pcg64Mcg::seed_from_u64(options.graph.seed);
    let count = graph.edge_count().saturating_mul(shape.length(features));
    let mut values = memory::vector(count, "the numbers of the edges")?;
    values.extend((0..count).map(|_| random.random::<f32>()));
    let ids = VertexIds::Dense { first: 0, count: graph.vertex_count() };
    Ok(ValuedGraph { graph, ids, values, features })
}
