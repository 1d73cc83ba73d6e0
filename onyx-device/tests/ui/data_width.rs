use onyx_device::prelude::*;

#[graph_data]
pub struct Mixed<const K: usize> {
    literal: VertexFeatures<8>,
    zero: onyx_device::property::EdgeFeatures<0, Scratch>,
    twice: VertexMatrix<{ K * 2 }>,
    none: GraphMatrix,
    braces: VertexMatrix<{ K }, Tracked>,
    right: VertexFeatures<K>,
    wide: VertexScalar<K>,
    short: VertexScalar<u16>,
    row: VertexFeatures<K, u32>,
    both: EdgeScalar<u32, u8>,
    double: VertexFeatures<K, f64>,
    #[cfg(debug_assertions)]
    sometimes: Parameter,
}

#[graph_data]
pub struct Fixed {
    literal: VertexFeatures<4>,
    wide: EdgeScalar<3>,
}

#[vertex_fn]
fn nothing_more<const K: usize>(f: Feature, v: Vertex, d: &mut Mixed<K>) -> bool {
    d.right[v][f] = d.literal[v][f];
    true
}

fn main() {}
