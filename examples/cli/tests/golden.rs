//! Results against values that networkx and SciPy have computed.

mod command;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;

use command::{Folder, LABEL_PROPAGATION, PAGERANK, data, golden, report, rows};
use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// What the ranks of a graph may differ from networkx's, added up over all vertices.
const RANKS: f64 = 1e-5;

/// The output of a run: the values of each id.
fn values(binary: &str, arguments: &[&str]) -> HashMap<String, Vec<f64>> {
    let folder = Folder::new();
    let path = folder.path("output");
    report(binary, &[arguments, &["--output", &path]].concat());
    let number = |text: &String| text.parse().unwrap();
    rows(&path).into_iter().map(|row| (row[0].clone(), row[1..].iter().map(number).collect())).collect()
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn pagerank_of_the_karate_club() {
    let golden = golden("pagerank_karate.json");
    for backend in ["cpu", "emulator"] {
        for direction in ["pull", "push", "auto"] {
            let found = values(PAGERANK, &["--backend", backend, "--direction", direction]);
            let expected = golden["ranks"].as_object().unwrap();
            assert_eq!(found.len(), expected.len());
            let error: f64 = expected.iter().map(|(id, rank)| (found[id][0] - rank.as_f64().unwrap()).abs()).sum();
            assert!(error < RANKS, "{backend} {direction}: {error:e}");
        }
    }
}

#[test]
fn labels_of_the_karate_club() {
    let golden = golden("label_propagation_karate.json");
    for backend in ["cpu", "emulator"] {
        for direction in ["pull", "push", "auto"] {
            let found =
                values(LABEL_PROPAGATION, &["--tolerance", "1e-6", "--backend", backend, "--direction", direction]);
            for (id, expected) in golden["labels"].as_object().unwrap() {
                let error = found[id].iter().zip(floats(expected)).map(|(found, expected)| (found - expected).abs());
                let error = error.fold(0.0, f64::max);
                // A change up to the tolerance ends the run; the solution is 1 / (1 - alpha) times that away at most.
                assert!(error < 1e-5, "{backend} {direction}: {error:e} at {id}");
            }
        }
    }
    assert_eq!(report(LABEL_PROPAGATION, &[])["result"]["accuracy"], golden["accuracy"]);
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_pagerank_of_wiki_vote() {
    let golden = golden("pagerank_wiki_vote.json");
    let graph = data("snap/wiki-Vote.txt.gz");
    let found = values(PAGERANK, &["--graph", graph.to_str().unwrap()]);
    assert_eq!(found.len() as u64, golden["vertices"].as_u64().unwrap());
    let rank = |entry: &Value| (found[&entry["id"].to_string()][0] - entry["rank"].as_f64().unwrap()).abs();
    let top: f64 = golden["top"].as_array().unwrap().iter().map(rank).sum();
    let classes = floats(&golden["sum_by_id_modulo_16"]).into_iter().enumerate();
    let of_class = |class: usize| -> f64 {
        found.iter().filter(|(id, _)| id.parse::<usize>().unwrap() % 16 == class).map(|(_, rank)| rank[0]).sum()
    };
    let sums: f64 = classes.map(|(class, expected)| (of_class(class) - expected).abs()).sum();
    assert!(top < RANKS && sums < RANKS, "top {top:e}, sums {sums:e}");
    let squares: f64 = found.values().map(|rank| rank[0] * rank[0]).sum();
    assert!((squares / golden["sum_of_squares"].as_f64().unwrap() - 1.0).abs() < 1e-5);
}

/// Writes a Planetoid graph as edge list, seeds and known labels, and runs label propagation as the golden script does.
fn planetoid(name: &str, adjacency: &str, backend: &str) -> (Value, Value) {
    let (folder, golden) = (Folder::new(), golden(&format!("label_propagation_{name}.json")));
    let labels = text(&format!("{name}/{name}.labels.txt"));
    let labels: Vec<&str> = labels.lines().collect();
    let seeds: String =
        (0..golden["training"].as_u64().unwrap() as usize).map(|v| format!("{v} {}\n", labels[v])).collect();
    let split = text(&format!("{name}/{name}.split.txt"));
    let test = split.lines().filter(|line| !line.starts_with('#'));
    let known: String = test.map(|v| format!("{v} {}\n", labels[v.parse::<usize>().unwrap()])).collect();
    let files = [("graph", edges(&text(&format!("{name}/{adjacency}")))), ("seeds", seeds), ("known", known)];
    let [graph, seeds, known] = files.map(|(file, content)| folder.file(file, content));
    let inputs = ["--graph", &graph, "--undirected", "--labels", &seeds, "--known", &known];
    (report(LABEL_PROPAGATION, &[&inputs[..], &["--backend", backend]].concat()), golden)
}

fn text(name: &str) -> String {
    let path = data(name);
    let mut text = String::new();
    if name.ends_with(".gz") {
        MultiGzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    } else {
        text = fs::read_to_string(path).unwrap();
    }
    text
}

/// An adjacency list as an edge list.
fn edges(adjacency: &str) -> String {
    let rows = adjacency.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' '));
    let edges = rows.flat_map(|mut row| {
        let source = row.next().unwrap_or_default();
        row.map(move |destination| format!("{source} {destination}\n"))
    });
    edges.collect()
}

fn check(report: &Value, golden: &Value) {
    assert_eq!((&report["graph"]["vertices"], &report["graph"]["edges"]), (&golden["vertices"], &golden["edges"]));
    assert_eq!((&report["status"], &report["verified"]), (&"converged".into(), &true.into()));
    assert_eq!(report["result"]["scored"], golden["scored"]);
    assert_eq!(report["result"]["accuracy"], golden["accuracy"]);
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_labels_of_cora() {
    for backend in ["cpu", "emulator"] {
        let (report, golden) = planetoid("cora", "cora.adjlist.txt", backend);
        check(&report, &golden);
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_labels_of_pubmed() {
    let (report, golden) = planetoid("pubmed", "pubmed.adjlist.txt.gz", "cpu");
    check(&report, &golden);
}
