use onyx_device::prelude::*;

#[graph_data]
pub struct Mixed<const K: usize> {
    x: VertexFeatures<K>,
    score: VertexHeads,
    gram: GraphMatrix<K>,
}

#[graph_data]
pub struct Queries<const K: usize> {
    x: VertexFeatures<K>,
    score: VertexHeads,
    size: VertexScalar,
    weight: EdgeScalar,
    loss: GraphScalar,
}

#[vertex_fn]
pub fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Queries<K>) -> bool {
    d.score[v] = sum(d.x[v][f]);
    d.size[v] = norm2(d.x[v][f]);
    true
}

#[edge_fn]
pub fn weigh<const K: usize>(e: Edge, d: &mut Queries<K>) -> bool {
    d.weight[e] = d.score[e.src];
    true
}

#[vertex_fn]
pub fn lose<const K: usize>(v: Vertex, d: &mut Queries<K>) -> bool {
    d.loss += d.score[v] * d.size[v];
    true
}

foldmap! { pub measured<const K: usize>(Queries<K>) = [measure]; features = [4] }
foldmap! { pub weighed<const K: usize>(Queries<K>) = [weigh]; features = [4] }
foldmap! { pub lost<const K: usize>(Queries<K>) = [lose]; features = [4] }

fn main() {}
