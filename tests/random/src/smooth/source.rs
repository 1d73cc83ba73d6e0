//! Prints programs as functions over the structures `Smooth` and `Many`, and a fold of them.

use super::input::{INPUTS, Owner, Width};
use super::step::{Function, Place, Reduction, Step};
use super::{Pool, Program};

/// Plain functions of the programs of odd seeds, and what computes their derivatives.
const HELPERS: [(&str, &str); 2] = [("bent", "bent_slope"), ("shared", "shared_slopes")];

impl Program {
    /// What the fold is called.
    pub fn name(&self) -> String {
        format!("smooth_{}", self.seed)
    }

    /// The functions and the fold.
    pub fn source(&self) -> String {
        let (seed, (widths, data)) = (self.seed, self.data());
        let last = self.pool.map(|_| self.function("vertex", "last", LAST)).unwrap_or_default();
        let then = self.pool.map(|_| format!("; last_{seed}")).unwrap_or_default();
        let gradient: Vec<&str> = self.asked().into_iter().map(|input| INPUTS[input].name).collect();
        let functions =
            self.function("edge", "edge", &self.of_edges()) + &self.function("vertex", "vertex", &self.of_vertices());
        format!(
            "{functions}{last}foldmap! {{ pub {}<{widths}>({data}) = [edge_{seed}, vertex_{seed}{then}]; features = [4]; gradient = [{}]{} }}\n",
            self.name(),
            gradient.join(", "),
            derivatives(&functions),
        )
    }

    /// Whether some of its steps are calls of plain functions.
    fn calls(&self) -> bool {
        self.seed % 2 == 1
    }

    /// The widths of the structure, and the structure.
    fn data(&self) -> (&str, &str) {
        if self.has_heads { ("const K: usize", "Many<K>") } else { ("const K: usize, const J: usize", "Smooth<K, J>") }
    }

    fn function(&self, kind: &str, name: &str, body: &str) -> String {
        let (seed, (widths, data)) = (self.seed, self.data());
        let element = if kind == "edge" { "e: Edge" } else { "v: Vertex" };
        format!(
            "#[{kind}_fn]\npub fn {name}_{seed}<{widths}>(f: Feature, {element}, d: &mut {data}) -> bool {{\n{body}    true\n}}\n\n"
        )
    }

    fn of_edges(&self) -> String {
        let (end, score) = (if self.is_outward { "e.src" } else { "e.dst" }, self.score);
        let total = match self.total {
            (Reduction::Softmax, value) => format!(
                "    d.total[{end}][f].softmax_add(v{score}, v{value});\n    d.log_sum[{end}][f].log_sum_exp_with(v{score});\n"
            ),
            (by, value) => format!("    d.total[{end}][f]{};\n", by.written(value)),
        };
        let level = format!("    d.level[{end}]{};\n", self.level.0.written(self.level.1));
        let pool = self.pool.map(Pool::source).unwrap_or_default();
        format!("{}{total}{level}{pool}", self.edge.source("e", self.calls()))
    }

    fn of_vertices(&self) -> String {
        let (function, value) = &self.vertex;
        let out = if self.pool.is_some() { "middle" } else { "out" };
        format!("{}    d.{out}[v][f] = v{value};\n", function.source("v", self.calls()))
    }
}

/// The derivatives of what functions call.
fn derivatives(functions: &str) -> String {
    let called = HELPERS.iter().filter(|(name, _)| functions.contains(&format!("{name}(")));
    let given: Vec<String> = called.map(|(name, slope)| format!("{name} = {slope}")).collect();
    if given.is_empty() { String::new() } else { format!("; derivative = [{}]", given.join(", ")) }
}

/// How what vertices have made is joined with what is in the table.
const LAST: &str = "    let pool = d.pool[d.sort[v]][f];
    let pool = if pool.abs() < 1000.0 { pool } else { 0.0 };
    d.out[v][f] = d.middle[v][f] + (0.25 * pool).tanh();
";

impl Pool {
    fn source(self) -> String {
        format!("    d.pool{}[f]{};\n", row(self.place, "e"), self.by.written(self.value))
    }
}

