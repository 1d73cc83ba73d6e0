//! What a program computes, in double precision.

use super::Program;
use super::input::{COLUMNS, INPUTS, KINDS, LIFT, MATRIX, Owner, WIDE, Width};
use super::step::{Function, Place, Reduction, Step};

/// The graph, and how many features there are.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many vertices there are.
    pub vertices: usize,
    /// How many features there are.
    pub features: usize,
    /// The ends of the edges.
    pub edges: Vec<(usize, usize)>,
    /// The edge that runs the other way, of each.
    pub reverses: Vec<usize>,
}

/// The values of all inputs, one row after the other.
pub type Values = [Vec<f64>; INPUTS.len()];

/// One vertex or edge.
#[derive(Clone, Copy)]
struct At<'a> {
    shape: &'a Shape,
    values: &'a Values,
    own: usize,
    /// Of a vertex the vertex itself, twice.
    ends: (usize, usize),
    is_edge: bool,
    /// What has come to the vertex.
    brought: (&'a [f64], f64),
}

impl Shape {
    /// How many numbers an input has.
    pub fn length(&self, input: usize) -> usize {
        let row = self.width(input);
        match INPUTS[input].owner {
            Owner::Vertex => row * self.vertices,
            Owner::Edge => row * self.edges.len(),
            Owner::Graph => row,
            Owner::Matrix => row * row,
            Owner::Lift => row * COLUMNS,
            Owner::Table => row * KINDS,
        }
    }

    /// How many numbers of an input belong together.
    pub fn width(&self, input: usize) -> usize {
        match INPUTS[input].width {
            Width::Scalar => 1,
            Width::Features => self.features,
            Width::Columns => COLUMNS,
        }
    }

    /// The row of the table of an edge, or of a vertex.
    pub fn kind(element: usize, is_edge: bool) -> usize {
        if is_edge { (5 * element + 1) % KINDS } else { element * element % KINDS }
    }
}

impl Program {
    /// The rows of all vertices.
    pub fn computed(&self, shape: &Shape, values: &Values) -> Vec<f64> {
        let (mut incoming, mut rows) = (vec![Vec::new(); shape.vertices], vec![Vec::new(); KINDS]);
        for (edge, ends) in shape.edges.iter().enumerate() {
            let at = At { shape, values, own: edge, ends: *ends, is_edge: true, brought: (&[], 0.0) };
            let brought = self.edge.computed(at);
            if let Some(pool) = self.pool {
                rows[at.row(pool.place)].push(brought[pool.value].clone());
            }
            incoming[if self.is_outward { ends.0 } else { ends.1 }].push(brought);
        }
        let of = |(vertex, edges): (usize, &Vec<Vec<Vec<f64>>>)| {
            let feature = |value: usize, f: usize| edges.iter().map(move |edge| edge[value][f]).collect::<Vec<_>>();
            let total = |f: usize| self.total.0.combined(&feature(self.total.1, f), &feature(self.score, f));
            let total: Vec<f64> = (0..shape.features).map(total).collect();
            let level = self.level.0.combined(&feature(self.level.1, 0), &[]);
            let at =
                At { shape, values, own: vertex, ends: (vertex, vertex), is_edge: false, brought: (&total, level) };
            let values = self.vertex.0.computed(at)[self.vertex.1].clone();
            let Some(pool) = self.pool else { return values };
            let row = &rows[Shape::kind(vertex, false)];
            let pooled = |f: usize| pool.by.combined(&row.iter().map(|row| row[f]).collect::<Vec<f64>>(), &[]);
            values.iter().enumerate().map(|(f, value)| value + (0.25 * pooled(f)).tanh()).collect()
        };
        incoming.iter().enumerate().flat_map(of).collect()
    }
}

impl Reduction {
    /// The total of all values, 0 where there are none but for a product, which is 1.
    fn combined(self, values: &[f64], scores: &[f64]) -> f64 {
        let by = |combine: fn(f64, f64) -> f64| values.iter().copied().reduce(combine).unwrap_or(0.0);
        match self {
            Self::Sum => values.iter().sum(),
            Self::Product => values.iter().product(),
            Self::Mean => values.iter().sum::<f64>() / (values.len() as f64).max(1.0),
            Self::Least => by(f64::min),
            Self::Greatest => by(f64::max),
            Self::Softmax => {
                let weights: f64 = scores.iter().map(|score| score.exp()).sum();
                let weighed: f64 = values.iter().zip(scores).map(|(value, score)| value * score.exp()).sum();
                if weights == 0.0 { 0.0 } else { weighed / weights }
            }
        }
    }
}

