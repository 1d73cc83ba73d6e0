//! Multi-manifold ranking, multimodal learning and personalised PageRank: golden values, planted answers, verifiers.

mod command;

use std::collections::HashMap;

use command::{Folder, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK, golden, report, rows, succeeds};
use onyx_device::FoldOf;
use onyx_examples::edge_values::{self, Shape, ValuedEdges, ValuedGraph};
use onyx_examples::planted::{Modalities, Rings};
use onyx_examples::{multi_manifold_ranking as ranking, multimodal_learning as learning};
use onyx_runtime::graph::{Generator, VertexIds};
use onyx_runtime::ndarray::{ArrayView2, ArrayView3};
use onyx_runtime::{Data, Direction, Options, Report, ResidentGraph, RunFold, Session};
use serde_json::Value;

const BACKENDS: [&str; 2] = ["cpu", "emulator"];
const DIRECTIONS: [&str; 3] = ["auto", "pull", "push"];
/// What a value may differ from SciPy's exact one.
const EXACT: f64 = 1e-5;

fn run<D, F: FoldOf<D>>(
    fold: F,
    graph: &ResidentGraph<'_>,
    data: &mut Data<D>,
    direction: Option<Direction>,
) -> Report {
    let options = Options { iterations: 200, direction, ..Options::default() };
    fold.on(graph, data).until_settled(&options).unwrap()
}

fn text(golden: &Value, field: &str) -> String {
    golden[field].as_array().unwrap().iter().map(|line| format!("{}\n", line.as_str().unwrap())).collect()
}

fn expected(values: &Value) -> HashMap<String, Vec<f64>> {
    let floats = |row: &Value| row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    values.as_object().unwrap().iter().map(|(id, row)| (id.clone(), floats(row))).collect()
}

/// Runs a binary on a golden graph, and compares what it writes.
fn agrees_with_golden(binary: &str, name: &str, option: &str) {
    let (folder, golden) = (Folder::new(), golden(name));
    let (graph, start) = (folder.file("graph", text(&golden, "graph")), folder.file("start", text(&golden, "start")));
    let expected = expected(&golden["values"]);
    for (backend, direction) in BACKENDS.iter().flat_map(|backend| DIRECTIONS.map(|direction| (backend, direction))) {
        let output = folder.path("output");
        let inputs = ["--graph", &graph, option, &start, "--output", &output, "--tolerance", "1e-7"];
        let limits = ["--iterations", "400", "--backend", backend, "--direction", direction];
        let report = report(binary, &[inputs.as_slice(), &limits].concat());
        assert_eq!((&report["status"], &report["verified"]), (&"converged".into(), &true.into()));
        let found = rows(&output);
        assert_eq!(found.len(), expected.len());
        for row in found {
            let differences = expected[&row[0]].iter().zip(&row[1..]);
            let worst = differences.map(|(exact, found)| (exact - found.parse::<f64>().unwrap()).abs());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst < EXACT, "{backend} {direction}: {worst:e} at {}", row[0]);
        }
    }
}

#[test]
fn ranks_are_those_of_scipy() {
    agrees_with_golden(MULTI_MANIFOLD_RANKING, "multi_manifold_ranking.json", "--queries");
}

#[test]
fn modes_are_those_of_scipy() {
    agrees_with_golden(MULTIMODAL_LEARNING, "multimodal_learning.json", "--seeds");
}

#[test]
fn small_queries_and_seeds_are_answered() {
    let folder = Folder::new();
    let (graph, start) = (folder.file("graph", "0 1 1\n1 2 1\n"), folder.file("start", "0 1e-7\n"));
    for (binary, option) in [(MULTI_MANIFOLD_RANKING, "--queries"), (MULTIMODAL_LEARNING, "--seeds")] {
        let output = folder.path("output");
        let report = report(binary, &["--graph", &graph, option, &start, "--output", &output]);
        assert_eq!((&report["status"], &report["verified"]), (&"converged".into(), &true.into()));
        for (row, exact) in rows(&output).iter().zip([1e-8, 9e-9, 8.1e-9]) {
            assert!((row[1].parse::<f64>().unwrap() / exact - 1.0).abs() < 1e-5, "{row:?}");
        }
    }
}

/// A golden graph with its start and its exact values, row after row.
type Exact = (ValuedGraph, Vec<(u32, Vec<f32>)>, Vec<f64>);

fn exact(name: &str, shape: Shape) -> Exact {
    let (folder, golden) = (Folder::new(), golden(name));
    let files = ["graph", "start"].map(|field| folder.file(field, text(&golden, field)));
    let graph = edge_values::read(files[0].as_ref(), shape, None, false).unwrap();
    let start = edge_values::read_rows(files[1].as_ref(), &graph.ids, graph.features).unwrap();
    let values = expected(&golden["values"]);
    let values = (0..values.len()).flat_map(|vertex| values[&vertex.to_string()].clone()).collect();
    (graph, start, values)
}

