//! Rows of weights that stand in the place of a layer's properties while its folds run: nothing is copied.

use onyx_device::property::Key;
use onyx_device::total::GraphFeatures;
use onyx_runtime::{Data, RunError};

use crate::weight::Weight;

/// A row of weights, and where it stands.
pub(crate) struct Row<'w, D> {
    pub(crate) weight: &'w mut Weight,
    /// The property that has its values.
    pub(crate) value: Key<D, GraphFeatures<0>>,
    /// The property that its gradient is computed in.
    pub(crate) gradient: Key<D, GraphFeatures<0>>,
}

/// What is done with data meanwhile.
pub(crate) type Act<'a, D> = &'a mut dyn FnMut(&mut Data<D>) -> Result<(), RunError>;

/// Has `act` work where the values of the weights are in their places.
pub(crate) fn with_values<D>(rows: &mut [Row<'_, D>], data: &mut Data<D>, act: Act<'_, D>) -> Result<(), RunError> {
    let Some((row, rest)) = rows.split_first_mut() else { return act(data) };
    row.weight.lend(data, row.value, |data| with_values(rest, data, act))
}

/// The same, and what `act` leaves in the gradients' places are the gradients of the weights.
pub(crate) fn with_gradients<D>(rows: &mut [Row<'_, D>], data: &mut Data<D>, act: Act<'_, D>) -> Result<(), RunError> {
    let Some((row, rest)) = rows.split_first_mut() else { return act(data) };
    row.weight.lend_with_gradient(data, (row.value, row.gradient), |data| with_gradients(rest, data, act))
}
