//! Networks of whole graphs in double precision, and their gradients against central differences of that.

mod sessions;

use std::collections::BTreeMap;
use std::sync::Arc;

use ndarray::{Array2, Axis};
use onyx_data::small_graphs::Batch;
use onyx_gnn::classifier::{ClassifierSettings, GraphClassifier};
use onyx_gnn::error::GnnError;
use onyx_gnn::pool::PooledBatch;
use onyx_gnn::rings;
use onyx_gnn::validation::{Schedule, cross_validate};
use onyx_runtime::Session;
use onyx_runtime::graph::GraphBuilder;
use sessions::sessions;

type Named = BTreeMap<String, Array2<f64>>;

/// How far a weight is moved, and how many of a matrix are.
const STEP: f64 = 1e-5;
const MEASURED: usize = 40;
const LAYERS: usize = 2;

/// A path, a triangle, a vertex alone and a star.
fn batch() -> Batch {
    let edges = vec![(0, 1), (1, 2), (3, 4), (4, 5), (5, 3), (7, 8), (7, 9), (7, 10)];
    let graph = GraphBuilder::new().vertices(11).undirected(true).edges(edges).build().unwrap();
    let features = Array2::from_shape_fn((11, 3), |(row, column)| f32::from((row * row + 1) % 3 == column));
    Batch { graph, features, offsets: vec![0, 3, 6, 7, 11], labels: vec![0, 1, 2, 1] }
}

fn ready(batch: &Batch) -> PooledBatch {
    PooledBatch::new(batch.clone()).unwrap()
}

fn settings(hidden: usize) -> ClassifierSettings {
    ClassifierSettings { layers: LAYERS, hidden, seed: 4, ..ClassifierSettings::default() }
}

/// The mean cross entropy, normalized by the batch's own mean and variance.
fn loss(batch: &Batch, weights: &Named) -> f64 {
    let mut x = batch.features.mapv(f64::from);
    let mut logits = pooled(batch, &x).dot(&weights["lins.0.weight"]) + &weights["lins.bias"];
    for layer in 0..LAYERS {
        let weight = |part: &str| &weights[&format!("convs.{layer}.{part}")];
        let mut sums = &x * (1.0 + weight("eps")[[0, 0]]);
        for (_, source, destination) in batch.graph.edges() {
            let mut row = sums.row_mut(destination as usize);
            row += &x.row(source as usize);
        }
        let inner = normalized(&sums.dot(weight("nn.0.weight")), weight("nn.1.weight"), weight("nn.1.bias"));
        x = normalized(&inner.dot(weight("nn.3.weight")), weight("norm.weight"), weight("norm.bias"));
        logits += &pooled(batch, &x).dot(&weights[&format!("lins.{}.weight", layer + 1)]);
    }
    let surprise = |(row, label): (ndarray::ArrayView1<'_, f64>, &u32)| {
        row.iter().map(|value| value.exp()).sum::<f64>().ln() - row[*label as usize]
    };
    logits.rows().into_iter().zip(&batch.labels).map(surprise).sum::<f64>() / batch.labels.len() as f64
}

fn pooled(batch: &Batch, x: &Array2<f64>) -> Array2<f64> {
    let mut sums = Array2::zeros((batch.labels.len(), x.ncols()));
    for (vertex, graph) in batch.graph_of_vertices().unwrap().into_iter().enumerate() {
        let mut row = sums.row_mut(graph as usize);
        row += &x.row(vertex);
    }
    sums
}

fn normalized(x: &Array2<f64>, scale: &Array2<f64>, shift: &Array2<f64>) -> Array2<f64> {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let off = x - &mean;
    let variance = off.mapv(|value| value * value).mean_axis(Axis(0)).unwrap();
    (off / variance.mapv(|value| (value + 1e-5).sqrt()) * scale + shift).mapv(|value| value.max(0.0))
}

/// The weights in double precision, all moved away from where they begin.
fn weights(network: &mut GraphClassifier) -> Named {
    let mut named = Named::new();
    for (number, weight) in network.weights().into_iter().enumerate() {
        let mut values = weight.read().unwrap();
        values.indexed_iter_mut().for_each(|((row, column), value)| {
            *value += ((row * 5 + column * 3 + number) % 7) as f32 / 20.0 - 0.13;
        });
        weight.write(values.view()).unwrap();
        named.insert(weight.name().to_owned(), values.mapv(f64::from));
    }
    named
}

