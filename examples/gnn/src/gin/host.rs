//! The layer in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Gin, isomorphism, isomorphism_bf16, isomorphism_f16, isomorphism_gradient, isomorphism_plain};
use crate::affine::AffineRows;
use crate::clock::Clock;
use crate::error::GnnError;
use crate::halves;
use crate::layer::{Layer, Source, discard};
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
    second: Weight,
    data: Data<Gin>,
    after: AffineRows<'g>,
    forward: Sequence<'g, Gin>,
    backward: Sequence<'g, Gin>,
}

impl<'g> GinLayer<'g> {
    /// A layer on a graph, with `hidden` features inside.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs or hidden features.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, hidden: usize) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let data = session.data(isomorphism, graph, hidden)?;
        let matrix = |name, inputs, outputs| shape.weight(&session, name, WeightShape::matrix(inputs, outputs));
        let row = |name, size| shape.weight(&session, name, WeightShape::row(size));
        Ok(Self {
            epsilon: row("eps", 1)?,
            ones: ones(&session, hidden)?,
            first: [matrix("nn.0.weight", shape.inputs, hidden)?, row("nn.0.bias", hidden)?],
            second: matrix("nn.2.weight", hidden, shape.outputs)?,
            after: AffineRows::new(graph, shape, "nn.2.bias")?,
            session,
            graph: graph.clone(),
            storage: shape.storage,
            data,
            forward: forward(graph, shape.storage),
            backward: Sequence::new(graph).then(isomorphism_gradient),
        })
    }
}

/// The aggregation by what edges read.
fn forward<'g>(graph: &ResidentGraph<'g>, storage: Storage) -> Sequence<'g, Gin> {
    match storage {
        Storage::F32 => Sequence::new(graph).then(isomorphism_plain),
        Storage::F16 => Sequence::new(graph).then(isomorphism_f16),
        Storage::Bf16 => Sequence::new(graph).then(isomorphism_bf16),
    }
}

impl Layer for GinLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.after.begin(is_training);
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, data, after, first: [weight, bias], second, forward, .. } = self;
        input.multiply(weight, &mut data.matrix_mut(Gin::X)?, session)?;
        session.multiply(self.epsilon.value()?, self.ones.matrix(), &mut data.matrix_mut(Gin::EPSILON)?, 0.0)?;
        bias.lend(data, Gin::BIAS, |data| forward.run(data, 1))?;
        data.discard(Gin::SUM);
        data.discard(Gin::X_BF16);
        session.multiply(data.matrix(Gin::HIDDEN)?, second.value()?, &mut after.product()?, 0.0)?;
        Ok(after.forward(clock)?)
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, data, after, first: [weight, bias], second, backward, .. } = self;
        let product = after.backward(clock)?;
        session.multiply(data.matrix(Gin::HIDDEN)?.transposed(), product, &mut second.gradient()?, 0.0)?;
        let hidden = &mut data.matrix_mut(Gin::HIDDEN_GRADIENT)?;
        session.multiply(product, second.value()?.transposed(), hidden, 0.0)?;
        bias.lend_with_gradient(data, (Gin::BIAS, Gin::BIAS_GRADIENT), |data| backward.run(data, 1))?;
        let parts = data.matrix(Gin::EPSILON_GRADIENT)?;
        session.multiply(parts, self.ones.matrix().transposed(), &mut self.epsilon.gradient()?, 0.0)?;
        input.derive(weight, data.matrix(Gin::X_GRADIENT)?, session)
    }

    fn check(&mut self, _clock: &mut Data<Clock>) -> Result<(), RunError> {
        if self.storage != Storage::F16 {
            return Ok(());
        }
        let Self { graph, data, first: [_, bias], .. } = self;
        bias.lend(data, Gin::BIAS, |data| {
            halves::check(isomorphism_f16, graph, data, "x_f16", |data| {
                Ok((data.read(Gin::X)?.to_owned(), data.read(Gin::X_F16)?.to_owned()))
            })
        })
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.after.output()
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.after.output_gradient()
    }

    fn discard(&mut self) {
        let Self { data, after, storage, .. } = self;
        after.discard();
        discard(data, &[Gin::HIDDEN, Gin::X_GRADIENT, Gin::X_GRADIENT_PART]);
        data.discard(Gin::HIDDEN_GRADIENT);
        [Gin::EPSILON_GRADIENT, Gin::BIAS_GRADIENT].into_iter().for_each(|key| data.discard(key));
        if *storage != Storage::F16 {
            data.discard(Gin::X);
        }
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { epsilon, first, second, after, .. } = self;
        [epsilon].into_iter().chain(first).chain([second, after.bias()]).collect()
    }
}
