use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    y: VertexFeatures<K>,
    out: VertexFeatures<K>,
    x_gradient: VertexFeatures<K>,
    y_gradient: VertexFeatures<K>,
    out_gradient: VertexFeatures<K>,
}

mod shape {
    pub fn bend(x: f32) -> f32 {
        x * x
    }

    pub fn bend_slope(x: f32) -> f32 {
        2.0 * x
    }

    pub fn bend_slopes(x: f32) -> [f32; 1] {
        [2.0 * x]
    }

    pub fn gate(x: f32, y: f32) -> f32 {
        x * y
    }
}

#[vertex_fn]
fn act<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.out[v][f] = shape::bend(d.x[v][f]);
    true
}

#[vertex_fn]
fn join<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.out[v][f] = shape::gate(d.x[v][f], d.y[v][f]);
    true
}

foldmap! { not_given<const K: usize>(Data<K>) = [act]; gradient = [x] }
foldmap! { not_called<const K: usize>(Data<K>) = [act]; gradient = [x]; derivative = [bend = shape::bend_slope] }
foldmap! { twice<const K: usize>(Data<K>) = [act]; gradient = [x]; derivative = [shape::bend = shape::bend_slope, shape::bend = shape::bend] }
foldmap! { alone<const K: usize>(Data<K>) = [act]; derivative = [shape::bend = shape::bend_slope] }
foldmap! { none<const K: usize>(Data<K>) = [act]; gradient = [x]; derivative = [] }
foldmap! { half<const K: usize>(Data<K>) = [act]; gradient = [x]; derivative = [shape::bend] }
foldmap! { other<const K: usize>(Data<K>) = [act]; gradient = [x]; derivative = [shape::bend = shape::bend_slope(x)] }

fn main() {}
