use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    label: VertexFeatures<K>,
}

type Four = Data<4>;
type Eight<const K: usize> = Data<8>;

#[vertex_fn]
fn keep_four(f: Feature, v: Vertex, d: &mut Four) -> bool {
    d.label[v][f] = 1.0;
    true
}

#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = 1.0;
    true
}

foldmap! { four(Four) = [keep_four] }
foldmap! { eight<const K: usize>(Eight<K>) = [keep]; features = [4, 8] }

fn main() {}
