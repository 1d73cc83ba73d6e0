//! The values of a program's properties.

use std::ops::Range;

use crate::dice::Dice;
use crate::float::Float;
use crate::limits::{GRAIN, MOST_VERTICES, SMALL, TABLE_ROWS, UNITS};
use crate::network::Network;
use crate::program::Program;
use crate::property::{Element, Precision, Property, Start};
use crate::total::Total;

/// All values, and the vertices that are active.
#[derive(Clone, Debug)]
pub struct State {
    /// How many heads a row has.
    pub heads: usize,
    /// How many features each of them has.
    pub features: usize,
    /// By property: the floats of all vertices, all edges or the graph. One of them has its heads one after the other.
    pub values: Vec<Vec<Float>>,
    /// By property: the floats that each vertex contributes to a total of the graph. Where rows are heads, functions add to none.
    pub contributions: Vec<Vec<Float>>,
    /// By vertex.
    pub active: Vec<bool>,
}

impl State {
    /// What a program starts from, drawn by a seed. All vertices are active.
    pub fn new(program: &Program, network: &Network, heads: usize, features: usize, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let values =
            |property: &Property| start(property, network, property.element.floats(heads, features), &mut dice.fork());
        let values = program.properties.iter().map(values).collect();
        let mut state =
            Self { heads, features, values, contributions: Vec::new(), active: vec![true; network.vertices] };
        state.contributions =
            (0..program.properties.len()).map(|property| state.no_contributions(program, property)).collect();
        state
    }

    /// What one head sees: its own floats, and those that all heads have in common.
    pub fn of_head(&self, program: &Program, head: usize) -> Self {
        let own = |(property, values): (&Property, &Vec<Float>)| {
            let (all, own) = (self.floats(property.element), self.own(property.element, head));
            values.chunks_exact(all).flat_map(|floats| floats[own.clone()].to_vec()).collect()
        };
        let values = program.properties.iter().zip(&self.values).map(own).collect();
        let (contributions, active) = (self.contributions.clone(), self.active.clone());
        Self { heads: 1, features: self.features, values, contributions, active }
    }

    /// What all vertices contribute to a property before any has.
    fn no_contributions(&self, program: &Program, property: usize) -> Vec<Float> {
        let Some(reduction) = program.added(property) else { return Vec::new() };
        let length = self.active.len() * self.floats(program.properties[property].element);
        vec![Total::nothing(reduction).total(); length]
    }

    /// Takes the floats that one head has come to.
    pub fn take_head(&mut self, program: &Program, head: usize, alone: &Self) {
        self.contributions.clone_from(&alone.contributions);
        for (index, property) in program.properties.iter().enumerate() {
            let (all, own) = (self.floats(property.element), self.own(property.element, head));
            let from = alone.values[index].chunks_exact(own.len());
            self.values[index].chunks_exact_mut(all).zip(from).for_each(|(to, from)| {
                to[own.clone()].copy_from_slice(from);
            });
        }
    }

    /// How many floats one vertex, one edge or the graph has.
    pub fn floats(&self, element: Element) -> usize {
        element.floats(self.heads, self.features)
    }

    /// Which of those are a head's.
    fn own(&self, element: Element, head: usize) -> Range<usize> {
        let own = element.floats(1, self.features);
        let first = if own == self.floats(element) { 0 } else { head * own };
        first..first + own
    }

    /// The floats of one vertex, one edge or the graph.
    pub fn of(&self, element: Element, property: usize, number: usize) -> &[Float] {
        let floats = self.floats(element);
        &self.values[property][number * floats..][..floats]
    }

    /// The same, to be set.
    pub fn of_mut(&mut self, element: Element, property: usize, number: usize) -> &mut [Float] {
        let floats = self.floats(element);
        &mut self.values[property][number * floats..][..floats]
    }
}

/// How many vertices, edges, rows or graphs have a value of their own.
pub fn count(element: Element, network: &Network) -> usize {
    if element.is_of_vertex() {
        network.vertices
    } else if element.is_of_edge() {
        network.edges.len()
    } else if element == Element::Table {
        TABLE_ROWS
    } else {
        1
    }
}

fn start(property: &Property, network: &Network, floats: usize, dice: &mut Dice) -> Vec<Float> {
    let length = count(property.element, network) * floats;
    if property.start == Start::Vertices {
        return (0..length).map(|_| Float::of_whole(vertex(property.element, network, dice))).collect();
    }
    let one = |_| match property.precision {
        Precision::Word => Float::of_whole(whole(property.start, dice)),
        Precision::Byte => Float::of_whole(whole(property.start, dice) % 256),
        _ => Float::new(number(property.start, dice)),
    };
    (0..length).map(one).collect()
}

/// The number of a vertex, or of vertices.
fn vertex(element: Element, network: &Network, dice: &mut Dice) -> u32 {
    assert!(network.vertices <= MOST_VERTICES, "{} vertices", network.vertices);
    if element == Element::Parameter { network.vertices as u32 } else { dice.below(network.vertices) as u32 }
}

/// A whole number: small, not so small, or of any bits.
fn whole(start: Start, dice: &mut Dice) -> u32 {
    let sizes: [(usize, u64); 3] = if start == Start::Units { [(1, 3); 3] } else { [(6, 8), (2, 1000), (2, 1 << 32)] };
    match start {
        Start::Zero => 0,
        Start::Sparse if !dice.chance(12) => 0,
        _ => {
            let most = dice.weighted(&sizes);
            dice.below(most as usize) as u32
        }
    }
}

fn number(start: Start, dice: &mut Dice) -> f64 {
    match start {
        Start::Zero => 0.0,
        Start::Sparse if !dice.chance(12) => 0.0,
        Start::Dense | Start::Sparse => {
            let steps = (SMALL / GRAIN) as usize - 1;
            GRAIN * (dice.between(0, 2 * steps) as f64 - steps as f64)
        }
        Start::Units => *dice.pick(&UNITS),
        Start::Vertices => unreachable!("numbers of vertices are no such numbers"),
    }
}
