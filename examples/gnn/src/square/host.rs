//! The products in a session.

use onyx_device::property::{Key, VertexFeatures};
use onyx_runtime::{Data, ResidentGraph, RunError, Sequence};

use super::{Square, square_16, square_16_gradient, square_32, square_32_gradient};
use crate::error::GnnError;
use crate::layer::{Layer, lend_with_gradient};
use crate::weight::Weight;

/// The gradients of rows with a vertex of a graph each, and of the 16 x 16 or 32 x 32 weights that they were multiplied by.
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

    /// Sets the gradients of the rows of a layer and of weights, where `key` of `data` is that of the product.
    ///
    /// # Errors
    /// As [`lend_with_gradient`].
    pub(crate) fn derive<D>(
        &mut self,
        input: &mut dyn Layer,
        weight: &mut Weight,
        (data, key): (&mut Data<D>, Key<D, VertexFeatures<0>>),
    ) -> Result<(), RunError> {
        let Self { data: own, gradient } = self;
        lend_with_gradient(input, own, (Square::INPUT, Square::INPUT_GRADIENT), |own| {
            data.lend(key, own, Square::PRODUCT_GRADIENT, |_, own| {
                let keys = (Square::WEIGHT, Square::WEIGHT_GRADIENT);
                weight.lend_with_gradient(own, keys, |own| gradient.run(own, 1))
            })?
        })
    }
}
