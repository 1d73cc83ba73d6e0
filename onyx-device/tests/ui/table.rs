use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    kind: EdgeScalar,
    class: VertexScalar,
    relation: Table<K>,
    relation_gradient: Table<K>,
    seed: VertexFeatures<K>,
    seed_gradient: VertexFeatures<K>,
    sum: VertexFeatures<K>,
    sum_gradient: VertexFeatures<K>,
    count: Table<K>,
}

#[edge_fn]
fn assign<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.count[d.kind[e] as u32][f] = 1.0;
    d.count[0][f] *= 2.0;
    d.count[0][f].mean_with(1.0);
    d.count[f.index()][f] += d.seed[e.src][f];
    true
}

#[edge_fn]
fn names_no_row<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.seed[3][f];
    true
}

#[edge_fn]
fn is_no_number<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.relation[d.kind[e]][f];
    true
}

#[edge_fn]
fn tally<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.count[d.kind[e] as u32][f] += d.seed[e.src][f];
    true
}

#[vertex_fn]
fn look<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.seed[v][f] = d.count[d.class[v] as u32][f];
    true
}

#[edge_fn]
fn sometimes<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += if d.kind[e] > 0.0 { d.relation[0][f] } else { 0.0 };
    true
}

#[edge_fn]
fn elsewhere<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.seed[Vertex(0)][f];
    true
}

foldmap! { pub early<const K: usize>(Data<K>) = [tally, look]; features = [4] }
foldmap! { pub branch<const K: usize>(Data<K>) = [sometimes]; features = [4]; gradient = [relation] }
foldmap! { pub far<const K: usize>(Data<K>) = [elsewhere]; features = [4]; gradient = [seed] }

fn main() {}
