//! A layer that is trained by its derived gradient: the code of the guide's section on training.

use onyx_gradient_tests::graphs::sessions;
use onyx_gradient_tests::training::{Taste, taste, taste_gradient};
use onyx_runtime::RunFold;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::ndarray::arr0;

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
