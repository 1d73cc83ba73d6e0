//! The layer in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Gin, isomorphism, isomorphism_bf16, isomorphism_f16, isomorphism_gradient};
use crate::affine::{Affine, affine, affine_gradient};
use crate::error::GnnError;
use crate::halves;
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Weight, WeightShape, ones};

/// A layer of a graph isomorphism network, whose perceptron has two matrices of weights and as many hidden features as outputs of a hidden layer.
pub struct GinLayer<'g> {
    session: Session,
    graph: ResidentGraph<'g>,
    storage: Storage,
    epsilon: Weight,
    ones: Tensor,
    first: [Weight; 2],
    second: [Weight; 2],
    data: Data<Gin>,
    after: Data<Affine>,
    forward: (Sequence<'g, Gin>, Sequence<'g, Affine>),
    backward: (Sequence<'g, Gin>, Sequence<'g, Affine>),
    dropout: f32,
}

impl<'g> GinLayer<'g> {
    /// A layer on a graph, with `hidden` features inside.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs or hidden features.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, hidden: usize) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let data = session.data(isomorphism, graph, hidden)?;
        let mut after = session.data(affine, graph, shape.outputs)?;
        after.set(Affine::SEED, shape.seed as f32);
        after.set(Affine::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        let matrix = |name, inputs, outputs| shape.weight(&session, name, WeightShape::matrix(inputs, outputs));
        let row = |name, size| shape.weight(&session, name, WeightShape::row(size));
        Ok(Self {
            epsilon: row("eps", 1)?,
            ones: ones(&session, hidden)?,
            first: [matrix("nn.0.weight", shape.inputs, hidden)?, row("nn.0.bias", hidden)?],
            second: [matrix("nn.2.weight", hidden, shape.outputs)?, row("nn.2.bias", shape.outputs)?],
            session,
            graph: graph.clone(),
            storage: shape.storage,
            data,
            after,
            forward: (forward(graph, shape.storage), Sequence::new(graph).then(affine)),
            backward: (Sequence::new(graph).then(isomorphism_gradient), Sequence::new(graph).then(affine_gradient)),
            dropout: shape.dropout,
        })
    }
}

/// The aggregation by what edges read.
fn forward<'g>(graph: &ResidentGraph<'g>, storage: Storage) -> Sequence<'g, Gin> {
    match storage {
        Storage::F32 => Sequence::new(graph).then(isomorphism),
        Storage::F16 => Sequence::new(graph).then(isomorphism_f16),
        Storage::Bf16 => Sequence::new(graph).then(isomorphism_bf16),
    }
}

impl Layer for GinLayer<'_> {
    fn begin(&mut self, step: Matrix<'_>, is_training: bool) -> Result<(), RunError> {
        self.after.set(Affine::RATE, if is_training { self.dropout } else { 0.0 });
        self.session.copy(step, &mut self.after.matrix_mut(Affine::STEP)?)
    }

    fn forward(&mut self, mut input: Source<'_, '_>) -> Result<(), GnnError> {
        let Self { session, data, after, first: [weight, bias], second: [last_weight, last_bias], .. } = self;
        input.multiply(weight, &mut data.matrix_mut(Gin::X)?, session)?;
        session.copy(bias.value()?, &mut data.matrix_mut(Gin::BIAS)?)?;
        session.multiply(self.epsilon.value()?, self.ones.matrix(), &mut data.matrix_mut(Gin::EPSILON)?, 0.0)?;
        self.forward.0.run(data, 1)?;
        let hidden = data.matrix(Gin::HIDDEN)?;
        session.multiply(hidden, last_weight.value()?, &mut after.matrix_mut(Affine::X)?, 0.0)?;
        session.copy(last_bias.value()?, &mut after.matrix_mut(Affine::BIAS)?)?;
        Ok(self.forward.1.run(after, 1)?)
    }

    fn backward(&mut self, mut input: Source<'_, '_>) -> Result<(), RunError> {
        let Self { session, data, after, first: [weight, bias], second: [last_weight, last_bias], .. } = self;
        self.backward.1.run(after, 1)?;
        session.copy(after.matrix(Affine::BIAS_GRADIENT)?, &mut last_bias.gradient()?)?;
        let product = after.matrix(Affine::X_GRADIENT)?;
        session.multiply(data.matrix(Gin::HIDDEN)?.transposed(), product, &mut last_weight.gradient()?, 0.0)?;
        let hidden = &mut data.matrix_mut(Gin::HIDDEN_GRADIENT)?;
        session.multiply(product, last_weight.value()?.transposed(), hidden, 0.0)?;
        self.backward.0.run(data, 1)?;
        session.copy(data.matrix(Gin::BIAS_GRADIENT)?, &mut bias.gradient()?)?;
        let parts = data.matrix(Gin::EPSILON_GRADIENT)?;
        session.multiply(parts, self.ones.matrix().transposed(), &mut self.epsilon.gradient()?, 0.0)?;
        input.derive(weight, data.matrix(Gin::X_GRADIENT)?, 0.0, session)
    }

    fn check(&mut self) -> Result<(), RunError> {
        if self.storage != Storage::F16 {
            return Ok(());
        }
        halves::check(isomorphism_f16, &self.graph, &mut self.data, "x_f16", |data| {
            Ok((data.read(Gin::X)?.to_owned(), data.read(Gin::X_F16)?.to_owned()))
        })
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.after.matrix(Affine::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.after.matrix_mut(Affine::OUT_GRADIENT)
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { epsilon, first, second, .. } = self;
        [epsilon].into_iter().chain(first).chain(second).collect()
    }
}
