use core::ops::AddAssign;
use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    rank: VertexScalar,
}

struct Level(f32);

impl Level {
    fn max(&mut self, other: f32) {
        self.0 = self.0.max(other);
    }
}

#[vertex_fn]
fn change_a_property<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.rank[v] = 1.0;
    d.rank[v].add_assign(d.seed[v][f]);
    true
}

#[vertex_fn]
fn change_a_variable<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut level = Level(0.0);
    level.max(d.seed[v][f]);
    d.rank[v] = level.0;
    true
}

fn main() {}
