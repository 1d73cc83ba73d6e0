use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K>,
    rank: VertexScalar,
}

fn bump(x: &mut f32) -> f32 {
    *x += 1.0;
    *x
}

struct Counter {
    count: f32,
}

impl Counter {
    fn step(&mut self) -> f32 {
        self.count += 1.0;
        self.count
    }
}

#[vertex_fn]
fn changes_before<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut a = d.seed[v][f];
    let sum_of_all = {
        a = 5.0;
        a
    } + sum(a);
    let pair = (bump(&mut a), max(a));
    let mut counter = Counter { count: 0.0 };
    d.rank[v] = counter.step().max(norm2(counter.count));
    let mut next = move || {
        a += 1.0;
        a
    };
    d.label[v][f] = next() + sum(sum_of_all) + pair.0;
    true
}

#[vertex_fn]
fn changes_in_an_argument<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut a = 1.0;
    let total = a + sum({
        a = 5.0;
        a
    });
    d.label[v][f] = d.label[v][f] + sum({
        d.label[v][f] = 3.0;
        total
    });
    true
}

#[vertex_fn]
fn leaves_before<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let a = if d.seed[v][f] > 0.0 { return false } else { 1.0 } + sum(d.seed[v][f]);
    a > 0.0
}

fn main() {}
