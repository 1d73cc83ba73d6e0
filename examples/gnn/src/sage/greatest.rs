//! The layer of GraphSAGE with maxima in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use crate::affine::AffineRows;
use crate::clock::Clock;
use crate::error::GnnError;
use crate::greatest::{Greatest, greatest, greatest_back};
use crate::layer::{Layer, Source, discard};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape};

/// A layer of GraphSAGE that takes the greatest of what neighbors have. A maximum of products is not the product of a maximum, so that rows of the input
/// travel along edges.
pub struct SageMaxLayer<'g> {
    session: Session,
    neighbors: Weight,
    root: Weight,
    data: Data<Greatest>,
    after: AffineRows<'g>,
    forward: Sequence<'g, Greatest>,
    backward: Sequence<'g, Greatest>,
}

impl<'g> SageMaxLayer<'g> {
    /// A layer on a graph.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let data = session.data(greatest, graph, shape.inputs)?;
        let matrix = |name| shape.weight(&session, name, WeightShape::matrix(shape.inputs, shape.outputs));
        Ok(Self {
            neighbors: matrix("lin_l.weight")?,
            root: matrix("lin_r.weight")?,
            after: AffineRows::new(graph, shape, "lin_l.bias")?,
            session,
            data,
            forward: Sequence::new(graph).then(greatest),
            backward: Sequence::new(graph).then(greatest_back),
        })
    }

    /// Sets the gradients of both matrices, and of the greatest.
    fn derive(&mut self) -> Result<(), RunError> {
        let Self { session, neighbors, root, data, after, .. } = self;
        let product = after.product_gradient()?;
        let rows = data.matrix(Greatest::GREATEST)?.transposed();
        session.multiply(rows, product, &mut neighbors.gradient()?, 0.0)?;
        session.multiply(data.matrix(Greatest::X)?.transposed(), product, &mut root.gradient()?, 0.0)?;
        let into = &mut data.matrix_mut(Greatest::GREATEST_GRADIENT)?;
        session.multiply(product, neighbors.value()?.transposed(), into, 0.0)
    }
}

impl Layer for SageMaxLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.after.begin(is_training);
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, neighbors, root, data, after, .. } = self;
        session.copy(input.rows()?, &mut data.matrix_mut(Greatest::X)?)?;
        self.forward.run(data, 1)?;
        let into = &mut after.product()?;
        session.multiply(data.matrix(Greatest::GREATEST)?, neighbors.value()?, into, 0.0)?;
        session.multiply(data.matrix(Greatest::X)?, root.value()?, into, 1.0)?;
        Ok(after.forward(clock)?)
    }

    fn backward(&mut self, input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        self.after.backward(clock)?;
        self.derive()?;
        let Source::Layer(layer) = input else { return Ok(()) };
        self.backward.run(&mut self.data, 1)?;
        layer.discard_output();
        let into = &mut layer.output_gradient()?;
        self.session.copy(self.data.matrix(Greatest::X_GRADIENT)?, into)?;
        let product = self.after.product_gradient()?;
        self.session.multiply(product, self.root.value()?.transposed(), into, 1.0)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.after.output()
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.after.output_gradient()
    }

    fn discard(&mut self) {
        self.after.discard();
        discard(&mut self.data, &[Greatest::X, Greatest::TOP, Greatest::GREATEST, Greatest::TIES]);
        discard(&mut self.data, &[Greatest::X_GRADIENT, Greatest::GREATEST_GRADIENT]);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.neighbors, self.after.bias(), &mut self.root]
    }
}
