use onyx_device::prelude::*;

#[graph_data]
pub struct Data {
    weight: EdgeScalar,
    rank: VertexScalar<Tracked>,
    level: VertexScalar,
    least: VertexScalar,
    sum: VertexScalar,
    now: IterationNumber,
}

#[edge_fn]
fn bound(e: Edge, d: &mut Data) -> bool {
    d.least[e.dst].min_with(d.rank[e.src]);
    true
}

#[edge_fn]
fn add(e: Edge, d: &mut Data) -> bool {
    d.sum[e.dst] += d.rank[e.src];
    true
}

#[edge_fn]
fn add_level(e: Edge, d: &mut Data) -> bool {
    d.sum[e.dst] += d.level[e.src];
    true
}

#[edge_fn]
fn add_with_time(e: Edge, d: &mut Data) -> bool {
    d.sum[e.dst] += d.rank[e.src] / d.now;
    true
}

#[edge_fn]
fn weigh(e: Edge, d: &mut Data) -> bool {
    d.sum[e.dst] += d.rank[e.src];
    d.weight[e] = d.rank[e.src];
    true
}

#[vertex_fn]
fn take(v: Vertex, d: &mut Data) -> bool {
    d.rank[v] = d.sum[v] + d.least[v];
    true
}

foldmap! { bounded(Data) = [bound, take]; edges = changed }
foldmap! { staged(Data) = [add; take]; edges = changed }
foldmap! { unread(Data) = [add_level, take]; edges = changed }
foldmap! { timed(Data) = [add_with_time, take]; edges = changed }
foldmap! { weighed(Data) = [weigh, take]; edges = changed }

fn main() {}
