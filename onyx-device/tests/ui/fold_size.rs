use onyx_device::prelude::*;

#[graph_data]
pub struct Data {
    rank: VertexScalar,
}

#[vertex_fn]
fn keep(v: Vertex, d: &mut Data) -> bool {
    d.rank[v] += 1.0;
    true
}

foldmap! {
    long(Data) = [
        keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep,
        keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep,
        keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep,
        keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep, keep,
        keep,
    ]
}

fn main() {}
