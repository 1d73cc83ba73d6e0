//! Layers and networks in double precision, and the derived gradients against central differences of those.

mod reference;
mod sessions;

use ndarray::{Array2, arr1};
use onyx_gnn::clock::{Clock, tick};
use onyx_gnn::dataset::Dataset;
use onyx_gnn::error::GnnError;
use onyx_gnn::gcn::{EarlyGcnLayer, GcnLayer};
use onyx_gnn::input::Input;
use onyx_gnn::karate;
use onyx_gnn::layer::{Layer, Source};
use onyx_gnn::model::Model;
use onyx_gnn::network::Network;
use onyx_gnn::settings::Settings;
use onyx_gnn::shape::LayerShape;
use onyx_gnn::storage::Storage;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Backend, Data, ResidentGraph, Session, Tensor};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use reference::{Named, differences, logits, loss, set, weighted_convolution, weights};
use sessions::sessions;

/// How far a weight is moved where the loss is computed in single precision.
const STRIDE: f32 = 2e-3;
const MODELS: [Model; 6] = [Model::Gcn, Model::Gin, Model::Sage, Model::SageMax, Model::Gat, Model::Gatv2];

/// [`set`] with features that are 0 but for a few, which are multiplied as edges.
fn sparse_set() -> Dataset {
    let features = Array2::from_shape_fn((7, 30), |(row, column)| if (row * 3 + 1) % 30 == column { 1.5 } else { 0.0 });
    Dataset { features, ..set() }
}

/// Layers, and hidden features that fit a compiled width; features that are run as tiles, or as heads of half as many.
const SIZES: [(usize, usize); 2] = [(2, 6), (2, 70)];
/// Fewer and more layers.
const DEPTHS: [(usize, usize); 2] = [(1, 6), (3, 6)];

fn settings(model: Model, (layers, hidden): (usize, usize)) -> Settings {
    Settings { layers, hidden, heads: 2, dropout: 0.0, edge_dropout: 0.0, seed: 3, ..Settings::of(model) }
}

/// Every model of both sizes in every session, and of other depths on the CPU.
fn everywhere(set: &Dataset, check: impl Fn(&mut Network<'_>, &Session, Model, Settings)) {
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let depths = if session.backend() == Backend::Cpu { &DEPTHS[..] } else { &[] };
        let sized = |model| SIZES.iter().chain(depths).map(move |size| (model, *size));
        for (model, size) in MODELS.into_iter().flat_map(sized) {
            let settings = settings(model, size);
            check(&mut Network::new(model, &graph, set, settings).unwrap(), &session, model, settings);
        }
    }
}

#[test]
fn networks_compute_what_a_serial_reference_does() {
    for (set, tolerance) in [(set(), 1e-5), (karate::dataset().unwrap(), 1e-4)] {
        everywhere(&set, |network, _, model, settings| {
            let weights = weights(network);
            network.forward(false).unwrap();
            let expected = logits(model, &set, &weights, settings.layers, settings.heads);
            let found = network.output().unwrap();
            assert_eq!(found.dim(), expected.dim());
            for (found, expected) in found.iter().zip(&expected) {
                let off = (f64::from(*found) - expected).abs();
                assert!(off <= tolerance * expected.abs().max(1.0), "{model:?}: {found} instead of {expected}");
            }
        });
    }
}

#[test]
fn gradients_of_whole_networks_are_those_of_differences() {
    for set in [set(), sparse_set()] {
        everywhere(&set, |network, session, model, settings| {
            let weights = weights(network);
            network.forward(true).unwrap();
            network.backward(session).unwrap();
            assert_gradients(model, network, &set, weights, |weights| {
                logits(model, &set, weights, settings.layers, settings.heads)
            });
        });
    }
}

