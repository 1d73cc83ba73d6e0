//! Layers in a session: four to a fold, or one after the other with products between them.

use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array1, Array2, ArrayView2};
use onyx_runtime::{Data, Matrix, ResidentGraph, RunError, Sequence, Session, Tensor};

use super::{Stack, four_layers, one_layer};
use crate::error::GnnError;
use crate::gcn::normalization;

/// How many layers a fold has.
const FOLDED: usize = 4;

/// What a layer has learned: as many rows of weights as it has inputs, and a column and a bias for each output. All layers of a stack have the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerWeights {
    /// Inputs x outputs.
    pub weight: Array2<f32>,
    /// One for each output.
    pub bias: Array1<f32>,
}

/// Layers of a graph convolutional network, four to a fold.
pub struct FoldedLayers<'g> {
    session: Session,
    parts: Vec<Data<Stack>>,
    forward: Sequence<'g, Stack>,
}

impl<'g> FoldedLayers<'g> {
    /// Layers over a graph, as many as there are weights for.
    ///
    /// # Errors
    /// [`GnnError::Layers`] if their number is no multiple of four or they differ in size, more than 32 features, or no memory.
    pub fn new(graph: &ResidentGraph<'g>, layers: &[LayerWeights]) -> Result<Self, GnnError> {
        check(layers, FOLDED)?;
        let parts = layers.chunks(FOLDED).map(|layers| {
            let features = layers[0].bias.len();
            let mut data = graph.session().data(four_layers, graph, features)?;
            write_edges(graph.graph(), &mut data)?;
            let weights = [Stack::WEIGHT_1, Stack::WEIGHT_2, Stack::WEIGHT_3, Stack::WEIGHT_4];
            let biases = [Stack::BIAS_1, Stack::BIAS_2, Stack::BIAS_3, Stack::BIAS_4];
            for (layer, (weight, bias)) in layers.iter().zip(weights.into_iter().zip(biases)) {
                data.write(weight, layer.weight.view())?;
                data.write(bias, &layer.bias)?;
            }
            Ok(data)
        });
        let parts = parts.collect::<Result<_, GnnError>>()?;
        Ok(Self { session: graph.session().clone(), parts, forward: Sequence::new(graph).then(four_layers) })
    }

    /// Gives the first layer its rows, one a vertex.
    ///
    /// # Errors
    /// Rows of another number or size.
    pub fn write(&mut self, rows: ArrayView2<'_, f32>) -> Result<(), RunError> {
        self.parts[0].write(Stack::X, rows)
    }

    /// Queues all layers.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn forward(&mut self) -> Result<(), RunError> {
        for part in 0..self.parts.len() {
            let (before, rest) = self.parts.split_at_mut(part);
            if let Some(before) = before.last_mut() {
                self.session.copy(before.matrix(Stack::OUT)?, &mut rest[0].matrix_mut(Stack::X)?)?;
            }
            self.forward.run(&mut rest[0], 1)?;
        }
        Ok(())
    }

    /// What the last layer has made of each vertex.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn read(&mut self) -> Result<Array2<f32>, RunError> {
        let last = self.parts.len() - 1;
        Ok(self.parts[last].read(Stack::OUT)?.to_owned())
    }
}

/// The same layers one after the other: a product, then a fold.
pub struct PlainLayers<'g> {
    session: Session,
    input: Tensor,
    layers: Vec<(Tensor, Data<Stack>)>,
    forward: Sequence<'g, Stack>,
}

impl<'g> PlainLayers<'g> {
    /// Layers over a graph, as many as there are weights for.
    ///
    /// # Errors
    /// As [`FoldedLayers::new`], of any number of layers but 0.
    pub fn new(graph: &ResidentGraph<'g>, layers: &[LayerWeights]) -> Result<Self, GnnError> {
        check(layers, 1)?;
        let (session, features) = (graph.session().clone(), layers[0].bias.len());
        let layers = layers.iter().map(|layer| {
            let mut weight = session.tensor(features, features)?;
            weight.write(layer.weight.view())?;
            let mut data = session.data(one_layer, graph, features)?;
            write_edges(graph.graph(), &mut data)?;
            data.write(Stack::BIAS_1, &layer.bias)?;
            Ok((weight, data))
        });
        let layers = layers.collect::<Result<_, GnnError>>()?;
        let input = session.tensor(graph.graph().vertex_count(), features)?;
        Ok(Self { input, layers, forward: Sequence::new(graph).then(one_layer), session })
    }

    /// Gives the first layer its rows, one a vertex.
    ///
    /// # Errors
    /// Rows of another number or size.
    pub fn write(&mut self, rows: ArrayView2<'_, f32>) -> Result<(), RunError> {
        self.input.write(rows)
    }

    /// Queues all layers.
    ///
    /// # Errors
    /// As [`Sequence::run`] and [`Session::multiply`].
    pub fn forward(&mut self) -> Result<(), RunError> {
        for layer in 0..self.layers.len() {
            let (before, rest) = self.layers.split_at_mut(layer);
            let (weight, data) = &mut rest[0];
            let rows: Matrix<'_> = match before.last_mut() {
                Some((_, before)) => before.matrix(Stack::OUT)?,
                None => self.input.matrix(),
            };
            self.session.multiply(rows, weight.matrix(), &mut data.matrix_mut(Stack::X)?, 0.0)?;
            self.forward.run(data, 1)?;
        }
        Ok(())
    }

    /// What the last layer has made of each vertex.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn read(&mut self) -> Result<Array2<f32>, RunError> {
        let last = self.layers.len() - 1;
        Ok(self.layers[last].1.read(Stack::OUT)?.to_owned())
    }
}

/// Refuses what no stack has.
fn check(layers: &[LayerWeights], multiple: usize) -> Result<(), GnnError> {
    let sizes = |layer: &LayerWeights| [layer.weight.nrows(), layer.weight.ncols(), layer.bias.len()];
    let features = layers.first().map_or(0, |layer| layer.bias.len());
    let are_alike = layers.iter().all(|layer| sizes(layer) == [features; 3]);
    if layers.is_empty() || !layers.len().is_multiple_of(multiple) || !are_alike {
        return Err(GnnError::Layers { found: layers.len(), multiple });
    }
    Ok(())
}

/// Writes how much each edge and each vertex counts.
fn write_edges(graph: &Graph, data: &mut Data<Stack>) -> Result<(), RunError> {
    let (scale, own) = normalization(graph, None);
    let shares: Vec<f32> =
        graph.edges().map(|(_, source, destination)| scale[source as usize] * scale[destination as usize]).collect();
    data.write(Stack::SHARE, &shares)?;
    let own: Vec<f32> = own.iter().zip(&scale).map(|(own, scale)| own * scale).collect();
    data.write(Stack::OWN, &own)
}
