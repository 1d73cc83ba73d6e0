use onyx_device::prelude::*;

#[graph_data]
pub struct Wrong<const K: usize, const J: usize> {
    shared: GraphFeatures<J>,
    square: GraphMatrix<J>,
    other: GraphMatrix<J, K>,
    tracked: VertexFeatures<J, Tracked>,
    scratch: EdgeFeatures<J, Scratch>,
    table: Table<J>,
}

#[graph_data]
pub struct Heads<const K: usize, const J: usize> {
    input: VertexFeatures<J>,
    score: VertexHeads,
}

#[graph_data]
pub struct Many<const K: usize, const A: usize, const B: usize, const C: usize, const D: usize> {
    input: VertexFeatures<D>,
}

#[graph_data]
pub struct Layer<const K: usize, const J: usize> {
    input: VertexFeatures<J>,
    weight: GraphMatrix<K, J>,
    attributes: EdgeFeatures<J>,
    hidden: VertexFeatures<K>,
    hidden_gradient: VertexFeatures<K>,
    next: VertexScalar,
}

#[vertex_fn]
fn alone<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    let row = d.input[v][..];
    d.hidden[v][f] = row;
    true
}

#[vertex_fn]
fn written<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.input[v][..] = d.hidden[v][f];
    true
}

#[vertex_fn]
fn by_a_float<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.hidden[v][f], d.input[v][..]);
    true
}

#[vertex_fn]
fn without_a_feature<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.weight, d.input[v][..]);
    true
}

#[vertex_fn]
fn greatest<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = max_matvec(d.weight[f], d.input[v][..]);
    true
}

#[vertex_fn]
fn elsewhere<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.input[Vertex(d.next[v] as u32)][..]);
    true
}

#[edge_fn]
fn far<const K: usize, const J: usize>(f: Feature, e: Edge, d: &mut Layer<K, J>) -> bool {
    d.hidden[e.dst][f] += matvec(d.weight[f], d.input[e][f][..]);
    true
}

#[vertex_fn]
fn counted<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.input[v][..]) / J as f32;
    true
}

#[vertex_fn]
fn project<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.input[v][..]);
    true
}

foldmap! { pub learned<const K: usize, const J: usize>(Layer<K, J>) = [project]; features = [4]; gradient = [weight, input] }

fn main() {}
