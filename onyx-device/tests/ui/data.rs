use onyx_device::prelude::*;

#[graph_data]
pub struct Tuple(VertexScalar);

#[graph_data]
pub struct Empty {}

#[graph_data]
pub struct Unit;

#[graph_data]
pub enum Choice {
    One,
}

#[graph_data]
pub struct Generic<'a, T, const K: usize> {
    rank: VertexScalar,
    other: &'a T,
}

#[graph_data]
pub struct Typed<const K: u32> {
    rank: VertexScalar,
}

#[graph_data(packed)]
pub struct WithArguments {
    rank: VertexScalar,
}

fn main() {}
