//! Prints programs as functions over the structures `Smooth` and `Many`, and a fold of them.

use super::Program;
use super::input::{INPUTS, Owner, Width};
use super::step::{Function, Place, Reduction, Step};

impl Program {
    /// What the fold is called.
    pub fn name(&self) -> String {
        format!("smooth_{}", self.seed)
    }

    /// The functions and the fold.
    pub fn source(&self) -> String {
        let (name, (vertex, out)) = (self.name(), &self.vertex);
        let end = if self.is_outward { "e.src" } else { "e.dst" };
        let total = match self.total {
            (Reduction::Softmax, value) => {
                let score = self.score;
                format!(
                    "    d.total[{end}][f].softmax_add(v{score}, v{value});\n    d.log_sum[{end}][f].log_sum_exp_with(v{score});\n"
                )
            }
            (by, value) => format!("    d.total[{end}][f]{};\n", by.written(value)),
        };
        let level = format!("    d.level[{end}]{};\n", self.level.0.written(self.level.1));
        let (widths, data) = if self.has_heads {
            ("const K: usize", "Many<K>")
        } else {
            ("const K: usize, const J: usize", "Smooth<K, J>")
        };
        let head = |kind: &str, element: &str| {
            format!(
                "#[{kind}_fn]\npub fn {kind}_{}<{widths}>(f: Feature, {element}, d: &mut {data}) -> bool {{\n",
                self.seed
            )
        };
        let gradient: Vec<&str> = self.asked().into_iter().map(|input| INPUTS[input].name).collect();
        format!(
            "{}{}{total}{level}    true\n}}\n\n{}{}    d.out[v][f] = v{out};\n    true\n}}\n\n\
             foldmap! {{ pub {name}<{widths}>({data}) = [edge_{seed}, vertex_{seed}]; features = [4]; gradient = [{}] }}\n",
            head("edge", "e: Edge"),
            self.edge.source("e"),
            head("vertex", "v: Vertex"),
            vertex.source("v"),
            gradient.join(", "),
            seed = self.seed,
        )
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
    fn source(&self, element: &str) -> String {
        self.steps.iter().enumerate().map(|(at, step)| format!("    {}\n", step.source(at, element))).collect()
    }
}

impl Step {
    fn source(&self, at: usize, element: &str) -> String {
        if let Self::Change([a, b, c, d]) = self {
            return format!("let mut v{at} = v{c};\n    if v{a} < v{b} {{\n        v{at} *= v{d};\n    }}");
        }
        format!("let v{at} = {};", self.expression(element))
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
        (Owner::Table, Place::Own) if element == "e" => "[d.kind[e]]".to_owned(),
        (Owner::Table, _) => format!("[d.sort[{index}]]"),
        (_, Place::Graph) => String::new(),
        _ => format!("[{index}]"),
    };
    format!("d.{}{place}{feature}", input.name)
}

fn index(place: Place, element: &str) -> &str {
    match place {
        Place::Source => "e.src",
        Place::Destination => "e.dst",
        Place::Reverse => "e.rev",
        Place::Own | Place::Graph => element,
    }
}