/// The last layer has more outputs than inputs, so that its edges move the inputs.
#[test]
fn convolutions_that_aggregate_first_compute_and_learn_the_same() {
    let set = Dataset { classes: 16, ..set() };
    let degree = set.graph.edge_count() as f64 / 7.0;
    assert!(EarlyGcnLayer::pays(6, 16, degree) && !EarlyGcnLayer::pays(6, 8, degree));
    for (session, layers) in sessions().into_iter().flat_map(|session| [2, 3].map(|layers| (session.clone(), layers))) {
        let graph = session.graph(&set.graph);
        let mut network = Network::new(Model::Gcn, &graph, &set, settings(Model::Gcn, (layers, 6))).unwrap();
        let weights = weights(&mut network);
        network.forward(true).unwrap();
        close(&network.output().unwrap(), &logits(Model::Gcn, &set, &weights, layers, 1));
        network.backward(&session).unwrap();
        assert_gradients(Model::Gcn, &mut network, &set, weights, |weights| {
            logits(Model::Gcn, &set, weights, layers, 1)
        });
    }
}

/// Either order of product and aggregation gives one layer the same output, with dropout and all, and the layer before it the same gradient.
#[test]
fn both_orders_of_a_convolution_agree() {
    let set = set();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let shape = LayerShape { is_last: false, dropout: 0.4, inputs: 6, outputs: 16, ..shape(&set) };
        let mut late = GcnLayer::new(&graph, &shape).unwrap();
        let mut early = EarlyGcnLayer::new(&graph, &shape).unwrap();
        assert_same(learned(&graph, &mut late, &set, (6, 16)), learned(&graph, &mut early, &set, (6, 16)));
    }
}

/// A product in the fold gives the same, with dropout and all.
#[test]
fn a_convolution_with_its_product_in_the_fold_agrees() {
    let set = set();
    for (session, features) in sessions().into_iter().flat_map(|session| [16, 32].map(|size| (session.clone(), size))) {
        let graph = session.graph(&set.graph);
        let shape = LayerShape { is_last: false, dropout: 0.4, inputs: features, outputs: features, ..shape(&set) };
        let mut plain = GcnLayer::new(&graph, &shape).unwrap();
        let mut folded = GcnLayer::folded(&graph, &shape).unwrap();
        let sizes = (features, features);
        assert_same(learned(&graph, &mut plain, &set, sizes), learned(&graph, &mut folded, &set, sizes));
        // The layer before lends neither its rows nor their gradient.
        let early = LayerShape { outputs: features, ..self::shape(&set) };
        let after = |layer: &mut dyn Layer| {
            let mut before = EarlyGcnLayer::new(&graph, &early).unwrap();
            learned_after(&graph, &mut before, layer, &set, features)
        };
        assert_same(after(&mut plain), after(&mut folded));
        // Without dropout it is another fold.
        let layers = [&mut plain as &mut dyn Layer, &mut folded];
        let [plain, folded] = layers.map(|layer| vec![inferred(&graph, layer, &set, features)]);
        assert_same(plain, folded);
    }
}

/// So it does with features, which are copied; and there are folds for few sizes.
#[test]
fn a_convolution_with_its_product_in_the_fold_reads_features() {
    let set = set();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let shape = LayerShape { inputs: 16, outputs: 16, ..shape(&set) };
        let rows = Array2::from_shape_fn((set.features.nrows(), 16), |(row, column)| ((row * 7 + column) % 5) as f32);
        let mut input = Input::dense(&session, &rows).unwrap();
        let layers = [GcnLayer::new(&graph, &shape).unwrap(), GcnLayer::folded(&graph, &shape).unwrap()];
        let [plain, folded] = layers.map(|mut layer| vec![output(&session, &mut layer, &mut input, 16)]);
        assert_same(plain, folded);
        let wider = LayerShape { outputs: 17, ..shape };
        let refused = GcnLayer::folded(&graph, &wider).err().unwrap().to_string();
        assert!(refused.contains("these are 16 x 17"), "{refused}");
    }
}

fn assert_same(expected: Vec<Array2<f32>>, found: Vec<Array2<f32>>) {
    assert!(expected.iter().all(|values| values.iter().any(|value| *value != 0.0)), "nothing to compare");
    expected.iter().zip(&found).for_each(|(expected, found)| close(found, &expected.mapv(f64::from)));
}

