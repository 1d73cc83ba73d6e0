//! Derived gradients against those of PyTorch's autograd: `tests/golden/gradients.py` made them.

use std::fs;
use std::path::Path;

use onyx_gradient_tests::differences::agree;
use onyx_gradient_tests::golden::{
    Dynamic, Sweep, dynamic_attention, dynamic_attention_gradient, sweep, sweep_gradient,
};
use onyx_gradient_tests::graphs::sessions;
use onyx_gradient_tests::layers::{
    Convolution, Isomorphism, Propagation, Relations, Softmax, convolve, convolve_gradient, distmult,
    distmult_gradient, isomorphism, isomorphism_gradient, propagate, propagate_gradient, softmax_layer,
    softmax_layer_gradient,
};
use onyx_gradient_tests::matrices::{Mixes, dense, dense_gradient};
use onyx_gradient_tests::pools::{Pools, pooled, pooled_gradient};
use onyx_gradient_tests::products::{Factors, Messages, messages, messages_gradient, multiplied, multiplied_gradient};
use onyx_gradient_tests::rectangular::{self, Trained};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Options, ResidentGraph, RunFold};
use serde_json::Value;

const FEATURES: usize = 3;

/// What PyTorch was given, and what it has found.
struct Golden {
    graph: Graph,
    layer: Value,
}

impl Golden {
    fn of(layer: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/gradients.json");
        let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let ends = |pair: &Value| (pair[0].as_u64().unwrap() as u32, pair[1].as_u64().unwrap() as u32);
        let edges = file[layer].get("edges").unwrap_or(&file["edges"]);
        let edges: Vec<(u32, u32)> = edges.as_array().unwrap().iter().map(ends).collect();
        let vertices = file["vertices"].as_u64().unwrap() as usize;
        let graph = GraphBuilder::new().vertices(vertices).edges(edges.clone()).build().unwrap();
        let found: Vec<(u32, u32)> = graph.edges().map(|(_, source, destination)| (source, destination)).collect();
        assert_eq!(found, edges, "edges have the numbers that the file gives them");
        Self { graph, layer: file[layer].clone() }
    }

    fn row(&self, name: &str) -> Vec<f32> {
        flat(&self.layer["inputs"][name]).into_iter().map(|value| value as f32).collect()
    }

    fn rows(&self, name: &str) -> Array2<f32> {
        self.wide_rows(name, FEATURES)
    }

    fn wide_rows(&self, name: &str, width: usize) -> Array2<f32> {
        let values = self.row(name);
        Array2::from_shape_vec((values.len() / width, width), values).unwrap()
    }

    fn output(&self, found: impl IntoIterator<Item = f32>) {
        agree("output", found, &flat(&self.layer["output"]));
    }

    fn gradient(&self, name: &str, found: impl IntoIterator<Item = f32>) {
        agree(name, found, &flat(&self.layer["gradients"][name]));
    }

