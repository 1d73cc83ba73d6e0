//! What hangs together, whichever way edges lead.

use onyx_runtime::graph::Graph;
use onyx_runtime::memory::{self, OutOfMemory};

/// What needs the memory.
const COMPONENTS: &str = "the components of the graph";

/// The number of vertices of each connected component, the greatest first.
///
/// # Errors
/// There is no memory for a few numbers a vertex.
pub fn component_sizes(graph: &Graph) -> Result<Vec<u32>, OutOfMemory> {
    let mut parents = memory::collect(0..graph.vertex_count() as u32, COMPONENTS)?;
    for (_, source, destination) in graph.edges() {
        let (one, other) = (root(&mut parents, source), root(&mut parents, destination));
        // The lower number leads, so that ways stay short where edges come in order.
        parents[one.max(other) as usize] = one.min(other);
    }
    let mut sizes: Vec<u32> = memory::zeroed(graph.vertex_count(), COMPONENTS)?;
    for vertex in 0..graph.vertex_count() as u32 {
        sizes[root(&mut parents, vertex) as usize] += 1;
    }
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    Ok(sizes)
}

/// The vertex that stands for the component of another one; the way there is halved.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}
