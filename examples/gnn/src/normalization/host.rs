//! Batch normalization in a session.

use ndarray::arr2;
use onyx_runtime::{Data, Matrix, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Normalization, normalize_by_known, normalize_rows, normalize_rows_gradient};
use crate::error::GnnError;
use crate::row::{Row, with_gradients, with_values};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape, ones};

/// How much of the mean and the variance that a network uses when it has learned comes from the last batch.
const LAST: f32 = 0.1;

/// What batch normalization learns.
pub struct Normalizer {
    scale: Weight,
    shift: Weight,
    mean: Tensor,
    variance: Tensor,
}

/// The rows of one batch, and their normalization.
pub struct Normalized {
    data: Data<Normalization>,
    forward: Sequence<'static, Normalization>,
    known: Sequence<'static, Normalization>,
    backward: Sequence<'static, Normalization>,
    last: Tensor,
    last_unbiased: Tensor,
}

impl Normalizer {
    /// Features with a scale of 1, a mean and a shift of 0, and a variance of 1.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn new(session: &Session, shape: &LayerShape<'_>, name: &str) -> Result<Self, GnnError> {
        let weight = |part: &str, form| shape.weight(session, &format!("{name}.{part}"), form);
        let scale = weight("weight", WeightShape::ones(shape.outputs))?;
        let (mean, variance) = (session.tensor(1, shape.outputs)?, ones(session, shape.outputs)?);
        Ok(Self { scale, shift: weight("bias", WeightShape::row(shape.outputs))?, mean, variance })
    }

    /// Normalizes rows: in training by their own mean and variance, of which the network keeps a part, otherwise by those that it has kept.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn forward(&mut self, rows: &mut Normalized, is_training: bool) -> Result<(), RunError> {
        let Normalized { data, last, last_unbiased, forward, known, .. } = rows;
        let session = data.session().clone();
        let rows = &mut learned(&mut self.scale, &mut self.shift);
        if is_training {
            with_values(rows, data, &mut |data| forward.run(data, 1))?;
            let (mean, variance) = (&mut self.mean.matrix_mut(), &mut self.variance.matrix_mut());
            session.multiply(last.matrix(), data.matrix(Normalization::MEAN)?, mean, 1.0 - LAST)?;
            session.multiply(last_unbiased.matrix(), data.matrix(Normalization::VARIANCE)?, variance, 1.0 - LAST)
        } else {
            session.copy(self.mean.matrix(), &mut data.matrix_mut(Normalization::MEAN)?)?;
            session.copy(self.variance.matrix(), &mut data.matrix_mut(Normalization::VARIANCE)?)?;
            with_values(rows, data, &mut |data| known.run(data, 1))
        }
    }

    /// Computes the gradients of the rows, of the scale and of the shift by that of the output, after a pass in training.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn backward(&mut self, rows: &mut Normalized) -> Result<(), RunError> {
        let Normalized { data, backward, .. } = rows;
        let rows = &mut learned(&mut self.scale, &mut self.shift);
        with_gradients(rows, data, &mut |data| backward.run(data, 1))
    }

    /// Scale and shift.
    pub fn weights(&mut self) -> [&mut Weight; 2] {
        [&mut self.scale, &mut self.shift]
    }
}

/// Scale and shift, and where they stand.
fn learned<'w>(scale: &'w mut Weight, shift: &'w mut Weight) -> [Row<'w, Normalization>; 2] {
    [
        Row { weight: scale, value: Normalization::SCALE, gradient: Normalization::SCALE_GRADIENT },
        Row { weight: shift, value: Normalization::SHIFT, gradient: Normalization::SHIFT_GRADIENT },
    ]
}

impl Normalized {
    /// Rows of so many features for the vertices of a graph.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn new(graph: &ResidentGraph<'static>, features: usize) -> Result<Self, GnnError> {
        let session = graph.session();
        let data = session.data(normalize_rows, graph, features)?;
        let sequence = || Sequence::new(graph);
        let (forward, known, backward) = (
            sequence().then(normalize_rows),
            sequence().then(normalize_by_known),
            sequence().then(normalize_rows_gradient),
        );
        let [mut last, last_unbiased] = [session.tensor(1, 1)?, session.tensor(1, 1)?];
        last.write(&arr2(&[[LAST]]))?;
        let mut rows = Self { data, forward, known, backward, last, last_unbiased };
        rows.count(graph.graph().vertex_count())?;
        Ok(rows)
    }

    /// Has rows for the vertices of another graph, as [`Data::move_to`] does.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn move_to(&mut self, graph: &ResidentGraph<'static>) -> Result<(), RunError> {
        self.data.move_to(graph)?;
        [&mut self.forward, &mut self.known, &mut self.backward].into_iter().for_each(|folds| folds.move_to(graph));
        self.count(graph.graph().vertex_count())
    }

    /// Takes note of how many rows there are.
    fn count(&mut self, rows: usize) -> Result<(), RunError> {
        let rows = rows as f32;
        self.data.set(Normalization::SHARE, 1.0 / rows.max(1.0));
        // The variance of what the batch was drawn from is the greater by that.
        self.last_unbiased.write(&arr2(&[[LAST * rows / (rows - 1.0).max(1.0)]]))
    }

    /// The rows, and where the output, its gradient and theirs are.
    pub fn data(&mut self) -> &mut Data<Normalization> {
        &mut self.data
    }

    /// The output.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Normalization::OUT)
    }
}
