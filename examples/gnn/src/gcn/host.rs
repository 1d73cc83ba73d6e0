//! The layer in a session.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Data, Lender, LenderOfTwo, Matrix, MatrixMut, ResidentGraph, RunError, Sequence, Session};

use super::folded::FoldedPass;
use super::pass::{Pass, check, discard_inputs, discard_rows};
use super::{Gcn, convolve, convolve_gradient, convolve_weighted_gradient};
use crate::clock::Clock;
use crate::error::GnnError;
use crate::layer::{Layer, Source};
use crate::shape::LayerShape;
use crate::storage::Storage;
use crate::weight::{Weight, WeightShape};

/// A layer of a graph convolutional network: weights, then the aggregation with bias, activation and dropout.
pub struct GcnLayer<'g> {
    session: Session,
    graph: ResidentGraph<'g>,
    storage: Storage,
    weight: Weight,
    bias: Weight,
    data: Data<Gcn>,
    forward: Pass<'g>,
    /// The forward pass in place of that and the product before it.
    folded: Option<FoldedPass<'g>>,
    backward: Sequence<'g, Gcn>,
    is_training: bool,
    dropout: f32,
}

impl<'g> GcnLayer<'g> {
    /// A layer on a graph whose edges count alike.
    ///
    /// # Errors
    /// There is no memory for it, or no fold for as many outputs.
    pub fn new(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        let data = normalized(graph, None, shape.outputs)?;
        let passes = (Pass::new(graph, shape.storage), Sequence::new(graph).then(convolve_gradient));
        Self::of(graph, data, passes, shape)
    }

    /// A layer on a graph, with the weight of each edge.
    ///
    /// # Errors
    /// As [`GcnLayer::new`], and there is not a weight for each edge, or the shape has rows in half precision.
    pub fn weighted(graph: &ResidentGraph<'g>, weights: &[f32], shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        in_single_precision("a convolution by weights of edges", shape)?;
        let data = normalized(graph, Some(weights), shape.outputs)?;
        let passes = (Pass::weighted(graph), Sequence::new(graph).then(convolve_weighted_gradient));
        Self::of(graph, data, passes, shape)
    }

    /// A layer on a graph whose edges count alike, which multiplies in its fold. The gradients of its input and of its weights are of a fold, too.
    ///
    /// # Errors
    /// As [`GcnLayer::new`], and the shape has other than 16 or 32 inputs and as many outputs, or rows in half precision.
    pub fn folded(graph: &ResidentGraph<'g>, shape: &LayerShape<'_>) -> Result<Self, GnnError> {
        in_single_precision("a convolution with its product in the fold", shape)?;
        if !FoldedPass::has(shape) {
            return Err(GnnError::Product { inputs: shape.inputs, outputs: shape.outputs });
        }
        Ok(Self { folded: Some(FoldedPass::new(graph, shape)?), ..Self::new(graph, shape)? })
    }

    /// Whether [`GcnLayer::folded`] makes a faster layer than [`GcnLayer::new`]: on a GPU, if it has a fold. On a CPU a product of a library is faster.
    pub fn folding_pays(session: &Session, shape: &LayerShape<'_>) -> bool {
        FoldedPass::has(shape) && shape.storage == Storage::F32 && session.backend() == Backend::Cuda
    }

    fn of(
        graph: &ResidentGraph<'g>,
        mut data: Data<Gcn>,
        (forward, backward): (Pass<'g>, Sequence<'g, Gcn>),
        shape: &LayerShape<'_>,
    ) -> Result<Self, GnnError> {
        let session = graph.session().clone();
        data.set(Gcn::SEED, shape.seed as f32);
        data.set(Gcn::SLOPE, if shape.is_last { 1.0 } else { 0.0 });
        Ok(Self {
            weight: shape.weight(&session, "lin.weight", WeightShape::matrix(shape.inputs, shape.outputs))?,
            bias: shape.weight(&session, "bias", WeightShape::row(shape.outputs))?,
            session,
            graph: graph.clone(),
            storage: shape.storage,
            data,
            forward,
            folded: None,
            backward,
            is_training: false,
            dropout: shape.dropout,
        })
    }
}

fn in_single_precision(of: &'static str, shape: &LayerShape<'_>) -> Result<(), GnnError> {
    match shape.storage {
        Storage::F32 => Ok(()),
        storage => Err(GnnError::Storage { of, storage }),
    }
}