fn assert_near(found: &[f64], expected: &[f64], allowed: f64) {
    assert_eq!(found.len(), expected.len());
    let worst = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
    assert!(worst < allowed, "{worst:e}");
}

#[test]
fn serial_loops_converge_to_the_values_of_scipy() {
    let (input, start, values) = exact("multi_manifold_ranking.json", Shape::Vector);
    let settings = ranking::Settings::default();
    let graph = Session::cpu().graph(&input.graph);
    let mut data = ranking::prepare(&graph, &input.values, &start, input.features, settings).unwrap();
    let store = data.on_host().unwrap();
    let found = ranking::serial(&input.graph, store, 1000, 1e-12);
    assert!(found.is_converged && !ranking::serial(&input.graph, store, 10, 1e-12).is_converged);
    assert_near(&found.values, &values, 1e-6);

    let (input, start, values) = exact("multimodal_learning.json", Shape::Matrix);
    let settings = learning::Settings::default();
    let graph = Session::cpu().graph(&input.graph);
    let mut data = learning::prepare(&graph, &input.values, &start, input.features, settings).unwrap();
    let found = learning::serial(&input.graph, data.on_host().unwrap(), 1000, 1e-12);
    assert!(found.is_converged);
    assert_near(&found.values, &values, 1e-6);
}

#[test]
fn planted_answers_are_recovered() {
    for seed in ["0", "1", "2", "3", "4"] {
        let ranks = report(MULTI_MANIFOLD_RANKING, &["--seed", seed]);
        assert_eq!(ranks["result"]["planted"]["first"], ranks["result"]["planted"]["members"], "{ranks}");
        assert_eq!(ranks["result"]["planted"]["members"], 47);
        let modes = report(MULTIMODAL_LEARNING, &["--seed", seed]);
        assert_eq!(modes["result"]["accuracy"], 1.0, "{modes}");
        assert_eq!((&modes["result"]["seeds"], &modes["result"]["scored"]), (&8.into(), &472.into()));
    }
    for binary in [MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        for backend in BACKENDS {
            let text = succeeds(binary, &["--backend", backend]);
            assert!(text.contains("planted answer recovered") && text.contains("verified: "), "{text}");
        }
    }
}

#[test]
fn no_view_alone_tells_the_rings_apart() {
    let rings = Rings { views: 3, members: 48, seed: 0 };
    let input = rings.graph().unwrap();
    for view in 0..3 {
        let mut query = vec![0.0; 3];
        query[view] = 1.0;
        let (queries, settings) = ([(0, query)], ranking::Settings::default());
        let weights = ArrayView2::from_shape((input.graph.edge_count(), 3), &input.values).unwrap();
        let graph = Session::cpu().graph(&input.graph);
        let found = ranking::multi_manifold_ranking(&graph, weights, &queries, settings).unwrap();
        let scores = found.scores(ranking::Combination::Least);
        let mut order: Vec<u32> = (1..rings.vertices()).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]));
        assert!(order[..47].iter().any(|vertex| rings.ring(*vertex) != 0), "view {view}");
    }
}

#[test]
fn classes_are_lost_without_the_matrices() {
    let planted = Modalities { classes: 4, modalities: 3, members: 40, seed: 0 };
    let mut input = planted.graph().unwrap();
    for matrix in input.values.chunks_exact_mut(16) {
        matrix.iter_mut().enumerate().for_each(|(index, weight)| *weight = if index % 5 == 0 { 1.0 } else { 0.0 });
    }
    let settings = learning::Settings::default();
    let matrices = ArrayView3::from_shape((input.graph.edge_count(), 4, 4), &input.values).unwrap();
    let graph = Session::cpu().graph(&input.graph);
    let found = learning::multimodal_learning(&graph, matrices, &planted.seeds(), settings).unwrap().greatest();
    let right = found.iter().zip(planted.labels()).filter(|(found, label)| **found == Some(*label)).count();
    assert!(right < planted.vertices() * 2 / 3, "{right} of {}", planted.vertices());
}

/// A generated graph with weights between 0 and 1, from a stream of numbers that only must not be regular.
fn weighted(specification: &str, features: usize) -> ValuedGraph {
    let graph = specification.parse::<Generator>().unwrap().generate(7).unwrap();
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 12) as f32 / (1 << 20) as f32
    };
    let values = (0..graph.edge_count() * features).map(|_| next()).collect();
    let ids = VertexIds::Dense { first: 0, count: graph.vertex_count() };
    ValuedGraph { graph, ids, values, features }
}

