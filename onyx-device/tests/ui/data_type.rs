use onyx_device::prelude::*;

#[graph_data]
pub struct Foreign {
    rank: f32,
}

fn main() {}
