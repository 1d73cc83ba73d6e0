//! A layer that is trained by its derived gradient: the code of the guide's section on training.

use onyx_device::prelude::*;
use onyx_gradient_tests::graphs::sessions;
use onyx_runtime::RunFold;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::ndarray::arr0;

#[graph_data]
pub struct Taste<const K: usize> {
    x: VertexFeatures<K>,
    liked: VertexScalar,
    weight: GraphFeatures<K>,
    bias: GraphScalar,
    heard: VertexFeatures<K>,
    loss: GraphScalar,
    weight_gradient: GraphFeatures<K>,
    bias_gradient: GraphScalar,
    loss_gradient: GraphScalar,
}

#[edge_fn]
fn hear<const K: usize>(f: Feature, e: Edge, d: &mut Taste<K>) -> bool {
    d.heard[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
fn judge<const K: usize>(f: Feature, v: Vertex, d: &mut Taste<K>) -> bool {
    let guess = (dot(d.heard[v][f] - d.x[v][f], d.weight[f]) + d.bias).tanh();
    let off = guess - d.liked[v];
    d.loss += off * off;
    true
}

foldmap! { pub taste<const K: usize>(Taste<K>) = [hear, judge]; features = [2]; gradient = [weight, bias] }

#[test]
fn a_layer_learns() -> Result<(), Box<dyn std::error::Error>> {
    let ring = GraphBuilder::new().undirected(true).edges(vec![(0, 1), (1, 2), (2, 3), (3, 0)]).build()?;
    for session in sessions() {
        let graph = session.graph(&ring);
        let mut data = session.data(taste, &graph, 2)?;
        data.write(Taste::X, &[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])?;
        data.write(Taste::LIKED, &[-0.8, 0.8, -0.8, 0.8])?;
        data.write(Taste::LOSS_GRADIENT, &arr0(1.0))?;
        let mut losses = Vec::new();
        for _ in 0..100 {
            taste.on(&graph, &mut data).once()?;
            taste_gradient.on(&graph, &mut data).once()?;
            losses.push(data.read(Taste::LOSS)?[[]]);
            let (weight, bias) = (data.read(Taste::WEIGHT_GRADIENT)?.to_owned(), data.read(Taste::BIAS_GRADIENT)?[[]]);
            data.view_mut(Taste::WEIGHT)?.scaled_add(-0.1, &weight);
            data.view_mut(Taste::BIAS)?[[]] -= 0.1 * bias;
        }
        assert!(losses[0] > 2.5 && losses[99] < 0.1 * losses[0], "{losses:?}");
    }
    Ok(())
}
