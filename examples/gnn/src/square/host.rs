//! The products in a session.

use onyx_device::property::{Key, VertexFeatures};
use onyx_runtime::{Data, ResidentGraph, RunError, Sequence};

use super::{Square, square_16, square_16_gradient, square_32, square_32_gradient};
use crate::error::GnnError;
use crate::layer::Source;
use crate::weight::Weight;

/// The gradient of what rows with a vertex of a graph each were multiplied by 16 x 16 or 32 x 32 weights as.
pub(crate) struct SquareProduct<'g> {
    data: Data<Square>,
    gradient: Sequence<'g, Square>,
}

impl<'g> SquareProduct<'g> {
    /// Products with so many rows of weights, 16 or 32.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn new(graph: &ResidentGraph<'g>, size: usize) -> Result<Self, GnnError> {
        let (session, gradient) = (graph.session(), Sequence::new(graph));
        let (data, gradient) = if size == 16 {
            (session.data(square_16, graph, size)?, gradient.then(square_16_gradient))
        } else {
            (session.data(square_32, graph, size)?, gradient.then(square_32_gradient))
        };
        Ok(Self { data, gradient })
    }

    /// Sets the gradient of the rows of a layer, where `key` of `data` is that of the product.
    ///
    /// # Errors
    /// As [`Source::lend_gradient`].
    pub(crate) fn derive_rows<D>(
        &mut self,
        input: &mut Source<'_, '_>,
        weight: &mut Weight,
        (data, key): (&mut Data<D>, Key<D, VertexFeatures<0>>),
    ) -> Result<(), RunError> {
        let Self { data: own, gradient } = self;
        input.lend_gradient(own, Square::INPUT_GRADIENT, |own| {
            data.lend(key, own, Square::PRODUCT_GRADIENT, |_, own| {
                weight.lend(own, Square::WEIGHT, |own| gradient.run(own, 1))
            })?
        })
    }
}
