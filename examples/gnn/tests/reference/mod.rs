//! Networks in double precision, vertex by vertex and edge by edge.

use std::collections::BTreeMap;
use std::ops::Range;

use ndarray::{Array2, Axis};
use onyx_gnn::dataset::Dataset;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_runtime::graph::{Graph, GraphBuilder};

/// How far a weight is moved.
const STEP: f64 = 1e-5;
/// How many weights of a matrix are moved.
const MEASURED: usize = 128;

/// Weights by their names.
pub type Named = BTreeMap<String, Array2<f64>>;

/// Directed, with a hub, an edge that is there twice, and a vertex that no edge leads to.
fn graph() -> Graph {
    let edges = vec![(0, 1), (1, 2), (2, 0), (3, 1), (4, 1), (5, 1), (1, 5), (5, 4), (4, 3), (4, 3), (6, 5)];
    GraphBuilder::new().vertices(7).edges(edges).build().unwrap()
}

pub fn set() -> Dataset {
    let features = Array2::from_shape_fn((7, 5), |(row, column)| ((row * 7 + column * 3) % 11) as f32 / 5.0 - 1.0);
    let (labels, train) = (vec![0, 1, 2, 1, 0, 2, 1], vec![0, 2, 3, 5, 6]);
    Dataset { graph: graph(), features, labels, classes: 3, train, validation: vec![1], test: vec![4] }
}

/// The weights in double precision, biases and all, moved away from 0.
pub fn weights(network: &mut Network<'_>) -> Named {
    let mut named = Named::new();
    for (number, weight) in network.weights().into_iter().enumerate() {
        let mut values = weight.read().unwrap();
        values.indexed_iter_mut().for_each(|((row, column), value)| {
            *value += ((row * 5 + column * 3 + number) % 7) as f32 / 70.0 - 0.04;
        });
        weight.write(values.view()).unwrap();
        named.insert(weight.name().to_owned(), values.mapv(f64::from));
    }
    named
}

/// The output of a network of so many layers, all but the last of `heads`.
pub fn logits(model: Model, set: &Dataset, weights: &Named, layers: usize, heads: usize) -> Array2<f64> {
    let x = set.features.mapv(f64::from);
    let layer = |x: &Array2<f64>, name: &str, heads: usize| {
        let weight = |part: &str| &weights[&format!("{name}.{part}")];
        match model {
            Model::Gcn => convolution(&set.graph, &x.dot(weight("lin.weight"))) + weight("bias"),
            Model::Gin => {
                let own = 1.0 + weight("eps")[[0, 0]];
                let hidden = (x * own + sums(&set.graph, x)).dot(weight("nn.0.weight")) + weight("nn.0.bias");
                hidden.mapv(|value| value.max(0.0)).dot(weight("nn.2.weight")) + weight("nn.2.bias")
            }
            Model::Sage | Model::SageMax => {
                let of = if model == Model::Sage { means } else { maxima };
                of(&set.graph, x).dot(weight("lin_l.weight")) + weight("lin_l.bias") + x.dot(weight("lin_r.weight"))
            }
            Model::Gat => {
                let rows = x.dot(weight("lin.weight"));
                let part =
                    |vectors: &str, vertex: usize, column: usize| weight(vectors)[[0, column]] * rows[[vertex, column]];
                let score = |(u, v), columns: Range<usize>| {
                    rectified(columns.map(|column| part("att_src", u, column) + part("att_dst", v, column)).sum())
                };
                attention(&set.graph, &rows, heads, score) + weight("bias")
            }
            Model::Gatv2 => {
                let end = |name: &str| x.dot(weight(&format!("{name}.weight"))) + weight(&format!("{name}.bias"));
                let (left, right) = (end("lin_l"), end("lin_r"));
                let part =
                    |(u, v), column| weight("att")[[0, column]] * rectified(left[[u, column]] + right[[v, column]]);
                let score = |edge, columns: Range<usize>| columns.map(|column| part(edge, column)).sum();
                attention(&set.graph, &left, heads, score) + weight("bias")
            }
        }
    };
    let bent = |value: f64| match model {
        Model::Gat | Model::Gatv2 if value < 0.0 => value.exp() - 1.0,
        Model::Gat | Model::Gatv2 => value,
        _ => value.max(0.0),
    };
    let hidden = (1..layers).fold(x, |x, number| layer(&x, &format!("conv{number}"), heads).mapv(bent));
    layer(&hidden, &format!("conv{layers}"), 1)
}

/// The mean cross entropy over the vertices that are learned from.
pub fn loss(set: &Dataset, logits: &Array2<f64>) -> f64 {
    let of = |vertex: &u32| {
        let row = logits.row(*vertex as usize);
        row.iter().map(|value| value.exp()).sum::<f64>().ln() - row[set.labels[*vertex as usize] as usize]
    };
    set.train.iter().map(of).sum::<f64>() / set.train.len() as f64
}

