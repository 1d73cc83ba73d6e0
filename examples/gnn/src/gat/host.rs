//! The layer in a session.

use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::{Gat, attention, attention_gradient};
use crate::error::GnnError;
use crate::heads::Attention;
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::weight::{Weight, WeightShape};

/// A layer of a graph attention network.
pub struct GatLayer<'g> {
    session: Session,
    weight: Weight,
    bias: Weight,
    source: Attention,
    destination: Attention,
    data: Data<Gat>,
    forward: Sequence<'g, Gat>,
    backward: Sequence<'g, Gat>,
    dropout: f32,
    edge_dropout: f32,
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

impl<'g> GatLayer<'g> {
    /// A layer on a graph that has a loop at each vertex. The outputs of the shape are those of all heads together.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>, heads: HeadShape) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let mut data = session.data(attention, graph, shape.outputs)?;
        let head = shape.outputs / heads.heads;
        data.set(Gat::SEED, shape.seed as f32);
        data.set(Gat::EDGE_SEED, heads.edge_seed as f32);
        data.set(Gat::HEAD, head as f32);
        data.set(Gat::BEND, if shape.is_last { 0.0 } else { 1.0 });
        let vectors =
            |name| Attention::new(&session, shape.weight(&session, name, WeightShape::heads(heads.heads, head))?, head);
        Ok(Self {
            weight: shape.weight(&session, "lin.weight", WeightShape::matrix(shape.inputs, shape.outputs))?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            source: vectors("att_src")?,
            destination: vectors("att_dst")?,
            data,
            forward: Sequence::new(graph).then(attention),
            backward: Sequence::new(graph).then(attention_gradient),
            dropout: shape.dropout,
            edge_dropout: heads.edge_dropout,
            session,
        })
    }

    /// Sets the gradients of the attention vectors, and adds to that of the rows what comes by the scores.
    fn derive_scores(&mut self) -> Result<(), RunError> {
        let data = &mut self.data;
        let (rows, scores) = data.matrices(Gat::X, Gat::SOURCE_GRADIENT)?;
        self.source.derive(rows, scores)?;
        let (scores, mut rows) = data.matrix_into(Gat::SOURCE_GRADIENT, Gat::X_GRADIENT)?;
        self.source.derive_rows(scores, &mut rows)?;
        let (rows, scores) = data.matrices(Gat::X, Gat::DESTINATION_GRADIENT)?;
        self.destination.derive(rows, scores)?;
        let (scores, mut rows) = data.matrix_into(Gat::DESTINATION_GRADIENT, Gat::X_GRADIENT)?;
        self.destination.derive_rows(scores, &mut rows)
    }
}

impl Layer for GatLayer<'_> {
    fn begin(&mut self, step: Matrix<'_>, is_training: bool) -> Result<(), RunError> {
        let [rate, edge_rate] = [self.dropout, self.edge_dropout].map(|rate| if is_training { rate } else { 0.0 });
        self.data.set(Gat::RATE, rate);
        self.data.set(Gat::EDGE_RATE, edge_rate);
        self.session.copy(step, &mut self.data.matrix_mut(Gat::STEP)?)
    }

    fn forward(&mut self, mut input: Source<'_, '_>) -> Result<(), RunError> {
        input.multiply(&mut self.weight, &mut self.data.matrix_mut(Gat::X)?, &self.session)?;
        let (rows, mut scores) = self.data.matrix_into(Gat::X, Gat::SOURCE)?;
        self.source.multiply(rows, &mut scores)?;
        let (rows, mut scores) = self.data.matrix_into(Gat::X, Gat::DESTINATION)?;
        self.destination.multiply(rows, &mut scores)?;
        self.session.copy(self.bias.value()?, &mut self.data.matrix_mut(Gat::BIAS)?)?;
        self.forward.run(&mut self.data, 1)
    }

    fn backward(&mut self, mut input: Source<'_, '_>) -> Result<(), RunError> {
        self.backward.run(&mut self.data, 1)?;
        self.session.copy(self.data.matrix(Gat::BIAS_GRADIENT)?, &mut self.bias.gradient()?)?;
        self.derive_scores()?;
        input.derive(&mut self.weight, self.data.matrix(Gat::X_GRADIENT)?, 0.0, &self.session)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Gat::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Gat::OUT_GRADIENT)
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.weight, self.source.weight(), self.destination.weight(), &mut self.bias]
    }
}
