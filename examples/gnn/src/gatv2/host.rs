//! The layer in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Gatv2, HEADS, dynamic_attention, dynamic_attention_gradient, dynamic_heads, dynamic_heads_gradient};
use crate::error::GnnError;
use crate::gat::HeadShape;
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape, ones};

/// A layer of attention whose scores depend on both ends at once.
pub struct Gatv2Layer<'g> {
    session: Session,
    left: End,
    right: End,
    attention: Weight,
    bias: Weight,
    ones: Tensor,
    data: Data<Gatv2>,
    forward: Sequence<'g, Gatv2>,
    backward: Sequence<'g, Gatv2>,
    dropout: f32,
    edge_dropout: f32,
}

/// Weights and bias of one end of edges.
struct End {
    weight: Weight,
    bias: Weight,
}

impl End {
    fn new(session: &Session, shape: &LayerShape<'_>, name: &str) -> Result<Self, GnnError> {
        let matrix = WeightShape::matrix(shape.inputs, shape.outputs);
        Ok(Self {
            weight: shape.weight(session, &format!("{name}.weight"), matrix)?,
            bias: shape.weight(session, &format!("{name}.bias"), WeightShape::row(shape.outputs))?,
        })
    }
}

impl<'g> Gatv2Layer<'g> {
    /// A layer on a graph that has a loop at each vertex. The outputs of the shape are those of all heads together.
    ///
    /// # Errors
    /// There are more than [`HEADS`], there is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, heads: HeadShape) -> Result<Self, GnnError> {
        if heads.heads > HEADS {
            return Err(GnnError::ManyHeads { heads: heads.heads, most: HEADS });
        }
        let session = graph.session().clone();
        let head = shape.outputs / heads.heads;
        let mut data = session.data(dynamic_attention, graph, shape.outputs)?;
        data.set(Gatv2::SEED, shape.seed as f32);
        data.set(Gatv2::EDGE_SEED, heads.edge_seed as f32);
        data.set(Gatv2::HEAD, head as f32);
        data.set(Gatv2::BEND, if shape.is_last { 0.0 } else { 1.0 });
        let (forward, backward) = sequences(graph, heads.heads);
        Ok(Self {
            left: End::new(&session, shape, "lin_l")?,
            right: End::new(&session, shape, "lin_r")?,
            attention: shape.weight(&session, "att", WeightShape::heads(heads.heads, head))?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            ones: ones(&session, graph.graph().vertex_count())?,
            data,
            forward,
            backward,
            dropout: shape.dropout,
            edge_dropout: heads.edge_dropout,
            session,
        })
    }
}

fn sequences<'g>(graph: &ResidentGraph<'g>, heads: usize) -> (Sequence<'g, Gatv2>, Sequence<'g, Gatv2>) {
    let sequence = || Sequence::new(graph);
    if heads == 1 {
        (sequence().then(dynamic_attention), sequence().then(dynamic_attention_gradient))
    } else {
        (sequence().then(dynamic_heads), sequence().then(dynamic_heads_gradient))
    }
}

impl Layer for Gatv2Layer<'_> {
    fn begin(&mut self, step: Matrix<'_>, is_training: bool) -> Result<(), RunError> {
        let [rate, edge_rate] = [self.dropout, self.edge_dropout].map(|rate| if is_training { rate } else { 0.0 });
        self.data.set(Gatv2::RATE, rate);
        self.data.set(Gatv2::EDGE_RATE, edge_rate);
        self.session.copy(step, &mut self.data.matrix_mut(Gatv2::STEP)?)
    }

    fn forward(&mut self, mut input: Source<'_, '_>) -> Result<(), RunError> {
        let Self { session, data, ones, .. } = self;
        for (end, key) in [(&mut self.left, Gatv2::SOURCE), (&mut self.right, Gatv2::DESTINATION)] {
            let rows = &mut data.matrix_mut(key)?;
            input.multiply(&mut end.weight, rows, session)?;
            session.multiply(ones.matrix().transposed(), end.bias.value()?, rows, 1.0)?;
        }
        session.copy(self.attention.value()?, &mut data.matrix_mut(Gatv2::ATTENTION)?)?;
        session.copy(self.bias.value()?, &mut data.matrix_mut(Gatv2::BIAS)?)?;
        self.forward.run(data, 1)
    }

    fn backward(&mut self, mut input: Source<'_, '_>) -> Result<(), RunError> {
        let Self { session, data, ones, .. } = self;
        self.backward.run(data, 1)?;
        session.copy(data.matrix(Gatv2::BIAS_GRADIENT)?, &mut self.bias.gradient()?)?;
        session.copy(data.matrix(Gatv2::ATTENTION_GRADIENT)?, &mut self.attention.gradient()?)?;
        let ends = [(&mut self.left, Gatv2::SOURCE_GRADIENT, 0.0), (&mut self.right, Gatv2::DESTINATION_GRADIENT, 1.0)];
        for (end, key, keep) in ends {
            let rows = data.matrix(key)?;
            session.multiply(ones.matrix(), rows, &mut end.bias.gradient()?, 0.0)?;
            input.derive(&mut end.weight, rows, keep, session)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Gatv2::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Gatv2::OUT_GRADIENT)
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { left, right, attention, bias, .. } = self;
        vec![&mut left.weight, &mut left.bias, &mut right.weight, &mut right.bias, attention, bias]
    }
}