/// What the loss changes by with weights called `name`: all of a few, and as many of more, with NaN for the others.
pub fn differences(
    set: &Dataset,
    weights: &mut Named,
    name: &str,
    logits: impl Fn(&Named) -> Array2<f64>,
) -> Array2<f64> {
    let (shape, every) = (weights[name].raw_dim(), weights[name].len().div_ceil(MEASURED));
    let mut measure = |at: (usize, usize), moved: f64| {
        weights.get_mut(name).unwrap()[at] += moved;
        let found = loss(set, &logits(weights));
        weights.get_mut(name).unwrap()[at] -= moved;
        found
    };
    Array2::from_shape_fn(shape, |at| {
        let is_measured = (at.0 * shape[1] + at.1).is_multiple_of(every);
        if is_measured { (measure(at, STEP) - measure(at, -STEP)) / (2.0 * STEP) } else { f64::NAN }
    })
}

/// Sums over incoming edges.
fn sums(graph: &Graph, x: &Array2<f64>) -> Array2<f64> {
    let mut sums = Array2::zeros(x.raw_dim());
    for (_, source, destination) in graph.edges() {
        let mut row = sums.row_mut(destination as usize);
        row += &x.row(source as usize);
    }
    sums
}

fn degrees(graph: &Graph) -> Vec<f64> {
    let mut degrees = vec![0.0; graph.vertex_count()];
    graph.edges().for_each(|(_, _, destination)| degrees[destination as usize] += 1.0);
    degrees
}

fn means(graph: &Graph, x: &Array2<f64>) -> Array2<f64> {
    let mut means = sums(graph, x);
    for (mut row, degree) in means.axis_iter_mut(Axis(0)).zip(degrees(graph)) {
        row /= f64::max(degree, 1.0);
    }
    means
}

/// The greatest of each feature over incoming edges, 0 without any.
fn maxima(graph: &Graph, x: &Array2<f64>) -> Array2<f64> {
    let mut maxima = Array2::from_elem(x.raw_dim(), f64::NEG_INFINITY);
    for (_, source, destination) in graph.edges() {
        let source = x.row(source as usize);
        maxima.row_mut(destination as usize).zip_mut_with(&source, |greatest, value| *greatest = greatest.max(*value));
    }
    maxima.mapv(|greatest| if greatest.is_finite() { greatest } else { 0.0 })
}

/// D^-1/2 (A + I) D^-1/2 x, of graphs without loops.
fn convolution(graph: &Graph, x: &Array2<f64>) -> Array2<f64> {
    weighted_convolution(graph, x, &vec![1.0; graph.edge_count()])
}

/// The same where A has weights of edges.
pub fn weighted_convolution(graph: &Graph, x: &Array2<f64>, weights: &[f64]) -> Array2<f64> {
    let mut degrees = vec![1.0_f64; graph.vertex_count()];
    graph.edges().for_each(|(edge, _, destination)| degrees[destination as usize] += weights[edge]);
    let scale: Vec<f64> = degrees.iter().map(|degree| 1.0 / degree.sqrt()).collect();
    let mut scaled = x.clone();
    for (mut row, scale) in scaled.axis_iter_mut(Axis(0)).zip(&scale) {
        row *= *scale;
    }
    let mut mixed = scaled.clone();
    for (edge, source, destination) in graph.edges() {
        mixed.row_mut(destination as usize).scaled_add(weights[edge], &scaled.row(source as usize));
    }
    for (mut row, scale) in mixed.axis_iter_mut(Axis(0)).zip(&scale) {
        row *= *scale;
    }
    mixed
}

/// A leaky rectifier.
fn rectified(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.2 * value }
}

/// Attention of several heads by the scores of edges, each vertex to itself as well, of graphs without loops.
fn attention(
    graph: &Graph,
    x: &Array2<f64>,
    heads: usize,
    score: impl Fn((usize, usize), Range<usize>) -> f64,
) -> Array2<f64> {
    let size = x.ncols() / heads;
    let mut edges: Vec<(usize, usize)> = graph.edges().map(|(_, u, v)| (u as usize, v as usize)).collect();
    edges.extend((0..x.nrows()).map(|vertex| (vertex, vertex)));
    let mut out = Array2::zeros(x.raw_dim());
    for head in 0..heads {
        let columns = head * size..(head + 1) * size;
        let power = |edge| score(edge, columns.clone()).exp();
        let mut totals = vec![0.0; x.nrows()];
        edges.iter().for_each(|edge| totals[edge.1] += power(*edge));
        for edge in &edges {
            let share = power(*edge) / totals[edge.1];
            columns.clone().for_each(|column| out[[edge.1, column]] += share * x[[edge.0, column]]);
        }
    }
    out
}
