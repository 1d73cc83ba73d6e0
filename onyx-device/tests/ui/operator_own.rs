use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    out: VertexFeatures<K>,
}

#[derive(Clone, Copy)]
struct Unknown;

#[derive(Clone, Copy)]
struct Least;

impl StateOperator for Least {
    type State = [f32; 1];
    const IDENTITY: [f32; 1] = [f32::INFINITY];

    fn combine(a: [f32; 1], b: [f32; 1]) -> [f32; 1] {
        [a[0].min(b[0])]
    }

    fn finish([least]: [f32; 1]) -> f32 {
        least
    }
}

#[edge_fn]
fn by_what_is_none<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].combine_with::<Unknown>([d.x[e.src][f]]);
    true
}

#[edge_fn]
fn of_another_state<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].combine_with::<Least>(d.x[e.src][f]);
    true
}

fn main() {}
