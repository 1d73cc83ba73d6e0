//! What all layers of a network do the same way.

use onyx_device::property::{Key, VertexFeatures};
use onyx_runtime::{Data, Lender, LenderOfTwo, Matrix, MatrixMut, Rows, RunError, Session};

use crate::clock::Clock;
use crate::error::GnnError;
use crate::input::Input;
use crate::weight::Weight;

/// A layer: rows of vertices become other rows, by weights that it learns.
pub trait Layer {
    /// Notes whether a part is dropped in the next pass.
    fn begin(&mut self, is_training: bool);
    /// Computes the output of an input, in the step of training that the clock says.
    ///
    /// # Errors
    /// As all methods: a product or a fold that cannot run; [`GnnError::NoRows`] if it reads whole rows of features that have none.
    fn forward(&mut self, input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), GnnError>;
    /// Computes the gradients of the weights and, where somebody wants it, of the input, by that of the output.
    fn backward(&mut self, input: Source<'_, '_>, clock: &mut Data<Clock>) -> Result<(), RunError>;
    /// Refuses rows of the last pass that are too great for what edges read of them. It waits for them.
    ///
    /// # Errors
    /// [`RunError::TooGreat`], besides those of all methods.
    fn check(&mut self, _clock: &mut Data<Clock>) -> Result<(), RunError> {
        Ok(())
    }
    /// The output.
    fn output(&mut self) -> Result<Matrix<'_>, RunError>;
    /// What the loss changes by with the output, to be written.
    fn output_gradient(&mut self) -> Result<MatrixMut<'_>, RunError>;
    /// The output where another layer may have it without a copy, if there is such a place.
    fn lend_output(&mut self) -> Option<Lender<'_>> {
        None
    }
    /// The output, and what the loss changes by with it, where another layer may have both without a copy, if there are such places.
    fn lend_output_with_gradient(&mut self) -> Option<LenderOfTwo<'_>> {
        None
    }
    /// Has the next pass, of any layer, take the memory of what the last one has left: the output, its gradient and what is between them, but for what [`Layer::check`] reads.
    fn discard(&mut self);
    /// The same of the output alone, once the gradients of the next layer's weights are there. By default nothing: the backward pass of this layer reads it as well.
    fn discard_output(&mut self) {}
    /// All weights.
    fn weights(&mut self) -> Vec<&mut Weight>;
}

/// Discards rows of all vertices, as [`Data::discard`].
pub(crate) fn discard<D>(data: &mut Data<D>, rows: &[Key<D, VertexFeatures<0>>]) {
    rows.iter().for_each(|key| data.discard(*key));
}

/// Has `act` work with data in which two properties stand for the output of a layer and for its gradient, and leave that in the latter. Both are copied where they cannot be
/// lent.
///
/// # Errors
/// As `act` and [`Data::lend`].
pub(crate) fn lend_with_gradient<D>(
    layer: &mut dyn Layer,
    data: &mut Data<D>,
    places: (Key<D, VertexFeatures<0>>, Key<D, VertexFeatures<0>>),
    act: impl FnOnce(&mut Data<D>) -> Result<(), RunError>,
) -> Result<(), RunError> {
    if let Some(mut lender) = layer.lend_output_with_gradient()
        && lender.can_lend(data, places)
    {
        return lender.lend(data, places, act)?;
    }
    let session = data.session().clone();
    session.copy(layer.output()?, &mut data.matrix_mut(places.0)?)?;
    act(data)?;
    session.copy(data.matrix(places.1)?, &mut layer.output_gradient()?)
}

/// What a layer's input comes from.
pub enum Source<'s, 'g> {
    /// The features of the vertices, which nothing is learned of.
    Features(&'s mut Input),
    /// The layer before.
    Layer(&'s mut (dyn Layer + 'g)),
}

impl Source<'_, '_> {
    /// The rows.
    ///
    /// # Errors
    /// [`GnnError::NoRows`] if they are features that are stored without their zeros; as [`Data::matrix`](onyx_runtime::Data::matrix).
    pub fn rows(&mut self) -> Result<Matrix<'_>, GnnError> {
        match self {
            Self::Features(Input::Dense(tensor)) => Ok(tensor.matrix()),
            Self::Features(Input::Sparse(_)) => Err(GnnError::NoRows),
            Self::Layer(layer) => Ok(layer.output()?),
        }
    }

    /// Has `act` work with data in which a property has the rows. They are copied there only where they cannot be lent.
    ///
    /// # Errors
    /// As `act`, [`Source::rows`] and [`Data::lend`].
    pub(crate) fn lend<D, P: Rows>(
        &mut self,
        data: &mut Data<D>,
        place: Key<D, P>,
        act: impl FnOnce(&mut Data<D>) -> Result<(), RunError>,
    ) -> Result<(), GnnError> {
        if let Self::Layer(layer) = self
            && let Some(lender) = layer.lend_output().filter(|lender| lender.can_lend(data, place))
        {
            return Ok(lender.lend(data, place, act)??);
        }
        data.session().clone().copy(self.rows()?, &mut data.matrix_mut(place)?)?;
        Ok(act(data)?)
    }

    /// Sets `into` to the input times weights.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn multiply(
        &mut self,
        weight: &mut Weight,
        into: &mut MatrixMut<'_>,
        session: &Session,
    ) -> Result<(), RunError> {
        match self {
            Self::Features(input) => input.multiply(weight, into, session),
            Self::Layer(layer) => session.multiply(layer.output()?, weight.value()?, into, 0.0),
        }
    }

    /// Sets the gradient of the only weights that the input was multiplied by, and that of the input, by the gradient of the product. The rows are discarded in between.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn derive(&mut self, weight: &mut Weight, product: Matrix<'_>, session: &Session) -> Result<(), RunError> {
        self.derive_weight(weight, product, session)?;
        self.discard_rows();
        self.derive_rows(weight, product, 0.0, session)
    }

    /// Sets the gradient of weights by that of the product.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn derive_weight(
        &mut self,
        weight: &mut Weight,
        product: Matrix<'_>,
        session: &Session,
    ) -> Result<(), RunError> {
        match self {
            Self::Features(input) => input.derive(weight, product, session),
            Self::Layer(layer) => session.multiply(layer.output()?.transposed(), product, &mut weight.gradient()?, 0.0),
        }
    }

    /// Has others take the memory of the rows of a layer, once the gradients of all weights are there: that of the rows as well.
    pub fn discard_rows(&mut self) {
        if let Self::Layer(layer) = self {
            layer.discard_output();
        }
    }

    /// Sets the gradient of the rows of a layer by that of the product, and adds `keep` times what it was.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn derive_rows(
        &mut self,
        weight: &mut Weight,
        product: Matrix<'_>,
        keep: f32,
        session: &Session,
    ) -> Result<(), RunError> {
        let Self::Layer(layer) = self else { return Ok(()) };
        session.multiply(product, weight.value()?.transposed(), &mut layer.output_gradient()?, keep)
    }
}