/// Data of the layer for rows of so many features, with what edges and vertices count.
pub(super) fn normalized(
    graph: &ResidentGraph<'_>,
    weights: Option<&[f32]>,
    features: usize,
) -> Result<Data<Gcn>, RunError> {
    let mut data = graph.session().data(convolve, graph, features)?;
    let (scale, own) = normalization(graph.graph(), weights);
    data.write(Gcn::SCALE, &scale)?;
    data.write(Gcn::OWN, &own)?;
    if let Some(weights) = weights {
        data.write(Gcn::WEIGHT, weights)?;
    }
    Ok(data)
}

/// One over the root of each vertex's degree, and how much it counts for itself before it is scaled. A vertex is a neighbor of its own, by a loop of weight 1 where it has none.
pub(crate) fn normalization(graph: &Graph, weights: Option<&[f32]>) -> (Vec<f32>, Vec<f32>) {
    let mut degrees = vec![0.0_f32; graph.vertex_count()];
    let mut has_loop = vec![false; graph.vertex_count()];
    for (edge, source, destination) in graph.edges() {
        degrees[destination as usize] += weights.map_or(1.0, |weights| weights.get(edge).copied().unwrap_or(0.0));
        has_loop[destination as usize] |= source == destination;
    }
    let own = |has_loop: bool| if has_loop { 0.0 } else { 1.0 };
    let scales = degrees.iter().zip(&has_loop).map(|(degree, has_loop)| {
        let degree = degree + own(*has_loop);
        if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 }
    });
    let scales: Vec<f32> = scales.collect();
    let own = scales.iter().zip(&has_loop).map(|(scale, has_loop)| scale * own(*has_loop)).collect();
    (scales, own)
}

impl Layer for GcnLayer<'_> {
    fn begin(&mut self, is_training: bool) {
        self.is_training = is_training;
        self.data.set(Gcn::RATE, if is_training { self.dropout } else { 0.0 });
    }

    fn forward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError> {
        let Self { session, storage, weight, bias, data, forward, folded, is_training, dropout, .. } = self;
        let rate = if *is_training { *dropout } else { 0.0 };
        if let Some(folded) = folded {
            folded.run(input, (weight, bias), data, (clock, rate))?;
        } else {
            input.multiply(weight, &mut data.matrix_mut(Gcn::X)?, session)?;
            let mut run = |data: &mut Data<Gcn>| bias.lend(data, Gcn::BIAS, |data| forward.run(data, rate > 0.0));
            clock.lend(Clock::STEP, data, Gcn::STEP, |_, data| run(data))??;
        }
        if *is_training {
            discard_inputs(data, *storage);
            folded.iter_mut().for_each(FoldedPass::discard);
        }
        Ok(())
    }

    fn backward(&mut self, mut input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError> {
        let Self { session, weight, bias, data, folded, backward, .. } = self;
        let keys = (Gcn::BIAS, Gcn::BIAS_GRADIENT);
        let mut run = |data: &mut Data<Gcn>| bias.lend_with_gradient(data, keys, |data| backward.run(data, 1));
        clock.lend(Clock::STEP, data, Gcn::STEP, |_, data| run(data))??;
        match (folded, &mut input) {
            (Some(folded), Source::Layer(before)) => folded.derive(&mut **before, weight, data),
            _ => input.derive(weight, data.matrix(Gcn::X_GRADIENT)?, session),
        }
    }

    fn check(&mut self, _clock: &mut Data<Clock>) -> Result<(), RunError> {
        check(&self.graph, &mut self.data, self.storage)
    }

    fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Gcn::OUT)
    }

    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Gcn::OUT_GRADIENT)
    }

    fn lend_output(&mut self) -> Option<Lender<'_>> {
        Some(self.data.lender(Gcn::OUT))
    }

    fn lend_output_with_gradient(&mut self) -> Option<LenderOfTwo<'_>> {
        Some(self.data.lender_of_two((Gcn::OUT, Gcn::OUT_GRADIENT)))
    }

    fn discard(&mut self) {
        discard_rows(&mut self.data, self.storage);
    }

    fn weights(&mut self) -> Vec<&mut Weight> {
        vec![&mut self.weight, &mut self.bias]
    }
}
