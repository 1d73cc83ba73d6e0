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

foldmap! { empty<const K: usize>(Data<K>) = [] }
foldmap! { odd<const K: usize>(Data<K>) = [spread]; features = [1, 3, 256] }
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

fn main() {}