#[test]
fn gradients_heed_what_is_dropped() {
    let set = set();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        for model in [Model::Gat, Model::Gatv2] {
            let settings = Settings { dropout: 0.4, edge_dropout: 0.4, ..settings(model, (2, 6)) };
            let mut network = Network::new(model, &graph, &set, settings).unwrap();
            weights(&mut network);
            network.forward(true).unwrap();
            network.backward(&session).unwrap();
            for number in 0..network.weights().len() {
                let weight = network.weights().remove(number);
                let (name, values) = (weight.name().to_owned(), weight.read().unwrap());
                let gradient = weight.read_gradient().unwrap();
                let greatest = gradient.iter().fold(0.0_f32, |greatest, value| value.abs().max(greatest));
                assert!(greatest > 1e-3, "{model:?}: nothing depends on {name}");
                for (at, found) in gradient.indexed_iter() {
                    let [more, less] = [STRIDE, -STRIDE].map(|by| {
                        let mut moved = values.clone();
                        moved[at] += by;
                        dropped_loss(&mut network, &set, number, &moved)
                    });
                    let expected = (more - less) / f64::from(2.0 * STRIDE);
                    let off = (f64::from(*found) - expected).abs();
                    assert!(off <= 0.01 * f64::from(greatest.max(0.05)), "{model:?} {name}: {found} for {expected}");
                }
                network.weights().remove(number).write(values.view()).unwrap();
            }
        }
    }
}

/// The loss in training with other values of weight number `number`; of each step the same is dropped.
fn dropped_loss(network: &mut Network<'_>, set: &Dataset, number: usize, values: &Array2<f32>) -> f64 {
    network.weights().remove(number).write(values.view()).unwrap();
    network.forward(true).unwrap();
    loss(set, &network.output().unwrap().mapv(f64::from))
}

/// Layers of attention leave out in inference what their gradient is computed of.
#[test]
fn gradients_after_inference_are_those_of_a_step_that_drops_nothing() {
    let set = set();
    for (session, model) in
        sessions().iter().flat_map(|session| [Model::Gat, Model::Gatv2].map(|model| (session, model)))
    {
        let graph = session.graph(&set.graph);
        let gradients = |settings: Settings, is_training: bool| -> Vec<Array2<f32>> {
            let mut network = Network::new(model, &graph, &set, settings).unwrap();
            weights(&mut network);
            network.forward(is_training).unwrap();
            network.backward(session).unwrap();
            network.weights().into_iter().map(|weight| weight.read_gradient().unwrap()).collect()
        };
        let plain = settings(model, (2, 6));
        let expected = gradients(plain, true);
        let found = gradients(Settings { dropout: 0.4, edge_dropout: 0.4, ..plain }, false);
        assert!(expected.iter().all(|values| values.iter().any(|value| *value != 0.0)), "nothing to compare");
        found.iter().zip(&expected).for_each(|(found, expected)| close(found, &expected.mapv(f64::from)));
    }
}

#[test]
fn every_head_attends_by_itself() {
    let set = set();
    let (session, hidden) = (Session::cpu(), 48);
    let graph = session.graph(&set.graph);
    // Heads of 48, 16, 8, 6 and 3 features: those of 16 and 8 are as wide as the fold is compiled for.
    let cases = [Model::Gat, Model::Gatv2].into_iter().flat_map(|model| [1, 3, 6, 8, 16].map(|heads| (model, heads)));
    for (model, heads) in cases {
        let settings = Settings { heads, ..settings(model, (2, hidden)) };
        let mut network = Network::new(model, &graph, &set, settings).unwrap();
        let weights = weights(&mut network);
        network.forward(false).unwrap();
        close(&network.output().unwrap(), &logits(model, &set, &weights, 2, heads));
    }
}

