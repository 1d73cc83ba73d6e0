//! Draws programs.

use super::input::{FIRST_WITHOUT_HEADS, INPUTS, LIFT, MATRIX, Owner, Width};
use super::step::{Function, Place, Reduction, Step};
use super::{Pool, Program};
use crate::dice::Dice;

/// How many steps follow what a function reads.
const STEPS: usize = 6;
/// What values may be; greater ones are bent.
const MOST: f64 = 4.0;
/// Functions of one float.
const UNARY: [&str; 10] = ["tanh", "sin", "cos", "abs", "half_exp", "root", "log", "square", "clamp", "negate"];
const BINARY: [&str; 6] = ["+", "-", "*", "/", "max", "min"];
const TOGETHER: [&str; 9] = ["mean", "dot", "norm2", "log_sum_exp", "max", "min", "softmax", "normalize", "first"];

impl Program {
    /// The program of a seed.
    pub fn drawn(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        // One function alone adds to what the graph has.
        let by_edges: Vec<bool> = INPUTS.iter().map(|_| dice.chance(50)).collect();
        let has_heads = dice.chance(30);
        let inputs = if has_heads { FIRST_WITHOUT_HEADS } else { INPUTS.len() };
        let of = |is_edge| (0..INPUTS.len()).map(|at| at < inputs && by_edges[at] == is_edge).collect::<Vec<bool>>();
        let mut edge = Draw { dice: dice.fork(), function: Function::default() };
        edge.read(0, Place::Source);
        edge.reads(true, &of(true));
        edge.steps();
        let value = edge.all();
        let (score, level) = (edge.score(value), edge.level(value));
        let total = *dice.pick(&[
            Reduction::Sum,
            Reduction::Product,
            Reduction::Mean,
            Reduction::Least,
            Reduction::Greatest,
            Reduction::Softmax,
        ]);
        let level_by = *dice.pick(&[Reduction::Sum, Reduction::Product, Reduction::Greatest, Reduction::Least]);
        let value = edge.factor(value, total == Reduction::Product);
        let level = edge.factor(level, level_by == Reduction::Product);
        let pool = edge.dice.chance(50).then(|| edge.pool());
        let mut vertex = Draw { dice: dice.fork(), function: Function::default() };
        vertex.brought(Step::Total, false);
        vertex.brought(Step::Level, true);
        vertex.reads(false, &of(false));
        vertex.steps();
        let out = vertex.all();
        Self {
            seed,
            has_heads,
            edge: edge.function,
            is_outward: dice.chance(30),
            total: (total, value),
            score,
            level: (level_by, level),
            pool,
            vertex: (vertex.function, out),
        }
    }
}

struct Draw {
    dice: Dice,
    function: Function,
}

impl Draw {
    fn push(&mut self, step: Step, is_uniform: bool, bound: f64) -> usize {
        self.function.steps.push(step);
        self.function.is_uniform.push(is_uniform);
        self.function.bounds.push(bound);
        let at = self.function.steps.len() - 1;
        if bound > MOST { self.push(Step::Unary("tanh", at), is_uniform, 1.0) } else { at }
    }

    fn read(&mut self, input: usize, place: Place) -> usize {
        self.push(Step::Read(input, place), INPUTS[input].width == Width::Scalar, 1.5)
    }

    /// What edges have brought, which may be great, and what it is bent to.
    fn brought(&mut self, step: Step, is_uniform: bool) {
        let at = self.push(step, is_uniform, MOST);
        self.push(Step::Unary("bend", at), is_uniform, 1.0);
        self.function.bounds[at] = f64::INFINITY;
    }

    /// Reads some of the inputs.
    fn reads(&mut self, is_edge: bool, of_graph: &[bool]) {
        for (number, input) in INPUTS.iter().enumerate() {
            let places: &[Place] = match input.owner {
                Owner::Vertex if input.width == Width::Columns => &[],
                Owner::Vertex if is_edge => &[Place::Source, Place::Destination],
                Owner::Vertex => &[Place::Own],
                Owner::Edge if is_edge => &[Place::Own, Place::Reverse],
                Owner::Graph if of_graph[number] => &[Place::Graph],
                Owner::Table if of_graph[number] && is_edge => &[Place::Own, Place::Source, Place::Destination],
                Owner::Table if of_graph[number] => &[Place::Own],
                _ => &[],
            };
            for place in places {
                if self.dice.chance(50) {
                    self.read(number, *place);
                }
            }
        }
        if of_graph[LIFT] && self.dice.chance(60) {
            let end =
                *self.dice.pick(if is_edge { &[Place::Source, Place::Destination] } else { &[Place::Own] as &[_] });
            self.push(Step::Lift(end), false, f64::INFINITY);
        }
        if of_graph[MATRIX] && self.dice.chance(60) {
            let row = self.any(false);
            let by = *self.dice.pick(&["matvec", "transpose_matvec"]);
            self.push(Step::Matrix(by, row), false, f64::INFINITY);
        }
    }

