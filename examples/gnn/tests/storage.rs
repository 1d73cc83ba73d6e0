//! Layers whose edges read half precision.

mod reference;
mod sessions;

use std::ops::ControlFlow;

use ndarray::Array2;
use onyx_gnn::dataset::Dataset;
use onyx_gnn::karate;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_gnn::storage::Storage;
use onyx_gnn::train::train;
use onyx_runtime::Session;
use reference::{differences, logits, set, weights};
use sessions::sessions;

/// Each half precision, and by how much of its size a number may be rounded.
const HALVES: [(Storage, f64); 2] = [(Storage::F16, 1.0 / 2048.0), (Storage::Bf16, 1.0 / 256.0)];

/// The networks whose edges can.
const MODELS: [Model; 3] = [Model::Gcn, Model::Gin, Model::Sage];

fn settings(model: Model, storage: Storage, hidden: usize) -> Settings {
    Settings { hidden, dropout: 0.0, seed: 3, storage, ..Settings::of(model) }
}

/// How far values are from what they should be, by the greatest of these.
fn off(found: &Array2<f32>, expected: &Array2<f64>) -> f64 {
    assert_eq!(found.dim(), expected.dim());
    let greatest = expected.iter().fold(0.1_f64, |greatest, value| greatest.max(value.abs()));
    let known = found.iter().zip(expected).filter(|(_, expected)| expected.is_finite());
    known.map(|(found, expected)| (f64::from(*found) - expected).abs() / greatest).fold(0.0, f64::max)
}

/// Rows of 6 features, and of 70 that are run as tiles; 16 classes have the last layer aggregate before its product.
#[test]
fn what_is_computed_and_derived_is_right_to_the_digits_of_its_storage() {
    let cases = [(6, set()), (70, set()), (6, Dataset { classes: 16, ..set() })];
    for session in sessions() {
        let both = HALVES.iter().flat_map(|half| cases.iter().map(move |case| (half, case)));
        for (((storage, unit), (hidden, set)), model) in both.flat_map(|both| MODELS.map(|model| (both, model))) {
            // Sums that nothing divides grow with the degree, and so do errors.
            let most = if model == Model::Gin { 4.0 * unit } else { *unit };
            let graph = session.graph(&set.graph);
            let mut network = Network::new(model, &graph, set, settings(model, *storage, *hidden)).unwrap();
            let mut weights = weights(&mut network);
            network.forward(true).unwrap();
            let found = off(&network.output().unwrap(), &logits(model, set, &weights, 2, 1));
            assert!(found <= most, "{model:?}, {storage}, {hidden} features: off by {found}");
            assert!(found >= unit / 64.0, "{model:?}, {storage}, {hidden} features: nothing was rounded, {found}");
            // Where sums are off by as much as a bf16's, some rectifiers of the perceptron bend. The backward pass is the same fold for both.
            if (model, *storage) == (Model::Gin, Storage::Bf16) {
                continue;
            }
            network.backward(&session).unwrap();
            for weight in network.weights() {
                let expected =
                    differences(set, &mut weights, weight.name(), |weights| logits(model, set, weights, 2, 1));
                let found = off(&weight.read_gradient().unwrap(), &expected);
                assert!(found <= most, "{model:?}, {storage}, {hidden} features, {}: {found}", weight.name());
            }
        }
    }
}

#[test]
fn the_sides_of_the_club_are_learned_from_halves() {
    let (set, session) = (karate::dataset().unwrap(), Session::cpu());
    let graph = session.graph(&set.graph);
    let curve = |model, storage| {
        let mut network = Network::new(model, &graph, &set, settings(model, storage, 16)).unwrap();
        train(&mut network, 100, 10, |_| ControlFlow::Continue(())).unwrap()
    };
    for model in MODELS {
        let usual = curve(model, Storage::F32);
        for (storage, unit) in HALVES {
            let halves = curve(model, storage);
            let last = halves[9];
            assert!(last.loss < 0.2 && last.accuracy.train == Some(1.0), "{model:?}, {storage}: {last:?}");
            assert!(last.accuracy.test > Some(0.75), "{model:?}, {storage}: {last:?}");
            let off = usual.iter().zip(&halves).map(|(one, other)| (one.loss - other.loss).abs()).fold(0.0, f32::max);
            assert!(f64::from(off) < 8.0 * unit, "{model:?}, {storage}: losses are {off} apart");
        }
    }
}

/// What an `f16` does not hold is an error, whether the loss hears of it or not, and a `bf16` holds it.
#[test]
fn rows_that_are_too_great_are_named() {
    let mut set = set();
    set.features.row_mut(3).fill(1e7);
    for session in sessions() {
        let graph = session.graph(&set.graph);
        for (model, property) in MODELS.into_iter().zip(["scaled_f16", "x_f16", "x_f16"]) {
            let network = |storage| Network::new(model, &graph, &set, settings(model, storage, 6)).unwrap();
            let mut halves = network(Storage::F16);
            halves.infer().unwrap();
            let unread = halves.output().unwrap_err().to_string();
            halves.step().unwrap();
            for said in [unread, halves.loss().unwrap_err().to_string(), halves.evaluate().unwrap_err().to_string()] {
                let expected = format!("`{property}` is of `f16` values");
                assert!(said.contains(&expected) && said.contains("at row 3, feature"), "{said}");
            }
            let (loss, _) = network(Storage::Bf16).evaluate().unwrap();
            assert!(loss.is_finite());
        }
    }
}

#[test]
fn other_networks_refuse_halves() {
    let (set, session) = (set(), Session::cpu());
    let graph = session.graph(&set.graph);
    for model in [Model::SageMax, Model::Gat, Model::Gatv2] {
        let settings = Settings { storage: Storage::Bf16, ..Settings::of(model) };
        let refused = Network::new(model, &graph, &set, settings).err().unwrap().to_string();
        assert!(
            refused.contains("edges read bf16 in gcn without weights of edges, in gin and in sage")
                && refused.contains(model.name()),
            "{refused}"
        );
    }
}
