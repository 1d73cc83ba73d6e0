//! What the language has, in programs that make no sense.

use onyx_device::prelude::*;

use super::everything::{ALPHA, Everything, check};

#[edge_fn]
fn relate<const K: usize>(f: Feature, edge: Edge, d: &mut Everything<K>) -> bool {
    let similarity = sum(d.seed[edge.src][f] * d.seed[edge.dst][f]);
    d.message[edge][f] = similarity * d.seed[edge.src][f];
    d.count[edge] += similarity * d.weight[edge];
    d.total[edge.dst] += similarity;
    d.total[edge.dst] -= 0.25;
    d.sum[edge.dst][f] -= d.message[edge][f];
    similarity > 0.5
}

foldmap! { relating<const K: usize>(Everything<K>) = [relate] }

#[test]
fn an_edge_function_writes_its_edge_and_adds_to_its_destination() {
    check::<relating>(|graph, state| {
        for vertex in 0..graph.vertices() {
            for (edge, source) in graph.incoming(vertex) {
                let pairs = state.seed[source].iter().zip(&state.seed[vertex]);
                let similarity: f32 = pairs.map(|(a, b)| a * b).sum();
                state.message[edge] = state.seed[source].iter().map(|seed| similarity * seed).collect();
                state.count[edge] += similarity * state.weight[edge];
                state.total[vertex] += similarity - 0.25;
                for (sum, message) in state.sum[vertex].iter_mut().zip(&state.message[edge]) {
                    *sum -= message;
                }
                state.marks[vertex] |= similarity > 0.5;
            }
        }
    });
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Everything<K>) -> bool {
    let mut value = d.seed[v][f];
    let mut rounds = 0;
    while rounds < 3 {
        value = value * 0.5 + d.alpha;
        rounds += 1;
    }
    let halved = |x: f32| x * 0.5;
    let (twice, total) = (normalize(value) * 2.0, sum(normalize(value) * 2.0) + sum(halved(value)));
    value += twice - twice / 2.0 * 2.0;
    let value = value / total;
    let is_large = any(value > 0.4);
    if is_large {
        d.rank[v] += total;
    }
    let root = value.sqrt() + (-value).exp() + (value + 1.0).ln();
    if value > 0.203 {
        d.label[v][f] = root;
        return true;
    }
    d.label[v][f] -= value;
    f.index() == 0 && value > 0.1
}

foldmap! { mixing<const K: usize>(Everything<K>) = [relate, mix] }

#[test]
fn variables_live_across_operations_and_features_return_alone() {
    check::<mixing>(|graph, state| {
        for vertex in 0..graph.vertices() {
            for (edge, source) in graph.incoming(vertex) {
                let pairs = state.seed[source].iter().zip(&state.seed[vertex]);
                let similarity: f32 = pairs.map(|(a, b)| a * b).sum();
                state.message[edge] = state.seed[source].iter().map(|seed| similarity * seed).collect();
                state.count[edge] += similarity * state.weight[edge];
            }
            let values = state.seed[vertex].iter().map(|seed| (0..3).fold(*seed, |value, _| value * 0.5 + ALPHA));
            let values: Vec<f32> = values.collect();
            let total = 2.0 + values.iter().sum::<f32>() * 0.5;
            if values.iter().any(|value| value / total > 0.4) {
                state.rank[vertex] += total;
            }
            state.marks[vertex] = false;
            for (feature, value) in values.iter().map(|value| value / total).enumerate() {
                assert!((value - 0.203).abs() > 1e-5, "rounding would decide for {value}");
                if value > 0.203 {
                    state.label[vertex][feature] = value.sqrt() + (-value).exp() + (value + 1.0).ln();
                    state.marks[vertex] = true;
                } else {
                    state.label[vertex][feature] -= value;
                    state.marks[vertex] |= feature == 0 && value > 0.1;
                }
            }
        }
    });
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Everything<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.label[e.src][f];
    true
}

#[vertex_fn]
fn first<const K: usize>(f: Feature, v: Vertex, d: &mut Everything<K>) -> bool {
    d.label[v][f] = d.sum[v][f] * 0.5;
    d.sum[v][f] = 1.0;
    any(d.label[v][f] > 0.3)
}

#[vertex_fn]
fn second<const K: usize>(f: Feature, v: Vertex, d: &mut Everything<K>) -> bool {
    d.label[v][f] += d.sum[v][f];
    sum(d.label[v][f]) > 1.5
}

#[vertex_fn]
fn third<const K: usize>(v: Vertex, d: &mut Everything<K>) -> bool {
    if d.rank[v] > 0.5 {
        d.rank[v] = d.alpha;
        return false;
    }
    d.rank[v] = d.alpha + d.rank[v] * 2.0;
    true
}

foldmap! { chain<const K: usize>(Everything<K>) = [spread, first, second, third] }

#[vertex_fn]
fn double<const K: usize>(vertex: Vertex, d: &mut Everything<K>) -> bool {
    let mut rank = d.rank[vertex];
    rank *= 2.0;
    d.rank[vertex] = rank;
    rank < 1.0
}

#[vertex_fn]
fn halve<const K: usize>(f: Feature, v: Vertex, d: &mut Everything<K>) -> bool {
    let mut seed = d.seed[v][f] * d.rank[v];
    let total = sum(seed);
    seed -= total;
    d.rank[v] -= total;
    d.label[v][f] = seed;
    true
}

foldmap! { scalars<const K: usize>(Everything<K>) = [double, double, halve] }

#[test]
fn all_lanes_of_a_group_read_the_same_scalar() {
    check::<scalars>(|graph, state| {
        for vertex in 0..graph.vertices() {
            for _ in 0..2 {
                state.rank[vertex] *= 2.0;
                if state.rank[vertex] >= 1.0 {
                    break;
                }
            }
            if state.rank[vertex] < 1.0 {
                let rank = state.rank[vertex];
                let seeds: Vec<f32> = state.seed[vertex].iter().map(|seed| seed * rank).collect();
                let total: f32 = seeds.iter().sum();
                state.rank[vertex] -= total;
                state.label[vertex] = seeds.iter().map(|seed| seed - total).collect();
                state.marks[vertex] = true;
            }
        }
    });
}

#[test]
fn later_functions_see_what_earlier_ones_wrote_and_false_stops_them() {
    check::<chain>(|graph, state| {
        let before = state.label.clone();
        for vertex in 0..graph.vertices() {
            let mut sum = vec![0.0; before[vertex].len()];
            for (edge, source) in graph.incoming(vertex) {
                for (sum, label) in sum.iter_mut().zip(&before[source]) {
                    *sum += state.weight[edge] * label;
                }
            }
            state.label[vertex] = sum.iter().map(|sum| sum * 0.5).collect();
            if state.label[vertex].iter().any(|label| *label > 0.3) {
                state.label[vertex].iter_mut().for_each(|label| *label += 1.0);
                if state.label[vertex].iter().sum::<f32>() > 1.5 {
                    state.marks[vertex] = state.rank[vertex] <= 0.5;
                    let rank = state.rank[vertex];
                    state.rank[vertex] = if rank > 0.5 { ALPHA } else { ALPHA + rank * 2.0 };
                }
            }
        }
    });
}