/// The same graph with each edge's weights on the diagonal of a matrix.
fn diagonal(input: &ValuedGraph) -> Vec<f32> {
    let rows = input.values.chunks_exact(input.features);
    let matrix = |weights: &[f32]| {
        let mut matrix = vec![0.0; weights.len() * weights.len()];
        weights.iter().enumerate().for_each(|(f, weight)| matrix[f * (weights.len() + 1)] = *weight);
        matrix
    };
    rows.flat_map(matrix).collect()
}

#[test]
fn diagonal_matrices_rank_manifolds() {
    for features in [1, 3, 4, 7] {
        let input = weighted("rmat:6:6", features);
        let start = [(3, vec![1.0; features]), (11, vec![0.5; features])];
        let (settings, other) = (ranking::Settings::default(), learning::Settings::default());
        let graph = Session::cpu().graph(&input.graph);
        let mut ranks = ranking::prepare(&graph, &input.values, &start, features, settings).unwrap();
        let mut modes = learning::prepare(&graph, &diagonal(&input), &start, features, other).unwrap();
        run(ranking::step, &graph, &mut ranks, Some(Direction::Pull));
        run(learning::step, &graph, &mut modes, Some(Direction::Pull));
        let ranks = ranks.read(ranking::MultiManifoldRanking::RANK).unwrap();
        let modes = modes.read(learning::MultimodalLearning::MODE).unwrap();
        let near = |(rank, mode): (&f32, &f32)| (rank - mode).abs() < 1e-5;
        assert!(ranks.iter().zip(modes).all(near), "{ranks} {modes}");
    }
}

#[test]
fn verifiers_agree_at_every_width_and_find_a_wrong_value() {
    for features in [1, 2, 5, 16, 31, 100] {
        let input = weighted("rmat:6:6", features);
        let start = [(3, vec![1.0; features]), (11, vec![4.0; features])];
        for direction in [None, Some(Direction::Pull), Some(Direction::Push)] {
            let settings = ranking::Settings::default();
            let graph = Session::cpu().graph(&input.graph);
            let mut data = ranking::prepare(&graph, &input.values, &start, features, settings).unwrap();
            let report = run(ranking::step, &graph, &mut data, direction);
            let found = ranking::verify(&input.graph, data.on_host().unwrap(), &report);
            assert!(found.agrees(), "{features} {direction:?}");
            data.view_mut(ranking::MultiManifoldRanking::RANK).unwrap()[[40, features - 1]] += 2e-2;
            let found = ranking::verify(&input.graph, data.on_host().unwrap(), &report);
            assert!(!found.agrees(), "{features} {direction:?}");
        }
    }
    for features in [1, 2, 5, 16, 31] {
        let input = weighted("rmat:6:6", features * features);
        let start = [(3, vec![1.0; features]), (11, vec![-4.0; features])];
        for direction in [None, Some(Direction::Pull), Some(Direction::Push)] {
            let settings = learning::Settings::default();
            let graph = Session::cpu().graph(&input.graph);
            let mut data = learning::prepare(&graph, &input.values, &start, features, settings).unwrap();
            let report = run(learning::step, &graph, &mut data, direction);
            let found = learning::verify(&input.graph, data.on_host().unwrap(), &report);
            assert!(found.agrees(), "{features} {direction:?}");
            data.view_mut(learning::MultimodalLearning::MODE).unwrap()[[40, 0]] = f32::NAN;
            let found = learning::verify(&input.graph, data.on_host().unwrap(), &report);
            assert!(!found.agrees(), "{features} {direction:?}");
        }
    }
}

#[test]
fn matrices_are_graphs_of_one_feature() {
    const HEAD: &str = "%%MatrixMarket matrix coordinate";
    let folder = Folder::new();
    let read = |text: &str, shape, features| {
        edge_values::read(folder.file("graph", text).as_ref(), shape, features, false)
            .map_err(|error| error.to_string())
    };
    let symmetric = format!("{HEAD} real symmetric\n4 4 3\n2 1 0.5\n3 2 2\n3 3 1\n");
    for shape in [Shape::Vector, Shape::Matrix] {
        let found = read(&symmetric, shape, None).unwrap();
        assert_eq!((found.features, found.ids.original(3), found.graph.vertex_count()), (1, 4, 4));
        let edges = found.graph.edges().zip(&found.values).map(|((_, from, to), value)| (from, to, *value));
        assert_eq!(edges.collect::<Vec<_>>(), [(1, 0, 0.5), (0, 1, 0.5), (2, 1, 2.0), (1, 2, 2.0), (2, 2, 1.0)]);
        assert!(read(&symmetric, shape, Some(1)).is_ok());
        assert!(
            read(&symmetric, shape, Some(2)).unwrap_err().contains("has one weight an edge, for one feature, and 2")
        );
        let pattern = read(&format!("{HEAD} pattern general\n2 2 1\n1 2\n"), shape, None);
        assert!(pattern.unwrap_err().contains("is a pattern matrix, whose edges have no weights"));
        for (sizes, is_one) in [("3 3 2", true), ("3 3 1", false), ("3 2 2", false)] {
            let found = read(&format!("{sizes}\n1 2 1\n2 3 1\n"), shape, None);
            assert_eq!(
                found.as_ref().err().is_some_and(|error| error.contains(":1: these look like")),
                is_one,
                "{sizes}"
            );
        }
    }
    let negative = format!("{HEAD} integer general\n3 3 2\n1 2 1\n3 2 -4\n");
    assert!(read(&negative, Shape::Vector, None).unwrap_err().contains("the entry (3, 2) is -4, below 0"));
    assert_eq!(read(&negative, Shape::Matrix, None).unwrap().values, [1.0, -4.0]);
    let graph = folder.file("graph", &symmetric);
    let found = report(MULTI_MANIFOLD_RANKING, &["--graph", &graph, "--query", "1", "--backend", "cpu"]);
    assert_eq!((&found["graph"]["vertices"], &found["graph"]["edges"]), (&4.into(), &5.into()), "{found}");
}

