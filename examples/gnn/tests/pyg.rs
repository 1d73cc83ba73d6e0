//! Outputs and gradients of PyTorch Geometric, from its own weights: see tests/golden/gnn.py.

mod sessions;

use std::path::{Path, PathBuf};

use ndarray::Array2;
use onyx_gnn::checkpoint::load;
use onyx_gnn::dataset::Dataset;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_runtime::graph::GraphBuilder;
use serde_json::Value;
use sessions::sessions;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name)
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

fn whole(value: &Value) -> Vec<u32> {
    numbers(value).into_iter().map(|number| number as u32).collect()
}

fn set(golden: &Value) -> Dataset {
    let labels = whole(&golden["labels"]);
    let edges = whole(&golden["edges"]).chunks(2).map(|edge| (edge[0], edge[1])).collect();
    let features: Vec<f32> = numbers(&golden["features"]).into_iter().map(|value| value as f32).collect();
    Dataset {
        graph: GraphBuilder::new().vertices(labels.len()).edges(edges).build().unwrap(),
        features: Array2::from_shape_vec((labels.len(), features.len() / labels.len()), features).unwrap(),
        labels,
        classes: golden["classes"].as_u64().unwrap() as usize,
        train: whole(&golden["train"]),
        validation: Vec::new(),
        test: Vec::new(),
    }
}

fn close(what: &str, found: impl IntoIterator<Item = f32>, expected: &[f64]) {
    let found: Vec<f32> = found.into_iter().collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (f64::from(*found) - expected).abs() < 1e-5 * expected.abs().max(1.0),
            "{what}: {found} for {expected}"
        );
    }
}

#[test]
fn networks_of_pytorch_geometric_compute_the_same_here() {
    let golden_values: Value = serde_json::from_slice(&std::fs::read(golden("gnn.json")).unwrap()).unwrap();
    let set = set(&golden_values);
    let size = |name: &str| golden_values[name].as_u64().unwrap() as usize;
    for session in sessions() {
        for model in [Model::Gcn, Model::Gin, Model::Sage, Model::Gat, Model::Gatv2] {
            let settings = Settings {
                hidden: size("hidden"),
                heads: size("heads"),
                dropout: 0.0,
                edge_dropout: 0.0,
                ..Settings::of(model)
            };
            let graph = session.graph(&set.graph);
            let mut network = Network::new(model, &graph, &set, settings).unwrap();
            load(&mut network, &golden(&format!("gnn_{}.safetensors", model.name()))).unwrap();
            let expected = &golden_values["networks"][model.name()];
            network.forward(true).unwrap();
            close("logits", network.output().unwrap(), &numbers(&expected["logits"]));
            network.backward(&session).unwrap();
            for weight in network.weights() {
                let gradient = weight.read_gradient().unwrap();
                let gradient = if weight.form().is_transposed() { gradient.reversed_axes() } else { gradient };
                close(weight.name(), gradient.iter().copied(), &numbers(&expected["gradients"][weight.name()]));
            }
        }
    }
}
