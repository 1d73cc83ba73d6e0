//! Alternating least squares for wide factors: the same normal equations, by conjugate gradients.
//!
//! A K × K matrix with more than 32 rows does not fit a warp's registers, and so none is formed. What is needed of it is its product with a
//! direction p, which is a pass over the edges:
//!
//! ```text
//! product(v)  = Σ over edges u → v of (p(v) · y(u)) · y(u)        implicit: Σ α · r · (p · y) · y, with the whole other side in `held`
//! length      = p·residual / p·(product + held·p)
//! factor(v)  += length · p,     residual −= length · (product + held·p)
//! p(v)        = residual / held + (its square / the square before) · p
//! ```
//!
//! The first pass sums up the right side, the second one goes along the factor that was there before, and from then on each direction is
//! conjugate to the last one. A vertex whose residual is small enough has the direction 0 and adds nothing more; the run is over when
//! there is no other one. Edges run towards the side that is fitted alone.
//!
//! Implicit feedback adds Σ y · yᵀ over the whole other side. Where the features are turned into the basis of its eigenvectors, that matrix
//! is a diagonal: one more number that holds each feature back. Products of factors are the same in every basis.
//!
//! M. R. Hestenes and E. Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952; for factors of implicit feedback:
//! G. Takács, I. Pilászy and D. Tikk, "Applications of the Conjugate Gradient Method for Implicit Feedback Collaborative Filtering", 2011.

use onyx_device::prelude::*;

/// What conjugate gradients keep of each edge and vertex.
#[graph_data]
pub struct Gradients<const K: usize> {
    /// The rating of an edge towards the side that is fitted.
    pub rating: EdgeScalar,
    /// The factors before the run.
    pub factor: VertexFeatures<K>,
    /// The diagonal that the normal equations have besides the ratings: by how much the square of each feature is held back.
    pub held: VertexFeatures<K>,
    /// 1 before the first step, then 0.
    pub begins: VertexScalar,
    /// The factor found so far.
    pub solution: VertexFeatures<K>,
    /// What the right side has more than the solution gives.
    pub residual: VertexFeatures<K>,
    /// Where the solution goes next.
    pub direction: VertexFeatures<K>,
    /// The ratings' part of the matrix, times the direction; in the first step the right side, negative.
    pub product: VertexFeatures<K>,
    /// The square of the residual, each feature divided by what holds it back.
    pub square: VertexScalar,
    /// The square that is small enough.
    pub goal: VertexScalar,
    /// How much confidence implicit feedback gives.
    pub alpha: Parameter,
    /// The part of the right side's square that a residual may have.
    pub accuracy: Parameter,
}

/// Multiplies the direction by a rating's part of the matrix.
#[edge_fn]
fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Gradients<K>) -> bool {
    let factor = d.factor[e.src][f];
    let along = dot(d.direction[e.dst][f], factor);
    d.product[e.dst][f] += (along - d.begins[e.dst] * d.rating[e]) * factor;
    true
}

/// Multiplies the direction by the part of implicit feedback.
#[edge_fn]
fn multiply_preferences<const K: usize>(f: Feature, e: Edge, d: &mut Gradients<K>) -> bool {
    let factor = d.factor[e.src][f];
    let along = dot(d.direction[e.dst][f], factor);
    let confidence = d.alpha * d.rating[e];
    d.product[e.dst][f] += (confidence * along - d.begins[e.dst] * (1.0 + confidence)) * factor;
    true
}

/// Goes along the direction to where the objective is least. The first step only takes the right side for the residual.
#[vertex_fn]
fn descend<const K: usize>(f: Feature, v: Vertex, d: &mut Gradients<K>) -> bool {
    let direction = d.direction[v][f];
    let product = d.product[v][f] + d.held[v][f] * direction;
    let least = least_at(dot(direction, d.residual[v][f]), dot(direction, product));
    let length = if d.begins[v] > 0.5 { 1.0 } else { least };
    d.solution[v][f] += length * direction;
    d.residual[v][f] -= length * product;
    true
}

/// Chooses the next direction; the vertex has changed if its residual is not small enough.
#[vertex_fn]
fn turn<const K: usize>(f: Feature, v: Vertex, d: &mut Gradients<K>) -> bool {
    let residual = d.residual[v][f];
    let steepest = residual * reciprocal(d.held[v][f]);
    let square = dot(residual, steepest);
    let begins = d.begins[v] > 0.5;
    let goal = if begins { d.accuracy * square } else { d.goal[v] };
    let conjugate = steepest + ratio(square, d.square[v]) * d.direction[v][f];
    let next = if begins { d.factor[v][f] } else { conjugate };
    d.direction[v][f] = if square > goal { next } else { 0.0 };
    // Zero before the first conjugate direction, so that this one starts from the residual alone.
    d.square[v] = if begins { 0.0 } else { square };
    d.goal[v] = goal;
    d.begins[v] = 0.0;
    square > goal
}

/// How far along a direction the objective is least, by its slope and its curvature. No number where the matrix is not positive definite.
pub(super) fn least_at(slope: f32, curvature: f32) -> f32 {
    if slope == 0.0 {
        0.0
    } else if curvature > 0.0 {
        slope / curvature
    } else {
        f32::NAN
    }
}

/// `a / b`, and 0 where b is.
pub(super) fn ratio(a: f32, b: f32) -> f32 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// One over what holds a feature back, and 1 where nothing does.
fn reciprocal(held: f32) -> f32 {
    if held > 0.0 { 1.0 / held } else { 1.0 }
}

foldmap! {
    /// A step towards the factors of one side that fit explicit ratings.
    pub approach<const K: usize>(Gradients<K>) = [multiply, descend, turn]; features = [64, 128]
}

foldmap! {
    /// A step towards the factors of one side that fit implicit feedback.
    pub approach_implicit<const K: usize>(Gradients<K>) = [multiply_preferences, descend, turn]; features = [64, 128]
}
