use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    weight: EdgeScalar,
    message: EdgeFeatures<K>,
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    rank: VertexScalar,
    total: VertexScalar,
    alpha: Parameter,
}

#[vertex_fn]
fn forbidden<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    println!("{}", d.seed[v][f]);
    assert!(true);
    const HALF: f32 = 0.5;
    fn inner() {}
    let x = unsafe { core::mem::zeroed::<f32>() };
    let y = Some(1.0)?;
    let z = async { 1.0 };
    let w = d.seed[v][f].powf(2.0).sin() + f32::sqrt(2.0);
    let d = 1.0;
    let f = 2;
    if x > 0.0 {
        return;
    }
    break;
}

#[vertex_fn]
fn conditional<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    #[cfg(debug_assertions)]
    let x = 1.0;
    #[cfg(debug_assertions)]
    {
        d.label[v][f] = x;
    }
    true
}

#[vertex_fn]
fn no_value<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = 1.0;
}

fn main() {}
