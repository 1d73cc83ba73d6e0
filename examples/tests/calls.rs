//! Each algorithm as one call, on the CPU and in the emulator: against serial loops in 64-bit floats or exact answers, and on bad input.

use ndarray::{Array2, Array3};
use onyx_examples::als::{Model, als};
use onyx_examples::belief_propagation::belief_propagation;
use onyx_examples::error::AlgorithmError;
use onyx_examples::label_propagation::{self, label_propagation};
use onyx_examples::markov::generate::{self, Shape, Spread};
use onyx_examples::markov::{self, Elimination, MarkovNetwork, serial::Question};
use onyx_examples::multi_manifold_ranking::{self as ranking, Combination, multi_manifold_ranking};
use onyx_examples::multimodal_learning::{self as learning, multimodal_learning};
use onyx_examples::pagerank::{self, pagerank, personalized};
use onyx_examples::ratings::planted::Plan;
use onyx_examples::ratings::serial::Serial;
use onyx_examples::ratings::{self, Bipartite, Factors, Feedback, Rating, Table, metric};
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Session, Status};

/// More iterations than any of these takes.
const ENOUGH: usize = 2000;

fn sessions() -> [Session; 2] {
    [Session::cpu(), Session::emulator()]
}

fn graph() -> Graph {
    "rmat:6:6".parse::<Generator>().unwrap().generate(7).unwrap()
}

/// Numbers between 0 and 1 that only must not be regular.
fn number(index: usize) -> f32 {
    (index * 37 % 101) as f32 / 101.0
}

fn greatest_difference(found: impl IntoIterator<Item = f64>, expected: &[f64]) -> f64 {
    let found: Vec<f64> = found.into_iter().collect();
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
}

fn near(found: &Array2<f32>, expected: &[f64]) -> bool {
    greatest_difference(found.iter().map(|value| f64::from(*value)), expected) < 1e-4
}

/// Whether the error is said in words that have all of these.
fn says<T: std::fmt::Debug>(result: Result<T, AlgorithmError>, words: &[&str]) {
    let error = result.expect_err("an error").to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn ranks_are_those_of_the_serial_loop() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let settings = pagerank::Settings::new().damping(0.9);
        let found = pagerank(&resident, settings).unwrap();
        let mut data = pagerank::prepare(&resident, settings).unwrap();
        let expected = pagerank::serial(&graph, data.on_host().unwrap(), ENOUGH);
        assert!(greatest_difference(found.ranks.iter().copied(), &expected) < 1e-5, "{session:?}");
        assert!(found.report.status.is_at_rest() && found.report.backend == session.backend());
        let first = found.top(1)[0];
        assert!(found.ranks.iter().all(|rank| *rank <= found.ranks[first as usize]));

        let restart = [(1, 1.0), (17, 3.0)];
        let found = personalized(&resident, &restart, settings).unwrap();
        pagerank::personalize(&mut data, &restart).unwrap();
        let expected = pagerank::serial(&graph, data.on_host().unwrap(), ENOUGH);
        assert!(greatest_difference(found.ranks, &expected) < 1e-5, "{session:?}");
    }
}

#[test]
fn labels_are_those_of_the_serial_loop() {
    let graph = graph();
    let seeds: Vec<(u32, usize)> = (0..12).map(|seed| (seed * 5, seed as usize % 3)).collect();
    for session in sessions() {
        let resident = session.graph(&graph);
        let settings = label_propagation::Settings::new().tolerance(1e-6);
        let found = label_propagation(&resident, &seeds, settings).unwrap();
        let mut data = label_propagation::prepare(&resident, &seeds, 3, settings).unwrap();
        let expected = label_propagation::serial(&graph, data.on_host().unwrap(), ENOUGH);
        assert!(near(&found.shares, &expected), "{session:?}");
        assert_eq!((found.shares.dim(), found.report.status.is_at_rest()), ((graph.vertex_count(), 3), true));
        assert_eq!(found.classes()[0], Some(0));
    }
}

#[test]
fn ranks_on_manifolds_are_those_of_the_serial_loop() {
    let graph = graph();
    let weights = Array2::from_shape_fn((graph.edge_count(), 3), |(edge, manifold)| number(3 * edge + manifold));
    let queries = [(3, vec![1.0, 0.0, 0.5]), (11, vec![0.0, 0.0, 2.0])];
    for session in sessions() {
        let resident = session.graph(&graph);
        let settings = ranking::Settings::new();
        let found = multi_manifold_ranking(&resident, &weights, &queries, settings).unwrap();
        let mut data = ranking::prepare(&resident, weights.as_slice().unwrap(), &queries, 3, settings).unwrap();
        let expected = ranking::serial(&graph, data.on_host().unwrap(), ENOUGH, 0.0).values;
        assert!(near(&found.ranks, &expected), "{session:?}");
        // No query is on the second manifold.
        let least = found.ranks.rows().into_iter().map(|row| row[0].min(row[2])).collect::<Vec<_>>();
        assert_eq!(found.scores(Combination::Least), least);
        // In another order of axes the values are the same.
        let turned = weights.t().as_standard_layout().into_owned();
        let other = multi_manifold_ranking(&resident, turned.t(), &queries, settings).unwrap();
        assert_eq!(other.ranks, found.ranks);
    }
}

