//! The layer in a session.

use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::{
    Gat, attention, attention_gradient, attention_inference, attention_with_dropout, attention_with_dropout_gradient,
};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::heads::Heads;
use crate::layer::{Layer, Source, discard};
use crate::row::Row;
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape};

/// A layer of a graph attention network.
pub struct GatLayer<'g> {
    session: Session,
    weight: Weight,
    sending: Weight,
    receiving: Weight,
    bias: Weight,
    heads: Heads,
    data: Data<Gat>,
    inference: Sequence<'g, Gat>,
    passes: Passes<'g>,
    training: Passes<'g>,
    is_training: bool,
    dropout: f32,
}

/// What a layer of attention has besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadShape {
    /// How many heads there are.
    pub heads: usize,
    /// How likely an edge is to be left out of a head in training.
    pub edge_dropout: f32,
    /// What random numbers of edges are made of, below 2^24.
    pub edge_seed: u32,
}

/// The graph with a loop at each vertex, which attends to itself, too. Loops that are there count once.
///
/// # Errors
/// As [`GraphBuilder::build`].
pub fn with_loops(graph: &Graph) -> Result<Graph, GnnError> {
    let others = graph.edges().filter(|(_, source, destination)| source != destination);
    let mut edges: Vec<(u32, u32)> = others.map(|(_, source, destination)| (source, destination)).collect();
    edges.extend((0..graph.vertex_count() as u32).map(|vertex| (vertex, vertex)));
    Ok(GraphBuilder::new().vertices(graph.vertex_count()).edges(edges).build()?)
}

/// The layer and its gradient.
struct Passes<'g> {
    forward: Sequence<'g, Gat>,
    backward: Sequence<'g, Gat>,
}

impl<'g> Passes<'g> {
    fn new(graph: &ResidentGraph<'g>) -> Self {
        let sequence = || Sequence::new(graph);
        Self { forward: sequence().then(attention), backward: sequence().then(attention_gradient) }
    }

    fn with_dropout(graph: &ResidentGraph<'g>) -> Self {
        let sequence = || Sequence::new(graph);
        let (forward, backward) = (attention_with_dropout, attention_with_dropout_gradient);
        Self { forward: sequence().then(forward), backward: sequence().then(backward) }
    }
}

impl<'g> GatLayer<'g> {
    /// A layer on a graph that has a loop at each vertex. The outputs of the shape are those of all heads together.
    ///
    /// # Errors
    /// There is no memory for it, or a head has more features than the fold is compiled for.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, heads: HeadShape) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let rows = Heads::new(attention, &session, graph.graph().vertex_count(), heads.heads, shape.outputs)?;
        let (count, features) = rows.size();
        let mut data = session.data_of_heads(attention, graph, count, features)?;
        data.write(Gat::COLUMN, &rows.columns())?;
        data.set(Gat::SEED, shape.seed as f32);
        data.set(Gat::EDGE_SEED, heads.edge_seed as f32);
        data.set(Gat::EDGE_RATE, heads.edge_dropout);
        data.set(Gat::BEND, if shape.is_last { 0.0 } else { 1.0 });
        let vectors = WeightShape::heads(heads.heads, shape.outputs / heads.heads);
        Ok(Self {
            weight: shape.weight(&session, "lin.weight", WeightShape::matrix(shape.inputs, shape.outputs))?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            sending: shape.weight(&session, "att_src", vectors)?,
            receiving: shape.weight(&session, "att_dst", vectors)?,
            heads: rows,
            data,
            inference: Sequence::new(graph).then(attention_inference),
            passes: Passes::new(graph),
            training: if heads.edge_dropout > 0.0 { Passes::with_dropout(graph) } else { Passes::new(graph) },
            is_training: false,
            dropout: shape.dropout,
            session,
        })
    }
}

/// The rows of weights, and where they stand.
fn rows<'w>(sending: &'w mut Weight, receiving: &'w mut Weight, bias: &'w mut Weight) -> [Row<'w, Gat>; 3] {
    [
        Row { weight: sending, value: Gat::SENDING, gradient: Gat::SENDING_GRADIENT },
        Row { weight: receiving, value: Gat::RECEIVING, gradient: Gat::RECEIVING_GRADIENT },
        Row { weight: bias, value: Gat::BIAS, gradient: Gat::BIAS_GRADIENT },
    ]
}

impl Layer for GatLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.is_training = is_training;
        self.data.set(Gat::RATE, if is_training { self.dropout } else { 0.0 });
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, weight, sending, receiving, bias, heads, data, inference, training, is_training, .. } =
            self;
        heads.take(&mut data.matrix_mut(Gat::X)?, |rows| input.multiply(weight, rows, session))?;
        let (rows, forward) =
            (&mut rows(sending, receiving, bias), if *is_training { &mut training.forward } else { inference });
        let mut run = |data: &mut Data<Gat>| forward.run(data, 1);
        Ok(clock.lend(Clock::STEP, data, Gat::STEP, |_, data| heads.with_values(rows, data, &mut run))??)
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, weight, sending, receiving, bias, heads, data, passes, training, is_training, .. } = self;
        heads.take_gradient(&mut data.matrix_mut(Gat::OUT_GRADIENT)?)?;
        let (rows, has_levels) = (&mut rows(sending, receiving, bias), *is_training);
        let passes = if has_levels { training } else { passes };
        let mut run = |data: &mut Data<Gat>| {
            // Inference has left out the log-sums.
            if !has_levels {
                passes.forward.run(data, 1)?;
            }
            passes.backward.run(data, 1)
        };
        clock.lend(Clock::STEP, data, Gat::STEP, |_, data| heads.with_gradients(rows, data, &mut run))??;
        input.derive(weight, heads.give(data.matrix(Gat::X_GRADIENT)?)?, session)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.heads.give(self.data.matrix(Gat::OUT)?)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.heads.gradient(self.data.matrix_mut(Gat::OUT_GRADIENT)?)
    }

    fn discard(&mut self) {
        discard(&mut self.data, &[Gat::X, Gat::SUM, Gat::OUT]);
        discard(&mut self.data, &[Gat::X_GRADIENT, Gat::OUT_GRADIENT]);
        let heads = [Gat::SOURCE, Gat::DESTINATION, Gat::LEVEL];
        let gradients = [Gat::SOURCE_GRADIENT, Gat::DESTINATION_GRADIENT, Gat::SUM_GRADIENT_DOT];
        heads.into_iter().chain(gradients).for_each(|key| self.data.discard(key));
        let totals = [Gat::SENDING_GRADIENT, Gat::RECEIVING_GRADIENT, Gat::BIAS_GRADIENT];
        totals.into_iter().for_each(|key| self.data.discard(key));
    }

    fn discard_output(&mut self) {
        self.data.discard(Gat::OUT);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.weight, &mut self.sending, &mut self.receiving, &mut self.bias]
    }
}
