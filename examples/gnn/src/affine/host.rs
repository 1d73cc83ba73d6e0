//! What comes after a product, in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence};

use super::{Affine, affine, affine_gradient};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::layer::discard;
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape};

/// Rows of a layer that get its bias, its activation and its dropout.
pub struct AffineRows<'g> {
    bias: Weight,
    data: Data<Affine>,
    forward: Sequence<'g, Affine>,
    backward: Sequence<'g, Affine>,
    dropout: f32,
}

impl<'g> AffineRows<'g> {
    /// Rows for the outputs of a layer, whose bias is called `bias` in files.
    ///
    /// # Errors
    /// There is no memory for them, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, bias: &str) -> Result<Self, GnnError> {
        let mut data = graph.session().data(affine, graph, shape.outputs)?;
        data.set(Affine::SEED, shape.seed as f32);
        data.set(Affine::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        let bias = shape.weight(graph.session(), bias, WeightShape::row(shape.outputs))?;
        let (forward, backward) = (Sequence::new(graph).then(affine), Sequence::new(graph).then(affine_gradient));
        Ok(Self { bias, data, forward, backward, dropout: shape.dropout })
    }

    /// Notes whether a part is dropped in the next pass.
    pub fn begin(&mut self, is_training: bool) {
        self.data.set(Affine::RATE, if is_training { self.dropout } else { 0.0 });
    }

    /// The product, to be written.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn product(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Affine::X)
    }

    /// Computes the output of the product.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn forward(&mut self, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { bias, data, forward, .. } = self;
        let mut run = |data: &mut Data<Affine>| bias.lend(data, Affine::BIAS, |data| forward.run(data, 1));
        clock.lend(Clock::STEP, data, Affine::STEP, |_, data| run(data))??;
        data.discard(Affine::X);
        Ok(())
    }

    /// Computes the gradients of the bias and of the product, and lends that of the product.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn backward(&mut self, clock: &mut Data<Clock>) -> Result<Matrix<'_>, RunError> {
        let Self { bias, data, backward, .. } = self;
        let keys = (Affine::BIAS, Affine::BIAS_GRADIENT);
        let mut run = |data: &mut Data<Affine>| bias.lend_with_gradient(data, keys, |data| backward.run(data, 1));
        clock.lend(Clock::STEP, data, Affine::STEP, |_, data| run(data))??;
        discard(data, &[Affine::OUT, Affine::OUT_GRADIENT]);
        data.discard(Affine::BIAS_GRADIENT);
        self.product_gradient()
    }

    /// What the loss changes by with the product, after [`AffineRows::backward`].
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn product_gradient(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Affine::X_GRADIENT)
    }

    /// The output.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Affine::OUT)
    }

    /// What the loss changes by with the output, to be written.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Affine::OUT_GRADIENT)
    }

    /// Has others take the memory of all rows, as [`Layer::discard`](crate::layer::Layer::discard).
    pub fn discard(&mut self) {
        discard(&mut self.data, &[Affine::OUT, Affine::X_GRADIENT, Affine::OUT_GRADIENT]);
    }

    /// The bias.
    pub fn bias(&mut self) -> &mut Weight {
        &mut self.bias
    }
}
