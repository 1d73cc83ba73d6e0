//! The layer in a session.

use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{
    Gatv2, dynamic_attention, dynamic_attention_gradient, dynamic_attention_inference, dynamic_attention_with_dropout,
    dynamic_attention_with_dropout_gradient,
};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::gat::HeadShape;
use crate::heads::Heads;
use crate::layer::{Layer, Source, discard};
use crate::row::Row;
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
    heads: Heads,
    data: Data<Gatv2>,
    inference: Sequence<'g, Gatv2>,
    passes: Passes<'g>,
    training: Passes<'g>,
    is_training: bool,
    dropout: f32,
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

/// The layer and its gradient.
struct Passes<'g> {
    forward: Sequence<'g, Gatv2>,
    backward: Sequence<'g, Gatv2>,
}

impl<'g> Passes<'g> {
    fn new(graph: &ResidentGraph<'g>) -> Self {
        let sequence = || Sequence::new(graph);
        Self { forward: sequence().then(dynamic_attention), backward: sequence().then(dynamic_attention_gradient) }
    }

    fn with_dropout(graph: &ResidentGraph<'g>) -> Self {
        let sequence = || Sequence::new(graph);
        let (forward, backward) = (dynamic_attention_with_dropout, dynamic_attention_with_dropout_gradient);
        Self { forward: sequence().then(forward), backward: sequence().then(backward) }
    }
}

impl<'g> Gatv2Layer<'g> {
    /// A layer on a graph that has a loop at each vertex. The outputs of the shape are those of all heads together.
    ///
    /// # Errors
    /// There is no memory for it, or a head has more features than the fold is compiled for.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, heads: HeadShape) -> Result<Self, GnnError> {
        let (session, vertices) = (graph.session().clone(), graph.graph().vertex_count());
        let rows = Heads::new(dynamic_attention, &session, vertices, heads.heads, shape.outputs)?;
        let (count, features) = rows.size();
        let mut data = session.data_of_heads(dynamic_attention, graph, count, features)?;
        data.write(Gatv2::COLUMN, &rows.columns())?;
        data.set(Gatv2::SEED, shape.seed as f32);
        data.set(Gatv2::EDGE_SEED, heads.edge_seed as f32);
        data.set(Gatv2::EDGE_RATE, heads.edge_dropout);
        data.set(Gatv2::BEND, if shape.is_last { 0.0 } else { 1.0 });
        let vectors = WeightShape::heads(heads.heads, shape.outputs / heads.heads);
        Ok(Self {
            left: End::new(&session, shape, "lin_l")?,
            right: End::new(&session, shape, "lin_r")?,
            attention: shape.weight(&session, "att", vectors)?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            ones: ones(&session, vertices)?,
            heads: rows,
            data,
            inference: Sequence::new(graph).then(dynamic_attention_inference),
            passes: Passes::new(graph),
            training: if heads.edge_dropout > 0.0 { Passes::with_dropout(graph) } else { Passes::new(graph) },
            is_training: false,
            dropout: shape.dropout,
            session,
        })
    }
}

/// The rows of weights that its folds read, and where they stand.
fn rows<'w>(attention: &'w mut Weight, bias: &'w mut Weight) -> [Row<'w, Gatv2>; 2] {
    [
        Row { weight: attention, value: Gatv2::ATTENTION, gradient: Gatv2::ATTENTION_GRADIENT },
        Row { weight: bias, value: Gatv2::BIAS, gradient: Gatv2::BIAS_GRADIENT },
    ]
}

impl Layer for Gatv2Layer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.is_training = is_training;
        self.data.set(Gatv2::RATE, if is_training { self.dropout } else { 0.0 });
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, heads, data, ones, inference, training, is_training, .. } = self;
        for (end, key) in [(&mut self.left, Gatv2::SOURCE), (&mut self.right, Gatv2::DESTINATION)] {
            heads.take(&mut data.matrix_mut(key)?, |rows| {
                input.multiply(&mut end.weight, rows, session)?;
                session.multiply(ones.matrix().transposed(), end.bias.value()?, rows, 1.0)
            })?;
        }
        let (rows, forward) = (
            &mut rows(&mut self.attention, &mut self.bias),
            if *is_training { &mut training.forward } else { inference },
        );
        let mut run = |data: &mut Data<Gatv2>| forward.run(data, 1);
        Ok(clock.lend(Clock::STEP, data, Gatv2::STEP, |_, data| heads.with_values(rows, data, &mut run))??)
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, heads, data, ones, passes, training, is_training, .. } = self;
        heads.take_gradient(&mut data.matrix_mut(Gatv2::OUT_GRADIENT)?)?;
        let (rows, has_levels) = (&mut rows(&mut self.attention, &mut self.bias), *is_training);
        let passes = if has_levels { training } else { passes };
        let mut run = |data: &mut Data<Gatv2>| {
            // Inference has left out the log-sums.
            if !has_levels {
                passes.forward.run(data, 1)?;
            }
            passes.backward.run(data, 1)
        };
        clock.lend(Clock::STEP, data, Gatv2::STEP, |_, data| heads.with_gradients(rows, data, &mut run))??;
        let mut ends =
            [(&mut self.left, Gatv2::SOURCE_GRADIENT, 0.0), (&mut self.right, Gatv2::DESTINATION_GRADIENT, 1.0)];
        for (end, key, _) in &mut ends {
            let rows = heads.give(data.matrix(*key)?)?;
            session.multiply(ones.matrix(), rows, &mut end.bias.gradient()?, 0.0)?;
            input.derive_weight(&mut end.weight, rows, session)?;
        }
        input.discard_rows();
        ends.into_iter().try_for_each(|(end, key, keep)| {
            input.derive_rows(&mut end.weight, heads.give(data.matrix(key)?)?, keep, session)
        })
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.heads.give(self.data.matrix(Gatv2::OUT)?)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.heads.gradient(self.data.matrix_mut(Gatv2::OUT_GRADIENT)?)
    }

    fn discard(&mut self) {
        discard(&mut self.data, &[Gatv2::SOURCE, Gatv2::DESTINATION, Gatv2::SUM, Gatv2::OUT]);
        discard(&mut self.data, &[Gatv2::SOURCE_GRADIENT, Gatv2::DESTINATION_GRADIENT]);
        self.data.discard(Gatv2::OUT_GRADIENT);
        [Gatv2::LEVEL, Gatv2::SUM_GRADIENT_DOT].into_iter().for_each(|key| self.data.discard(key));
        [Gatv2::ATTENTION_GRADIENT, Gatv2::BIAS_GRADIENT].into_iter().for_each(|key| self.data.discard(key));
    }

    fn discard_output(&mut self) {
        self.data.discard(Gatv2::OUT);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        let Self { left, right, attention, bias, .. } = self;
        vec![&mut left.weight, &mut left.bias, &mut right.weight, &mut right.bias, attention, bias]
    }
}
