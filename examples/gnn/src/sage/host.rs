//! The layer in a session.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::{Sage, sage, sage_bf16, sage_f16, sage_gradient};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::halves;
use crate::layer::{Layer, Source, discard};
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Weight, WeightShape};

/// A mean layer of GraphSAGE.
pub struct SageLayer<'g> {
    session: Session,
    graph: ResidentGraph<'g>,
    storage: Storage,
    neighbors: Weight,
    root: Weight,
    bias: Weight,
    data: Data<Sage>,
    forward: Sequence<'g, Sage>,
    backward: Sequence<'g, Sage>,
    dropout: f32,
}

impl<'g> SageLayer<'g> {
    /// A layer on a graph.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        let mut data = session.data(sage, graph, shape.outputs)?;
        data.write(Sage::INVERSE, &inverse_degrees(graph.graph()))?;
        data.set(Sage::SEED, shape.seed as f32);
        data.set(Sage::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        let (forward, backward) = (forward(graph, shape.storage), Sequence::new(graph).then(sage_gradient));
        let neighbors = shape.weight(&session, "lin_l.weight", WeightShape::matrix(shape.inputs, shape.outputs))?;
        let root = shape.weight(&session, "lin_r.weight", WeightShape::matrix(shape.inputs, shape.outputs))?;
        let bias = shape.weight(&session, "lin_l.bias", WeightShape::row(shape.outputs))?;
        let (graph, storage, dropout) = (graph.clone(), shape.storage, shape.dropout);
        Ok(Self { session, graph, storage, neighbors, root, bias, data, forward, backward, dropout })
    }
}

/// One over the number of edges that lead to each vertex, 0 without any.
fn inverse_degrees(graph: &Graph) -> Vec<f32> {
    let mut degrees = vec![0_u32; graph.vertex_count()];
    graph.edges().for_each(|(_, _, destination)| degrees[destination as usize] += 1);
    degrees.iter().map(|degree| if *degree == 0 { 0.0 } else { 1.0 / *degree as f32 }).collect()
}

/// Discards what the gradient does not read, but for what [`Layer::check`] reads.
fn discard_inputs(data: &mut Data<Sage>, storage: Storage) {
    data.discard(Sage::SUM);
    data.discard(Sage::X_BF16);
    if storage != Storage::F16 {
        discard(data, &[Sage::X, Sage::ROOT]);
    }
}

/// The layer by what edges read.
fn forward<'g>(graph: &ResidentGraph<'g>, storage: Storage) -> Sequence<'g, Sage> {
    match storage {
        Storage::F32 => Sequence::new(graph).then(sage),
        Storage::F16 => Sequence::new(graph).then(sage_f16),
        Storage::Bf16 => Sequence::new(graph).then(sage_bf16),
    }
}

impl Layer for SageLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.data.set(Sage::RATE, if is_training { self.dropout } else { 0.0 });
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, neighbors, root, bias, data, forward, .. } = self;
        input.multiply(neighbors, &mut data.matrix_mut(Sage::X)?, session)?;
        input.multiply(root, &mut data.matrix_mut(Sage::ROOT)?, session)?;
        let mut run = |data: &mut Data<Sage>| bias.lend(data, Sage::BIAS, |data| forward.run(data, 1));
        clock.lend(Clock::STEP, data, Sage::STEP, |_, data| run(data))??;
        discard_inputs(data, self.storage);
        Ok(())
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, neighbors, root, bias, data, backward, .. } = self;
        let keys = (Sage::BIAS, Sage::BIAS_GRADIENT);
        let mut run = |data: &mut Data<Sage>| bias.lend_with_gradient(data, keys, |data| backward.run(data, 1));
        clock.lend(Clock::STEP, data, Sage::STEP, |_, data| run(data))??;
        input.derive_weight(neighbors, data.matrix(Sage::X_GRADIENT)?, session)?;
        input.derive_weight(root, data.matrix(Sage::ROOT_GRADIENT)?, session)?;
        input.discard_rows();
        input.derive_rows(neighbors, data.matrix(Sage::X_GRADIENT)?, 0.0, session)?;
        input.derive_rows(root, data.matrix(Sage::ROOT_GRADIENT)?, 1.0, session)
    }

    fn check(&mut self, clock: &mut Data<Clock>) -> Result<(), RunError> {
        if self.storage != Storage::F16 {
            return Ok(());
        }
        let Self { graph, data, bias, .. } = self;
        let check = |data: &mut Data<Sage>| {
            halves::check(sage_f16, graph, data, "x_f16", |data| {
                Ok((data.read(Sage::X)?.to_owned(), data.read(Sage::X_F16)?.to_owned()))
            })
        };
        clock.lend(Clock::STEP, data, Sage::STEP, |_, data| bias.lend(data, Sage::BIAS, check))?
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Sage::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Sage::OUT_GRADIENT)
    }

    fn discard(&mut self) {
        discard_inputs(&mut self.data, self.storage);
        discard(&mut self.data, &[Sage::OUT, Sage::X_GRADIENT, Sage::ROOT_GRADIENT]);
        self.data.discard(Sage::OUT_GRADIENT);
        self.data.discard(Sage::BIAS_GRADIENT);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.neighbors, &mut self.bias, &mut self.root]
    }
}
