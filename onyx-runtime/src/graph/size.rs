//! The sizes that graphs may have.

use super::error::GraphError;
use crate::memory;

/// What building a graph takes at least, in bytes a vertex and bytes an edge.
const BYTES: (u64, u64) = (16, 24);

/// Refuses more vertices than 32 bits can number, and sizes for which there is no memory.
///
/// A few bytes of text can ask for billions of vertices.
pub(super) fn check_size(vertices: u64, edges: u64) -> Result<(), GraphError> {
    if vertices > u64::from(u32::MAX) {
        return Err(GraphError::TooManyVertices { vertices });
    }
    let bytes = (vertices * BYTES.0).saturating_add(edges.saturating_mul(BYTES.1));
    Ok(memory::check(format!("a graph of {vertices} vertices and {edges} edges"), bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_beyond_any_memory_are_refused() {
        assert!(matches!(check_size(1, u64::MAX), Err(GraphError::Memory(error)) if error.needed == u64::MAX));
        assert!(matches!(check_size(1, 1 << 58), Err(GraphError::Memory(_))));
        assert!(matches!(check_size(1 << 32, 0), Err(GraphError::TooManyVertices { .. })));
        assert!(check_size(1000, 1000).is_ok());
    }
}
