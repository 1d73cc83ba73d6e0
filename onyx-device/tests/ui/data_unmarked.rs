use onyx_device::prelude::*;

pub struct NotMarked {
    rank: VertexScalar,
}

#[vertex_fn]
fn lost(v: Vertex, d: &mut NotMarked) -> bool {
    d.rank[v] > 0.0
}

fn main() {}
