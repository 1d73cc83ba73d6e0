use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    turn: EdgeMatrix<K>,
    coupling: GraphMatrix<K>,
    label: VertexFeatures<K>,
    gram: VertexMatrix<K>,
    size: VertexScalar,
    bias: GraphFeatures<K>,
}

#[edge_fn]
fn whole<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.label[e.dst][f] += matvec(d.turn[e], d.label[e.src][f]);
    d.label[e.dst][f] += matvec(d.label[f], d.label[e.src][f]);
    d.label[e.dst][f] += matvec(d.coupling, d.label[e.src][f]);
    true
}

#[edge_fn]
fn multiplied<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.gram[e.dst][f] *= 2.0;
    true
}

#[edge_fn]
fn written<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.gram[e.dst][f] = d.turn[e][f];
    d.coupling[f] = d.turn[e][f];
    if d.label[e.src][f] > 0.0 {
        d.gram[e.dst][f] += outer(1.0, 1.0);
    }
    true
}

#[vertex_fn]
fn mixed<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.gram[v][f];
    let solution = solve(d.label[v][f], d.label[v][f]);
    d.size[v] = sum(d.gram[v][f]);
    d.gram[v][f] = solution;
    true
}

#[vertex_fn]
fn differs<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.size[v] = matvec(d.gram[v][f], d.label[v][f]);
    true
}

#[vertex_fn]
fn of_row<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = transpose_matvec(d.bias[f], d.label[v][f]);
    true
}

foldmap! { pub lanes<const K: usize>(Data<K>) = [whole]; features_per_lane = 3 }
foldmap! { pub some_lanes<const K: usize>(Data<K>) = [whole]; features = [4, 8, 16]; features_per_lane = [2, 1] }
foldmap! { pub lanes_of_all<const K: usize>(Data<K>) = [whole]; features_per_lane = [16] }

fn main() {}
