//! The pass in a session.

use onyx_runtime::{Data, ResidentGraph, RunError, Sequence};

use super::{FoldedGcn, folded_convolve, folded_convolve_plain};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::gcn::Gcn;
use crate::layer::{Layer, Source, discard};
use crate::shape::LayerShape;
use crate::square::SquareProduct;
use crate::weight::Weight;

/// How many features the folds are compiled for. Rows of others would be padded to as many, and those of the layers beside it are not; a matrix of more takes longer to load than the rows
/// that it multiplies.
const FEATURES: [usize; 2] = [16, 32];

/// The forward pass with its product. What the layer keeps is lent to it.
pub(in crate::gcn) struct FoldedPass<'g> {
    data: Data<FoldedGcn>,
    folds: Sequence<'g, FoldedGcn>,
    /// Where nothing is dropped.
    plain: Sequence<'g, FoldedGcn>,
    product: SquareProduct<'g>,
}

impl<'g> FoldedPass<'g> {
    /// Whether there is a fold.
    pub(in crate::gcn) fn has(shape: &LayerShape<'_>) -> bool {
        FEATURES.contains(&shape.inputs) && shape.inputs == shape.outputs
    }

    /// The pass of a layer for which there is a fold.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(in crate::gcn) fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let mut data = graph.session().data(folded_convolve, graph, shape.outputs)?;
        data.set(FoldedGcn::SEED, shape.seed as f32);
        data.set(FoldedGcn::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        let (folds, plain) = (Sequence::new(graph), Sequence::new(graph));
        let product = SquareProduct::new(graph, shape.outputs)?;
        Ok(Self { data, folds: folds.then(folded_convolve), plain: plain.then(folded_convolve_plain), product })
    }

    /// Computes the output of data of the layer, where values are dropped as likely as `rate` says.
    ///
    /// # Errors
    /// As [`Layer::forward`](crate::layer::Layer::forward).
    pub(in crate::gcn) fn run(
        &mut self,
        mut input: Source<'_, '_>,
        weights: (&mut Weight, &mut Weight),
        layer: &mut Data<Gcn>,
        (clock, rate): (&mut Data<Clock>, f32),
    ) -> Result<(), GnnError> {
        let Self { data, folds, plain, .. } = self;
        data.set(FoldedGcn::RATE, rate);
        let fold = if rate > 0.0 { folds } else { plain };
        let (weight, bias) = weights;
        let run = |data: &mut Data<FoldedGcn>| {
            weight.lend(data, FoldedGcn::WEIGHT, |data| bias.lend(data, FoldedGcn::BIAS, |data| fold.run(data, 1)))
        };
        input.lend(data, FoldedGcn::INPUT, |data| {
            clock.lend(Clock::STEP, data, FoldedGcn::STEP, |_, data| lend_all(layer, data, run))?
        })
    }

    /// Sets the gradients of a layer's rows and of weights by that of their product in data of the layer.
    ///
    /// # Errors
    /// As [`Layer::backward`].
    pub(in crate::gcn) fn derive(
        &mut self,
        input: &mut dyn Layer,
        weight: &mut Weight,
        layer: &mut Data<Gcn>,
    ) -> Result<(), RunError> {
        self.product.derive(input, weight, (layer, Gcn::X_GRADIENT))
    }

    /// Discards what no gradient reads.
    pub(in crate::gcn) fn discard(&mut self) {
        discard(&mut self.data, &[FoldedGcn::INPUT, FoldedGcn::SUM]);
    }
}

/// Lends what both data have in common.
fn lend_all(
    layer: &mut Data<Gcn>,
    data: &mut Data<FoldedGcn>,
    act: impl FnOnce(&mut Data<FoldedGcn>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    layer.lend(Gcn::SCALE, data, FoldedGcn::SCALE, |layer, data| {
        layer.lend(Gcn::OWN, data, FoldedGcn::OWN, |layer, data| {
            layer.lend(Gcn::OUT, data, FoldedGcn::OUT, |_, data| act(data))?
        })?
    })?
}
