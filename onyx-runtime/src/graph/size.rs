//! The sizes that graphs may have.

use super::error::GraphError;

/// What building a graph takes at least, in bytes a vertex and bytes an edge.
const BYTES: (u64, u64) = (16, 24);

/// Refuses more vertices than 32 bits can number, and sizes for which there is no memory.
pub(super) fn check_size(vertices: u64, edges: u64) -> Result<(), GraphError> {
    if vertices > u64::from(u32::MAX) {
        return Err(GraphError::TooManyVertices { vertices });
    }
    let bytes = (vertices * BYTES.0).saturating_add(edges.saturating_mul(BYTES.1));
    // A few bytes of text can ask for billions of vertices, and an allocation that fails later would abort.
    let available = usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if available { Ok(()) } else { Err(GraphError::Memory { vertices, edges, bytes }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_any_memory_are_refused() {
        assert!(matches!(check_size(1, u64::MAX), Err(GraphError::Memory { edges: u64::MAX, .. })));
        assert!(matches!(check_size(1, 1 << 58), Err(GraphError::Memory { .. })));
        assert!(matches!(check_size(1 << 32, 0), Err(GraphError::TooManyVertices { .. })));
        assert!(check_size(1000, 1000).is_ok());
    }
}
