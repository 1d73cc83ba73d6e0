//! Gradients of what all heads have in common: the parts of all heads add up to what central differences say.

use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions};
use onyx_gradient_tests::heads::{Shared, shared, shared_gradient};
use onyx_runtime::RunFold;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array2, ArrayView2};

const HEADS: usize = 3;
const FEATURES: usize = 4;
const WIDTH: usize = HEADS * FEATURES;

/// What `shared` comes to, times what is wanted. The inputs are the rows, the queries, the gains and the weights.
fn loss(graph: &Graph, [x, query, gain, weight]: &[Vec<f64>; 4], wanted: &[f64]) -> f64 {
    let score = |vertex: usize, head: usize| {
        let products = (0..FEATURES).map(|f| head * FEATURES + f).map(|at| x[vertex * WIDTH + at] * query[at]);
        (products.sum::<f64>() * gain[vertex]).tanh()
    };
    let of = |(edge, source, destination): (usize, u32, u32)| {
        let (source, destination) = (source as usize, destination as usize);
        let factor = |at: usize| weight[edge] * score(source, at / FEATURES) * gain[destination];
        (0..WIDTH).map(|at| wanted[destination * WIDTH + at] * factor(at) * x[source * WIDTH + at]).sum::<f64>()
    };
    graph.edges().map(of).sum()
}

/// The sums over all heads.
fn of_all_heads(parts: ArrayView2<'_, f32>) -> Vec<f32> {
    parts.rows().into_iter().map(|row| row.sum()).collect()
}

#[test]
fn what_heads_share_gets_a_part_of_each() {
    let graph = random(6, 9, 25);
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    let mut dice = dice(6);
    let inputs = [vertices * WIDTH, WIDTH, vertices, edges].map(|count| numbers(&mut dice, count, -1.0, 1.0));
    let wanted = numbers(&mut dice, vertices * WIDTH, -1.0, 1.0);
    let doubles = |values: &[f32]| values.iter().copied().map(f64::from).collect::<Vec<f64>>();
    let (all, wants) = (inputs.each_ref().map(|values| doubles(values)), doubles(&wanted));
    let of = |number: usize| {
        gradient(&inputs[number], |moved| {
            let mut all = all.clone();
            all[number] = moved.to_vec();
            loss(&graph, &all, &wants)
        })
    };
    let expected = [of(0), of(1), of(2), of(3)];
    let rows = |values: &[f32]| Array2::from_shape_vec((values.len() / WIDTH, WIDTH), values.to_vec()).unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        for options in pulls() {
            let mut data = session.data_of_heads(shared, &resident, HEADS, FEATURES).unwrap();
            data.write(Shared::X, &rows(&inputs[0])).unwrap();
            data.write(Shared::QUERY, &inputs[1]).unwrap();
            data.write(Shared::GAIN, &inputs[2]).unwrap();
            data.write(Shared::WEIGHT, &inputs[3]).unwrap();
            data.write(Shared::OUT_GRADIENT, &rows(&wanted)).unwrap();
            shared.on(&resident, &mut data).times(1, &options).unwrap();
            shared_gradient.on(&resident, &mut data).times(1, &options).unwrap();
            agree("x", data.read(Shared::X_GRADIENT).unwrap().iter().copied(), &expected[0]);
            agree("query", data.read(Shared::QUERY_GRADIENT).unwrap().iter().copied(), &expected[1]);
            agree("gain", of_all_heads(data.read(Shared::GAIN_GRADIENT).unwrap().view()), &expected[2]);
            agree("weight", of_all_heads(data.read(Shared::WEIGHT_GRADIENT).unwrap().view()), &expected[3]);
        }
    }
}