    /// A value that is the same for all features, or one of any kind.
    fn any(&mut self, is_uniform: bool) -> usize {
        let count = self.function.steps.len();
        let fits = |at: &usize| !is_uniform || self.function.is_uniform[*at];
        let known: Vec<usize> = (0..count).filter(fits).filter(|at| self.function.bounds[*at] <= MOST).collect();
        if known.is_empty() {
            let eighths = self.dice.between(1, 12) as i32 - 6;
            return self.push(Step::Number(eighths), true, 1.0);
        }
        *self.dice.pick(&known)
    }

    fn steps(&mut self) {
        for _ in 0..STEPS {
            let (a, b) = (self.any(false), self.any(false));
            match self.dice.below(10) {
                0..=2 => {
                    let name = *self.dice.pick(&UNARY);
                    self.unary(name, a);
                }
                3..=5 => {
                    let operator = *self.dice.pick(&BINARY);
                    self.binary(operator, a, b);
                }
                6 | 7 => self.choice(a, b),
                _ => {
                    let name = *self.dice.pick(&TOGETHER);
                    let differs = matches!(name, "softmax" | "normalize");
                    self.push(Step::Together(name, a, b), !differs, f64::INFINITY);
                }
            }
        }
    }

    fn unary(&mut self, name: &'static str, a: usize) -> usize {
        let (is_uniform, bound) = (self.function.is_uniform[a], self.function.bounds[a]);
        let bound = match name {
            "half_exp" => (0.5 * bound).exp(),
            "root" => 1.0 + bound,
            "square" => bound * bound,
            "abs" | "negate" => bound,
            _ => 1.0,
        };
        self.push(Step::Unary(name, a), is_uniform, bound)
    }

    fn binary(&mut self, operator: &'static str, a: usize, b: usize) -> usize {
        let is_uniform = self.function.is_uniform[a] && self.function.is_uniform[b];
        let (first, second) = (self.function.bounds[a], self.function.bounds[b]);
        let bound = match operator {
            "+" | "-" => first + second,
            "*" => first * second,
            "/" => first,
            _ => first.max(second),
        };
        self.push(Step::Binary(operator, a, b), is_uniform, bound)
    }

    fn choice(&mut self, a: usize, b: usize) {
        let (c, d) = (self.any(false), self.any(false));
        let all = [a, b, c, d];
        let is_uniform = all.iter().all(|at| self.function.is_uniform[*at]);
        let (first, second) = (self.function.bounds[c], self.function.bounds[d]);
        if self.dice.chance(50) {
            self.push(Step::Choice(all), is_uniform, first.max(second));
        } else {
            self.push(Step::Change(all), is_uniform, first * second.max(1.0));
        }
    }

    /// A value that all come to which come to no other.
    fn all(&mut self) -> usize {
        let count = self.function.steps.len();
        let used: Vec<usize> = self.function.steps.iter().flat_map(Step::arguments).collect();
        let bounded = |at: &usize| self.function.bounds[*at] <= MOST;
        let rest: Vec<usize> = (0..count).filter(|at| !used.contains(at)).filter(bounded).collect();
        let first = rest.last().copied().unwrap_or(0);
        rest.iter().rev().skip(1).fold(first, |all, at| {
            let operator = *self.dice.pick(&["+", "-", "*"]);
            self.binary(operator, all, *at)
        })
    }

    fn pool(&mut self) -> Pool {
        let by = *self.dice.pick(&[Reduction::Sum, Reduction::Least, Reduction::Greatest]);
        let place = *self.dice.pick(&[Place::Own, Place::Source, Place::Destination]);
        Pool { by, value: self.any(false), place }
    }

    fn score(&mut self, value: usize) -> usize {
        let other = self.any(false);
        let product = self.binary("*", value, other);
        self.unary("sin", product)
    }

    /// A number that is the same for all features.
    fn level(&mut self, value: usize) -> usize {
        let other = self.any(false);
        let product = self.binary("-", other, value);
        self.push(Step::Together("mean", product, product), true, f64::INFINITY)
    }

    /// A value as a factor near 1 if it is one.
    fn factor(&mut self, value: usize, is_factor: bool) -> usize {
        if !is_factor {
            return value;
        }
        let is_uniform = self.function.is_uniform[value];
        self.push(Step::Unary("factor", value), is_uniform, 1.5)
    }
}
