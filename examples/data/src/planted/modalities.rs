//! Vertices of several modalities that speak of the same classes, each in a code of its own: what multimodal learning is for.
//!
//! Every vertex has a class and a modality, such as pictures, captions and sounds. Feature `f` of a modality stands for another class than
//! feature `f` of the next one: the codes are permutations. An edge's matrix translates from the code of its source into that of its
//! destination, but blurs what it translates; and some edges join different classes, though with small weights.

use onyx_runtime::graph::{GraphError, VertexIds};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::edge_values::{Shape, ValuedEdges, ValuedGraph};

/// The edges that leave each vertex, before each is made to lead both ways.
const EDGES: usize = 8;
/// How likely an edge joins two vertices regardless of their classes.
const ASTRAY: f64 = 0.1;
/// The weight of an edge between different classes; others have 1.
const STRAY_WEIGHT: f32 = 0.2;
/// The seeds of each class.
const SEEDS: usize = 2;
/// The part of a matrix that says nothing.
const BLUR: f32 = 0.1;

/// Classes seen through several modalities.
#[derive(Clone, Copy, Debug)]
pub struct Modalities {
    /// The number of classes, and of features.
    pub classes: usize,
    /// The number of modalities.
    pub modalities: usize,
    /// The vertices of each class in each modality.
    pub members: usize,
    /// What the codes and the edges are drawn from.
    pub seed: u64,
}

impl Modalities {
    /// The number of vertices; the classes come in turn, and for each of them the modalities.
    pub fn vertices(self) -> usize {
        self.classes * self.modalities * self.members
    }

    /// The class of a vertex.
    pub fn class(self, vertex: u32) -> usize {
        vertex as usize % self.classes
    }

    /// The modality of a vertex.
    pub fn modality(self, vertex: u32) -> usize {
        vertex as usize / self.classes % self.modalities
    }

    /// The feature that stands for each class, in each modality: the classes' numbers in the first, turned and shuffled ones in others.
    pub fn codes(self) -> Vec<Vec<usize>> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let mut code: Vec<usize> = (0..self.classes).collect();
        let mut next = || {
            let this = code.clone();
            code.shuffle(&mut random);
            // What a shuffle has left in place, a turn moves.
            let is_alike = code == this;
            code.rotate_left(usize::from(is_alike));
            this
        };
        (0..self.modalities).map(|_| next()).collect()
    }

    /// The feature that stands for each vertex's class in its own modality.
    pub fn labels(self) -> Vec<usize> {
        let codes = self.codes();
        (0..self.vertices() as u32).map(|vertex| codes[self.modality(vertex)][self.class(vertex)]).collect()
    }

    /// The seeds: a few vertices of each class, all of the first modality.
    pub fn seeds(self) -> Vec<(u32, Vec<f32>)> {
        // The codes of the first modality are the classes' numbers.
        let row = |class: usize| (0..self.classes).map(|f| if f == class { 1.0 } else { 0.0 }).collect();
        let round = self.classes * self.modalities;
        let vertices = (0..SEEDS.min(self.members)).flat_map(|seed| (0..self.classes).map(move |class| (seed, class)));
        vertices.map(|(seed, class)| ((seed * round + class) as u32, row(class))).collect()
    }

    /// The graph: most edges lead to another vertex of the same class, in any modality; both ways.
    ///
    /// # Errors
    /// More vertices than 32 bits can number.
    pub fn graph(self) -> Result<ValuedGraph, GraphError> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed.wrapping_add(1));
        let codes = self.codes();
        let mut edges = ValuedEdges::new(Shape::Matrix, self.classes);
        for vertex in 0..self.vertices() as u32 {
            for _ in 0..EDGES {
                let other = self.other(vertex, &mut random);
                let [from, to] = [vertex, other].map(|vertex| &codes[self.modality(vertex)]);
                let weight = if self.class(vertex) == self.class(other) { 1.0 } else { STRAY_WEIGHT };
                edges.push_both(vertex, other, &matrix(from, to, weight));
            }
        }
        edges.graph(VertexIds::Dense { first: 0, count: self.vertices() })
    }

    /// Another vertex, mostly of the same class.
    fn other(self, vertex: u32, random: &mut Pcg64Mcg) -> u32 {
        let drawn = random.random_range(0..self.vertices());
        let class = if random.random::<f64>() < ASTRAY { drawn % self.classes } else { self.class(vertex) };
        (drawn - drawn % self.classes + class) as u32
    }
}

/// Translates from one code into another, and says a little of everything.
fn matrix(from: &[usize], to: &[usize], weight: f32) -> Vec<f32> {
    let classes = from.len();
    let mut matrix = vec![weight * BLUR / classes as f32; classes * classes];
    from.iter().zip(to).for_each(|(row, column)| matrix[row * classes + column] += weight * (1.0 - BLUR));
    matrix
}
