//! Rings that are told apart by several views together, and by none alone: what multi-manifold ranking is for.
//!
//! Vertices lie on rings. Each of K views sees a point in the plane for each vertex, with noise on it. In a view the rings stand at one of
//! two places, and those at the same place lie on top of each other: ring `r` stands at place `r >> k & 1` of view `k`. So any two rings
//! are apart in some view. An edge weighs `exp(−distance² / 2)` in each view, with the distance between neighbors on a ring as unit.

use std::f64::consts::TAU;

use onyx_runtime::graph::{GraphError, VertexIds};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::edge_values::{Shape, ValuedEdges, ValuedGraph};

/// Each vertex is joined to this many on either side.
const NEIGHBORS: u32 = 3;
/// The standard deviation of a coordinate, in units of the distance between neighbors.
const NOISE: f64 = 0.2;
/// The distance of the two places, in units of the distance between neighbors: rings that are apart do not touch.
const APART: f64 = 4.0;

/// Rings seen through several views.
#[derive(Clone, Copy, Debug)]
pub struct Rings {
    /// The number of views; there are `2^views` rings.
    pub views: u32,
    /// The vertices of a ring.
    pub members: u32,
    /// What the noise and the edges between rings are drawn from.
    pub seed: u64,
}

impl Rings {
    /// The number of rings.
    pub fn rings(self) -> u32 {
        1 << self.views
    }

    /// The number of vertices; those of ring `r` have the numbers from `r * members` on.
    pub fn vertices(self) -> u32 {
        self.rings() * self.members
    }

    /// The ring of a vertex.
    pub fn ring(self, vertex: u32) -> u32 {
        vertex / self.members
    }

    /// The graph: every vertex is joined to those around it on its ring, and to one anywhere; both ways.
    ///
    /// # Errors
    /// More vertices than 32 bits can number.
    pub fn graph(self) -> Result<ValuedGraph, GraphError> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let points: Vec<Vec<[f64; 2]>> = (0..self.vertices()).map(|vertex| self.points(vertex, &mut random)).collect();
        let mut edges = ValuedEdges::new(Shape::Vector, self.views as usize);
        for vertex in 0..self.vertices() {
            let anywhere = random.random_range(0..self.vertices());
            for neighbor in (1..=NEIGHBORS).map(|step| self.beside(vertex, step)).chain([anywhere]) {
                let [one, other] = [vertex, neighbor].map(|vertex| &points[vertex as usize]);
                let weights: Vec<f32> = one.iter().zip(other).map(|(one, other)| weight(*one, *other)).collect();
                edges.push_both(vertex, neighbor, &weights);
            }
        }
        edges.graph(VertexIds::Dense { first: 0, count: self.vertices() as usize })
    }

    /// The vertex that is `step` further on the same ring.
    fn beside(self, vertex: u32, step: u32) -> u32 {
        let start = self.ring(vertex) * self.members;
        start + (vertex - start + step) % self.members
    }

    /// Where each view sees a vertex.
    fn points(self, vertex: u32, random: &mut Pcg64Mcg) -> Vec<[f64; 2]> {
        let angle = TAU * f64::from(vertex % self.members) / f64::from(self.members);
        let radius = f64::from(self.members) / TAU;
        let place = |view: u32| f64::from(self.ring(vertex) >> view & 1) * (2.0 * radius + APART);
        let mut noisy = |coordinate: f64| coordinate + NOISE * bell(random);
        (0..self.views).map(|view| [noisy(place(view) + radius * angle.cos()), noisy(radius * angle.sin())]).collect()
    }
}

/// How near two points are.
fn weight(one: [f64; 2], other: [f64; 2]) -> f32 {
    let square = (one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2);
    (-square / 2.0).exp() as f32
}

/// About normally distributed, with the standard deviation 1.
fn bell(random: &mut Pcg64Mcg) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}
