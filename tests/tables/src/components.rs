//! Connected components by pointer jumping: a label goes from vertex to vertex in steps that grow.

use onyx_device::prelude::*;

/// Labels, which are numbers of vertices.
#[graph_data]
pub struct Components {
    /// The least vertex that is known to be in the component; at first the vertex itself.
    pub label: VertexScalar,
    /// The least label of the neighbors, and what their labels point at.
    pub least: VertexScalar,
    /// What the label becomes.
    pub hooked: VertexScalar,
}

/// Looks at the neighbor's label, and at that of the vertex that it names.
#[edge_fn]
pub fn look(e: Edge, d: &mut Components) -> bool {
    d.least[e.dst].min_with(d.label[Vertex(d.label[e.src] as u32)]);
    true
}

/// Takes the least.
#[vertex_fn]
pub fn hook(v: Vertex, d: &mut Components) -> bool {
    d.hooked[v] = d.label[v].min(d.least[v]);
    true
}

/// Goes on to where the label leads.
#[vertex_fn]
pub fn jump(v: Vertex, d: &mut Components) -> bool {
    let label = d.hooked[Vertex(d.hooked[v] as u32)];
    let moved = label != d.label[v];
    d.label[v] = label;
    moved
}

foldmap! {
    /// An iteration of components.
    pub components(Components) = [look, hook; jump]
}
