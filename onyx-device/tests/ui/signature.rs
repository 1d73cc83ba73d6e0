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
fn takes_a_vertex(f: Feature, v: Vertex, d: &mut Data<4>) -> bool {
    true
}

#[vertex_fn]
fn takes_an_edge<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    true
}

#[edge_fn]
fn shared<const K: usize>(f: Feature, e: Edge, d: &Data<K>) -> bool {
    true
}

#[edge_fn]
fn by_value<const K: usize>(f: Feature, e: Edge, d: Data<K>) -> bool {
    true
}

#[edge_fn]
fn order<const K: usize>(e: Edge, f: Feature, d: &mut Data<K>) -> bool {
    true
}

#[vertex_fn]
fn write<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    true
}

foldmap! { writes<const K: usize>(Data<K>) = [write]; features = [4] }

#[vertex_fn]
fn nothing() -> bool {
    true
}

#[edge_fn]
fn quiet<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) {}

#[vertex_fn]
fn number<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> f32 {
    1.0
}

#[vertex_fn]
async unsafe fn modified<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    true
}

#[vertex_fn]
fn generic<'a, T: Copy, const K: usize>(f: Feature, v: Vertex, d: &'a mut Data<K>) -> bool
where
    T: Clone,
{
    true
}

#[vertex_fn]
fn not_generic(f: Feature, v: Vertex, d: &mut Data<4>) -> bool {
    true
}

#[vertex_fn]
fn not_passed<const K: usize>(f: Feature, v: Vertex, d: &mut Data) -> bool {
    true
}

#[vertex_fn]
fn patterns<const K: usize>(f: Feature, Vertex(number): Vertex, d: &mut Data<K>) -> bool {
    true
}

#[vertex_fn(fast)]
fn with_arguments<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] > 0.0
}

#[edge_fn]
struct NotAFunction;

foldmap! { all<const K: usize>(Data<K>) = [takes_a_vertex, shared, by_value, order, quiet, takes_an_edge, nothing, number, modified, generic] }

fn main() {}