/// The gradients of a network's weights are what the loss of `logits` changes by.
fn assert_gradients(
    model: Model,
    network: &mut Network<'_>,
    set: &Dataset,
    mut weights: Named,
    logits: impl Fn(&Named) -> Array2<f64>,
) {
    let layers = network.layer_count();
    for weight in network.weights() {
        let found = weight.read_gradient().unwrap();
        let expected = differences(set, &mut weights, weight.name(), &logits);
        let greatest = expected.iter().fold(0.0, |greatest: f64, value| value.abs().max(greatest));
        // After more layers rows are alike, and all scores of a vertex may be on one side of the bend.
        assert!(layers > 2 || greatest > 1e-4, "{model:?}: nothing depends on {}", weight.name());
        for (found, expected) in found.iter().zip(&expected).filter(|(_, expected)| expected.is_finite()) {
            let off = (f64::from(*found) - expected).abs();
            assert!(off <= 2e-4 * greatest.max(0.05), "{model:?} {}: {found} for {expected}", weight.name());
        }
    }
}

#[test]
fn convolutions_heed_weights_of_edges_and_loops_that_are_there() {
    let set = set();
    let weights: Vec<f32> = (0..set.graph.edge_count()).map(|edge| 0.5 + edge as f32 / 8.0).collect();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let mut layer = GcnLayer::weighted(&graph, &weights, &shape(&set)).unwrap();
        let found = convolved(&session, &mut layer, &set);
        let x = set.features.mapv(f64::from).dot(&layer.weights()[0].read().unwrap().mapv(f64::from));
        let weights: Vec<f64> = weights.iter().map(|weight| f64::from(*weight)).collect();
        close(&found, &weighted_convolution(&set.graph, &x, &weights));
        let halves = LayerShape { storage: Storage::F16, ..shape(&set) };
        let refused = GcnLayer::weighted(&graph, &[1.0; 11], &halves).err().unwrap().to_string();
        assert!(refused.contains("edges read f16 in gcn without weights of edges"), "{refused}");
        // A loop at each vertex is what counts a vertex for itself already.
        let looped = session.own(onyx_gnn::gat::with_loops(&set.graph).unwrap());
        let [mut plain, mut with_loops] = [&graph, &looped].map(|graph| GcnLayer::new(graph, &shape(&set)).unwrap());
        let expected = convolved(&session, &mut plain, &set);
        close(&convolved(&session, &mut with_loops, &set), &expected.mapv(f64::from));
    }
}

fn shape(set: &Dataset) -> LayerShape<'static> {
    let settings = settings(Model::Gcn, (2, 6));
    let (inputs, optimizer) = (set.features.ncols(), settings.optimizer);
    LayerShape {
        name: "conv",
        inputs,
        outputs: 3,
        is_last: true,
        storage: Storage::F32,
        dropout: 0.0,
        seed: 1,
        optimizer,
        decay: 0.0,
    }
}

#[test]
fn layers_that_read_whole_rows_refuse_features_without_their_zeros() {
    let set = set();
    for session in sessions() {
        let graph = session.graph(&set.graph);
        let mut input = Input::new(&session, &Array2::zeros(set.features.dim()), 6, 0, 0.0).unwrap();
        let mut layer = EarlyGcnLayer::new(&graph, &shape(&set)).unwrap();
        let refused = layer.forward(Source::Features(&mut input), &mut clock(&session)).unwrap_err();
        assert!(matches!(refused, GnnError::NoRows), "{refused}");
    }
}

/// The output of a layer in training, the gradients of its weights, and those of the weights of the layer before it, by numbers that are always the same.
fn learned<'g>(
    graph: &ResidentGraph<'g>,
    layer: &mut (dyn Layer + 'g),
    set: &Dataset,
    (inputs, outputs): (usize, usize),
) -> Vec<Array2<f32>> {
    let mut before = GcnLayer::new(graph, &LayerShape { outputs: inputs, ..shape(set) }).unwrap();
    learned_after(graph, &mut before, layer, set, outputs)
}

