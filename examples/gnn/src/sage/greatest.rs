//! The layer of GraphSAGE with maxima in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use crate::affine::{Affine, affine, affine_gradient};
use crate::error::GnnError;
use crate::greatest::{Greatest, greatest, greatest_back};
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape};

/// A layer of GraphSAGE that takes the greatest of what neighbors have. A maximum of products is not the product of a maximum, so that rows of the input
/// travel along edges.
pub struct SageMaxLayer<'g> {
    session: Session,
    neighbors: Weight,
    root: Weight,
    bias: Weight,
    data: Data<Greatest>,
    after: Data<Affine>,
    forward: (Sequence<'g, Greatest>, Sequence<'g, Affine>),
    backward: (Sequence<'g, Greatest>, Sequence<'g, Affine>),
    dropout: f32,
}

impl<'g> SageMaxLayer<'g> {
    /// A layer on a graph.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let data = session.data(greatest, graph, shape.inputs)?;
        let mut after = session.data(affine, graph, shape.outputs)?;
        after.set(Affine::SEED, shape.seed as f32);
        after.set(Affine::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        let matrix = |name| shape.weight(&session, name, WeightShape::matrix(shape.inputs, shape.outputs));
        Ok(Self {
            neighbors: matrix("lin_l.weight")?,
            root: matrix("lin_r.weight")?,
            bias: shape.weight(&session, "lin_l.bias", WeightShape::row(shape.outputs))?,
            session,
            data,
            after,
            forward: (Sequence::new(graph).then(greatest), Sequence::new(graph).then(affine)),
            backward: (Sequence::new(graph).then(greatest_back), Sequence::new(graph).then(affine_gradient)),
            dropout: shape.dropout,
        })
    }

    /// Sets the gradients of both matrices, and of the greatest.
    fn derive(&mut self) -> Result<(), RunError> {
        let Self { session, neighbors, root, data, after, .. } = self;
        let product = after.matrix(Affine::X_GRADIENT)?;
        let rows = data.matrix(Greatest::GREATEST)?.transposed();
        session.multiply(rows, product, &mut neighbors.gradient()?, 0.0)?;
        session.multiply(data.matrix(Greatest::X)?.transposed(), product, &mut root.gradient()?, 0.0)?;
        let into = &mut data.matrix_mut(Greatest::GREATEST_GRADIENT)?;
        session.multiply(product, neighbors.value()?.transposed(), into, 0.0)
    }
}

impl Layer for SageMaxLayer<'_> {
    fn begin(&mut self, step: Matrix<'_>, is_training: bool) -> Result<(), RunError> {
        self.after.set(Affine::RATE, if is_training { self.dropout } else { 0.0 });
        self.session.copy(step, &mut self.after.matrix_mut(Affine::STEP)?)
    }

    fn forward(&mut self, mut input: Source<'_, '_>) -> Result<(), GnnError> {
        let Self { session, neighbors, root, data, after, .. } = self;
        session.copy(input.rows()?, &mut data.matrix_mut(Greatest::X)?)?;
        self.forward.0.run(data, 1)?;
        let into = &mut after.matrix_mut(Affine::X)?;
        session.multiply(data.matrix(Greatest::GREATEST)?, neighbors.value()?, into, 0.0)?;
        session.multiply(data.matrix(Greatest::X)?, root.value()?, into, 1.0)?;
        session.copy(self.bias.value()?, &mut after.matrix_mut(Affine::BIAS)?)?;
        Ok(self.forward.1.run(after, 1)?)
    }

    fn backward(&mut self, input: Source<'_, '_>) -> Result<(), RunError> {
        self.backward.1.run(&mut self.after, 1)?;
        self.session.copy(self.after.matrix(Affine::BIAS_GRADIENT)?, &mut self.bias.gradient()?)?;
        self.derive()?;
        let Source::Layer(layer) = input else { return Ok(()) };
        self.backward.0.run(&mut self.data, 1)?;
        let into = &mut layer.output_gradient()?;
        self.session.copy(self.data.matrix(Greatest::X_GRADIENT)?, into)?;
        let product = self.after.matrix(Affine::X_GRADIENT)?;
        self.session.multiply(product, self.root.value()?.transposed(), into, 1.0)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.after.matrix(Affine::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.after.matrix_mut(Affine::OUT_GRADIENT)
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.neighbors, &mut self.bias, &mut self.root]
    }
}
