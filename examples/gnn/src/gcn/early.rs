//! The layer where rows travel along edges before they are multiplied: (A x) W in place of A (x W), for layers with fewer inputs than outputs.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::host::normalized;
use super::pass::{Pass, check, discard_inputs, discard_rows};
use super::{Gcn, convolve_gradient};
use crate::affine::AffineRows;
use crate::clock::Clock;
use crate::error::GnnError;
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Weight, WeightShape};

/// A [`GcnLayer`](super::GcnLayer) whose aggregation comes before the product with its weights, for graphs whose edges count alike. Their names are the same.
pub struct EarlyGcnLayer<'g> {
    session: Session,
    graph: ResidentGraph<'g>,
    storage: Storage,
    weight: Weight,
    data: Data<Gcn>,
    after: AffineRows<'g>,
    forward: Pass<'g>,
    backward: Sequence<'g, Gcn>,
}

impl<'g> EarlyGcnLayer<'g> {
    /// Whether it moves fewer floats than a [`GcnLayer`](super::GcnLayer), for rows of so many inputs and outputs and so many edges a vertex.
    ///
    /// Each edge moves a row of inputs in place of one of outputs, and so does the fold four times at a vertex. But two more rows bring the input there, and bias and activation, a
    /// fold of their own, read and write the outputs.
    pub fn pays(inputs: usize, outputs: usize, mean_degree: f64) -> bool {
        (mean_degree + 6.0) * (inputs as f64) < (mean_degree + 2.0) * outputs as f64
    }

    /// A layer on a graph.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many inputs or outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let mut data = normalized(graph, None, shape.inputs)?;
        // Without bias and dropout, it is the aggregation alone.
        data.set(Gcn::SLOPE, 1.0);
        Ok(Self {
            weight: shape.weight(&session, "lin.weight", WeightShape::matrix(shape.inputs, shape.outputs))?,
            after: AffineRows::new(graph, shape, "bias")?,
            session,
            graph: graph.clone(),
            storage: shape.storage,
            data,
            forward: Pass::new(graph, shape.storage),
            backward: Sequence::new(graph).then(convolve_gradient),
        })
    }
}

impl Layer for EarlyGcnLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.after.begin(is_training);
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, weight, data, after, .. } = self;
        session.copy(input.rows()?, &mut data.matrix_mut(Gcn::X)?)?;
        self.forward.run(data, false)?;
        discard_inputs(data, self.storage);
        session.multiply(data.matrix(Gcn::OUT)?, weight.value()?, &mut after.product()?, 0.0)?;
        Ok(after.forward(clock)?)
    }

    fn backward(&mut self, input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, weight, data, after, .. } = self;
        let product = after.backward(clock)?;
        session.multiply(data.matrix(Gcn::OUT)?.transposed(), product, &mut weight.gradient()?, 0.0)?;
        let Source::Layer(layer) = input else { return Ok(()) };
        session.multiply(product, weight.value()?.transposed(), &mut data.matrix_mut(Gcn::OUT_GRADIENT)?, 0.0)?;
        self.backward.run(data, 1)?;
        layer.discard_output();
        session.copy(data.matrix(Gcn::X_GRADIENT)?, &mut layer.output_gradient()?)
    }

    fn check(&mut self, _clock: &mut Data<Clock>) -> Result<(), RunError> {
        check(&self.graph, &mut self.data, self.storage)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.after.output()
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.after.output_gradient()
    }

    fn discard(&mut self) {
        self.after.discard();
        discard_rows(&mut self.data, self.storage);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.weight, self.after.bias()]
    }
}