/// The same after any layer of so many outputs.
fn learned_after<'g>(
    graph: &ResidentGraph<'g>,
    before: &mut (dyn Layer + 'g),
    layer: &mut (dyn Layer + 'g),
    set: &Dataset,
    outputs: usize,
) -> Vec<Array2<f32>> {
    let (session, rows) = (graph.session(), set.features.nrows());
    let numbers =
        |columns| Array2::from_shape_fn((rows, columns), |(row, column)| ((row * 5 + column) % 9) as f32 - 4.0);
    let mut input = Input::dense(session, &set.features).unwrap();
    before.weights()[0].draw(&mut Pcg64::seed_from_u64(4)).unwrap();
    layer.weights()[0].draw(&mut Pcg64::seed_from_u64(5)).unwrap();
    let clock = &mut clock(session);
    before.forward(Source::Features(&mut input), clock).unwrap();
    layer.begin(true);
    layer.forward(Source::Layer(before), clock).unwrap();
    let mut out = session.tensor(rows, outputs).unwrap();
    session.copy(layer.output().unwrap(), &mut out.matrix_mut()).unwrap();
    session.copy(tensor(session, &numbers(outputs)).matrix(), &mut layer.output_gradient().unwrap()).unwrap();
    layer.backward(Source::Layer(before), clock).unwrap();
    before.backward(Source::Features(&mut input), clock).unwrap();
    let weights = layer.weights().into_iter().chain(before.weights());
    std::iter::once(out.read().unwrap()).chain(weights.map(|weight| weight.read_gradient().unwrap())).collect()
}

/// The output of a layer where nothing is learned.
fn inferred<'g>(graph: &ResidentGraph<'g>, layer: &mut (dyn Layer + 'g), set: &Dataset, size: usize) -> Array2<f32> {
    let session = graph.session();
    let mut input = Input::new(session, &set.features, size, 0, 0.0).unwrap();
    let mut before = GcnLayer::new(graph, &LayerShape { outputs: size, ..shape(set) }).unwrap();
    before.weights()[0].draw(&mut Pcg64::seed_from_u64(4)).unwrap();
    let clock = &mut clock(session);
    before.forward(Source::Features(&mut input), clock).unwrap();
    layer.begin(false);
    layer.forward(Source::Layer(&mut before), clock).unwrap();
    let mut out = session.tensor(set.features.nrows(), size).unwrap();
    session.copy(layer.output().unwrap(), &mut out.matrix_mut()).unwrap();
    out.read().unwrap()
}

/// A clock in the third step of training.
fn clock(session: &Session) -> Data<Clock> {
    let mut clock = session.data(tick, &session.own(GraphBuilder::new().vertices(1).build().unwrap()), 1).unwrap();
    clock.write(Clock::STEP, &arr1(&[3.0])).unwrap();
    clock
}

fn tensor(session: &Session, values: &Array2<f32>) -> Tensor {
    let mut tensor = session.tensor(values.nrows(), values.ncols()).unwrap();
    tensor.write(values).unwrap();
    tensor
}

/// The output of a layer of 3 columns, with weights that are always the same.
fn convolved(session: &Session, layer: &mut GcnLayer<'_>, set: &Dataset) -> Array2<f32> {
    let mut input = Input::new(session, &set.features, 3, 0, 0.0).unwrap();
    output(session, layer, &mut input, 3)
}

/// The same of any input, of so many columns.
fn output(session: &Session, layer: &mut GcnLayer<'_>, input: &mut Input, columns: usize) -> Array2<f32> {
    layer.weights()[0].draw(&mut Pcg64::seed_from_u64(4)).unwrap();
    layer.forward(Source::Features(input), &mut clock(session)).unwrap();
    let out = layer.output().unwrap();
    let mut copy = session.tensor(out.shape().0, columns).unwrap();
    session.copy(out, &mut copy.matrix_mut()).unwrap();
    copy.read().unwrap()
}

fn close(found: &Array2<f32>, expected: &Array2<f64>) {
    assert_eq!(found.dim(), expected.dim());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} instead of {expected}");
    }
}