#[test]
fn modes_are_those_of_the_serial_loop() {
    let graph = graph();
    let matrices = Array3::from_shape_fn((graph.edge_count(), 3, 3), |(edge, row, column)| {
        number(9 * edge + 3 * row + column) - 0.5
    });
    let seeds = [(3, vec![1.0, 0.0, 0.5]), (11, vec![0.0, -1.0, 2.0])];
    for session in sessions() {
        let resident = session.graph(&graph);
        let settings = learning::Settings::new();
        let found = multimodal_learning(&resident, &matrices, &seeds, settings).unwrap();
        let mut data = learning::prepare(&resident, matrices.as_slice().unwrap(), &seeds, 3, settings).unwrap();
        let expected = learning::serial(&graph, data.on_host().unwrap(), ENOUGH, 0.0).values;
        assert!(near(&found.modes, &expected), "{session:?}");
        assert_eq!(found.greatest().len(), graph.vertex_count());
    }
}

#[test]
fn beliefs_on_a_tree_are_exact() {
    let spread = Spread { deviation: 2.0, zeros: 0.1 };
    let network = generate::spread_tree(12, 2..=4, Shape::Random, spread, 5).unwrap();
    for session in sessions() {
        for question in [Question::Marginals, Question::Assignment] {
            let settings = markov::serial::Settings { question, tolerance: 0.0, ..Default::default() };
            let found = belief_propagation(&session, &network, &settings).unwrap();
            let exact = Elimination::of(&network, question).unwrap();
            assert!(found.beliefs.distance(&exact.beliefs().unwrap()).greatest < 1e-4, "{session:?}, {question:?}");
            assert_eq!(found.report.status, Status::Converged);
            let score = found.assignment.map(|states| network.log_score(&states));
            assert!(score.is_none_or(|score| (score - exact.log_partition()).abs() < 1e-4), "{score:?}");
            assert_eq!(score.is_some(), question == Question::Assignment);
        }
    }
}

#[test]
fn factors_are_those_of_as_many_serial_sweeps() {
    for (feedback, features) in
        [Feedback::Explicit, Feedback::Implicit { alpha: 10.0 }].into_iter().flat_map(|one| [(one, 6), (one, 40)])
    {
        let plan = Plan { users: 40, items: 30, ..Plan::default() };
        let (table, catalog) = plan.draw(feedback).unwrap();
        let bipartite = Bipartite::new(&table, catalog.users.len(), catalog.items.len()).unwrap();
        let settings =
            ratings::Settings::new().features(features).feedback(feedback).sweeps(if features > 32 { 2 } else { 6 });
        for session in sessions() {
            let found = als(&session, &bipartite, settings).unwrap();
            let start = Factors::start(&bipartite, &settings);
            let mut serial = Serial::new(&bipartite, settings, start);
            let sweeps = found.report.iterations.len() / 2;
            (0..sweeps).for_each(|_| serial.sweep().unwrap());
            let expected = metric::objective(&bipartite, &settings, &serial.factors);
            assert!((found.objective / expected - 1.0).abs() < 1e-3, "{session:?}: {} {expected}", found.objective);
            assert!((1..=6).contains(&sweeps) && found.report.status != Status::Diverged);
        }
    }
}

#[test]
fn factors_of_nothing_to_fit_converge() {
    let ratings = (0..3).map(|user| Rating { user, item: user % 2, value: 0.0 }).collect();
    let bipartite = Bipartite::new(&Table::new(ratings).unwrap(), 3, 2).unwrap();
    let found = als(&Session::cpu(), &bipartite, ratings::Settings::new()).unwrap();
    assert_eq!((found.objective, found.report.status, found.report.iterations.len()), (0.0, Status::Converged, 4));
}