impl Reduction {
    fn written(self, value: usize) -> String {
        match self {
            Self::Sum => format!(" += v{value}"),
            Self::Product => format!(" *= v{value}"),
            Self::Mean => format!(".mean_with(v{value})"),
            Self::Least => format!(".min_with(v{value})"),
            _ => format!(".max_with(v{value})"),
        }
    }
}

impl Function {
    fn source(&self, element: &str, calls: bool) -> String {
        self.steps.iter().enumerate().map(|(at, step)| format!("    {}\n", step.source(at, element, calls))).collect()
    }
}

impl Step {
    fn source(&self, at: usize, element: &str, calls: bool) -> String {
        if let Self::Change([a, b, c, d]) = self {
            return format!("let mut v{at} = v{c};\n    if v{a} < v{b} {{\n        v{at} *= v{d};\n    }}");
        }
        format!("let v{at} = {};", self.called().filter(|_| calls).unwrap_or_else(|| self.expression(element)))
    }

    /// The call that does the same, if there is one.
    fn called(&self) -> Option<String> {
        match self {
            Self::Unary("bend", a) => Some(format!("bent(v{a})")),
            Self::Binary("/", a, b) => Some(format!("shared(v{a}, v{b})")),
            _ => None,
        }
    }

    fn expression(&self, element: &str) -> String {
        let there = |place: &str| format!("if {place}.abs() < 1000.0 {{ {place} }} else {{ 0.0 }}");
        match self {
            Self::Read(input, place) => read(*input, *place, element),
            Self::Total => there("d.total[v][f]"),
            Self::Level => there("d.level[v]"),
            Self::Number(eighths) => format!("{:?}", f64::from(*eighths) / 8.0),
            Self::Unary(name, a) => match *name {
                "half_exp" => format!("(0.5 * v{a}).exp()"),
                "root" => format!("(1.0 + v{a} * v{a}).sqrt()"),
                "log" => format!("(1.5 + v{a}.tanh()).ln()"),
                "square" => format!("v{a}.powi(2)"),
                "clamp" => format!("v{a}.clamp(-0.5, 0.75)"),
                "negate" => format!("-v{a}"),
                "factor" => format!("1.0 + 0.25 * v{a}.tanh()"),
                "bend" => format!("(0.25 * v{a}).tanh()"),
                name => format!("v{a}.{name}()"),
            },
            Self::Binary(operator, a, b) => match *operator {
                "/" => format!("v{a} / (2.0 + v{b} * v{b})"),
                "max" | "min" => format!("v{a}.{operator}(v{b})"),
                operator => format!("v{a} {operator} v{b}"),
            },
            Self::Choice([a, b, c, d]) => format!("if v{a} < v{b} {{ v{c} }} else {{ v{d} }}"),
            Self::Change(_) => String::new(),
            Self::Together(name, a, b) => match *name {
                "mean" => format!("sum(v{a}) / K as f32"),
                "dot" => format!("dot(v{a}, v{b})"),
                "normalize" => format!("normalize(1.5 + v{a}.tanh())"),
                "first" => format!("broadcast(v{a}, 0)"),
                name => format!("{name}(v{a})"),
            },
            Self::Matrix(by, a) => format!("{by}(d.mix[f], v{a})"),
            Self::Lift(place) => format!("matvec(d.lift[f], d.wide[{}][..])", index(*place, element)),
        }
    }
}

fn read(input: usize, place: Place, element: &str) -> String {
    let input = INPUTS[input];
    let feature = if input.width == Width::Scalar { "" } else { "[f]" };
    let index = index(place, element);
    let place = match (input.owner, place) {
        (Owner::Table, _) => row(place, element),
        (_, Place::Graph) => String::new(),
        _ => format!("[{index}]"),
    };
    format!("d.{}{place}{feature}", input.name)
}

/// The row of a table.
fn row(place: Place, element: &str) -> String {
    match place {
        Place::Own if element == "e" => "[d.kind[e]]".to_owned(),
        _ => format!("[d.sort[{}]]", index(place, element)),
    }
}

fn index(place: Place, element: &str) -> &str {
    match place {
        Place::Source => "e.src",
        Place::Destination => "e.dst",
        Place::Reverse => "e.rev",
        Place::Own | Place::Graph => element,
    }
}
