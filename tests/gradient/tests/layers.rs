//! Derived gradients of layers against central differences of serial references, on every backend and under every schedule.

use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions};
use onyx_gradient_tests::layers::{
    Attention, Convolution, Fit, Isomorphism, Masked, Propagation, Relations, Softmax, attention, attention_gradient,
    convolve, convolve_gradient, distmult, distmult_gradient, fit, fit_gradient, isomorphism, isomorphism_gradient,
    masked, masked_gradient, propagate, propagate_gradient, softmax_layer, softmax_layer_gradient,
};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{self, Array2};
use onyx_runtime::{Options, ResidentGraph, RunFold};

const FEATURES: usize = 3;

/// Runs `check` on every backend, under every schedule, on several graphs.
fn everywhere(check: impl Fn(&Graph, &ResidentGraph<'_>, &Options, u64)) {
    for (seed, vertices, edges) in [(1, 12, 30), (2, 7, 60)] {
        let graph = random(seed, vertices, edges);
        for session in sessions() {
            let resident = session.graph(&graph);
            pulls().iter().for_each(|options| check(&graph, &resident, options, seed));
        }
    }
}

/// Rows of numbers.
fn rows(seed: u64, count: usize, low: f32, high: f32) -> Array2<f32> {
    Array2::from_shape_vec((count, FEATURES), numbers(&mut dice(seed), count * FEATURES, low, high)).unwrap()
}

fn wide(values: &Array2<f32>) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

/// The sum over incoming edges of what `value` says of an edge's number, its source and a feature.
fn gathered(graph: &Graph, value: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; graph.vertex_count() * FEATURES];
    for (edge, source, destination) in graph.edges() {
        for f in 0..FEATURES {
            sums[destination as usize * FEATURES + f] += value(edge, source as usize, f);
        }
    }
    sums
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_convolution() {
    everywhere(|graph, resident, options, seed| {
        let (count, edges) = (graph.vertex_count(), graph.edge_count());
        let (x, wanted) = (rows(seed, count, -1.0, 1.0), rows(seed + 9, count, -1.0, 1.0));
        let weight = numbers(&mut dice(seed + 5), edges, 0.5, 1.5);
        let mut data = resident.session().data(convolve, resident, FEATURES).unwrap();
        data.write(Convolution::X, &x).unwrap();
        data.write(Convolution::WEIGHT, &weight).unwrap();
        data.write(Convolution::OUT_GRADIENT, &wanted).unwrap();
        convolve.on(resident, &mut data).times(1, options).unwrap();
        convolve_gradient.on(resident, &mut data).times(1, options).unwrap();
        let loss = |x: &[f64], weight: &[f64]| {
            let sums = gathered(graph, |edge, source, f| weight[edge] * x[source * FEATURES + f]);
            dot(&sums.iter().map(|sum| sum.max(0.0)).collect::<Vec<_>>(), &wide(&wanted))
        };
        let (all, weights) = (wide(&x), doubles(&weight));
        let expected = gradient(x.as_slice().unwrap(), |x| loss(x, &weights));
        agree("x", data.read(Convolution::X_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&weight, |weight| loss(&all, weight));
        agree("weight", data.read(Convolution::WEIGHT_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

#[test]
fn an_isomorphism_layer() {
    everywhere(|graph, resident, options, seed| {
        let count = graph.vertex_count();
        let (x, wanted) = (rows(seed, count, -1.0, 1.0), rows(seed + 9, count, -1.0, 1.0));
        let slope = numbers(&mut dice(seed + 5), count, 0.1, 0.5);
        let mut data = resident.session().data(isomorphism, resident, FEATURES).unwrap();
        data.write(Isomorphism::X, &x).unwrap();
        data.write(Isomorphism::SLOPE, &slope).unwrap();
        data.set(Isomorphism::EPSILON, 0.25);
        data.write(Isomorphism::OUT_GRADIENT, &wanted).unwrap();
        isomorphism.on(resident, &mut data).times(1, options).unwrap();
        isomorphism_gradient.on(resident, &mut data).times(1, options).unwrap();
        let loss = |x: &[f64], slope: &[f64]| {
            let sums = gathered(graph, |_, source, f| x[source * FEATURES + f]);
            let mixed: Vec<f64> = (0..sums.len())
                .map(|at| 1.25 * x[at] + sums[at])
                .enumerate()
                .map(|(at, mixed)| if mixed < 0.0 { mixed * slope[at / FEATURES] } else { mixed })
                .collect();
            let size = |at: usize| {
                let row = &mixed[at / FEATURES * FEATURES..][..FEATURES];
                row.iter().map(|value| value * value).sum::<f64>().sqrt()
            };
            let out: Vec<f64> = (0..mixed.len()).map(|at| mixed[at] / (1.0 + size(at))).collect();
            dot(&out, &wide(&wanted))
        };
        let (all, slopes) = (wide(&x), doubles(&slope));
        let expected = gradient(x.as_slice().unwrap(), |x| loss(x, &slopes));
        agree("x", data.read(Isomorphism::X_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&slope, |slope| loss(&all, slope));
        agree("slope", data.read(Isomorphism::SLOPE_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

/// The attention layer in double precision.
fn attended(graph: &Graph, x: &[f64], query: &[f64], key: &[f64]) -> Vec<f64> {
    let row = |values: &[f64], vertex: usize| values[vertex * FEATURES..][..FEATURES].to_vec();
    let score = |values: &[f64], vertex: usize| dot(&row(x, vertex), &row(values, vertex));
    let bent = |score: f64| if score > 0.0 { score } else { 0.2 * score };
    let edges: Vec<(usize, usize, usize)> =
        graph.edges().map(|(edge, source, destination)| (edge, source as usize, destination as usize)).collect();
    let share: Vec<f64> = edges.iter().map(|(_, u, v)| bent(score(query, *u) + score(key, *v)).exp()).collect();
    let mut total = vec![0.0; graph.vertex_count()];
    edges.iter().for_each(|(edge, _, v)| total[*v] += share[*edge]);
    let destination: Vec<usize> = edges.iter().map(|(_, _, v)| *v).collect();
    let sums = gathered(graph, |edge, source, f| share[edge] / total[destination[edge]] * x[source * FEATURES + f]);
    sums.into_iter().map(f64::tanh).collect()
}

#[test]
fn attention_of_one_head() {
    everywhere(|graph, resident, options, seed| {
        let count = graph.vertex_count();
        let [x, query, key, wanted] = [0, 10, 20, 30].map(|more| rows(seed + more, count, -1.0, 1.0));
        let mut data = resident.session().data(attention, resident, FEATURES).unwrap();
        data.write(Attention::X, &x).unwrap();
        data.write(Attention::QUERY, &query).unwrap();
        data.write(Attention::KEY, &key).unwrap();
        data.write(Attention::OUT_GRADIENT, &wanted).unwrap();
        attention.on(resident, &mut data).times(1, options).unwrap();
        attention_gradient.on(resident, &mut data).times(1, options).unwrap();
        let (xs, queries, keys, wanted) = (wide(&x), wide(&query), wide(&key), wide(&wanted));
        let expected = gradient(x.as_slice().unwrap(), |x| dot(&attended(graph, x, &queries, &keys), &wanted));
        agree("x", data.read(Attention::X_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(query.as_slice().unwrap(), |query| dot(&attended(graph, &xs, query, &keys), &wanted));
        agree("query", data.read(Attention::QUERY_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(key.as_slice().unwrap(), |key| dot(&attended(graph, &xs, &queries, key), &wanted));
        agree("key", data.read(Attention::KEY_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

#[test]
fn scores_of_relations() {
    everywhere(|graph, resident, options, seed| {
        let (count, edges) = (graph.vertex_count(), graph.edge_count());
        let (entity, relation) = (rows(seed, count, -1.0, 1.0), rows(seed + 9, edges, -1.0, 1.0));
        let wanted = numbers(&mut dice(seed + 5), edges, -1.0, 1.0);
        let mut data = resident.session().data(distmult, resident, FEATURES).unwrap();
        data.write(Relations::ENTITY, &entity).unwrap();
        data.write(Relations::RELATION, &relation).unwrap();
        data.write(Relations::SCORE_GRADIENT, &wanted).unwrap();
        distmult.on(resident, &mut data).times(1, options).unwrap();
        distmult_gradient.on(resident, &mut data).times(1, options).unwrap();
        let loss = |entity: &[f64], relation: &[f64]| {
            let score = |edge: usize, u: usize, v: usize| {
                (0..FEATURES)
                    .map(|f| entity[u * FEATURES + f] * relation[edge * FEATURES + f] * entity[v * FEATURES + f])
                    .sum::<f64>()
            };
            let edges = graph.edges().map(|(edge, u, v)| score(edge, u as usize, v as usize) * f64::from(wanted[edge]));
            edges.sum::<f64>()
        };
        let (entities, relations) = (wide(&entity), wide(&relation));
        let expected = gradient(entity.as_slice().unwrap(), |entity| loss(entity, &relations));
        agree("entity", data.read(Relations::ENTITY_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(relation.as_slice().unwrap(), |relation| loss(&entities, relation));
        agree("relation", data.read(Relations::RELATION_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

fn normalized(rows: &[f64]) -> Vec<f64> {
    let total = |row: &[f64]| row.iter().sum::<f64>();
    let of = |row: &[f64]| {
        let total = total(row);
        row.iter().map(|value| if total == 0.0 { *value } else { value / total }).collect::<Vec<_>>()
    };
    rows.chunks(FEATURES).flat_map(of).collect()
}

fn propagated(graph: &Graph, seed: &[f64], weight: &[f64]) -> Vec<f64> {
    let step = |label: &[f64]| {
        let sums = normalized(&gathered(graph, |edge, source, f| weight[edge] * label[source * FEATURES + f]));
        let mixed: Vec<f64> = sums.iter().zip(seed).map(|(sum, seed)| 0.75 * sum + 0.25 * seed).collect();
        normalized(&mixed)
    };
    (0..3).fold(seed.to_vec(), |label, _| step(&label))
}

#[test]
fn label_propagation_unrolled() {
    everywhere(|graph, resident, options, seed| {
        let (count, edges) = (graph.vertex_count(), graph.edge_count());
        let (seeds, wanted) = (rows(seed, count, 0.2, 1.0), rows(seed + 9, count, -1.0, 1.0));
        let weight = numbers(&mut dice(seed + 5), edges, 0.5, 1.5);
        let mut data = resident.session().data(propagate, resident, FEATURES).unwrap();
        data.write(Propagation::SEED, &seeds).unwrap();
        data.write(Propagation::WEIGHT, &weight).unwrap();
        data.set(Propagation::ALPHA, 0.75);
        data.write(Propagation::THIRD_GRADIENT, &wanted).unwrap();
        propagate.on(resident, &mut data).times(1, options).unwrap();
        propagate_gradient.on(resident, &mut data).times(1, options).unwrap();
        let (all, weights, wanted) = (wide(&seeds), doubles(&weight), wide(&wanted));
        let expected = gradient(seeds.as_slice().unwrap(), |seed| dot(&propagated(graph, seed, &weights), &wanted));
        agree("seed", data.read(Propagation::SEED_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&weight, |weight| dot(&propagated(graph, &all, weight), &wanted));
        agree("weight", data.read(Propagation::WEIGHT_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

#[test]
fn weights_of_the_graph_and_a_loss() {
    everywhere(|graph, resident, options, seed| {
        let count = graph.vertex_count();
        let (x, wanted) = (rows(seed, count, -1.0, 1.0), numbers(&mut dice(seed + 5), count, -1.0, 1.0));
        let weight = numbers(&mut dice(seed + 6), FEATURES, -0.5, 0.5);
        let mut data = resident.session().data(fit, resident, FEATURES).unwrap();
        data.write(Fit::X, &x).unwrap();
        data.write(Fit::WANTED, &wanted).unwrap();
        data.write(Fit::WEIGHT, &weight).unwrap();
        data.write(Fit::BIAS, &ndarray::arr0(0.125)).unwrap();
        data.set(Fit::DECAY, 0.01);
        data.write(Fit::LOSS_GRADIENT, &ndarray::arr0(1.0)).unwrap();
        fit.on(resident, &mut data).times(1, options).unwrap();
        fit_gradient.on(resident, &mut data).times(1, options).unwrap();
        let loss = |weight: &[f64], bias: f64, decay: f64| {
            let x = |vertex: usize, f: usize| f64::from(x[[vertex, f]]);
            let sums = gathered(graph, |_, source, f| weight[f] * x(source, f));
            let squares = gathered(graph, |_, source, f| (weight[f] * x(source, f)).powi(2));
            let size: f64 = squares.iter().sum();
            let off = |vertex: usize| {
                let guess = (sums[vertex * FEATURES..][..FEATURES].iter().sum::<f64>() + bias).tanh();
                let off = guess - f64::from(wanted[vertex]);
                [off, 2.0 * off, guess.abs()][vertex % 3]
            };
            (0..count).map(|vertex| off(vertex).powi(2) + decay * size).sum::<f64>()
        };
        let weights = doubles(&weight);
        let found = f64::from(data.read(Fit::LOSS).unwrap()[[]]);
        let expected = loss(&weights, 0.125, f64::from(0.01_f32));
        assert!((found - expected).abs() < 1e-4 * expected, "{found} instead of {expected}");
        let expected = gradient(&weight, |weight| loss(weight, 0.125, f64::from(0.01_f32)));
        agree("weight", data.read(Fit::WEIGHT_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&[0.125], |bias| loss(&weights, bias[0], f64::from(0.01_f32)));
        agree("bias", data.read(Fit::BIAS_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&[0.01], |decay| loss(&weights, 0.125, decay[0]));
        agree("decay", data.read(Fit::DECAY_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

#[test]
fn attention_in_one_pass() {
    everywhere(|graph, resident, options, seed| {
        let count = graph.vertex_count();
        let [x, wanted] = [0, 30].map(|more| rows(seed + more, count, -1.0, 1.0));
        let [query, key] = [7, 8].map(|more| numbers(&mut dice(seed + more), FEATURES, -1.0, 1.0));
        let levels = numbers(&mut dice(seed + 9), count, -1.0, 1.0);
        let mut data = resident.session().data(softmax_layer, resident, FEATURES).unwrap();
        data.write(Softmax::X, &x).unwrap();
        data.write(Softmax::QUERY, &query).unwrap();
        data.write(Softmax::KEY, &key).unwrap();
        data.write(Softmax::OUT_GRADIENT, &wanted).unwrap();
        data.write(Softmax::LOG_SUM_GRADIENT, &levels).unwrap();
        softmax_layer.on(resident, &mut data).times(1, options).unwrap();
        softmax_layer_gradient.on(resident, &mut data).times(1, options).unwrap();
        let repeated = |row: &[f64]| row.iter().copied().cycle().take(count * FEATURES).collect::<Vec<_>>();
        let loss = |x: &[f64], query: &[f64], key: &[f64]| {
            let (query, key) = (repeated(query), repeated(key));
            let score = |vertex: usize, of: &[f64]| {
                let (row, of) = (&x[vertex * FEATURES..][..FEATURES], &of[vertex * FEATURES..][..FEATURES]);
                dot(row, of)
            };
            let mut totals = vec![0.0; count];
            for (_, u, v) in graph.edges() {
                let raw = score(u as usize, &query) + score(v as usize, &key);
                totals[v as usize] += raw.max(0.2 * raw).exp();
            }
            let reached = (0..count).filter(|vertex| totals[*vertex] > 0.0);
            let levels: f64 = reached.map(|vertex| totals[vertex].ln() * f64::from(levels[vertex])).sum();
            dot(&attended(graph, x, &query, &key), &wide(&wanted)) + levels
        };
        let (xs, queries, keys) = (wide(&x), doubles(&query), doubles(&key));
        let expected = gradient(x.as_slice().unwrap(), |x| loss(x, &queries, &keys));
        agree("x", data.read(Softmax::X_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&query, |query| loss(&xs, query, &keys));
        agree("query", data.read(Softmax::QUERY_GRADIENT).unwrap().iter().copied(), &expected);
        let expected = gradient(&key, |key| loss(&xs, &queries, key));
        agree("key", data.read(Softmax::KEY_GRADIENT).unwrap().iter().copied(), &expected);
    });
}

/// A score of -inf hides an edge, and a vertex may have no other: then nothing comes of it.
#[test]
fn hidden_edges_have_no_gradient() {
    everywhere(|graph, resident, options, seed| {
        let count = graph.vertex_count();
        let is_hidden = |edge: usize, destination: u32| destination == 1 || edge.is_multiple_of(3);
        let scores: Vec<f32> =
            graph.edges().map(|(edge, _, to)| if is_hidden(edge, to) { f32::NEG_INFINITY } else { 0.5 }).collect();
        let wanted = rows(seed + 1, count, -1.0, 1.0);
        let mut data = resident.session().data(masked, resident, FEATURES).unwrap();
        data.write(Masked::X, &rows(seed, count, -1.0, 1.0)).unwrap();
        data.write(Masked::SCORE, &scores).unwrap();
        data.write(Masked::OUT_GRADIENT, &wanted).unwrap();
        masked.on(resident, &mut data).times(1, options).unwrap();
        masked_gradient.on(resident, &mut data).times(1, options).unwrap();
        // All scores that count are alike, so that each of a row's edges has the same share.
        let mut shown = vec![0_usize; count];
        graph.edges().filter(|(edge, _, to)| !is_hidden(*edge, *to)).for_each(|(.., to)| shown[to as usize] += 1);
        let mut expected = Array2::<f64>::zeros((count, FEATURES));
        for (edge, from, to) in graph.edges() {
            if !is_hidden(edge, to) {
                let share = wanted.row(to as usize).mapv(|wanted| f64::from(wanted) / shown[to as usize] as f64);
                expected.row_mut(from as usize).scaled_add(1.0, &share);
            }
        }
        agree("x", data.read(Masked::X_GRADIENT).unwrap().iter().copied(), expected.as_slice().unwrap());
        let of_scores = data.read(Masked::SCORE_GRADIENT).unwrap();
        for (edge, _, to) in graph.edges() {
            let found = of_scores[edge];
            assert!(found.is_finite() && (!is_hidden(edge, to) || found == 0.0), "edge {edge}: {found}");
        }
    });
}
