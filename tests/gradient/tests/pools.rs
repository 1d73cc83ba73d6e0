//! Gradients of means, minima and maxima over edges against central differences, and of values that a run stores.

use onyx_device::Fold;
use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions};
use onyx_gradient_tests::pools::{Pools, bounded, bounded_gradient, curved, curved_gradient, pooled, pooled_gradient};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Options, RunFold, Session};

const FEATURES: usize = 3;

fn rows(seed: u64, count: usize) -> Array2<f32> {
    let numbers = numbers(&mut dice(seed), count * FEATURES, -1.0, 1.0);
    Array2::from_shape_vec((count, FEATURES), numbers).unwrap()
}

/// What `pooled` comes to, times what is wanted.
fn pooled_loss(graph: &Graph, x: &[f64], weight: &[f64], wanted: &[f64]) -> f64 {
    let row = |vertex: usize| &x[vertex * FEATURES..][..FEATURES];
    let mut loss = 0.0;
    for vertex in 0..graph.vertex_count() {
        let edges = graph.edges().filter(|(.., destination)| *destination as usize == vertex);
        let edges: Vec<(usize, usize)> = edges.map(|(edge, source, _)| (edge, source as usize)).collect();
        let product = |source: usize| row(source).iter().zip(row(vertex)).map(|(a, b)| a * b).sum::<f64>();
        let least = edges.iter().map(|(_, source)| product(*source)).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 0.0 };
        for f in 0..FEATURES {
            let sum: f64 = edges.iter().map(|(edge, source)| weight[*edge] * row(*source)[f]).sum();
            let mean = sum / (edges.len() as f64).max(1.0);
            let heavy = edges.iter().filter(|(edge, _)| weight[*edge] > 0.75);
            let most = heavy.map(|(_, source)| row(*source)[f] - 0.5 * row(vertex)[f]).fold(f64::MIN, f64::max);
            let most = if most > f64::MIN { most } else { 0.0 };
            loss += wanted[vertex * FEATURES + f] * (mean * most + 0.5 * most + 0.25 * least);
        }
    }
    loss
}

/// What `curved` comes to, times what is wanted.
fn curved_loss(graph: &Graph, x: &[f64], weight: &[f64], wanted: &[f64]) -> f64 {
    let mut kept = x.to_vec();
    for (edge, source, destination) in graph.edges() {
        for f in 0..FEATURES {
            kept[destination as usize * FEATURES + f] += 1.5 * weight[edge] * x[source as usize * FEATURES + f];
        }
    }
    kept.iter().zip(wanted).map(|(kept, wanted)| kept.tanh() * kept * wanted).sum()
}

