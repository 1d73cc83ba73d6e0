//! Networks that learn.

mod sessions;

use std::ops::ControlFlow;

use ndarray::Array2;
use onyx_gnn::dataset::{Dataset, normalize_rows};
use onyx_gnn::error::GnnError;
use onyx_gnn::karate;
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_gnn::train::{Epoch, train, train_until};
use onyx_gnn::weight::Optimizer;
use onyx_runtime::Session;
use onyx_runtime::graph::GraphBuilder;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use sessions::sessions;

const MODELS: [Model; 6] = [Model::Gcn, Model::Gin, Model::Sage, Model::SageMax, Model::Gat, Model::Gatv2];

fn learned(session: &Session, model: Model, set: &Dataset, settings: Settings, epochs: usize) -> Vec<Epoch> {
    let graph = session.graph(&set.graph);
    let mut network = Network::new(model, &graph, set, settings).unwrap();
    train(&mut network, epochs, 1, |_| ControlFlow::Continue(())).unwrap()
}

/// A seed at which no last bit decides, as it does at others, 5 among them: there the losses of GATv2 move by a thousandth.
const STEADY: u64 = 7;

/// The losses of steps before each of which all weights are changed by what rounding may do, unless `trial` is 0.
fn shaken(model: Model, set: &Dataset, settings: Settings, trial: u64) -> Vec<f32> {
    let (session, mut dice) = (Session::cpu(), Pcg64::seed_from_u64(trial));
    let graph = session.graph(&set.graph);
    let mut network = Network::new(model, &graph, set, settings).unwrap();
    let mut step = || {
        for weight in network.weights().into_iter().filter(|_| trial > 0) {
            let shaken = weight.read().unwrap().mapv(|value| value * (1.0 + (dice.random::<f32>() - 0.5) * 2.4e-7));
            weight.write(shaken.view()).unwrap();
        }
        network.step().unwrap();
        network.loss().unwrap()
    };
    (0..20).map(|_| step()).collect()
}

#[test]
fn curves_are_compared_where_no_last_bit_decides() {
    let set = karate::dataset().unwrap();
    for model in MODELS {
        let settings = Settings { seed: STEADY, hidden: 16, heads: 4, ..Settings::of(model) };
        let steady = shaken(model, &set, settings, 0);
        for trial in 1..8 {
            for (loss, expected) in shaken(model, &set, settings, trial).iter().zip(&steady) {
                assert!((loss - expected).abs() <= 1e-5 * expected.max(1.0), "{model:?}: {loss} instead of {expected}");
            }
        }
    }
}

#[test]
fn the_sides_of_the_club_are_learned_from_its_leaders() {
    let set = karate::dataset().unwrap();
    for model in MODELS {
        let settings = Settings { dropout: 0.0, edge_dropout: 0.0, ..Settings::of(model) };
        let curve = learned(&Session::cpu(), model, &set, settings, 100);
        let (first, last) = (curve[0], curve[99]);
        assert!(last.loss < 0.2 * first.loss, "{model:?}: {first:?} to {last:?}");
        assert_eq!(last.accuracy.train, Some(1.0), "{model:?}");
        // A graph's structure alone says most of it; who guesses gets half.
        assert!(last.accuracy.test > Some(0.75), "{model:?}: {last:?}");
    }
}

#[test]
fn nothing_is_counted_of_a_part_without_vertices() {
    let set = karate::dataset().unwrap();
    let curve = learned(&Session::cpu(), Model::Gcn, &set, Settings::of(Model::Gcn), 1);
    assert_eq!(curve[0].accuracy.validation, None);
}

#[test]
fn losses_are_the_same_on_every_backend_and_again() {
    let set = karate::dataset().unwrap();
    for model in MODELS {
        let settings = Settings { seed: STEADY, hidden: 16, heads: 4, ..Settings::of(model) };
        let curves: Vec<Vec<Epoch>> =
            sessions().iter().map(|session| learned(session, model, &set, settings, 20)).collect();
        for curve in &curves[1..] {
            for (epoch, expected) in curve.iter().zip(&curves[0]) {
                let off = (epoch.loss - expected.loss).abs();
                assert!(off <= 1e-4 * expected.loss.max(1.0), "{model:?}: {epoch:?} instead of {expected:?}");
            }
        }
        assert_eq!(curves[0], learned(&Session::cpu(), model, &set, settings, 20), "{model:?}");
        let other = learned(&Session::cpu(), model, &set, Settings { seed: 6, ..settings }, 20);
        assert_ne!(curves[0], other, "{model:?}: the seed makes no difference");
    }
}