#[test]
fn losses_and_gradients_are_those_of_a_serial_reference() {
    let batch = batch();
    for session in sessions() {
        for hidden in [5, 40] {
            let mut network = GraphClassifier::new(&session, 3, 3, settings(hidden)).unwrap();
            let mut weights = weights(&mut network);
            let (found, expected) = (f64::from(network.derive(&ready(&batch)).unwrap()), loss(&batch, &weights));
            assert!((found - expected).abs() < 2e-5 * expected.max(1.0), "{found} instead of {expected}");
            for weight in network.weights() {
                let gradient = weight.read_gradient().unwrap();
                check(weight.name(), &gradient, &batch, &mut weights);
            }
        }
    }
}

/// Compares the gradient of some of the weights called `name` with differences.
fn check(name: &str, found: &Array2<f32>, batch: &Batch, weights: &mut Named) {
    let every = found.len().div_ceil(MEASURED);
    for (at, found) in found.indexed_iter().step_by(every) {
        let mut measure = |moved: f64| {
            weights.get_mut(name).unwrap()[at] += moved;
            let loss = loss(batch, weights);
            weights.get_mut(name).unwrap()[at] -= moved;
            loss
        };
        let expected = (measure(STEP) - measure(-STEP)) / (2.0 * STEP);
        assert!(
            (f64::from(*found) - expected).abs() < 1e-3 * expected.abs().max(0.1),
            "{name} {at:?}: {found} for {expected}"
        );
    }
}

#[test]
fn what_was_learned_is_used_with_the_means_of_training() {
    let batch = batch();
    for session in sessions() {
        let settings = ClassifierSettings { dropout: 0.0, ..settings(16) };
        let mut network = GraphClassifier::new(&session, 3, 3, settings).unwrap();
        let mut step = || {
            network.step(&ready(&batch)).unwrap();
            network.loss().unwrap()
        };
        let first = step();
        let last = (0..60).map(|_| step()).last().unwrap();
        let (loss, right) = network.evaluate(&[ready(&batch)]).unwrap();
        assert!(last < 0.1 * first && right == 1.0, "{first} to {last}, {right} right");
        // After so many batches the means that were kept are those of the batch, but for the variance, which is of what it was drawn from.
        assert!((loss - last).abs() < 0.1, "{loss} beside {last}");
    }
}

/// A square and an edge.
fn smaller() -> Batch {
    let edges = vec![(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)];
    let graph = GraphBuilder::new().vertices(6).undirected(true).edges(edges).build().unwrap();
    let features = Array2::from_shape_fn((6, 3), |(row, column)| f32::from((row + 2) % 3 == column));
    Batch { graph, features, offsets: vec![0, 4, 6], labels: vec![2, 0] }
}

/// A ring of 60 vertices and one of 40.
fn larger() -> Batch {
    let ring = |first: u32, count: u32| (0..count).map(move |at| (first + at, first + (at + 1) % count));
    let edges = ring(0, 60).chain(ring(60, 40)).collect();
    let graph = GraphBuilder::new().vertices(100).undirected(true).edges(edges).build().unwrap();
    let features = Array2::from_shape_fn((100, 3), |(row, column)| f32::from(row % 7 % 3 == column));
    Batch { graph, features, offsets: vec![0, 60, 100], labels: vec![1, 2] }
}

#[test]
fn a_batch_in_the_place_of_another_is_as_one_alone() {
    let gradients = |network: &mut GraphClassifier| -> Vec<Array2<f32>> {
        network.weights().into_iter().map(|weight| weight.read_gradient().unwrap()).collect()
    };
    for session in sessions() {
        let fresh = || GraphClassifier::new(&session, 3, 3, settings(16)).unwrap();
        let mut network = fresh();
        for batch in [smaller(), batch(), smaller(), larger(), batch()] {
            let (mut alone, loss) = (fresh(), network.derive(&ready(&batch)).unwrap());
            assert_eq!(loss, alone.derive(&ready(&batch)).unwrap());
            assert_eq!(gradients(&mut network), gradients(&mut alone), "{session:?}");
        }
        let mut sums = (0.0, 0.0);
        for batch in [batch(), smaller()] {
            let ((loss, right), graphs) = (network.evaluate(&[ready(&batch)]).unwrap(), batch.labels.len() as f32);
            sums = (sums.0 + graphs * loss / 6.0, sums.1 + graphs * right / 6.0);
        }
        let (loss, right) = network.evaluate(&[ready(&batch()), ready(&smaller())]).unwrap();
        assert!((loss - sums.0).abs() < 1e-5 && (right - sums.1).abs() < 1e-6, "{loss}, {right} beside {sums:?}");
    }
}

