//! Tables that are trained: relations between entities, and the centres of classes.

use onyx_device::prelude::*;

/// Entities and relations between them, in the form of DistMult (Yang et al., 2015).
#[graph_data]
pub struct DistMult<const K: usize> {
    /// An entity.
    pub x: VertexFeatures<K>,
    /// Which relation an edge is of.
    pub kind: EdgeScalar,
    /// 1 where the edge is true, -1 where it is not.
    pub truth: EdgeScalar,
    /// The relations.
    pub relation: Table<K>,
    /// How likely an edge is.
    pub score: EdgeScalar,
    /// What all edges are off by.
    pub loss: GraphScalar,
    /// The adjoints.
    pub x_gradient: VertexFeatures<K>,
    /// What comes over incoming edges of them.
    pub x_gradient_part: VertexFeatures<K>,
    /// Those of the relations.
    pub relation_gradient: Table<K>,
    /// That of the loss.
    pub loss_gradient: GraphScalar,
    /// How far a step goes.
    pub rate: Parameter,
}

/// Scores an edge, and adds what it is off by.
#[edge_fn]
pub fn rate<const K: usize>(f: Feature, e: Edge, d: &mut DistMult<K>) -> bool {
    let relation = d.relation[d.kind[e] as u32][f];
    let score = sum(d.x[e.src][f] * relation * d.x[e.dst][f]);
    d.score[e] = constant(score);
    d.loss += (1.0 + (-d.truth[e] * score).exp()).ln();
    true
}

foldmap! {
    /// The scores and the loss, with the gradients of entities and relations.
    pub distmult<const K: usize>(DistMult<K>) = [rate]; features = [4, 16]; gradient = [x, relation]
}

/// Takes a step against the gradient.
#[vertex_fn]
pub fn descend<const K: usize>(f: Feature, v: Vertex, d: &mut DistMult<K>) -> bool {
    d.x[v][f] -= d.rate * d.x_gradient[v][f];
    true
}

foldmap! {
    /// A step of the entities.
    pub step<const K: usize>(DistMult<K>) = [descend]; features = [4, 16]
}

/// Vertices of classes, each with a centre, and what comes together of each class.
#[graph_data]
pub struct Classes<const K: usize> {
    /// A row of each vertex.
    pub x: VertexFeatures<K>,
    /// Which class a vertex is of, and which one it is compared with.
    pub class: VertexScalar,
    /// The centres.
    pub center: Table<K>,
    /// How a vertex looks from its centre.
    pub y: VertexFeatures<K>,
    /// What comes together.
    pub pooled: Table<K>,
    /// The adjoints.
    pub x_gradient: VertexFeatures<K>,
    /// Those of the centres.
    pub center_gradient: Table<K>,
    /// Those of what vertices look like.
    pub y_gradient: VertexFeatures<K>,
    /// Those of what comes together.
    pub pooled_gradient: Table<K>,
}

/// Compares a vertex with two centres.
#[vertex_fn]
pub fn compare<const K: usize>(f: Feature, v: Vertex, d: &mut Classes<K>) -> bool {
    let class = d.class[v] as u32;
    let (own, first) = (d.center[class][f], d.center[0][f]);
    d.y[v][f] = (d.x[v][f] * own).tanh() - first * own;
    true
}

/// Brings it to its class.
#[vertex_fn]
pub fn pool<const K: usize>(f: Feature, v: Vertex, d: &mut Classes<K>) -> bool {
    let y = d.y[v][f];
    d.pooled[d.class[v] as u32][f] += 0.5 * y * y;
    true
}

foldmap! {
    /// What comes together of each class, with the gradients of vertices and centres.
    pub pooled<const K: usize>(Classes<K>) = [compare; pool]; features = [4]; gradient = [x, center]
}
