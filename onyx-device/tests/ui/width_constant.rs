use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
}

fn filled<const N: usize>(x: f32) -> [f32; N] {
    [x; N]
}

#[vertex_fn]
fn right<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut total = 0.0;
    for index in 0..K {
        total += index as f32;
    }
    let last = match f.index() {
        index if index as usize + 1 == K => 1.0,
        _ => 0.0,
    };
    d.label[v][f] = (total + last) / K as f32;
    true
}

#[vertex_fn]
fn constants<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let zeros = [0.0; K];
    let typed: [f32; K] = zeros;
    let both = (filled::<K>(typed[0]), filled::<{ K + 1 }>(typed[0]));
    match f.index() as usize {
        K => return false,
        0..=K => return true,
        _ => {}
    }
    let K = 4;
    any(d.seed[v][f] > both.0[0])
}

fn main() {}