#[test]
fn a_loss_that_is_not_finite_leaves_the_last_good_weights() {
    let set = karate::dataset().unwrap();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let optimizer = Optimizer::Descent { rate: 1e30, momentum: 0.0 };
        let settings = Settings { optimizer, dropout: 0.0, decay: 0.0, ..Settings::of(Model::Gcn) };
        let mut network = Network::new(Model::Gcn, &graph, &set, settings).unwrap();
        let mut before = Vec::new();
        let error = loop {
            let weights = weights(&mut network);
            network.step().unwrap();
            match network.loss() {
                Ok(_) => before = weights,
                Err(error) => break error,
            }
        };
        let GnnError::NotFinite { step, loss, .. } = error else { panic!("{error}") };
        assert!(step > 1 && !loss.is_finite(), "{error}");
        let after = weights(&mut network);
        assert_eq!(before, after);
        assert!(after.iter().flatten().all(|value| value.is_finite()));
        // Who looks later finds the same.
        (0..5).for_each(|_| network.step().unwrap());
        let Err(GnnError::NotFinite { step: later, .. }) = network.loss() else { panic!("the loss is finite again") };
        assert_eq!((later, weights(&mut network)), (step, before), "{session:?}");
    }
}

fn weights(network: &mut Network<'_>) -> Vec<Array2<f32>> {
    network.weights().into_iter().map(|weight| weight.read().unwrap()).collect()
}

#[test]
fn the_first_loss_may_be_the_bad_one() {
    let set = karate::dataset().unwrap();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let mut network = Network::new(Model::Gcn, &graph, &set, Settings::of(Model::Gcn)).unwrap();
        let great = network.weights()[0].read().unwrap().mapv(|weight| 1e38 * weight.signum());
        network.weights()[0].write(great.view()).unwrap();
        let before = weights(&mut network);
        let error = train(&mut network, 7, 3, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, GnnError::NotFinite { step: 1, .. }), "{session:?}: {error}");
        assert!(!error.to_string().contains("learning rate"), "{error}");
        assert_eq!(weights(&mut network), before, "{session:?}");
    }
}

