use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.label[e.src][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v][f];
    true
}

foldmap! { comma<const K: usize>(Data<K>) = [spread, absorb], features = [4] }
foldmap! { second<const K: usize>(Data<K>) = [spread, absorb]; features = [4], edges = all }
foldmap! { number<const K: usize>(Data<K>) = [spread, absorb]; features = 4 }
foldmap! { text<const K: usize>(Data<K>) = [spread, absorb]; features = [4]; edges = "active" }
foldmap! { lane<const K: usize>(Data<K>) = [spread, absorb]; features_per_lane = [2, four] }
foldmap! { within<const K: usize>(Data<K>) = [spread, absorb; features = [4]] }
foldmap! { called<const K: usize>(Data<K>) = [spread(), absorb()]; features = [4] }
foldmap! { close<const K: usize>(Data<K>) = [spread absorb]; features = [4] }
foldmap! { bare<const K: usize>(Data<K>) = spread, absorb; features = [4] }
foldmap! { unequal<const K: usize>(Data<K>) [spread, absorb]; features = [4] }
foldmap! { parameter<const K: usize>(d: &mut Data<K>) = [spread, absorb]; features = [4] }
foldmap! { dotted<const K: usize>(Data<K>) = [spread, absorb]; features = [4]; gradient = [d.label] }
foldmap! { typed<K>(Data<K>) = [spread, absorb]; features = [4] }
foldmap! { narrow(Data<K>) = [spread, absorb]; features = [4] }
foldmap! { features = [4]; first<const K: usize>(Data<K>) = [spread, absorb] }

fn take<F: onyx_device::FoldOf<Data<0>>>(_: F) {}

fn main() {
    take(comma);
    take(second);
    take(number);
    take(text);
    take(lane);
    take(within);
    take(called);
    take(close);
    take(bare);
    take(unequal);
    take(parameter);
    take(dotted);
    take(typed);
    take(narrow);
}
