//! New numbers for edges, which follow from those of vertices.

use super::super::place::Places;
use super::error::OrderError;
use super::vertex_order::gathered;
use crate::memory;

/// Which edge each edge of a renumbered graph was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeOrder(pub(super) Places);

impl EdgeOrder {
    /// The number of edges.
    pub fn len(&self) -> usize {
        self.0.iter().len()
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The edge ids that the edges had, by the ids that they have.
    pub fn old_ids(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.iter().map(|place| place.edge)
    }

    /// Values by old edge id, `width` an edge, as values by new edge id.
    ///
    /// # Errors
    /// Another number of values than of edges, or not enough memory.
    pub fn to_new<T: Copy>(&self, values: &[T], width: usize) -> Result<Vec<T>, OrderError> {
        gathered(values, width, self.old_ids())
    }

    /// Values by new edge id, `width` an edge, as values by old edge id.
    ///
    /// # Errors
    /// As [`to_new`](Self::to_new).
    pub fn to_old<T: Copy>(&self, values: &[T], width: usize) -> Result<Vec<T>, OrderError> {
        let mut new_ids: Vec<usize> = memory::zeroed(self.len(), "the numbers of the edges")?;
        self.old_ids().enumerate().for_each(|(new, old)| new_ids[old] = new);
        gathered(values, width, new_ids.into_iter())
    }
}
