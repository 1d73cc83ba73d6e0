use onyx_device::prelude::*;

#[graph_data]
pub struct Data {
    weight: EdgeScalar,
    total: VertexScalar,
    count: VertexScalar,
}

#[edge_fn]
fn weigh(e: Edge, d: &mut Data) -> bool {
    d.total[e.dst] += d.weight[e];
    d.weight[e] > 0.5
}

#[edge_fn]
fn count(e: Edge, d: &mut Data) -> bool {
    d.count[e.dst] += 1.0;
    true
}

foldmap! { kept(Data) = unfolded [count, weigh] }
foldmap! { lost(Data) = unfolded [weigh, count] }

fn main() {}
