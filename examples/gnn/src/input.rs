//! The features that vertices come with, in a session's memory.

use ndarray::Array2;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Data, Matrix, MatrixMut, RunError, Sequence, Session, Tensor};

use crate::clock::Clock;
use crate::error::GnnError;
use crate::sparse::{Sparse, sparse_product, sparse_product_gradient};
use crate::weight::Weight;

/// Up to which part of the features may be other than 0 in a product that leaves zeros out: an edge costs about as much as so many products.
const SPARSE: usize = 8;

/// Features, a row a vertex. Zeros cost nothing where there are many.
pub enum Input {
    /// All features.
    Dense(Box<Tensor>),
    /// Those that are not zero.
    Sparse(Box<SparseInput>),
}

impl Input {
    /// Brings features to a session. Products with them are of `outputs` columns; a part of them, `dropout`, is dropped in training.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn new(
        session: &Session,
        features: &Array2<f32>,
        outputs: usize,
        seed: u32,
        dropout: f32,
    ) -> Result<Self, GnnError> {
        let present = features.iter().filter(|value| **value != 0.0).count();
        if dropout > 0.0 || present * SPARSE <= features.len() {
            return Ok(Self::Sparse(Box::new(SparseInput::new(session, features, outputs, seed)?)));
        }
        Self::dense(session, features)
    }

    /// Brings all features to a session, zeros as well: for layers that need whole rows. Nothing of them is dropped.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn dense(session: &Session, features: &Array2<f32>) -> Result<Self, GnnError> {
        let mut tensor = session.tensor(features.nrows(), features.ncols())?;
        tensor.write(features.view())?;
        Ok(Self::Dense(Box::new(tensor)))
    }

    /// Notes the step of training, and how much is dropped in it.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn begin(&mut self, clock: &mut Data<Clock>, dropout: f32) -> Result<(), RunError> {
        let Self::Sparse(sparse) = self else { return Ok(()) };
        sparse.data.set(Sparse::RATE, dropout);
        if dropout == 0.0 {
            return Ok(());
        }
        let session = sparse.data.session().clone();
        session.copy(clock.matrix(Clock::STEP)?, &mut sparse.data.matrix_mut(Sparse::STEP)?)
    }

    /// Sets `into` to the features times weights.
    ///
    /// # Errors
    /// As [`Session::multiply`] and [`Sequence::run`].
    pub fn multiply(
        &mut self,
        weight: &mut Weight,
        into: &mut MatrixMut<'_>,
        session: &Session,
    ) -> Result<(), RunError> {
        match self {
            Self::Dense(tensor) => session.multiply(tensor.matrix(), weight.value()?, into, 0.0),
            Self::Sparse(sparse) => sparse.multiply(weight, into, session),
        }
    }

    /// Sets the gradient of weights by that of the product.
    ///
    /// # Errors
    /// As [`Input::multiply`].
    pub fn derive(&mut self, weight: &mut Weight, product: Matrix<'_>, session: &Session) -> Result<(), RunError> {
        match self {
            Self::Dense(tensor) => {
                session.multiply(tensor.matrix().transposed(), product, &mut weight.gradient()?, 0.0)
            }
            Self::Sparse(sparse) => sparse.derive(weight, product, session),
        }
    }
}

/// Features that are not zero, as edges.
pub struct SparseInput {
    vertices: usize,
    features: usize,
    data: Data<Sparse>,
    forward: Sequence<'static, Sparse>,
    backward: Sequence<'static, Sparse>,
}

impl SparseInput {
    fn new(session: &Session, features: &Array2<f32>, outputs: usize, seed: u32) -> Result<Self, GnnError> {
        let (vertices, columns) = features.dim();
        // Edges are numbered by destination and then by source, as the features of a row follow each other.
        let present = || features.indexed_iter().filter(|(_, value)| **value != 0.0);
        let edges = present().map(|((row, column), _)| ((vertices + column) as u32, row as u32)).collect();
        let values: Vec<f32> = present().map(|(_, value)| *value).collect();
        let graph = session.own(GraphBuilder::new().vertices(vertices + columns).edges(edges).build()?);
        let mut data = session.data(sparse_product, &graph, outputs)?;
        data.write(Sparse::VALUE, &values)?;
        data.set(Sparse::SEED, seed as f32);
        let forward = Sequence::new(&graph).then(sparse_product);
        let backward = Sequence::new(&graph).then(sparse_product_gradient);
        Ok(Self { vertices, features: columns, data, forward, backward })
    }

    fn weights(&self) -> std::ops::Range<usize> {
        self.vertices..self.vertices + self.features
    }

    fn multiply(&mut self, weight: &mut Weight, into: &mut MatrixMut<'_>, session: &Session) -> Result<(), RunError> {
        let rows = self.weights();
        session.copy(weight.value()?, &mut self.data.matrix_mut(Sparse::WEIGHT)?.rows(rows)?)?;
        self.forward.run(&mut self.data, 1)?;
        session.copy(self.data.matrix(Sparse::PRODUCT)?.rows(0..self.vertices)?, into)
    }

    fn derive(&mut self, weight: &mut Weight, product: Matrix<'_>, session: &Session) -> Result<(), RunError> {
        let (vertices, rows) = (self.vertices, self.weights());
        session.copy(product, &mut self.data.matrix_mut(Sparse::PRODUCT_GRADIENT)?.rows(0..vertices)?)?;
        self.backward.run(&mut self.data, 1)?;
        session.copy(self.data.matrix(Sparse::WEIGHT_GRADIENT)?.rows(rows)?, &mut weight.gradient()?)
    }
}
