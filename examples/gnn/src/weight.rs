//! A matrix of weights in a session's memory, with what its optimizer remembers.

use ndarray::{Array2, ArrayView2, arr0};
use onyx_device::property::Key;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Data, Matrix, MatrixMut, ResidentGraph, Rows, RunError, Sequence, Session, Tensor};
use rand::RngExt;
use rand_pcg::Pcg64;

use crate::clock::Clock;
use crate::error::GnnError;
use crate::optimizer::{Weights, adam, descent};

/// How weights are changed by their gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimizer {
    /// Adam, with the means kept by 0.9 and 0.999.
    Adam {
        /// The learning rate.
        rate: f32,
    },
    /// Plain descent.
    Descent {
        /// The learning rate.
        rate: f32,
        /// How much of the velocity is kept in a step.
        momentum: f32,
    },
}

impl Optimizer {
    /// The learning rate.
    pub fn rate(self) -> f32 {
        match self {
            Self::Adam { rate } | Self::Descent { rate, .. } => rate,
        }
    }
}

/// What weights are, which says how they lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Inputs x outputs here, outputs x inputs in a file.
    Matrix,
    /// One row here, no more than that in a file.
    Row,
    /// One row of heads here, 1 x heads x features in a file.
    Heads {
        /// How many heads.
        heads: usize,
    },
}

impl Form {
    /// Whether rows and columns are exchanged in a file.
    pub fn is_transposed(self) -> bool {
        self == Self::Matrix
    }
}

/// What weights are made by.
#[derive(Clone, Copy, Debug)]
pub struct WeightShape {
    /// Rows and columns.
    pub size: (usize, usize),
    /// What they are.
    pub form: Form,
    /// What they are drawn around.
    pub middle: f32,
    /// How far from that, 0 where they begin there.
    pub bound: f32,
}

impl WeightShape {
    /// Inputs x outputs, drawn from -a to a, where a = √(6 / (inputs + outputs)): X. Glorot and Y. Bengio, 2010.
    pub fn matrix(inputs: usize, outputs: usize) -> Self {
        Self { size: (inputs, outputs), form: Form::Matrix, middle: 0.0, bound: glorot(inputs + outputs) }
    }

    /// One row, which begins at 0.
    pub fn row(size: usize) -> Self {
        Self { size: (1, size), form: Form::Row, middle: 0.0, bound: 0.0 }
    }

    /// One row, which begins at 1.
    pub fn ones(size: usize) -> Self {
        Self { middle: 1.0, ..Self::row(size) }
    }

    /// One row of heads, drawn as PyTorch Geometric draws them.
    pub fn heads(heads: usize, features: usize) -> Self {
        let (size, bound) = ((1, heads * features), glorot(heads + features));
        Self { size, form: Form::Heads { heads }, middle: 0.0, bound }
    }
}

fn glorot(ends: usize) -> f32 {
    (6.0 / ends as f32).sqrt()
}

/// A matrix of weights: inputs x outputs, or one row of them.
pub struct Weight {
    name: String,
    shape: WeightShape,
    data: Data<Weights>,
    step: Sequence<'static, Weights>,
}

impl Weight {
    /// Weights of 0, which [`Weight::draw`] draws; `decay` of themselves is added to their gradient. They are called `name` in files.
    ///
    /// # Errors
    /// There is no memory for them, or no fold for as many columns.
    pub fn new(
        session: &Session,
        name: impl Into<String>,
        shape: WeightShape,
        optimizer: Optimizer,
        decay: f32,
    ) -> Result<Self, GnnError> {
        let (rows, columns) = shape.size;
        let graph = session.own(GraphBuilder::new().vertices(rows).build()?);
        let mut data = session.data(adam, &graph, columns)?;
        data.set(Weights::RATE, optimizer.rate());
        data.set(Weights::DECAY, decay);
        let (keep, keep_square) = match optimizer {
            Optimizer::Adam { .. } => (0.9, 0.999),
            Optimizer::Descent { momentum: keep, .. } => (keep, 0.0),
        };
        data.set(Weights::KEEP, keep);
        data.set(Weights::KEEP_SQUARE, keep_square);
        let name = name.into();
        Ok(Self { name, shape, data, step: steps(&graph, optimizer) })
    }

    /// What they are called in files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rows and columns.
    pub fn size(&self) -> (usize, usize) {
        self.shape.size
    }

    /// What they are.
    pub fn form(&self) -> Form {
        self.shape.form
    }

    /// Their sizes in a file.
    pub fn file_shape(&self) -> Vec<usize> {
        let (rows, columns) = self.shape.size;
        match self.shape.form {
            Form::Matrix => vec![columns, rows],
            Form::Row => vec![columns],
            Form::Heads { heads } => vec![1, heads, columns.checked_div(heads).unwrap_or(0)],
        }
    }

