//! Rows of several heads side by side, in data whose heads have as many features as their fold is compiled for.

use ndarray::{Array1, Array2};
use onyx_device::Fold;
use onyx_runtime::{Data, Matrix, MatrixMut, RunError, Session, Tensor};

use crate::error::GnnError;
use crate::row::{self, Act, Row};

/// How the rows of a layer's heads lie in its data.
pub struct Heads {
    session: Session,
    heads: usize,
    /// The features of a head in the data.
    width: usize,
    padded: Option<Padded>,
}

/// Where each head has more features in the data than in the rows.
struct Padded {
    /// Features x features of the data: 1 where a feature of the rows is one of the data, otherwise 0.
    place: Tensor,
    /// Rows as they are outside of the data, for as long as nobody asks for others.
    rows: Tensor,
    /// What the loss changes by with the rows of the output.
    gradient: Tensor,
}

impl Heads {
    /// For `vertices` rows of `heads` heads, with `features` features of all heads together, in the data of a fold.
    ///
    /// # Errors
    /// A head has more features than the fold is compiled for, or there is no memory.
    pub fn new<F: Fold>(
        _fold: F,
        session: &Session,
        vertices: usize,
        heads: usize,
        features: usize,
    ) -> Result<Self, GnnError> {
        let (size, session) = (features / heads, session.clone());
        let widest = F::WIDTHS.last().copied().unwrap_or(0);
        let width = F::WIDTHS.iter().copied().find(|width| *width >= size);
        let width = width.ok_or(GnnError::WideHead { features: size, widest })?;
        // A single head is padded by the data themselves.
        if heads == 1 || size == 0 || size == width {
            return Ok(Self { session, heads, width: size, padded: None });
        }
        let mut place = session.tensor(features, heads * width)?;
        let number = |column: usize| column / size * width + column % size;
        let ones = Array2::from_shape_fn((features, heads * width), |(row, column)| f32::from(number(row) == column));
        place.write(ones.view())?;
        // A row more where there is no vertex: biases are rows, too.
        let rows = || session.tensor(vertices.max(1), features);
        let padded = Some(Padded { place, rows: rows()?, gradient: rows()? });
        Ok(Self { heads, width, padded, session })
    }

    /// How many heads the data have, and of how many features.
    pub fn size(&self) -> (usize, usize) {
        (self.heads, self.width)
    }

    /// The number of each feature of the data, among those of all heads.
    pub fn columns(&self) -> Array1<f32> {
        (0..self.heads * self.width).map(|column| column as f32).collect()
    }

    /// Has `act` work where rows of the data have the values of weights.
    pub(crate) fn with_values<D>(
        &mut self,
        rows: &mut [Row<'_, D>],
        data: &mut Data<D>,
        act: Act<'_, D>,
    ) -> Result<(), RunError> {
        if self.padded.is_none() {
            return row::with_values(rows, data, act);
        }
        let session = self.session.clone();
        for Row { weight, value, .. } in rows {
            self.take(&mut data.matrix_mut(*value)?, |row| session.copy(weight.value()?, row))?;
        }
        act(data)
    }

    /// The same after [`Heads::with_values`], and what `act` leaves in the gradients' places are the gradients of the weights.
    pub(crate) fn with_gradients<D>(
        &mut self,
        rows: &mut [Row<'_, D>],
        data: &mut Data<D>,
        act: Act<'_, D>,
    ) -> Result<(), RunError> {
        if self.padded.is_none() {
            return row::with_gradients(rows, data, act);
        }
        act(data)?;
        let session = self.session.clone();
        rows.iter_mut().try_for_each(|Row { weight, gradient, .. }| {
            session.copy(self.give(data.matrix(*gradient)?)?, &mut weight.gradient()?)
        })
    }

    /// Has `fill` write rows, and takes them into the data.
    ///
    /// # Errors
    /// As `fill`, and as [`Session::multiply`].
    pub fn take(
        &mut self,
        into: &mut MatrixMut<'_>,
        fill: impl FnOnce(&mut MatrixMut<'_>) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let Some(Padded { place, rows, .. }) = &mut self.padded else { return fill(into) };
        let count = into.shape().0;
        fill(&mut rows.matrix_mut().rows(0..count)?)?;
        self.session.multiply(rows.matrix().rows(0..count)?, place.matrix(), into, 0.0)
    }

    /// Rows of the data.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn give<'m>(&'m mut self, from: Matrix<'m>) -> Result<Matrix<'m>, RunError> {
        let Some(Padded { place, rows, .. }) = &mut self.padded else { return Ok(from) };
        let count = from.shape().0;
        self.session.multiply(from, place.matrix().transposed(), &mut rows.matrix_mut().rows(0..count)?, 0.0)?;
        rows.matrix().rows(0..count)
    }

    /// Where the gradient of the output is to be written: in the data, unless they are padded. Then [`Heads::take_gradient`] brings it there.
    ///
    /// # Errors
    /// [`RunError::MatrixRows`] if the data have more rows than these heads were made for.
    pub fn gradient<'m>(&'m mut self, data: MatrixMut<'m>) -> Result<MatrixMut<'m>, RunError> {
        let Some(Padded { gradient, .. }) = &mut self.padded else { return Ok(data) };
        let count = data.shape().0;
        gradient.matrix_mut().rows(0..count)
    }

    /// Brings the gradient of the output into the data.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn take_gradient(&mut self, into: &mut MatrixMut<'_>) -> Result<(), RunError> {
        let Some(Padded { place, gradient, .. }) = &self.padded else { return Ok(()) };
        let count = into.shape().0;
        self.session.multiply(gradient.matrix().rows(0..count)?, place.matrix(), into, 0.0)
    }
}
