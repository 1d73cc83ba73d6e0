use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    score: VertexScalar,
    x: VertexFeatures<K>,
    out: VertexFeatures<K>,
    total: VertexScalar,
    message: EdgeFeatures<K>,
    weight: EdgeScalar,
    loss: GraphScalar,
}

#[vertex_fn]
fn at_a_vertex<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.out[v][f].softmax_add(d.score[v], d.x[v][f]);
    true
}

#[edge_fn]
fn at_the_edge<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e][f].mean_with(d.x[e.src][f]);
    d.weight[e].log_sum_exp_with(d.score[e.src]);
    true
}

#[edge_fn]
fn of_a_variable<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    let mut mean = d.x[e.src][f];
    mean.mean_with(d.weight[e]);
    d.out[e.dst][f] += mean;
    true
}

#[edge_fn]
fn by_two_operators<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e.src], d.x[e.src][f]);
    d.out[e.dst][f] += d.x[e.src][f];
    true
}

#[edge_fn]
fn of_what_it_reduces<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e.src], d.out[e.src][f]);
    true
}

#[edge_fn]
fn without_a_score<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.x[e.src][f]);
    d.total[e.dst].mean_with(d.score[e.src], d.score[e.dst]);
    d.total[e.dst].combine_with(d.score[e.src]);
    true
}

#[derive(Clone, Copy)]
struct Unknown;

#[edge_fn]
fn by_two_of_ones_own<const K: usize>(e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst].combine_with::<Unknown>([d.score[e.src]]);
    d.total[e.dst].combine_with::<Sum>([d.score[e.src]]);
    true
}

#[edge_fn]
fn of_what_differs<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst].softmax_add(d.x[e.src][f], d.score[e.src]);
    true
}

#[edge_fn]
fn of_a_state_that_differs<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst].combine_with::<Unknown>([d.x[e.src][f]]);
    true
}

#[edge_fn]
fn where_features_part<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    if d.x[e.src][f] > 0.0 {
        d.total[e.dst].mean_with(d.score[e.src]);
    }
    true
}

#[edge_fn]
fn of_the_graph<const K: usize>(e: Edge, d: &mut Data<K>) -> bool {
    d.loss.mean_with(d.weight[e]);
    true
}

fn main() {}