/// What `bounded` comes to, times what is wanted.
fn bounded_loss(graph: &Graph, x: &[f64], weight: &[f64], wanted: &[f64]) -> f64 {
    let mut highest = [f64::NEG_INFINITY; FEATURES];
    for (edge, source, _) in graph.edges() {
        for (f, highest) in highest.iter_mut().enumerate() {
            *highest = highest.max(weight[edge] * x[source as usize * FEATURES + f]);
        }
    }
    let away = |row: &[f64]| row.iter().map(|x| (x - 0.25) * (x - 0.25)).sum::<f64>();
    let lowest = x.chunks(FEATURES).map(away).fold(f64::INFINITY, f64::min);
    let of = |at: usize| (1.0 + lowest) * x[at] + highest[at % FEATURES] * x[at] * x[at];
    wanted.iter().enumerate().map(|(at, wanted)| of(at) * wanted).sum()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

type Loss = fn(&Graph, &[f64], &[f64], &[f64]) -> f64;

/// The gradients that `run` leaves, on every backend and under every schedule.
fn checked(
    loss: Loss,
    asks_weight: bool,
    run: impl Fn(&Session, &Graph, &Options, &dyn Fn(&mut Data<Pools<0>>)) -> Data<Pools<0>>,
) {
    for (seed, vertices, edges) in [(1, 12, 30), (2, 7, 60)] {
        let graph = random(seed, vertices, edges);
        let (x, wanted) = (rows(seed, graph.vertex_count()), rows(seed + 9, graph.vertex_count()));
        let weight = numbers(&mut dice(seed + 5), graph.edge_count(), 0.5, 1.5);
        let fill = |data: &mut Data<Pools<0>>| {
            data.write(Pools::X, &x).unwrap();
            data.write(Pools::WEIGHT, &weight).unwrap();
            data.write(Pools::OUT_GRADIENT, &wanted).unwrap();
        };
        let (all, weights, wanted) =
            (doubles(x.as_slice().unwrap()), doubles(&weight), doubles(wanted.as_slice().unwrap()));
        let of_x = gradient(x.as_slice().unwrap(), |x| loss(&graph, x, &weights, &wanted));
        let of_weight = gradient(&weight, |weight| loss(&graph, &all, weight, &wanted));
        for session in sessions() {
            for options in pulls() {
                let mut data = run(&session, &graph, &options, &fill);
                agree("x", data.read(Pools::X_GRADIENT).unwrap().iter().copied(), &of_x);
                if asks_weight {
                    agree("weight", data.read(Pools::WEIGHT_GRADIENT).unwrap().iter().copied(), &of_weight);
                }
            }
        }
    }
}

#[test]
fn means_minima_and_maxima_have_gradients() {
    checked(pooled_loss, true, |session, graph, options, fill| {
        let resident = session.graph(graph);
        let mut data = session.data(pooled, &resident, FEATURES).unwrap();
        fill(&mut data);
        pooled.on(&resident, &mut data).times(1, options).unwrap();
        pooled_gradient.on(&resident, &mut data).times(1, options).unwrap();
        data
    });
}

#[test]
fn what_a_run_has_stored_is_read_for_the_gradient() {
    assert_eq!(curved_gradient::STAGES.len(), 2, "nothing is gathered again");
    checked(curved_loss, false, |session, graph, options, fill| {
        let resident = session.graph(graph);
        let mut data = session.data(curved, &resident, FEATURES).unwrap();
        fill(&mut data);
        curved.on(&resident, &mut data).times(1, options).unwrap();
        curved_gradient.on(&resident, &mut data).times(1, options).unwrap();
        data
    });
}

#[test]
fn minima_and_maxima_of_the_whole_graph_have_gradients() {
    checked(bounded_loss, true, |session, graph, options, fill| {
        let resident = session.graph(graph);
        let mut data = session.data(bounded, &resident, FEATURES).unwrap();
        fill(&mut data);
        bounded.on(&resident, &mut data).times(1, options).unwrap();
        bounded_gradient.on(&resident, &mut data).times(1, options).unwrap();
        data
    });
}

/// Edges and vertices that bring the same extreme of the graph share its adjoint.
#[test]
fn ties_of_the_whole_graph_share_equally() {
    let graph = GraphBuilder::new().edges(vec![(0, 3), (1, 3), (2, 3)]).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(bounded, &resident, 1).unwrap();
        data.write(Pools::X, &[[2.0], [2.0], [1.0], [1.0]]).unwrap();
        data.write(Pools::WEIGHT, &[1.0; 3]).unwrap();
        data.write(Pools::OUT_GRADIENT, &[[0.0], [0.0], [0.0], [1.0]]).unwrap();
        bounded.on(&resident, &mut data).once().unwrap();
        bounded_gradient.on(&resident, &mut data).once().unwrap();
        // The highest is 2, by two edges, the lowest 9/16, by two vertices: the adjoint of each is 1, and a share's derivative is 1 and 3/2.
        let found: Vec<f32> = data.read(Pools::X_GRADIENT).unwrap().iter().copied().collect();
        for (found, expected) in found.iter().zip([0.5, 0.5, 0.75, 0.75 + 25.0 / 16.0 + 4.0]) {
            assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
        }
    }
}

/// Two vertices that bring the same maximum have half of its adjoint each; a third, which brings less, has none.
#[test]
fn ties_share_equally() {
    let graph = GraphBuilder::new().edges(vec![(0, 3), (1, 3), (2, 3)]).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(pooled, &resident, 1).unwrap();
        data.write(Pools::X, &[[2.0], [2.0], [1.0], [0.0]]).unwrap();
        data.write(Pools::WEIGHT, &[1.0; 3]).unwrap();
        data.write(Pools::OUT_GRADIENT, &[[0.0], [0.0], [0.0], [1.0]]).unwrap();
        pooled.on(&resident, &mut data).once().unwrap();
        pooled_gradient.on(&resident, &mut data).once().unwrap();
        // The mean is 5/3 and the maximum 2: each edge has a third of 2 by the mean, and the two together 5/3 + 1/2 by the maximum.
        let found: Vec<f32> = data.read(Pools::X_GRADIENT).unwrap().iter().copied().collect();
        let by_both = 2.0 / 3.0 + (5.0 / 3.0 + 0.5) / 2.0;
        let expected = [by_both, by_both, 2.0 / 3.0, -0.5 * (5.0 / 3.0 + 0.5) + 0.25 * 5.0 / 3.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
        }
    }
}
