//! Sums over graphs in a session.

use std::ops::Range;

use onyx_data::small_graphs::Batch;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Data, Matrix, ResidentGraph, RunError, Sequence, Session};

use super::{Pool, pool, pool_gradient};
use crate::clock::Clock;
use crate::error::GnnError;

/// A batch with the graphs that a network needs of it, all on the host: a loader's thread makes it.
#[derive(Clone, Debug)]
pub struct PooledBatch {
    /// The batch.
    pub batch: Batch,
    /// The batch's vertices and, after them, its graphs, to which an edge leads from each of their vertices.
    pub pooling: Graph,
    /// A vertex for each of the batch's graphs, and no edges.
    pub single: Graph,
}

impl PooledBatch {
    /// Makes the graphs.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn new(batch: Batch) -> Result<Self, GnnError> {
        let graphs = batch.graph_of_vertices().map_err(RunError::from)?;
        let (vertices, count) = (graphs.len(), batch.labels.len());
        let edge = |(vertex, graph): (usize, &u32)| (vertex as u32, vertices as u32 + graph);
        let edges = graphs.iter().enumerate().map(edge).collect();
        let pooling = GraphBuilder::new().vertices(vertices + count).edges(edges).build()?;
        Ok(Self { batch, pooling, single: GraphBuilder::new().vertices(count).build()? })
    }
}

/// The rows of one batch, summed graph by graph.
pub struct Pooled {
    session: Session,
    data: Data<Pool>,
    forward: Sequence<'static, Pool>,
    backward: Sequence<'static, Pool>,
    vertices: usize,
    graphs: Range<usize>,
}

impl Pooled {
    /// Rows of so many features in the graph [`PooledBatch::pooling`] of a batch of `graphs` graphs. `seed` is what dropout is made of, below 2^24.
    ///
    /// # Errors
    /// There is no memory for them, or [`GnnError::Pooling`] if that is a graph of fewer vertices.
    pub fn new(pooling: &ResidentGraph<'static>, graphs: usize, features: usize, seed: u32) -> Result<Self, GnnError> {
        let (session, graphs) = (pooling.session().clone(), last(pooling, graphs)?);
        let mut data = session.data(pool, pooling, features)?;
        data.set(Pool::SEED, seed as f32);
        let (forward, backward) = (Sequence::new(pooling).then(pool), Sequence::new(pooling).then(pool_gradient));
        Ok(Self { session, data, forward, backward, vertices: graphs.start, graphs })
    }

    /// Has the rows of another batch of `graphs` graphs, as [`Data::move_to`] does.
    ///
    /// # Errors
    /// As [`Pooled::new`].
    pub fn move_to(&mut self, pooling: &ResidentGraph<'static>, graphs: usize) -> Result<(), GnnError> {
        let graphs = last(pooling, graphs)?;
        self.data.move_to(pooling)?;
        self.forward.move_to(pooling);
        self.backward.move_to(pooling);
        (self.vertices, self.graphs) = (graphs.start, graphs);
        Ok(())
    }

    /// Sums the rows of vertices. A part of the sums, `dropout`, is dropped in the step of training that the clock says.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn forward(&mut self, rows: Matrix<'_>, clock: &mut Data<Clock>, dropout: f32) -> Result<(), RunError> {
        let Self { session, data, forward, vertices, .. } = self;
        data.set(Pool::RATE, dropout);
        session.copy(rows, &mut data.matrix_mut(Pool::X)?.rows(0..*vertices)?)?;
        clock.lend(Clock::STEP, data, Pool::STEP, |_, data| forward.run(data, 1))?
    }

    /// The rows of the graphs.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn output(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Pool::OUT)?.rows(self.graphs.clone())
    }

    /// The gradient of the vertices' rows, where that of the graphs' is `product` times `weight` transposed.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn backward(
        &mut self,
        product: Matrix<'_>,
        weight: Matrix<'_>,
        clock: &mut Data<Clock>,
    ) -> Result<Matrix<'_>, RunError> {
        let Self { session, data, backward, graphs, .. } = self;
        let into = &mut data.matrix_mut(Pool::OUT_GRADIENT)?.rows(graphs.clone())?;
        session.multiply(product, weight.transposed(), into, 0.0)?;
        clock.lend(Clock::STEP, data, Pool::STEP, |_, data| backward.run(data, 1))??;
        self.data.matrix(Pool::X_GRADIENT)?.rows(0..self.vertices)
    }
}

/// The last vertices of a graph, so many.
fn last(pooling: &ResidentGraph<'_>, graphs: usize) -> Result<Range<usize>, GnnError> {
    let vertices = pooling.graph().vertex_count();
    vertices.checked_sub(graphs).map(|begin| begin..vertices).ok_or(GnnError::Pooling { graphs, vertices })
}
