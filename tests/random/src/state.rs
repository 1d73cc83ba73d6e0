//! The values of a program's properties.

use crate::dice::Dice;
use crate::float::Float;
use crate::limits::{GRAIN, SMALL, TABLE_ROWS, UNITS};
use crate::network::Network;
use crate::program::Program;
use crate::property::{Element, Property, Start};

/// All values, and the vertices that are active.
#[derive(Clone, Debug)]
pub struct State {
    /// How many features there are.
    pub features: usize,
    /// By property: the floats of all vertices, all edges or the graph.
    pub values: Vec<Vec<Float>>,
    /// By vertex.
    pub active: Vec<bool>,
}

impl State {
    /// What a program starts from, drawn by a seed. All vertices are active.
    pub fn new(program: &Program, network: &Network, features: usize, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let values = |property| start(property, network, features, &mut dice.fork());
        Self { features, values: program.properties.iter().map(values).collect(), active: vec![true; network.vertices] }
    }

    /// The floats of one vertex, one edge or the graph.
    pub fn of(&self, element: Element, property: usize, number: usize) -> &[Float] {
        let floats = element.floats(self.features);
        &self.values[property][number * floats..][..floats]
    }

    /// The same, to be set.
    pub fn of_mut(&mut self, element: Element, property: usize, number: usize) -> &mut [Float] {
        let floats = element.floats(self.features);
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

fn start(property: &Property, network: &Network, features: usize, dice: &mut Dice) -> Vec<Float> {
    let length = count(property.element, network) * property.element.floats(features);
    (0..length).map(|_| Float::new(number(property.start, dice))).collect()
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
    }
}
