//! The algorithms of `examples/`, each against its own serial verifier.

use std::env;
use std::path::{Path, PathBuf};

use onyx_examples::error::AlgorithmError;
use onyx_examples::{label_propagation, multi_manifold_ranking, multimodal_learning, pagerank};
use onyx_runtime::graph::{Graph, LoadOptions};
use onyx_runtime::{Backend, Data, Direction, Options, ResidentGraph, Session, Status, Store};

use crate::{check, graphs};

/// The widest rows of matrices that are compiled.
const MATRIX_FEATURES: usize = 32;
/// Graphs of more edges have no matrices here: they would not fit the memory.
const MATRIX_EDGES: usize = 1 << 20;

fn options(backend: Backend, direction: Option<Direction>, iterations: usize) -> Options {
    Options { direction, ..check::options(backend, iterations) }
}

/// The values that an algorithm starts from.
pub fn start<D>(graph: &Graph, prepare: impl FnOnce(&ResidentGraph<'_>) -> Result<Data<D>, AlgorithmError>) -> Store {
    let data = prepare(&Session::cpu().graph(graph)).expect("a compiled width, and settings in their ranges");
    data.into_store().expect("values that no run has lost")
}

/// Label propagation from a seed in each class agrees with as many serial iterations.
pub fn labels_agree(graph: &Graph, features: usize, backend: Backend, direction: Option<Direction>, iterations: usize) {
    let vertices = graph.vertex_count() as u32;
    let seeds: Vec<(u32, usize)> = (0..vertices.min(features as u32)).map(|seed| (seed, seed as usize)).collect();
    let settings = label_propagation::Settings::default();
    let mut store = start(graph, |graph| label_propagation::prepare(graph, &seeds, features, settings));
    let options = options(backend, direction, iterations);
    let report = check::run(graph, &mut store, label_propagation::step, &options);
    let verification = label_propagation::verify(graph, &store, &report);
    assert!(verification.agrees(), "label propagation on {backend}, {direction:?}: {verification:?}");
    assert_ne!(report.status, Status::Diverged);
}

/// Label propagation with more classes than the widest tile has features, each way that values travel.
pub fn wide_labels() -> impl Iterator<Item = (usize, Option<Direction>)> {
    [129, 602].into_iter().flat_map(|features| check::DIRECTIONS.map(|direction| (features, direction)))
}

/// PageRank agrees with as many serial iterations.
pub fn ranks_agree(graph: &Graph, backend: Backend, direction: Option<Direction>, iterations: usize) {
    let mut store = start(graph, |graph| pagerank::prepare(graph, pagerank::Settings::default()));
    let report = check::run(graph, &mut store, pagerank::step, &options(backend, direction, iterations));
    if graph.vertex_count() > 0 {
        let verification = pagerank::verify(graph, &store, &report);
        assert!(verification.agrees(), "PageRank on {backend}, {direction:?}: {verification:?}");
        assert_ne!(report.status, Status::Diverged);
    }
}

/// PageRank with restarts at two vertices agrees with as many serial iterations.
pub fn personal_ranks_agree(graph: &Graph, backend: Backend, direction: Option<Direction>, iterations: usize) {
    if let Some(last) = (graph.vertex_count() as u32).checked_sub(1) {
        let mut store = start(graph, |graph| {
            let mut data = pagerank::prepare(graph, pagerank::Settings::default())?;
            pagerank::personalize(&mut data, &[(0, 3.0), (last / 2, 1.0)])?;
            Ok(data)
        });
        let report = check::run(graph, &mut store, pagerank::step, &options(backend, direction, iterations));
        let verification = pagerank::verify(graph, &store, &report);
        assert!(verification.agrees(), "personalised PageRank on {backend}, {direction:?}: {verification:?}");
    }
}

/// Multi-manifold ranking from a few queries agrees with as many serial iterations.
pub fn manifolds_agree(
    graph: &Graph,
    features: usize,
    backend: Backend,
    direction: Option<Direction>,
    iterations: usize,
) {
    let (weights, queries) = numbers(graph, features, features, 0.0);
    let settings = multi_manifold_ranking::Settings::default();
    let mut store =
        start(graph, |graph| multi_manifold_ranking::prepare(graph, &weights, &queries, features, settings));
    let options = options(backend, direction, iterations);
    let report = check::run(graph, &mut store, multi_manifold_ranking::step, &options);
    let verification = multi_manifold_ranking::verify(graph, &store, &report);
    assert!(verification.agrees(), "multi-manifold ranking on {backend}, {direction:?}: {verification:?}");
}

/// Multimodal learning from a few seeds agrees with as many serial iterations.
pub fn modes_agree(graph: &Graph, features: usize, backend: Backend, direction: Option<Direction>, iterations: usize) {
    let (matrices, seeds) = numbers(graph, features * features, features, -0.5);
    let settings = multimodal_learning::Settings::default();
    let mut store = start(graph, |graph| multimodal_learning::prepare(graph, &matrices, &seeds, features, settings));
    let options = options(backend, direction, iterations);
    let report = check::run(graph, &mut store, multimodal_learning::step, &options);
    let verification = multimodal_learning::verify(graph, &store, &report);
    assert!(verification.agrees(), "multimodal learning on {backend}, {direction:?}: {verification:?}");
}

/// Numbers from `least` to `least + 1` for each edge, some of them 0, and for every ninth vertex.
pub fn numbers(graph: &Graph, length: usize, features: usize, least: f32) -> (Vec<f32>, Vec<(u32, Vec<f32>)>) {
    let number = |index: usize| if index.is_multiple_of(5) { 0.0 } else { least + (index * 37 % 101) as f32 / 101.0 };
    let start = |vertex: u32| (vertex, (0..features).map(|f| number(vertex as usize + 3 * f + 1)).collect());
    let edges = (0..graph.edge_count() * length).map(number).collect();
    (edges, (0..graph.vertex_count() as u32).step_by(9).map(start).collect())
}

/// All algorithms in every direction.
pub fn agree(graph: &Graph, features: usize, backend: Backend, iterations: usize) {
    for direction in check::DIRECTIONS {
        personal_ranks_agree(graph, backend, direction, iterations);
        manifolds_agree(graph, features, backend, direction, iterations);
        if features <= MATRIX_FEATURES && graph.edge_count() <= MATRIX_EDGES {
            modes_agree(graph, features, backend, direction, iterations);
        }
        labels_agree(graph, features, backend, direction, iterations);
        ranks_agree(graph, backend, direction, iterations);
    }
}

/// The real graphs in the folder that `ONYX_DATA` names: SNAP edge lists and Matrix Market files, sorted by name.
pub fn data_graphs() -> Vec<PathBuf> {
    let folder = PathBuf::from(env::var_os("ONYX_DATA").expect("ONYX_DATA names the folder of the data"));
    let mut files: Vec<PathBuf> = ["snap", "mtx"].iter().flat_map(|part| files(&folder.join(part))).collect();
    files.sort();
    assert!(files.len() > 10, "{} holds few graphs", folder.display());
    files
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("a readable entry").path()).collect()
}

/// Loads a graph of the data; without its weights where one is negative, for labels are distributions.
pub fn load(path: &Path) -> Graph {
    let graph = Graph::load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    if graph.weights().is_none_or(|weights| weights.iter().all(|weight| *weight >= 0.0)) {
        return graph;
    }
    let edges = graph.edges().map(|(_, source, destination)| (source, destination)).collect();
    graphs::graph(graph.vertex_count(), edges)
}
