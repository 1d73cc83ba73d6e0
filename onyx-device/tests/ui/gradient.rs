use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    size: VertexScalar,
    gram: VertexMatrix<K>,
    kept: VertexMatrix<K>,
    mix: GraphMatrix<K>,
    message: EdgeFeatures<K>,
    sum: VertexFeatures<K>,
    out: VertexFeatures<K>,
    most: GraphScalar,
    x_gradient: VertexFeatures<K>,
    kept_gradient: VertexMatrix<K>,
    sum_gradient: VertexFeatures<K>,
    out_gradient: VertexFeatures<K>,
    most_gradient: GraphScalar,
}

#[derive(Clone, Copy)]
struct Spread;

impl StateOperator for Spread {
    type State = [f32; 1];
    const IDENTITY: [f32; 1] = [0.0];

    fn combine(a: [f32; 1], b: [f32; 1]) -> [f32; 1] {
        [a[0] + b[0]]
    }

    fn finish(state: [f32; 1]) -> f32 {
        state[0]
    }
}

#[edge_fn]
fn own<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f].combine_with::<Spread>([d.x[e.src][f]]);
    true
}

#[edge_fn]
fn numbered<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.message[e.rev][f] * e.id as f32;
    true
}

#[edge_fn]
fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] *= d.x[e.src][f];
    true
}

#[vertex_fn]
fn scale<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.kept[v][f] = d.size[v] * d.gram[v][f];
    true
}

#[vertex_fn]
fn spread<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.kept[v][f] = diagonal(d.x[v][f]);
    true
}

#[vertex_fn]
fn invert<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.kept[v][f] = inverse(d.gram[v][f]);
    true
}

#[vertex_fn]
fn bound<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.most.max_with(max(d.x[v][f]));
    true
}

#[vertex_fn]
fn mix_twice<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.sum[v][f] = matvec(d.mix[f], d.x[v][f]);
    true
}

#[vertex_fn]
fn mix_again<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.out[v][f] = matvec(d.mix[f], d.sum[v][f]);
    true
}

foldmap! { by_own<const K: usize>(Data<K>) = [own]; gradient = [x] }
foldmap! { by_number<const K: usize>(Data<K>) = [numbered]; gradient = [message] }
foldmap! { by_product<const K: usize>(Data<K>) = [multiply]; gradient = [x] }
foldmap! { by_scale<const K: usize>(Data<K>) = [scale]; gradient = [size] }
foldmap! { by_diagonal<const K: usize>(Data<K>) = [spread]; gradient = [x] }
foldmap! { by_inverse<const K: usize>(Data<K>) = [invert]; gradient = [gram] }
foldmap! { by_bound<const K: usize>(Data<K>) = [bound]; gradient = [x] }
foldmap! { by_two<const K: usize>(Data<K>) = [mix_twice; mix_again]; gradient = [mix] }

#[graph_data]
struct Heads<const K: usize> {
    x: VertexFeatures<K>,
    score: VertexHeads,
    size: VertexScalar,
    bias: GraphScalar,
    size_gradient: VertexScalar,
    score_gradient: VertexHeads,
}

#[vertex_fn]
fn rate<const K: usize>(f: Feature, v: Vertex, d: &mut Heads<K>) -> bool {
    d.score[v] = sum(d.x[v][f]) * d.size[v] + d.bias;
    true
}

foldmap! { of_the_graph<const K: usize>(Heads<K>) = [rate]; gradient = [bias] }
foldmap! { of_all_heads<const K: usize>(Heads<K>) = [rate]; gradient = [size] }

fn main() {}
