//! The attention vectors of a layer in a session.

use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Data, Matrix, MatrixMut, RunError, Sequence, Session, Tensor};

use super::{Heads, spread_heads, spread_heads_gradient};
use crate::error::GnnError;
use crate::weight::{Weight, ones};

/// The attention vectors of all heads, for one end of edges.
pub struct Attention {
    session: Session,
    weight: Weight,
    ones: Tensor,
    data: Data<Heads>,
    forward: Sequence<'static, Heads>,
    backward: Sequence<'static, Heads>,
}

impl Attention {
    /// One row of weights, `head` of each head.
    ///
    /// # Errors
    /// There is no memory for them, or no fold for as many.
    pub fn new(session: &Session, weight: Weight, head: usize) -> Result<Self, GnnError> {
        let (_, features) = weight.size();
        let graph = session.own(GraphBuilder::new().vertices(features).build()?);
        let mut data = session.data(spread_heads, &graph, features)?;
        data.set(Heads::HEAD, head as f32);
        let (forward, backward) =
            (Sequence::new(&graph).then(spread_heads), Sequence::new(&graph).then(spread_heads_gradient));
        let ones = ones(session, features)?;
        Ok(Self { session: session.clone(), weight, ones, data, forward, backward })
    }

    /// The weights.
    pub fn weight(&mut self) -> &mut Weight {
        &mut self.weight
    }

    /// Sets `scores` to the scores of rows, each on all columns of its head.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn multiply(&mut self, rows: Matrix<'_>, scores: &mut MatrixMut<'_>) -> Result<(), RunError> {
        let into = &mut self.data.matrix_mut(Heads::ATTENTION)?;
        self.session.multiply(self.weight.value()?.transposed(), self.ones.matrix(), into, 0.0)?;
        self.forward.run(&mut self.data, 1)?;
        self.session.multiply(rows, self.data.matrix(Heads::SPREAD)?, scores, 0.0)
    }

    /// Sets the gradient of the weights by that of the scores.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn derive(&mut self, rows: Matrix<'_>, scores: Matrix<'_>) -> Result<(), RunError> {
        let matrix = &mut self.data.matrix_mut(Heads::SPREAD_GRADIENT)?;
        self.session.multiply(rows.transposed(), scores, matrix, 0.0)?;
        self.backward.run(&mut self.data, 1)?;
        let columns = self.data.matrix(Heads::ATTENTION_GRADIENT)?.transposed();
        self.session.multiply(self.ones.matrix(), columns, &mut self.weight.gradient()?, 0.0)
    }

    /// Adds to the gradient of the rows what comes by the scores.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn derive_rows(&mut self, scores: Matrix<'_>, rows: &mut MatrixMut<'_>) -> Result<(), RunError> {
        self.session.multiply(scores, self.data.matrix(Heads::SPREAD)?.transposed(), rows, 1.0)
    }
}