#[test]
fn a_loss_that_is_not_finite_is_found_later_and_leaves_the_last_good_weights() {
    for session in sessions() {
        let mut network = GraphClassifier::new(&session, 3, 3, settings(5)).unwrap();
        network.step(&ready(&batch())).unwrap();
        let first = network.loss().unwrap();
        let read = |network: &mut GraphClassifier| -> Vec<Array2<f32>> {
            network.weights().into_iter().map(|weight| weight.read().unwrap()).collect()
        };
        let good = read(&mut network);
        network.set_rate(f32::MAX);
        for batch in [smaller(), batch(), smaller()] {
            network.step(&ready(&batch)).unwrap();
        }
        let said = network.loss().unwrap_err();
        assert!(matches!(said, GnnError::NotFinite { step: 3, .. }), "{said}, after a loss of {first}");
        assert_eq!(read(&mut network), good, "{session:?}");
    }
}

#[test]
fn no_normalization_makes_a_number_of_what_is_none() {
    for session in sessions() {
        let mut network = GraphClassifier::new(&session, 3, 3, settings(5)).unwrap();
        let none = network.weights()[0].read().unwrap().mapv(|_| f32::NAN);
        network.weights()[0].write(none.view()).unwrap();
        let (loss, _) = network.evaluate(&[ready(&batch())]).unwrap();
        assert!(loss.is_nan(), "{session:?}: {loss}");
        network.step(&ready(&batch())).unwrap();
        let error = network.loss().unwrap_err();
        assert!(matches!(error, GnnError::NotFinite { step: 1, .. }), "{session:?}: {error}");
    }
}

#[test]
fn what_the_last_step_of_a_classifier_has_left_may_be_taken_back() {
    for session in sessions() {
        let mut network = GraphClassifier::new(&session, 3, 3, settings(5)).unwrap();
        let read = |network: &mut GraphClassifier| -> Vec<Array2<f32>> {
            network.weights().into_iter().map(|weight| weight.read().unwrap()).collect()
        };
        let good = read(&mut network);
        network.set_rate(f32::MAX);
        network.step(&ready(&batch())).unwrap();
        let (loss, _) = network.evaluate(&[ready(&batch())]).unwrap();
        let error = network.keep(loss).unwrap_err();
        assert!(matches!(error, GnnError::NotFinite { step: 2, .. }), "{session:?}: {error}");
        assert_eq!(read(&mut network), good, "{session:?}");
    }
}

#[test]
fn cross_validation_may_be_ended_within_an_epoch() {
    let collection = Arc::new(rings::collection().unwrap());
    let schedule = Schedule { folds: 2, epochs: 3, batch: 10, halve: 50 };
    let (mut batches, mut shown) = (0, 0);
    let is_ended = || {
        batches += 1;
        batches == 7
    };
    let found = cross_validate(&Session::cpu(), &collection, settings(8), schedule, is_ended, |_| shown += 1).unwrap();
    // An epoch has five batches.
    assert_eq!((batches, shown, found.rounds.len(), found.rounds[0].len()), (7, 1, 1, 1));
}

#[test]
fn other_batches_are_refused() {
    let session = sessions().remove(0);
    let mut network = GraphClassifier::new(&session, 3, 3, settings(5)).unwrap();
    let mut refused = |batch: &Batch| network.step(&ready(batch)).unwrap_err().to_string();
    let [mut wide, mut bad, mut short, mut empty, mut label] = [(); 5].map(|()| batch());
    wide.features = Array2::ones((11, 4));
    bad.features[[2, 1]] = f32::NAN;
    short.features = Array2::ones((9, 3));
    empty.labels.clear();
    empty.offsets.truncate(1);
    label.labels[2] = 3;
    let expected = [
        (&wide, "4 features, and the network was made for 3"),
        (&bad, "feature 1 of vertex 2 is NaN"),
        (&short, "11 vertices, and there are features of 9"),
        (&empty, "at least one graph"),
        (&label, "graph 2 has the class 3"),
    ];
    for (batch, expected) in expected {
        let said = refused(batch);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_graph_to_pool_by_with_too_few_vertices_is_refused() {
    let good = ready(&batch());
    let bad = PooledBatch { pooling: GraphBuilder::new().vertices(3).build().unwrap(), ..good.clone() };
    for session in sessions() {
        let mut network = GraphClassifier::new(&session, 3, 3, settings(8)).unwrap();
        // The first batch makes rows, and a later one takes their memory.
        for _ in 0..2 {
            let refused = network.step(&bad).unwrap_err();
            assert!(matches!(refused, GnnError::Pooling { graphs: 4, vertices: 3 }), "{refused}");
            network.step(&good).unwrap();
        }
    }
}
