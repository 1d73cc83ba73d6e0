use onyx_device::prelude::*;

type Eight = VertexFeatures<8>;
type None = VertexFeatures<0>;
type One = EdgeFeatures<1>;
type Same<const N: usize> = VertexFeatures<N>;

#[graph_data]
pub struct Data<const K: usize> {
    eight: Eight,
    none: None,
    one: One,
    same: Same<K>,
}

#[graph_data]
pub struct Scalars {
    one: One,
}

fn main() {}