    /// Draws the weights evenly within their bound.
    ///
    /// # Errors
    /// As [`Data::write`].
    pub fn draw(&mut self, dice: &mut Pcg64) -> Result<(), RunError> {
        let WeightShape { size, middle, bound, .. } = self.shape;
        let values = Array2::from_shape_simple_fn(size, || middle + bound * (2.0 * dice.random::<f32>() - 1.0));
        self.write(values.view())
    }

    /// Changes the learning rate.
    pub fn set_rate(&mut self, rate: f32) {
        self.data.set(Weights::RATE, rate);
    }

    /// Sets the weights.
    ///
    /// # Errors
    /// As [`Data::write`].
    pub fn write(&mut self, values: ArrayView2<'_, f32>) -> Result<(), RunError> {
        self.data.write(Weights::VALUE, values)
    }

    /// A copy of the weights on the host.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn read(&mut self) -> Result<Array2<f32>, RunError> {
        Ok(self.data.read(Weights::VALUE)?.to_owned())
    }

    /// A copy of the gradient on the host.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn read_gradient(&mut self) -> Result<Array2<f32>, RunError> {
        Ok(self.data.read(Weights::GRADIENT)?.to_owned())
    }

    /// The weights where they are.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn value(&mut self) -> Result<Matrix<'_>, RunError> {
        self.data.matrix(Weights::VALUE)
    }

    /// Their gradient, to be written.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn gradient(&mut self) -> Result<MatrixMut<'_>, RunError> {
        self.data.matrix_mut(Weights::GRADIENT)
    }

    /// Has `act` work with data in which a property has these weights. They are copied there only where rows of the data are padded otherwise.
    ///
    /// # Errors
    /// As `act`, and as [`Data::lend`].
    pub fn lend<D, P: Rows>(
        &mut self,
        data: &mut Data<D>,
        place: Key<D, P>,
        act: impl FnOnce(&mut Data<D>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        lend_value(&mut self.data, data, place, |_, data| act(data))
    }

    /// The same, and what `act` leaves in another property is the gradient.
    ///
    /// # Errors
    /// As [`Weight::lend`].
    pub fn lend_with_gradient<D, P: Rows, Q: Rows>(
        &mut self,
        data: &mut Data<D>,
        (value, gradient): (Key<D, P>, Key<D, Q>),
        act: impl FnOnce(&mut Data<D>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        lend_value(&mut self.data, data, value, |own, data| lend_gradient(own, data, gradient, act))
    }

    /// Takes a step, whose number the clock has as [`Clock::LEARNING`], by the gradient; where that is below 0, takes the last step back, which it can once; where it is 0, does nothing.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn learn(&mut self, clock: &mut Data<Clock>) -> Result<(), RunError> {
        clock.lend(Clock::LEARNING, &mut self.data, Weights::STEP, |_, data| self.step.run(data, 1))?
    }

    /// Takes the last step back, where the host says so. It can be taken back once.
    ///
    /// # Errors
    /// As [`Sequence::run`].
    pub fn unlearn(&mut self) -> Result<(), RunError> {
        self.data.write(Weights::STEP, &arr0(-1.0))?;
        self.step.run(&mut self.data, 1)
    }
}

fn lend_value<D, P: Rows>(
    own: &mut Data<Weights>,
    data: &mut Data<D>,
    place: Key<D, P>,
    act: impl FnOnce(&mut Data<Weights>, &mut Data<D>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    if own.can_lend(Weights::VALUE, data, place) {
        return own.lend(Weights::VALUE, data, place, act)?;
    }
    own.session().clone().copy(own.matrix(Weights::VALUE)?, &mut data.matrix_mut(place)?)?;
    act(own, data)
}

fn lend_gradient<D, P: Rows>(
    own: &mut Data<Weights>,
    data: &mut Data<D>,
    place: Key<D, P>,
    act: impl FnOnce(&mut Data<D>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    if own.can_lend(Weights::GRADIENT, data, place) {
        return own.lend(Weights::GRADIENT, data, place, |_, data| act(data))?;
    }
    act(data)?;
    own.session().clone().copy(data.matrix(place)?, &mut own.matrix_mut(Weights::GRADIENT)?)
}

/// A row of ones: a product with it puts a number into all columns of a row, or adds up the columns.
///
/// # Errors
/// As [`Session::tensor`].
pub(crate) fn ones(session: &Session, columns: usize) -> Result<Tensor, RunError> {
    let mut row = session.tensor(1, columns)?;
    row.write(Array2::ones((1, columns)).view())?;
    Ok(row)
}

fn steps(graph: &ResidentGraph<'static>, optimizer: Optimizer) -> Sequence<'static, Weights> {
    match optimizer {
        Optimizer::Adam { .. } => Sequence::new(graph).then(adam),
        Optimizer::Descent { .. } => Sequence::new(graph).then(descent),
    }
}
