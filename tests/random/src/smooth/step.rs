//! The steps of a function.

use super::input::{LIFT, MATRIX, WIDE};

/// Whose value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The source of the edge.
    Source,
    /// Its destination.
    Destination,
    /// The edge or vertex of the function.
    Own,
    /// The edge that runs the other way.
    Reverse,
    /// The graph.
    Graph,
}

/// How an edge's value comes to a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `+=`
    Sum,
    /// `*=`
    Product,
    /// `mean_with`
    Mean,
    /// `min_with`
    Least,
    /// `max_with`
    Greatest,
    /// `softmax_add`
    Softmax,
}

/// How a value comes of earlier ones, which are named by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An input.
    Read(usize, Place),
    /// The row that edges have brought; 0 where there are none.
    Total,
    /// The number that edges have brought; 0 where there are none.
    Level,
    /// Eighths.
    Number(i32),
    /// A function of one float.
    Unary(&'static str, usize),
    /// An operator of two.
    Binary(&'static str, usize, usize),
    /// `if a < b { c } else { d }`
    Choice([usize; 4]),
    /// The same as an assignment: `let mut x = c; if a < b { x *= d; }`
    Change([usize; 4]),
    /// What all features have computed together.
    Together(&'static str, usize, usize),
    /// The matrix, or its transposed one, times a row.
    Matrix(&'static str, usize),
    /// A matrix times the row of another width there.
    Lift(Place),
}

/// The steps of a function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Whether the value of each is the same for all features.
    pub is_uniform: Vec<bool>,
    /// What the value of each does not exceed.
    pub bounds: Vec<f64>,
}

impl Step {
    /// The values that the derivative of this one is of.
    pub(super) fn arguments(&self) -> Vec<usize> {
        match self {
            Self::Read(..) | Self::Lift(_) | Self::Total | Self::Level | Self::Number(_) => Vec::new(),
            Self::Unary(_, a) | Self::Matrix(_, a) => vec![*a],
            Self::Binary(_, a, b) => vec![*a, *b],
            Self::Together("dot", a, b) => vec![*a, *b],
            Self::Together(_, a, _) => vec![*a],
            Self::Choice([_, _, c, d]) | Self::Change([_, _, c, d]) => vec![*c, *d],
        }
    }
}

impl Function {
    /// Which steps some values depend on, other than by a comparison.
    pub fn live(&self, of: &[usize]) -> Vec<bool> {
        let mut live = vec![false; self.steps.len()];
        of.iter().for_each(|at| live[*at] = true);
        for at in (0..live.len()).rev() {
            if live[at] {
                self.steps[at].arguments().into_iter().for_each(|argument| live[argument] = true);
            }
        }
        live
    }

    /// The inputs that the live steps read.
    pub fn inputs(&self, live: &[bool]) -> Vec<usize> {
        let read = self.steps.iter().zip(live).filter(|(_, live)| **live).flat_map(|(step, _)| match step {
            Step::Read(input, _) => vec![*input],
            Step::Matrix(..) => vec![MATRIX],
            Step::Lift(_) => vec![LIFT, WIDE],
            _ => Vec::new(),
        });
        read.collect()
    }
}