#[test]
fn steps_that_nobody_looks_at_are_the_same_steps() {
    let set = karate::dataset().unwrap();
    for (session, model) in sessions().iter().flat_map(|session| MODELS.map(|model| (session, model))) {
        let settings = Settings { hidden: 16, heads: 4, ..Settings::of(model) };
        let graph = session.graph(&set.graph);
        let [mut each, mut some, mut plain] = [0; 3].map(|_| Network::new(model, &graph, &set, settings).unwrap());
        let curve = train(&mut each, 9, 1, |_| ControlFlow::Continue(())).unwrap();
        let shown = train(&mut some, 9, 4, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(shown, [curve[3], curve[7], curve[8]], "{session:?} {model:?}");
        (0..9).for_each(|_| plain.step_as_it_comes().unwrap());
        assert_eq!(plain.loss().unwrap(), curve[8].loss, "{session:?} {model:?}");
        assert_eq!(weights(&mut plain), weights(&mut each), "{session:?} {model:?}");
        assert_eq!(weights(&mut plain), weights(&mut some), "{session:?} {model:?}");
        plain.infer().unwrap();
        each.forward(false).unwrap();
        assert_eq!(plain.output().unwrap(), each.output().unwrap(), "{session:?} {model:?}");
    }
}

#[test]
fn the_epoch_in_which_training_is_ended_is_the_last_and_shown() {
    let (set, session) = (karate::dataset().unwrap(), Session::cpu());
    let graph = session.graph(&set.graph);
    let mut network = Network::new(Model::Gcn, &graph, &set, Settings::of(Model::Gcn)).unwrap();
    let mut steps = 0;
    let is_ended = || {
        steps += 1;
        steps == 6
    };
    let shown = train_until(&mut network, 9, 4, is_ended, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(shown.iter().map(|epoch| epoch.number).collect::<Vec<_>>(), [4, 6]);
}

#[test]
fn a_graph_without_edges_is_learned_from_features() {
    let features = Array2::from_shape_fn((8, 3), |(row, column)| if row % 2 == column { 1.0 } else { 0.1 });
    let graph = GraphBuilder::new().vertices(8).build().unwrap();
    let labels = (0..8).map(|vertex| vertex % 2).collect();
    let (train, test) = (vec![0, 1, 2, 3], vec![4, 5, 6, 7]);
    let set = Dataset { graph, features, labels, classes: 2, train, validation: Vec::new(), test };
    for model in MODELS {
        let settings = Settings { dropout: 0.0, edge_dropout: 0.0, ..Settings::of(model) };
        let curve = learned(&Session::cpu(), model, &set, settings, 60);
        assert_eq!(curve[59].accuracy.test, Some(1.0), "{model:?}");
    }
}

#[test]
fn more_classes_than_a_narrow_row_has_are_learned() {
    let (vertices, classes) = (160, 80);
    let graph = GraphBuilder::new().vertices(vertices).build().unwrap();
    let features = Array2::from_shape_fn((vertices, classes), |(row, column)| f32::from(row % classes == column));
    let labels = (0..vertices).map(|vertex| (vertex % classes) as u32).collect();
    let (train, test) = ((0..80).collect(), (80..160).collect());
    let set = Dataset { graph, features, labels, classes, train, validation: Vec::new(), test };
    let optimizer = Optimizer::Adam { rate: 0.5 };
    let settings = Settings { layers: 1, dropout: 0.0, optimizer, ..Settings::of(Model::Gcn) };
    for session in sessions() {
        let curve = learned(&session, Model::Gcn, &set, settings, 20);
        assert_eq!(curve[19].accuracy.test, Some(1.0), "{:?}", curve[19]);
    }
}

#[test]
fn bad_data_are_refused() {
    let good = karate::dataset().unwrap();
    let refused = |change: &dyn Fn(&mut Dataset)| {
        let mut set = good.clone();
        change(&mut set);
        let session = Session::cpu();
        let graph = session.graph(&good.graph);
        Network::new(Model::Gcn, &graph, &set, Settings::of(Model::Gcn)).err().unwrap().to_string()
    };
    let said = refused(&|set| set.features[[7, 3]] = f32::NAN);
    assert!(said.contains("feature 3 of vertex 7 is NaN"), "{said}");
    let said = refused(&|set| {
        set.features[[7, 3]] = f32::INFINITY;
        normalize_rows(&mut set.features);
    });
    assert!(said.contains("feature 3 of vertex 7 is inf"), "{said}");
    let said = refused(&|set| set.labels[5] = 2);
    assert!(said.contains("vertex 5 has the label 2") && said.contains("2 classes, from 0 to 1"), "{said}");
    let said = refused(&|set| set.features = Array2::zeros((33, 4)));
    assert!(said.contains("34 vertices") && said.contains("features of 33"), "{said}");
    let said = refused(&|set| set.features = Array2::zeros((34, 0)));
    assert!(said.contains("no features"), "{said}");
    let said = refused(&|set| set.labels.truncate(30));
    assert!(said.contains("labels of 30"), "{said}");
    let said = refused(&|set| set.train.clear());
    assert!(said.contains("no vertex is to be learned from"), "{said}");
    let said = refused(&|set| set.test.push(34));
    assert!(said.contains("vertex 34 is to test with"), "{said}");
    let said = refused(&|set| set.classes = 257);
    assert!(said.contains("257 classes") && said.contains("256 at most"), "{said}");
    let (session, settings) = (Session::cpu(), Settings { layers: 0, ..Settings::of(Model::Gcn) });
    let refused = Network::new(Model::Gcn, &session.graph(&good.graph), &good, settings);
    assert!(refused.err().unwrap().to_string().contains("one layer at least"));
    for (model, heads) in [(Model::Gat, 1), (Model::Gatv2, 2)] {
        let settings = Settings { heads, hidden: heads * 300, ..Settings::of(model) };
        let refused = Network::new(model, &session.graph(&good.graph), &good, settings);
        let said = refused.err().unwrap().to_string();
        assert!(
            said.contains("a head of 300 features") && said.contains("256") && said.contains("more heads"),
            "{said}"
        );
    }
}

#[test]
fn what_the_last_step_has_left_is_looked_at_as_well() {
    let set = karate::dataset().unwrap();
    for (session, model) in sessions().iter().flat_map(|session| MODELS.map(|model| (session, model))) {
        let graph = session.graph(&set.graph);
        let optimizer = Optimizer::Descent { rate: f32::MAX, momentum: 0.0 };
        let settings = Settings { optimizer, dropout: 0.0, edge_dropout: 0.0, ..Settings::of(model) };
        let mut network = Network::new(model, &graph, &set, settings).unwrap();
        let before = weights(&mut network);
        let error = train(&mut network, 1, 1, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, GnnError::NotFinite { step: 2, .. }), "{session:?} {model:?}: {error}");
        assert_eq!(weights(&mut network), before, "{session:?} {model:?}");
    }
}

#[test]
fn no_activation_makes_a_number_of_what_is_none() {
    let mut set = karate::dataset().unwrap();
    set.features = Array2::from_shape_fn(set.features.dim(), |(_, column)| if column % 2 == 0 { 3e38 } else { -3e38 });
    for (session, model) in sessions().iter().flat_map(|session| MODELS.map(|model| (session, model))) {
        let graph = session.graph(&set.graph);
        let mut network = Network::new(model, &graph, &set, Settings::of(model)).unwrap();
        let error = train(&mut network, 3, 3, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, GnnError::NotFinite { step: 1, .. }), "{session:?} {model:?}: {error}");
    }
}