#[test]
fn answers_come_to_rest_where_nothing_is_said_of_iterations() {
    for binary in [MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        let found = report(binary, &["--generate", "ring:40:4", "--backend", "cpu"]);
        assert_eq!((&found["status"], &found["verified"]), (&"converged".into(), &true.into()), "{binary}");
    }
}

#[test]
fn numbers_follow_their_edges() {
    let folder = Folder::new();
    let file =
        folder.file("graph", "# source destination, row after row\n70,5,1,2,3,4\n\n5\t70 5 6 7 8\n5 5 9 9 9 9\n");
    let read = |undirected| edge_values::read(file.as_ref(), Shape::Matrix, None, undirected).unwrap();
    let input = read(false);
    assert_eq!((input.features, input.ids.original(1)), (2, 70));
    assert_eq!(input.graph.edges().collect::<Vec<_>>(), [(0, 0, 0), (1, 1, 0), (2, 0, 1)]);
    assert_eq!(input.values, [9.0, 9.0, 9.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    // Each edge also leads back, by the transposed matrix; the loop stays one edge, and so does what is listed in both directions.
    folder.file("graph", "70 5 1 2 3 4\n5 5 9 9 9 9\n5 70 1 3 2 4\n");
    let both = [9.0, 9.0, 9.0, 9.0, 1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 2.0, 4.0];
    assert_eq!(read(true).values, both);
    let mut edges = ValuedEdges::new(Shape::Vector, 2);
    edges.push_both(0, 1, &[1.0, 2.0]);
    let vectors = edges.graph(VertexIds::Dense { first: 0, count: 2 }).unwrap();
    assert_eq!(vectors.values, [1.0, 2.0, 1.0, 2.0]);
}

/// Compares ranks with networkx's, all together.
fn ranks_agree(golden: &Value, arguments: &[&str]) {
    let folder = Folder::new();
    let restart = golden["restart"].as_object().unwrap().iter().map(|(id, weight)| format!("{id} {weight}\n"));
    let (restart, output) = (folder.file("restart", restart.collect::<String>()), folder.path("output"));
    let options = ["--personalize", &restart, "--output", &output];
    assert_eq!(report(PAGERANK, &[&options[..], arguments].concat())["verified"], true);
    let expected = golden["ranks"].as_object().unwrap();
    let found = rows(&output);
    assert_eq!(found.len(), expected.len());
    let error: f64 =
        found.iter().map(|row| (row[1].parse::<f64>().unwrap() - expected[&row[0]].as_f64().unwrap()).abs()).sum();
    assert!(error < EXACT, "{arguments:?}: {error:e}");
}

#[test]
fn personalised_ranks_are_those_of_networkx() {
    let (folder, golden) = (Folder::new(), golden("pagerank_personalized.json"));
    let edges = golden["directed"]["edges"].as_array().unwrap().iter();
    let graph = folder.file("graph", edges.map(|edge| format!("{} {}\n", edge[0], edge[1])).collect::<String>());
    for (backend, direction) in BACKENDS.iter().flat_map(|backend| DIRECTIONS.map(|direction| (backend, direction))) {
        let place = ["--backend", backend, "--direction", direction];
        ranks_agree(&golden["karate"], &place);
        ranks_agree(&golden["directed"], &[&place[..], &["--graph", &graph]].concat());
    }
    let one = report(PAGERANK, &["--restart", "17,5"]);
    assert_eq!((&one["result"]["restarts"], &one["status"]), (&2.into(), &"converged".into()));
    let again = report(PAGERANK, &["--restart", "17,5,17"]);
    assert_eq!(again["result"], one["result"], "a vertex that is named twice is jumped to as often as others");
}