impl Function {
    /// The values of all steps, of each feature.
    fn computed(&self, at: At<'_>) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::new();
        for step in &self.steps {
            let row = (0..at.shape.features).map(|f| step.computed(at, &all, f)).collect();
            all.push(row);
        }
        all
    }
}

impl Step {
    fn computed(&self, at: At<'_>, all: &[Vec<f64>], f: usize) -> f64 {
        match self {
            Self::Read(input, place) => at.read(*input, *place, f),
            Self::Total => at.brought.0[f],
            Self::Level => at.brought.1,
            Self::Number(eighths) => f64::from(*eighths) / 8.0,
            Self::Unary(name, a) => unary(name, all[*a][f]),
            Self::Binary(operator, a, b) => binary(operator, all[*a][f], all[*b][f]),
            Self::Choice([a, b, c, d]) => all[if all[*a][f] < all[*b][f] { *c } else { *d }][f],
            Self::Change([a, b, c, d]) => all[*c][f] * if all[*a][f] < all[*b][f] { all[*d][f] } else { 1.0 },
            Self::Together(name, a, b) => together(name, &all[*a], &all[*b], f),
            Self::Lift(place) => {
                let (row, from) = (f * COLUMNS, at.who(*place) * COLUMNS);
                (0..COLUMNS).map(|column| at.values[LIFT][row + column] * at.values[WIDE][from + column]).sum()
            }
            Self::Matrix(by, a) => {
                let count = at.shape.features;
                let entry = |g: usize| if *by == "matvec" { f * count + g } else { g * count + f };
                (0..count).map(|g| at.values[MATRIX][entry(g)] * all[*a][g]).sum()
            }
        }
    }
}

impl At<'_> {
    fn read(self, input: usize, place: Place, f: usize) -> f64 {
        let who = if INPUTS[input].owner == Owner::Table { self.row(place) } else { self.who(place) };
        let (values, width) = (&self.values[input], self.shape.width(input));
        if width == 1 { values[who] } else { values[who * width + f] }
    }

    /// The row of a table.
    fn row(self, place: Place) -> usize {
        Shape::kind(self.who(place), self.is_edge && place == Place::Own)
    }

    fn who(self, place: Place) -> usize {
        match place {
            Place::Source => self.ends.0,
            Place::Destination => self.ends.1,
            Place::Own => self.own,
            Place::Reverse => self.shape.reverses[self.own],
            Place::Graph => 0,
        }
    }
}

fn unary(name: &str, a: f64) -> f64 {
    match name {
        "tanh" => a.tanh(),
        "sin" => a.sin(),
        "cos" => a.cos(),
        "abs" => a.abs(),
        "half_exp" => (0.5 * a).exp(),
        "root" => (1.0 + a * a).sqrt(),
        "log" => (1.5 + a.tanh()).ln(),
        "square" => a * a,
        "clamp" => a.clamp(-0.5, 0.75),
        "factor" => 1.0 + 0.25 * a.tanh(),
        "bend" => (0.25 * a).tanh(),
        _ => -a,
    }
}

fn binary(operator: &str, a: f64, b: f64) -> f64 {
    match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / (2.0 + b * b),
        "max" => a.max(b),
        _ => a.min(b),
    }
}

fn together(name: &str, a: &[f64], b: &[f64], f: usize) -> f64 {
    let sum = |of: fn(f64) -> f64| a.iter().map(|value| of(*value)).sum::<f64>();
    match name {
        "mean" => sum(|value| value) / a.len() as f64,
        "dot" => a.iter().zip(b).map(|(a, b)| a * b).sum(),
        "norm2" => sum(|value| value * value).sqrt(),
        "log_sum_exp" => sum(f64::exp).ln(),
        "max" => a.iter().copied().fold(f64::MIN, f64::max),
        "min" => a.iter().copied().fold(f64::MAX, f64::min),
        "softmax" => a[f].exp() / sum(f64::exp),
        "normalize" => (1.5 + a[f].tanh()) / sum(|value| 1.5 + value.tanh()),
        _ => a[0],
    }
}
