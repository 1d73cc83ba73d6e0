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

/// Trees of vertices, each with a root, which hang on each other until one is left for each component. One feature is enough.
#[graph_data]
pub struct Forest<const K: usize> {
    /// The root that is known; at first the vertex itself.
    pub root: VertexScalar,
    /// By root: the least root of the trees beside its own.
    pub beside: Table<K>,
    /// Where a root hangs on.
    pub parent: VertexScalar,
    /// What the root is said to be on the way.
    pub halfway: VertexScalar,
}

/// Tells the root of a tree which one is beside it.
#[edge_fn]
pub fn tell<const K: usize>(f: Feature, e: Edge, d: &mut Forest<K>) -> bool {
    d.beside[d.root[e.dst] as u32][f].min_with(d.root[e.src]);
    true
}

/// Has a root hang on the least one.
#[vertex_fn]
pub fn hang<const K: usize>(f: Feature, v: Vertex, d: &mut Forest<K>) -> bool {
    d.parent[v] = d.root[v].min(min(d.beside[v.0][f]));
    true
}

/// Goes on to where that leads.
#[vertex_fn]
pub fn climb<const K: usize>(v: Vertex, d: &mut Forest<K>) -> bool {
    d.halfway[v] = d.parent[Vertex(d.parent[v] as u32)];
    true
}

/// And once more.
#[vertex_fn]
pub fn arrive<const K: usize>(v: Vertex, d: &mut Forest<K>) -> bool {
    let root = d.halfway[Vertex(d.halfway[v] as u32)];
    let moved = root != d.root[v];
    d.root[v] = root;
    moved
}

foldmap! {
    /// An iteration of components, whatever the order of the vertices.
    pub forest<const K: usize>(Forest<K>) = [tell; hang; climb; arrive]; features = [4]
}