#[test]
fn a_graph_without_vertices_has_no_answer() {
    let nothing = GraphBuilder::new().build().unwrap();
    let session = Session::cpu();
    let graph = session.graph(&nothing);
    says(pagerank(&graph, pagerank::Settings::new()), &["PageRank", "no vertices"]);
    says(label_propagation(&graph, &[], label_propagation::Settings::new()), &["no vertices"]);
    says(
        multi_manifold_ranking(&graph, &Array2::<f32>::zeros((0, 2)), &[], ranking::Settings::new()),
        &["no vertices"],
    );
    says(
        multimodal_learning(&graph, &Array3::<f32>::zeros((0, 2, 2)), &[], learning::Settings::new()),
        &["no vertices"],
    );
    says(belief_propagation(&session, &MarkovNetwork::new(&[]).unwrap(), &Default::default()), &["no vertices"]);
    let bipartite = Bipartite::new(&Table::new(Vec::new()).unwrap(), 0, 0).unwrap();
    says(als(&session, &bipartite, ratings::Settings::new()), &["no vertices"]);
}

#[test]
fn a_graph_without_edges_has_an_answer() {
    let apart = GraphBuilder::new().vertices(3).build().unwrap();
    for session in sessions() {
        let graph = session.graph(&apart);
        let ranks = pagerank(&graph, pagerank::Settings::new()).unwrap().ranks;
        assert!(ranks.iter().all(|rank| (rank - 1.0 / 3.0).abs() < 1e-6), "{ranks:?}");
        let labels = label_propagation(&graph, &[(1, 1)], label_propagation::Settings::new()).unwrap();
        assert_eq!(labels.classes(), [None, Some(1), None]);
        let rows = [(1, vec![1.0, 2.0, 3.0])];
        let weights = Array2::<f32>::zeros((0, 3));
        let found = multi_manifold_ranking(&graph, &weights, &rows, ranking::Settings::new()).unwrap();
        assert_eq!(found.scores(Combination::Least)[0], 0.0);
        let matrices = Array3::<f32>::zeros((0, 3, 3));
        let found = multimodal_learning(&graph, &matrices, &rows, learning::Settings::new()).unwrap();
        assert_eq!(found.greatest(), [None, Some(2), None]);
        let mut network = MarkovNetwork::new(&[2, 3]).unwrap();
        network.multiply_unary(1, &[0.5, 0.25, 0.25]).unwrap();
        let found = belief_propagation(&session, &network, &Default::default()).unwrap();
        assert!(greatest_difference(found.beliefs.row(1).iter().copied(), &[0.5, 0.25, 0.25]) < 1e-6);
    }
}

#[test]
fn nothing_to_start_from_is_said() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    says(personalized(&resident, &[], pagerank::Settings::new()), &["restart", "at least one"]);
    says(personalized(&resident, &[(1, 0.0)], pagerank::Settings::new()), &["restart", "sum to 0"]);
    says(label_propagation(&resident, &[], label_propagation::Settings::new()), &["seed", "at least one"]);
    let weights = Array2::<f32>::zeros((graph.edge_count(), 2));
    says(multi_manifold_ranking(&resident, &weights, &[], ranking::Settings::new()), &["query", "at least one"]);
    let matrices = Array3::<f32>::zeros((graph.edge_count(), 2, 2));
    says(multimodal_learning(&resident, &matrices, &[], learning::Settings::new()), &["seed", "at least one"]);
    let bipartite = Bipartite::new(&Table::new(Vec::new()).unwrap(), 2, 2).unwrap();
    says(als(&session, &bipartite, ratings::Settings::new()), &["rating", "at least one"]);
}

#[test]
fn settings_out_of_their_range_are_said() {
    let (graph, session) = (graph(), Session::cpu());
    let resident = session.graph(&graph);
    let seeds = [(0, 0), (1, 1)];
    for wrong in [f32::NAN, 0.0, 1.0, -0.5, f32::INFINITY] {
        says(pagerank(&resident, pagerank::Settings::new().damping(wrong)), &["damping", "between 0 and 1"]);
        let settings = label_propagation::Settings::new().alpha(wrong);
        says(label_propagation(&resident, &seeds, settings), &["alpha", "between 0 and 1"]);
    }
    for wrong in [f32::NAN, -1.0, f32::INFINITY] {
        says(pagerank(&resident, pagerank::Settings::new().tolerance(wrong)), &["tolerance", "at least 0"]);
    }
    let weights = Array2::<f32>::zeros((graph.edge_count(), 1));
    for wrong in [f32::NAN, -1e-9, 0.11, f32::INFINITY] {
        let settings = ranking::Settings::new().tolerance(wrong);
        says(multi_manifold_ranking(&resident, &weights, &[(0, vec![1.0])], settings), &["tolerance", "0.1"]);
    }
    let network = generate::spread_tree(4, 2..=2, Shape::Path, Spread { deviation: 1.0, zeros: 0.0 }, 5).unwrap();
    for damping in [1.0, f64::NAN, -0.1] {
        let settings = markov::serial::Settings { damping, ..Default::default() };
        says(belief_propagation(&session, &network, &settings), &["damping", "less than 1"]);
    }
    let (table, _) = Plan::default().draw(Feedback::Explicit).unwrap();
    let bipartite = Bipartite::new(&table, 1000, 1000).unwrap();
    says(als(&session, &bipartite, ratings::Settings::new().lambda(f32::NAN)), &["lambda", "finite"]);
    says(als(&session, &bipartite, ratings::Settings::new().sweeps(0)), &["sweeps", "at least 1"]);
    for features in [0, 129, usize::MAX] {
        says(als(&session, &bipartite, ratings::Settings::new().features(features)), &["features", "ask for 1 to"]);
    }
}

