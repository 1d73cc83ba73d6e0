//! The ids that vertices had in the file they came from.

use super::buffer::Buffer;

/// The original id of each vertex; ascending, so that vertex order is id order.
#[derive(Clone, Debug)]
pub enum VertexIds {
    /// Vertex `v` has the id `first + v`.
    Dense {
        /// The id of vertex 0.
        first: u64,
        /// The number of vertices.
        count: usize,
    },
    /// Vertex `v` has the `v`th of these strictly ascending ids.
    Listed(Buffer<u64>),
}

impl VertexIds {
    /// The number of vertices.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense { count, .. } => *count,
            Self::Listed(ids) => ids.len(),
        }
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The original id of `vertex`; for a vertex past the last of a listed graph this panics.
    pub fn original(&self, vertex: u32) -> u64 {
        match self {
            Self::Dense { first, .. } => first + u64::from(vertex),
            Self::Listed(ids) => ids[vertex as usize],
        }
    }

    /// The vertex whose original id is `id`, if any; takes logarithmic time at most.
    pub fn lookup(&self, id: u64) -> Option<u32> {
        match self {
            Self::Dense { first, count } => {
                id.checked_sub(*first).filter(|&vertex| vertex < *count as u64).map(|vertex| vertex as u32)
            }
            Self::Listed(ids) => ids.binary_search(&id).ok().map(|vertex| vertex as u32),
        }
    }
}

impl PartialEq for VertexIds {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && (0..self.len() as u32).all(|vertex| self.original(vertex) == other.original(vertex))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_ids_start_anywhere() {
        let ids = VertexIds::Dense { first: 1, count: 3 };
        assert_eq!(ids.original(2), 3);
        assert_eq!((ids.lookup(0), ids.lookup(1), ids.lookup(3), ids.lookup(4)), (None, Some(0), Some(2), None));
        assert_eq!(ids, VertexIds::Listed(vec![1, 2, 3].into()));
    }

    #[test]
    fn listed_ids_are_found_by_search() {
        let ids = VertexIds::Listed(vec![3, 7, u64::MAX].into());
        assert_eq!(ids.lookup(u64::MAX), Some(2));
        assert_eq!(ids.lookup(4), None);
        assert_eq!(ids.original(1), 7);
    }
}
