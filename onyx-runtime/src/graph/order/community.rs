//! Communities: vertices that have more edges among themselves than chance would give them.

use std::ops::Range;

use super::vertex_order::VertexOrder;

/// An order in which each community's vertices have numbers in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communities {
    /// The order.
    pub order: VertexOrder,
    /// The first new number of each community, and the number of vertices as the last.
    pub(super) offsets: Vec<u32>,
}

impl Communities {
    /// The number of communities.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none, since there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The new numbers of each community's vertices.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = Range<u32>> + '_ {
        self.offsets.windows(2).map(|ends| ends[0]..ends[1])
    }
}
