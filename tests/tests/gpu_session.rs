//! Graphs and data that stay on a GPU. Ignored where there is none: `cargo xtask test --gpu` runs it.

use onyx_examples::als::{Ratings, alternate};
use onyx_examples::label_propagation::{LabelPropagation, step};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array1, Array2};
use onyx_runtime::{Options, RunFold, Session};
use onyx_tests::graphs;

fn pseudorandom(vertex: usize, feature: usize) -> f32 {
    ((vertex * 31 + feature * 17) % 101) as f32 / 101.0
}

fn distance(found: &Array2<f32>, expected: &Array2<f32>) -> f32 {
    (found - expected).iter().fold(0.0_f32, |most, by| most.max(by.abs()))
}

/// The labels after three runs of four iterations with another share of the neighbors each, and after one more until nothing moves.
fn labels(session: &Session, graph: &Graph) -> [Array2<f32>; 2] {
    let resident = session.graph(graph);
    let mut data = session.data(step, &resident, 5).unwrap();
    let seeds = Array2::from_shape_fn((graph.vertex_count(), 5), |(vertex, feature)| pseudorandom(vertex, feature));
    data.write(LabelPropagation::WEIGHT, &Array1::ones(graph.edge_count())).unwrap();
    data.write(LabelPropagation::SEED, &seeds).unwrap();
    data.write(LabelPropagation::LABEL, &seeds).unwrap();
    data.set(LabelPropagation::TOLERANCE, 1e-6);
    for alpha in [0.9, 0.5, 0.8] {
        data.set(LabelPropagation::ALPHA, alpha);
        step.on(&resident, &mut data).times(4, &Options::default()).unwrap();
    }
    let some = data.read(LabelPropagation::LABEL).unwrap().to_owned();
    let options = Options { iterations: 500, ..Options::default() };
    let report = step.on(&resident, &mut data).until_settled(&options).unwrap();
    assert!(report.status.is_at_rest(), "{session:?}: {}", report.status);
    [some, data.read(LabelPropagation::LABEL).unwrap().to_owned()]
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_runs_on_data_that_stay_agree_with_those_on_the_cpu() {
    for graph in [graphs::generate("rmat:12:16"), graphs::generate("grid:40x30")] {
        let [found, expected] = [Session::cuda(0).unwrap(), Session::cpu()].map(|session| labels(&session, &graph));
        for (found, expected) in found.iter().zip(&expected) {
            let distance = distance(found, expected);
            assert!(distance < 1e-4, "{distance}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_outer_products_are_added_up() {
    let graph = graphs::generate("uniform:3000:9000");
    for features in [3, 8, 30] {
        let [found, expected] = [Session::cuda(0).unwrap(), Session::cpu()].map(|session| {
            let resident = session.graph(&graph);
            let mut data = session.data(alternate, &resident, features).unwrap();
            let factors = Array2::from_shape_fn((3000, features), |(vertex, feature)| pseudorandom(vertex, feature));
            data.write(Ratings::FACTOR, &factors).unwrap();
            data.outer_sum(Ratings::FACTOR, 100..2600, Ratings::COMMON).unwrap();
            data.read(Ratings::COMMON).unwrap().to_owned()
        });
        let distance = distance(&found, &expected);
        assert!(distance < 1e-2, "{features} features: {distance} of {}", expected[[0, 0]]);
    }
}
