use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    weight: EdgeScalar,
    message: EdgeFeatures<K>,
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    rank: VertexScalar,
    total: VertexScalar,
    alpha: Parameter,
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.label[e.src][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v][f];
    true
}

#[graph_data]
pub struct Other {
    rank: VertexScalar,
}

fn plain() {}

#[edge_fn]
fn either<const K: usize, const SEEDED: bool>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += if SEEDED { d.seed[e.src][f] } else { d.label[e.src][f] };
    true
}

#[vertex_fn]
fn many<const K: usize, const A: bool, const B: bool, const C: bool, const D: bool, const E: bool>(
    f: Feature,
    v: Vertex,
    d: &mut Data<K>,
) -> bool {
    true
}

foldmap! { empty<const K: usize>(Data<K>) = [] }
foldmap! { odd<const K: usize>(Data<K>) = [spread]; features = [1, 3, 300] }
foldmap! { unordered<const K: usize>(Data<K>) = [spread]; features = [4, 2, 2] }
foldmap! { no_widths<const K: usize>(Data<K>) = [spread]; features = [] }
foldmap! { option<const K: usize>(Data<K>) = [spread]; widths = [1] }
foldmap! { edges<const K: usize>(Data<K>) = [spread]; edges = some }
foldmap! { word<const K: usize>(Data<K>) = folded [spread] }
foldmap! { scalar(Other) = [spread]; features = [1, 2] }
foldmap! { fixed(Data<4>) = [spread] }
foldmap! { unused<const K: usize>(Other) = [spread] }

foldmap! { twice<const K: usize>(Data<K>) = [spread]; features = [4]; features = [2] }
foldmap! { both<const K: usize>(Data<K>) = [spread]; edges = all; features = [4]; edges = active }

foldmap! { missing<const K: usize>(Data<K>) = [either]; features = [4] }
foldmap! { more<const K: usize>(Data<K>) = [spread::<true>]; features = [4] }
foldmap! { other<const K: usize>(Data<K>) = [either::<4>]; features = [4] }

fn main() {}
