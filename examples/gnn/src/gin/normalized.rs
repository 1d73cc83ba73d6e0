//! The layer for graphs that are to be classified: its perceptron and its output are normalized over the batch.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Gin, combine, combine_gradient};
use crate::error::GnnError;
use crate::normalization::{Normalization, Normalized, Normalizer};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape, ones};

/// What an isomorphism layer with batch normalization learns: epsilon, and a perceptron of two matrices with as many features inside as outside.
pub struct NormalizedGin {
    session: Session,
    size: (usize, usize),
    epsilon: Weight,
    ones: Tensor,
    first: Weight,
    second: Weight,
    inner: Normalizer,
    outer: Normalizer,
}

/// The rows of one batch in the layer.
pub struct GinRows {
    data: Data<Gin>,
    forward: Sequence<'static, Gin>,
    backward: Sequence<'static, Gin>,
    inner: Normalized,
    outer: Normalized,
}

impl GinRows {
    /// Has rows for another batch, whose graph is `graph`, as [`Data::move_to`] does.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn move_to(&mut self, graph: &ResidentGraph<'static>) -> Result<(), RunError> {
        self.data.move_to(graph)?;
        self.forward.move_to(graph);
        self.backward.move_to(graph);
        self.inner.move_to(graph)?;
        self.outer.move_to(graph)
    }

    /// The output.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.outer.output()
    }

    /// What the loss changes by with the output, to be written.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.outer.data().matrix_mut(Normalization::OUT_GRADIENT)
    }
}

impl NormalizedGin {
    /// A layer. Biases come of normalization alone.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(session: &Session, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let matrix = |name, inputs| shape.weight(session, name, WeightShape::matrix(inputs, shape.outputs));
        Ok(Self {
            session: session.clone(),
            size: (shape.inputs, shape.outputs),
            epsilon: shape.weight(session, "eps", WeightShape::row(1))?,
            ones: ones(session, shape.outputs)?,
            first: matrix("nn.0.weight", shape.inputs)?,
            second: matrix("nn.3.weight", shape.outputs)?,
            inner: Normalizer::new(session, shape, "nn.1")?,
            outer: Normalizer::new(session, shape, "norm")?,
        })
    }

    /// Room for the rows of a batch, whose graph is `graph`.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn rows(&self, graph: &ResidentGraph<'static>) -> Result<GinRows, GnnError> {
        let (_, features) = self.size;
        Ok(GinRows {
            data: self.session.data(combine, graph, features)?,
            forward: Sequence::new(graph).then(combine),
            backward: Sequence::new(graph).then(combine_gradient),
            inner: Normalized::new(graph, features)?,
            outer: Normalized::new(graph, features)?,
        })
    }

    /// Computes the output of an input.
    ///
    /// # Errors
    /// A product or a fold that cannot run.
    pub fn forward(&mut self, rows: &mut GinRows, input: Matrix<'_>, is_training: bool) -> Result<(), RunError> {
        let (session, data) = (&self.session, &mut rows.data);
        session.multiply(input, self.first.value()?, &mut data.matrix_mut(Gin::X)?, 0.0)?;
        session.multiply(self.epsilon.value()?, self.ones.matrix(), &mut data.matrix_mut(Gin::EPSILON)?, 0.0)?;
        rows.forward.run(data, 1)?;
        session.copy(data.matrix(Gin::MIXED)?, &mut rows.inner.data().matrix_mut(Normalization::X)?)?;
        self.inner.forward(&mut rows.inner, is_training)?;
        let into = &mut rows.outer.data().matrix_mut(Normalization::X)?;
        session.multiply(rows.inner.output()?, self.second.value()?, into, 0.0)?;
        self.outer.forward(&mut rows.outer, is_training)
    }

    /// Computes the gradients of the weights by that of the output.
    ///
    /// # Errors
    /// As [`NormalizedGin::forward`].
    pub fn backward(&mut self, rows: &mut GinRows, input: Matrix<'_>) -> Result<(), RunError> {
        self.derive_output(rows)?;
        let (session, data) = (&self.session, &mut rows.data);
        let from = rows.inner.data().matrix(Normalization::X_GRADIENT)?;
        session.copy(from, &mut data.matrix_mut(Gin::MIXED_GRADIENT)?)?;
        rows.backward.run(data, 1)?;
        let parts = data.matrix(Gin::EPSILON_GRADIENT)?;
        session.multiply(parts, self.ones.matrix().transposed(), &mut self.epsilon.gradient()?, 0.0)?;
        session.multiply(input.transposed(), data.matrix(Gin::X_GRADIENT)?, &mut self.first.gradient()?, 0.0)
    }

    /// The same where the input is the output of a layer, to whose gradient is added what comes of this one.
    ///
    /// # Errors
    /// As [`NormalizedGin::forward`].
    pub fn backward_into(&mut self, rows: &mut GinRows, input: &mut GinRows) -> Result<(), RunError> {
        self.backward(rows, input.output()?)?;
        let (product, into) = (rows.data.matrix(Gin::X_GRADIENT)?, &mut input.output_gradient()?);
        self.session.multiply(product, self.first.value()?.transposed(), into, 1.0)
    }

    /// From the output to the inside of the perceptron.
    fn derive_output(&mut self, rows: &mut GinRows) -> Result<(), RunError> {
        let (session, GinRows { inner, outer, .. }) = (&self.session, rows);
        self.outer.backward(outer)?;
        let product = outer.data().matrix(Normalization::X_GRADIENT)?;
        session.multiply(inner.output()?.transposed(), product, &mut self.second.gradient()?, 0.0)?;
        let into = &mut inner.data().matrix_mut(Normalization::OUT_GRADIENT)?;
        session.multiply(product, self.second.value()?.transposed(), into, 0.0)?;
        self.inner.backward(inner)
    }

    /// All weights.
    pub fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { epsilon, first, second, inner, outer, .. } = self;
        [epsilon, first, second].into_iter().chain(inner.weights()).chain(outer.weights()).collect()
    }
}
