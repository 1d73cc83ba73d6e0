//! The layer in a session.

use onyx_runtime::{Backend, Data, Lender, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::{FoldedGcn, convolve_product_gradient, folded_convolve, folded_convolve_plain};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::gcn::normalization;
use crate::layer::{Layer, Source, discard};
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Weight, WeightShape};

/// How many features pay: what the fold is compiled for. Others are padded to as many, and rows of the layers beside it are not; a matrix of more takes longer to load than the rows
/// that it multiplies.
const FEATURES: [usize; 2] = [16, 32];

/// A [`GcnLayer`](crate::gcn::GcnLayer) whose product with its weights is in its fold, for a graph whose edges count alike and as many outputs as inputs. Their names are the same.
pub struct FoldedGcnLayer<'g> {
    session: Session,
    weight: Weight,
    bias: Weight,
    data: Data<FoldedGcn>,
    /// The pass where nothing is dropped.
    plain: Sequence<'g, FoldedGcn>,
    forward: Sequence<'g, FoldedGcn>,
    backward: Sequence<'g, FoldedGcn>,
    is_training: bool,
    dropout: f32,
}

impl<'g> FoldedGcnLayer<'g> {
    /// Whether it is faster than a [`GcnLayer`](crate::gcn::GcnLayer): on a GPU. On a CPU a product of a library is.
    pub fn pays(session: &Session, shape: &LayerShape<'_>) -> bool {
        let is_of_width = FEATURES.contains(&shape.inputs) && shape.inputs == shape.outputs;
        is_of_width && shape.storage == Storage::F32 && session.backend() == Backend::Cuda
    }

    /// A layer on a graph.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many features.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let mut data = session.data(folded_convolve, graph, shape.outputs)?;
        let (scale, own) = normalization(graph.graph(), None);
        data.write(FoldedGcn::SCALE, &scale)?;
        data.write(FoldedGcn::OWN, &own)?;
        data.set(FoldedGcn::SEED, shape.seed as f32);
        data.set(FoldedGcn::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        Ok(Self {
            weight: shape.weight(&session, "lin.weight", WeightShape::matrix(shape.inputs, shape.outputs))?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            session,
            data,
            plain: Sequence::new(graph).then(folded_convolve_plain),
            forward: Sequence::new(graph).then(folded_convolve),
            backward: Sequence::new(graph).then(convolve_product_gradient),
            is_training: false,
            dropout: shape.dropout,
        })
    }
}

impl Layer for FoldedGcnLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.is_training = is_training;
        self.data.set(FoldedGcn::RATE, if is_training { self.dropout } else { 0.0 });
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { weight, bias, data, plain, forward, is_training, dropout, .. } = self;
        let fold = if *is_training && *dropout > 0.0 { forward } else { plain };
        input.lend(data, FoldedGcn::X, |data| {
            clock.lend(Clock::STEP, data, FoldedGcn::STEP, |_, data| {
                weight.lend(data, FoldedGcn::WEIGHT, |data| bias.lend(data, FoldedGcn::BIAS, |data| fold.run(data, 1)))
            })?
        })?;
        if *is_training {
            // The gradient reads neither.
            data.discard(FoldedGcn::SUM);
            data.discard(FoldedGcn::X);
        }
        Ok(())
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, weight, bias, data, backward, .. } = self;
        let keys = (FoldedGcn::BIAS, FoldedGcn::BIAS_GRADIENT);
        let mut run = |data: &mut Data<FoldedGcn>| bias.lend_with_gradient(data, keys, |data| backward.run(data, 1));
        clock.lend(Clock::STEP, data, FoldedGcn::STEP, |_, data| run(data))??;
        input.derive(weight, data.matrix(FoldedGcn::PRODUCT_GRADIENT)?, session)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(FoldedGcn::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(FoldedGcn::OUT_GRADIENT)
    }

    fn lend_output(&mut self) -> Option<Lender<'_>> {
        Some(self.data.lender(FoldedGcn::OUT))
    }

    fn discard(&mut self) {
        let data = &mut self.data;
        data.discard(FoldedGcn::BIAS_GRADIENT);
        discard(data, &[FoldedGcn::X, FoldedGcn::SUM, FoldedGcn::OUT, FoldedGcn::SUM_GRADIENT]);
        let gradients = [FoldedGcn::PRODUCT_GRADIENT, FoldedGcn::PRODUCT_GRADIENT_PART, FoldedGcn::OUT_GRADIENT];
        discard(data, &gradients);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.weight, &mut self.bias]
    }
}
