//! Alternating least squares by a few steps for each factor: the systems of equations are not solved, but each sweep goes on from where the one before has come to.
//!
//! With y the factors of the other side, A = Σ w · y · yᵀ + C + λ · I and b = Σ p · y, where a rating r has the weight w and the pull p:
//!
//! ```text
//! residual  = b − A · factor,   direction = residual                        once for each half of a sweep, then so many times
//! factor   += length · direction,    length = residual² / direction · A · direction
//! residual −= length · A · direction
//! direction = residual + (residual² / residual² before) · direction
//! ```
//!
//! Products with the ratings' part of A are passes over the edges, those with C, the sum of y · yᵀ over the whole other side with implicit feedback, are one product
//! of matrices for all vertices. No step waits for another vertex, and nothing is copied to the host.
//!
//! G. Takács, I. Pilászy and D. Tikk, "Applications of the Conjugate Gradient Method for Implicit Feedback Collaborative Filtering", 2011.

use onyx_device::prelude::*;

use super::gradients::{least_at, ratio};

/// The part of a residual's square that is as good as nothing, and the least square whose products are no zeros.
const ACCURACY: f32 = 1e-12;
const LEAST: f32 = 1e-36;

/// What a few steps keep of each edge and vertex.
#[graph_data]
pub struct Steps<const K: usize> {
    /// The rating, the same on both edges of a user and an item.
    pub rating: EdgeScalar,
    /// By how much the square of the factor is held back.
    pub penalty: VertexScalar,
    /// The factor found so far.
    pub factor: VertexFeatures<K>,
    /// What the right side has more than the factor gives.
    pub residual: VertexFeatures<K>,
    /// Where the factor goes next; before the first step, the factor itself.
    pub direction: VertexFeatures<K>,
    /// The matrix times the direction, without the penalty. Before the first step, less the right side.
    pub product: VertexFeatures<K>,
    /// The square of the residual, or 0 of one that is small enough.
    pub square: VertexScalar,
    /// The square that is small enough.
    pub goal: VertexScalar,
    /// How much any rating weighs, and how much more for each unit of it.
    pub weight: Parameter,
    /// The same for each unit of a rating.
    pub weight_of_rating: Parameter,
    /// What any rating pulls.
    pub pull: Parameter,
    /// The same for each unit of a rating.
    pub pull_of_rating: Parameter,
    /// 1 before the first step, then 0.
    pub begins: Parameter,
    /// 1 in the last step, 0 before.
    pub ends: Parameter,
}

/// Multiplies the direction by a rating's part of the matrix.
#[edge_fn]
fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Steps<K>) -> bool {
    let factor = d.factor[e.src][f];
    let along = dot(d.direction[e.dst][f], factor);
    let weight = d.weight + d.weight_of_rating * d.rating[e];
    let pull = d.pull + d.pull_of_rating * d.rating[e];
    d.product[e.dst][f] += (weight * along - d.begins * pull) * factor;
    true
}

/// Goes along the direction to where the objective is least, and turns. Before the first step, only finds out where to go.
#[vertex_fn]
fn step<const K: usize>(f: Feature, v: Vertex, d: &mut Steps<K>) -> bool {
    let direction = d.direction[v][f];
    let product = d.product[v][f] + d.penalty[v] * direction;
    let begins = d.begins > 0.5;
    let before = d.square[v];
    let least = least_at(before, dot(direction, product));
    let length = if begins { 0.0 } else { least };
    let factor = d.factor[v][f] + length * direction;
    let residual = if begins { -product } else { d.residual[v][f] - length * product };
    let left = dot(residual, residual);
    let goal = if begins { (ACCURACY * left).max(LEAST) } else { d.goal[v] };
    // What is no number stays so.
    let square = if left <= goal { 0.0 } else { left };
    let share = if begins { 0.0 } else { ratio(square, before) };
    let next = if square == 0.0 { 0.0 } else { residual + share * direction };
    d.factor[v][f] = factor;
    d.residual[v][f] = residual;
    d.square[v] = square;
    d.goal[v] = goal;
    d.direction[v][f] = if d.ends > 0.5 { factor } else { next };
    true
}

foldmap! {
    /// The ratings' part of a product, at the side that is fitted: starts from the other one.
    pub products<const K: usize>(Steps<K>) = [multiply]; features = [8, 16, 32, 64, 128]; edges = active
}

foldmap! {
    /// A step of the side that is fitted: starts from it.
    pub steps<const K: usize>(Steps<K>) = [step]; features = [8, 16, 32, 64, 128]
}