#[test]
fn values_that_do_not_fit_are_said() {
    let (graph, session) = (graph(), Session::cpu());
    let (resident, edges) = (session.graph(&graph), graph.edge_count());
    let settings = label_propagation::Settings::new();
    says(label_propagation(&resident, &[(0, 0), (1000, 1)], settings), &["seed", "vertex 1000", "64 vertices"]);
    says(label_propagation(&resident, &[(0, usize::MAX)], settings), &["640"]);
    says(personalized(&resident, &[(64, 1.0)], pagerank::Settings::new()), &["restart", "vertex 64"]);
    says(personalized(&resident, &[(4, f32::NAN)], pagerank::Settings::new()), &["weight of vertex 4", "NaN"]);
    let prepared = label_propagation::prepare(&resident, &[(5, 3)], 2, settings);
    says(prepared, &["vertex 5", "class 3", "2 classes"]);

    let (weights, settings) = (Array2::from_elem((edges, 2), 0.5_f32), ranking::Settings::new());
    let short = [(3, vec![1.0])];
    says(multi_manifold_ranking(&resident, &weights, &short, settings), &["query of vertex 3", "1 values", "2 are"]);
    let lost = [(3, vec![1.0, f32::NAN])];
    says(multi_manifold_ranking(&resident, &weights, &lost, settings), &["query of vertex 3", "NaN", "finite"]);
    let right = [(3, vec![1.0, 1.0])];
    let few = Array2::from_elem((edges - 1, 2), 0.5_f32);
    says(multi_manifold_ranking(&resident, &few, &right, settings), &["weights", "2 for each"]);
    says(multi_manifold_ranking(&resident, &Array2::<f32>::zeros((edges, 0)), &right, settings), &["0 features"]);
    let mut negative = weights;
    negative[[2, 1]] = -0.25;
    let (_, origin, destination) = graph.edges().nth(2).unwrap();
    let edge = format!("from vertex {origin} to vertex {destination}");
    says(multi_manifold_ranking(&resident, &negative, &right, settings), &["-0.25", &edge, "at least 0"]);

    let settings = learning::Settings::new();
    let mut matrices = Array3::from_elem((edges, 2, 2), -0.5_f32);
    says(multimodal_learning(&resident, &matrices, &short, settings), &["seed of vertex 3", "1 values"]);
    matrices[[2, 0, 1]] = f32::NAN;
    says(multimodal_learning(&resident, &matrices, &right, settings), &["NaN", &edge, "finite"]);
    let oblong = Array3::from_elem((edges, 3, 2), 1.0_f32);
    says(multimodal_learning(&resident, &oblong, &right, settings), &["weights", "4 for each"]);
}

#[test]
fn weights_that_are_no_confidence_are_said() {
    let edges = GraphBuilder::new().edges(vec![(0, 1), (1, 2)]).weights(vec![1.0, -2.0]).build().unwrap();
    let session = Session::cpu();
    let graph = session.graph(&edges);
    let found = label_propagation(&graph, &[(0, 0)], label_propagation::Settings::new());
    says(found, &["from vertex 1 to vertex 2", "-2", "at least 0"]);
    let rating = |user, item, value| Rating { user, item, value };
    let table = Table::new(vec![rating(0, 0, 1.0), rating(0, 1, -3.0), rating(1, 1, 2.0)]).unwrap();
    let bipartite = Bipartite::new(&table, 2, 2).unwrap();
    let settings = ratings::Settings::new().features(4).feedback(Feedback::Implicit { alpha: 1.0 });
    says(als(&session, &bipartite, settings), &["-3", "at least 0"]);
}

#[test]
fn factors_of_another_size_are_refused() {
    let (table, catalog) = Plan::default().draw(Feedback::Explicit).unwrap();
    let bipartite = Bipartite::new(&table, catalog.users.len(), catalog.items.len()).unwrap();
    for settings in [ratings::Settings::new(), ratings::Settings::new().features(64)] {
        for features in [0, 3] {
            let factors = Factors { values: vec![0.5; 12], features };
            says(Model::on(&Session::cpu(), &bipartite, settings, &factors), &["`factor` has the shape [200,"]);
        }
    }
}