    fn everywhere(&self, check: impl Fn(&ResidentGraph<'_>, &Options)) {
        for session in sessions() {
            let resident = session.graph(&self.graph);
            for options in [Options::new(), Options::new().group_size(2), Options::new().deterministic(true)] {
                check(&resident, &options);
            }
        }
    }
}

fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

#[test]
fn gcn() {
    let golden = Golden::of("gcn");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(convolve, graph, FEATURES).unwrap();
        data.write(Convolution::X, &golden.rows("x")).unwrap();
        data.write(Convolution::WEIGHT, &golden.row("weight")).unwrap();
        data.write(Convolution::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        convolve.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Convolution::OUT).unwrap().iter().copied());
        convolve_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Convolution::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("weight", data.read(Convolution::WEIGHT_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn gin() {
    let golden = Golden::of("gin");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(isomorphism, graph, FEATURES).unwrap();
        data.write(Isomorphism::X, &golden.rows("x")).unwrap();
        data.write(Isomorphism::SLOPE, &golden.row("slope")).unwrap();
        data.write(Isomorphism::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        data.set(Isomorphism::EPSILON, 0.25);
        isomorphism.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Isomorphism::OUT).unwrap().iter().copied());
        isomorphism_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Isomorphism::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("slope", data.read(Isomorphism::SLOPE_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn gat() {
    let golden = Golden::of("gat");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(softmax_layer, graph, FEATURES).unwrap();
        data.write(Softmax::X, &golden.rows("x")).unwrap();
        data.write(Softmax::QUERY, &golden.row("query")).unwrap();
        data.write(Softmax::KEY, &golden.row("key")).unwrap();
        data.write(Softmax::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        softmax_layer.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Softmax::OUT).unwrap().iter().copied());
        softmax_layer_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Softmax::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("query", data.read(Softmax::QUERY_GRADIENT).unwrap().iter().copied());
        golden.gradient("key", data.read(Softmax::KEY_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn gatv2() {
    let golden = Golden::of("gatv2");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(dynamic_attention, graph, FEATURES).unwrap();
        data.write(Dynamic::X, &golden.rows("x")).unwrap();
        data.write(Dynamic::LEFT, &golden.row("left")).unwrap();
        data.write(Dynamic::RIGHT, &golden.row("right")).unwrap();
        data.write(Dynamic::ATTENTION, &golden.row("attention")).unwrap();
        data.write(Dynamic::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        dynamic_attention.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Dynamic::OUT).unwrap().iter().copied());
        dynamic_attention_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Dynamic::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("left", data.read(Dynamic::LEFT_GRADIENT).unwrap().iter().copied());
        golden.gradient("right", data.read(Dynamic::RIGHT_GRADIENT).unwrap().iter().copied());
        golden.gradient("attention", data.read(Dynamic::ATTENTION_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn distmult_scores() {
    let golden = Golden::of("distmult");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(distmult, graph, FEATURES).unwrap();
        data.write(Relations::ENTITY, &golden.rows("entity")).unwrap();
        data.write(Relations::RELATION, &golden.rows("relation")).unwrap();
        data.write(Relations::SCORE_GRADIENT, &golden.row("wanted")).unwrap();
        distmult.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Relations::SCORE).unwrap().iter().copied());
        distmult_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("entity", data.read(Relations::ENTITY_GRADIENT).unwrap().iter().copied());
        golden.gradient("relation", data.read(Relations::RELATION_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn label_propagation() {
    let golden = Golden::of("label_propagation");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(propagate, graph, FEATURES).unwrap();
        data.write(Propagation::SEED, &golden.rows("seed")).unwrap();
        data.write(Propagation::WEIGHT, &golden.row("weight")).unwrap();
        data.write(Propagation::THIRD_GRADIENT, &golden.rows("wanted")).unwrap();
        data.set(Propagation::ALPHA, 0.75);
        propagate.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Propagation::THIRD).unwrap().iter().copied());
        propagate_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("seed", data.read(Propagation::SEED_GRADIENT).unwrap().iter().copied());
        golden.gradient("weight", data.read(Propagation::WEIGHT_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn belief_propagation() {
    let golden = Golden::of("belief_propagation");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(sweep, graph, FEATURES).unwrap();
        data.write(Sweep::PRIOR, &golden.rows("prior")).unwrap();
        data.write(Sweep::BELIEF, &golden.rows("belief")).unwrap();
        data.write(Sweep::STRENGTH, &golden.row("strength")).unwrap();
        data.write(Sweep::NEXT_GRADIENT, &golden.rows("wanted")).unwrap();
        sweep.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Sweep::NEXT).unwrap().iter().copied());
        sweep_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("prior", data.read(Sweep::PRIOR_GRADIENT).unwrap().iter().copied());
        golden.gradient("belief", data.read(Sweep::BELIEF_GRADIENT).unwrap().iter().copied());
        golden.gradient("strength", data.read(Sweep::STRENGTH_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn means_minima_and_maxima() {
    let golden = Golden::of("pools");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(pooled, graph, FEATURES).unwrap();
        data.write(Pools::X, &golden.rows("x")).unwrap();
        data.write(Pools::WEIGHT, &golden.row("weight")).unwrap();
        data.write(Pools::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        pooled.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Pools::OUT).unwrap().iter().copied());
        pooled_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Pools::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("weight", data.read(Pools::WEIGHT_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn products_with_zeros() {
    let golden = Golden::of("products");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(multiplied, graph, FEATURES).unwrap();
        data.write(Factors::X, &golden.rows("x")).unwrap();
        data.write(Factors::WEIGHT, &golden.row("weight")).unwrap();
        data.write(Factors::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        multiplied.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Factors::OUT).unwrap().iter().copied());
        multiplied_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Factors::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("weight", data.read(Factors::WEIGHT_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn a_dense_layer() {
    let golden = Golden::of("dense");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(dense, graph, FEATURES).unwrap();
        data.write(Mixes::X, &golden.rows("x")).unwrap();
        data.write(Mixes::SIZE, &golden.row("size")).unwrap();
        data.write(Mixes::MIX, &golden.rows("mix")).unwrap();
        data.write(Mixes::BIAS, &golden.row("bias")).unwrap();
        data.write(Mixes::OUT_GRADIENT, &golden.rows("wanted")).unwrap();
        dense.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Mixes::OUT).unwrap().iter().copied());
        dense_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("x", data.read(Mixes::X_GRADIENT).unwrap().iter().copied());
        golden.gradient("size", data.read(Mixes::SIZE_GRADIENT).unwrap().iter().copied());
        golden.gradient("mix", data.read(Mixes::MIX_GRADIENT).unwrap().iter().copied());
        golden.gradient("bias", data.read(Mixes::BIAS_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn a_layer_of_rows_of_another_width() {
    let golden = Golden::of("rectangular");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data_of_widths(rectangular::convolve, graph, &[FEATURES, 5]).unwrap();
        data.write(Trained::INPUT, &golden.wide_rows("input", 5)).unwrap();
        data.write(Trained::WEIGHT, &golden.wide_rows("weight", 5)).unwrap();
        data.write(Trained::BIAS, &golden.row("bias")).unwrap();
        data.write(Trained::SHARE, &golden.row("share")).unwrap();
        data.write(Trained::OUTPUT_GRADIENT, &golden.rows("wanted")).unwrap();
        rectangular::convolve.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Trained::OUTPUT).unwrap().iter().copied());
        rectangular::convolve_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("input", data.read(Trained::INPUT_GRADIENT).unwrap().iter().copied());
        golden.gradient("weight", data.read(Trained::WEIGHT_GRADIENT).unwrap().iter().copied());
        golden.gradient("bias", data.read(Trained::BIAS_GRADIENT).unwrap().iter().copied());
        golden.gradient("share", data.read(Trained::SHARE_GRADIENT).unwrap().iter().copied());
    });
}

#[test]
fn messages_in_both_directions() {
    let golden = Golden::of("messages");
    golden.everywhere(|graph, options| {
        let mut data = graph.session().data(messages, graph, FEATURES).unwrap();
        data.write(Messages::PRIOR, &golden.rows("prior")).unwrap();
        data.write(Messages::BELIEF, &golden.rows("belief")).unwrap();
        data.write(Messages::MESSAGE, &golden.rows("message")).unwrap();
        data.write(Messages::COUPLING, &golden.rows("coupling")).unwrap();
        data.write(Messages::NEXT_GRADIENT, &golden.rows("wanted")).unwrap();
        messages.on(graph, &mut data).times(1, options).unwrap();
        golden.output(data.read(Messages::NEXT).unwrap().iter().copied());
        messages_gradient.on(graph, &mut data).times(1, options).unwrap();
        golden.gradient("prior", data.read(Messages::PRIOR_GRADIENT).unwrap().iter().copied());
        golden.gradient("belief", data.read(Messages::BELIEF_GRADIENT).unwrap().iter().copied());
        golden.gradient("message", data.read(Messages::MESSAGE_GRADIENT).unwrap().iter().copied());
        golden.gradient("coupling", data.read(Messages::COUPLING_GRADIENT).unwrap().iter().copied());
    });
}
