//! Runs on renumbered graphs: the answers are those of the graph as it was given.

mod command;

use std::fmt::Write;

use command::{
    Folder, LABEL_PROPAGATION, MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING, PAGERANK, report, rows, succeeds,
};
use serde_json::Value;

const ORDERS: [&str; 3] = ["rabbit", "degree", "rcm"];

/// The output of a run: an id and its values on each line, and the report.
fn output(binary: &str, arguments: &[&str]) -> (Vec<(String, Vec<f64>)>, Value) {
    let folder = Folder::new();
    let path = folder.path("output");
    let report = report(binary, &[arguments, &["--output", &path]].concat());
    let number = |text: &String| text.parse().unwrap();
    let rows = rows(&path).into_iter().map(|row| (row[0].clone(), row[1..].iter().map(number).collect()));
    (rows.collect(), report)
}

/// Edges between ids that are neither dense nor in order, with a few numbers each.
fn edges(numbers: usize) -> String {
    let mut text = String::new();
    for edge in 0_u64..400 {
        let (one, other) = (edge * edge % 97 * 31 + 5, edge * 7 % 89 * 17 + 3);
        let numbers: String = (0..numbers as u64).map(|number| format!(" {}", 1 + (edge + number) % 5)).collect();
        writeln!(text, "{one} {other}{numbers}").unwrap();
    }
    text
}

/// Asserts that each order gives the same ids, and values as near as another order of sums leaves them.
fn same_in_every_order(binary: &str, arguments: &[&str], tolerance: f64) {
    let (plain, plain_report) = output(binary, &[arguments, &["--order", "none"]].concat());
    assert!(plain_report["order"].is_null() && plain_report["verified"].as_bool().unwrap(), "{plain_report}");
    for order in ORDERS {
        let (ordered, report) = output(binary, &[arguments, &["--order", order]].concat());
        assert_eq!(report["order"]["name"], order);
        assert!(report["verified"].as_bool().unwrap(), "{report}");
        assert_eq!(report["graph"], plain_report["graph"]);
        for ((id, values), (expected_id, expected)) in ordered.iter().zip(&plain) {
            assert_eq!(id, expected_id);
            let difference = values.iter().zip(expected).map(|(value, expected)| (value - expected).abs());
            let difference = difference.fold(0.0, f64::max);
            assert!(difference <= tolerance, "{order}: {values:?} is not {expected:?} at {id}");
        }
        assert_eq!(ordered.len(), plain.len());
    }
}

#[test]
fn ranks_are_those_of_the_graph_that_was_given() {
    let folder = Folder::new();
    let graph = folder.file("graph.txt", edges(0));
    for more in [&[][..], &["--restart", "5,36"], &["--undirected"], &["--direction", "push"]] {
        same_in_every_order(PAGERANK, &[&["--graph", &graph], more].concat(), 1e-5);
    }
    let weights = folder.file("weights.txt", "5 1\n36 3\n");
    same_in_every_order(PAGERANK, &["--graph", &graph, "--personalize", &weights, "--backend", "emulator"], 1e-5);
}

#[test]
fn labels_are_those_of_the_graph_that_was_given() {
    let folder = Folder::new();
    let graph = folder.file("graph.txt", edges(1));
    let labels = folder.file("labels.txt", "5 0\n36 1\n3 2\n20 2\n");
    let arguments = ["--graph", &graph, "--tolerance", "1e-7"];
    same_in_every_order(LABEL_PROPAGATION, &[&arguments[..], &["--labels", &labels]].concat(), 1e-4);
    // Seeds are drawn among the vertices as they were given.
    same_in_every_order(LABEL_PROPAGATION, &[&arguments[..], &["--seed", "7"]].concat(), 1e-4);
}

#[test]
fn the_karate_club_has_the_same_accuracy_in_every_order() {
    for order in ORDERS {
        let report = report(LABEL_PROPAGATION, &["--order", order]);
        assert_eq!(report["result"]["accuracy"], 31.0 / 32.0, "{order}");
        let text = succeeds(PAGERANK, &["--order", order]);
        assert!(text.contains("          34  0.1009"), "{text}");
        assert!(text.contains(&format!("vertices in {order} order after ")), "{text}");
    }
}

#[test]
fn numbers_of_edges_follow_their_edges() {
    let folder = Folder::new();
    let vectors = folder.file("vectors.txt", edges(3));
    let queries = folder.file("queries.txt", "5 1 0 1\n36 0 2 0\n");
    same_in_every_order(MULTI_MANIFOLD_RANKING, &["--graph", &vectors, "--queries", &queries], 1e-4);
    let matrices = folder.file("matrices.txt", edges(4));
    let seeds = folder.file("seeds.txt", "5 1 0\n36 0.5 2\n");
    same_in_every_order(MULTIMODAL_LEARNING, &["--graph", &matrices, "--seeds", &seeds], 1e-4);
    // Planted graphs say themselves whether their answer was found.
    for binary in [MULTI_MANIFOLD_RANKING, MULTIMODAL_LEARNING] {
        for order in ORDERS {
            let text = succeeds(binary, &["--order", order]);
            assert!(text.contains("planted answer recovered"), "{text}");
        }
    }
}

#[test]
fn auto_renumbers_where_the_rule_says_so() {
    let name = |arguments: &[&str]| report(PAGERANK, arguments)["order"]["name"].clone();
    assert_eq!(name(&["--order", "auto"]), "rabbit");
    // A path of 40,000 vertices has spans of 1, whose root is not above 2.
    assert_eq!(name(&["--order", "auto", "--generate", "grid:40000x1", "--iterations", "2"]), Value::Null);
}
