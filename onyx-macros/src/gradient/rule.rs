//! The derivative of each operator: what an adjoint of its value adds to the adjoints of its arguments.

use crate::gradient::call;
use crate::gradient::matrix::{self, of_matrix, of_vector};
use crate::gradient::name::ident;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Id, Operator, Step, placeholder};

/// What is added to the adjoint of one argument, by its number.
pub type Share = (usize, Id);

/// Methods of floats with a rule, and their number of arguments.
const METHODS: [(&str, usize); 19] = [
    ("abs", 1),
    ("clamp", 3),
    ("cos", 1),
    ("exp", 1),
    ("exp2", 1),
    ("fract", 1),
    ("ln", 1),
    ("log2", 1),
    ("max", 2),
    ("min", 2),
    ("mul_add", 3),
    ("powf", 2),
    ("powi", 2),
    ("recip", 1),
    ("sin", 1),
    ("sqrt", 1),
    ("tan", 1),
    ("tanh", 1),
    ("to_radians", 1),
];

/// Methods of floats whose derivative is zero wherever there is one, or whose value is no float.
const CONSTANT_METHODS: [&str; 17] = [
    "ceil",
    "classify",
    "eq",
    "floor",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_normal",
    "is_sign_negative",
    "is_sign_positive",
    "le",
    "lt",
    "round",
    "signum",
    "to_bits",
    "total_cmp",
    "trunc",
];

/// Whether a method of a float has a derivative that is known.
pub fn has_rule(method: &str, arguments: usize) -> bool {
    METHODS.contains(&(method, arguments))
}

/// Whether what a method returns does not vary.
pub fn is_constant_method(method: &str) -> bool {
    CONSTANT_METHODS.contains(&method)
}

/// The shares of the arguments in the adjoint `g` of a step's value; an error text where there is no rule.
pub fn shares(tape: &mut Tape, step: &Step, g: Id) -> Result<Vec<Share>, String> {
    let Step { id, operator, arguments } = step;
    let a = arguments.clone();
    Ok(match operator {
        Operator::Negate => vec![(0, tape.negate(g))],
        Operator::Add => vec![(0, g), (1, g)],
        Operator::Subtract => vec![(0, g), (1, tape.negate(g))],
        Operator::Multiply if matrix::is_scaled(tape, &a) => return matrix::scaled(tape, g, &a),
        Operator::Divide if matrix::is_scaled(tape, &a) => return matrix::divided(tape, g, *id, &a),
        Operator::Multiply => vec![(0, product(tape, g, a[1], a[0])), (1, product(tape, g, a[0], a[1]))],
        Operator::Divide => quotient(tape, g, *id, &a),
        Operator::Method(name) => method(tape, name, g, *id, &a),
        Operator::Operation(name) => return operation(tape, name, g, *id, &a),
        Operator::Call(_, given) => call::shares(tape, given, (g, *id), &a),
        Operator::Unknown(_, reason) => return Err(reason.clone()),
        Operator::Read(_) | Operator::Code(_) | Operator::Number(_) | Operator::Choice(_) => Vec::new(),
    })
}

/// `g * factor`, if the argument that it is the share of varies.
fn product(tape: &mut Tape, g: Id, factor: Id, of: Id) -> Id {
    if tape.varies(of) { tape.multiply(g, factor) } else { g }
}

fn quotient(tape: &mut Tape, g: Id, value: Id, a: &[Id]) -> Vec<Share> {
    let first = tape.divide(g, a[1]);
    let second = tape.multiply(first, value);
    vec![(0, first), (1, tape.negate(second))]
}

fn method(tape: &mut Tape, name: &str, g: Id, value: Id, a: &[Id]) -> Vec<Share> {
    match name {
        "max" => greater(tape, g, a[0], a[1], ">"),
        "min" => greater(tape, g, a[0], a[1], "<"),
        "clamp" => clamp(tape, g, a),
        "mul_add" => vec![(0, tape.multiply(g, a[1])), (1, tape.multiply(g, a[0])), (2, g)],
        "powf" => power(tape, g, value, a),
        _ => vec![(0, of_one(tape, name, g, value, a))],
    }
}

/// The share of the only argument that varies.
fn of_one(tape: &mut Tape, name: &str, g: Id, value: Id, a: &[Id]) -> Id {
    match name {
        "abs" => absolute(tape, g, a[0]),
        "exp" => tape.multiply(g, value),
        "exp2" => scaled(tape, g, value, std::f32::consts::LN_2),
        "ln" => tape.divide(g, a[0]),
        "log2" => {
            let natural = tape.divide(g, a[0]);
            constant_times(tape, natural, std::f32::consts::LOG2_E)
        }
        "sqrt" => {
            let half = constant_times(tape, g, 0.5);
            tape.divide(half, value)
        }
        "recip" => {
            let square = tape.multiply(value, value);
            let product = tape.multiply(g, square);
            tape.negate(product)
        }
        "sin" => with_method(tape, g, "cos", a[0]),
        "cos" => {
            let sine = with_method(tape, g, "sin", a[0]);
            tape.negate(sine)
        }
        "tan" => with_square(tape, g, value, true),
        "tanh" => with_square(tape, g, value, false),
        "to_radians" => constant_times(tape, g, std::f32::consts::PI / 180.0),
        "powi" => integer_power(tape, g, a),
        _ => g,
    }
}

fn constant_times(tape: &mut Tape, g: Id, factor: f32) -> Id {
    let factor = tape.number(factor);
    tape.multiply(g, factor)
}

fn scaled(tape: &mut Tape, g: Id, value: Id, factor: f32) -> Id {
    let product = tape.multiply(g, value);
    constant_times(tape, product, factor)
}

fn with_method(tape: &mut Tape, g: Id, method: &str, of: Id) -> Id {
    let factor = tape.method(method, vec![of]);
    tape.multiply(g, factor)
}

/// `g * (1 + value * value)`, or with a minus.
fn with_square(tape: &mut Tape, g: Id, value: Id, is_sum: bool) -> Id {
    let (one, square) = (tape.number(1.0), tape.multiply(value, value));
    let factor = if is_sum { tape.add(one, square) } else { tape.subtract(one, square) };
    tape.multiply(g, factor)
}

/// The greater argument has all of it, equal ones have half each.
fn greater(tape: &mut Tape, g: Id, a: Id, b: Id, comparison: &str) -> Vec<Share> {
    vec![(0, taken(tape, g, a, b, comparison)), (1, taken(tape, g, b, a, comparison))]
}

fn taken(tape: &mut Tape, g: Id, own: Id, other: Id, comparison: &str) -> Id {
    if !tape.varies(own) {
        return g;
    }
    let (zero, half) = (tape.number(0.0), constant_times(tape, g, 0.5));
    let (is_taken, is_equal) = (tape.compare(own, comparison, other), tape.compare(own, "==", other));
    let rest = tape.select(is_equal, half, zero);
    tape.select(is_taken, g, rest)
}

/// What is between the bounds, or is one of them, has all of it.
fn clamp(tape: &mut Tape, g: Id, a: &[Id]) -> Vec<Share> {
    let zero = tape.number(0.0);
    let (below, above) = (tape.compare(a[0], "<", a[1]), tape.compare(a[2], "<", a[0]));
    let inside = tape.select(above, zero, g);
    let own = tape.select(below, zero, inside);
    let low = tape.select(below, g, zero);
    let high = tape.select(above, g, zero);
    vec![(0, own), (1, low), (2, high)]
}

fn absolute(tape: &mut Tape, g: Id, a: Id) -> Id {
    let (zero, negative) = (tape.number(0.0), tape.negate(g));
    let (is_below, is_above) = (tape.compare(a, "<", zero), tape.compare(a, ">", zero));
    let rest = tape.select(is_below, negative, zero);
    tape.select(is_above, g, rest)
}

/// `g * n * a^(n - 1)`; nothing where `n` is 0, whatever `a` is.
fn integer_power(tape: &mut Tape, g: Id, a: &[Id]) -> Id {
    let number = placeholder(a[1]);
    let uniform = tape.is_uniform(a[1]);
    let one_less: syn::Expr = match tape.literal(a[1]) {
        Some(0.0) => return tape.number(0.0),
        Some(_) => syn::parse_quote!(#number - 1),
        None => syn::parse_quote!(#number - (#number != 0) as i32),
    };
    let less = tape.push_as(Operator::Code(Box::new(one_less)), vec![a[1]], false, uniform);
    let factor = tape.push_as(Operator::Code(Box::new(syn::parse_quote!(#number as f32))), vec![a[1]], false, uniform);
    let (scaled, power) = (tape.multiply(g, factor), tape.method("powi", vec![a[0], less]));
    tape.multiply(scaled, power)
}

/// `g * b * a^(b - 1)`, nothing where `b` is 0; and `g * a^b * ln a`, nothing where `a` is 0.
fn power(tape: &mut Tape, g: Id, value: Id, a: &[Id]) -> Vec<Share> {
    let mut shares = Vec::new();
    if tape.varies(a[0]) {
        let one = tape.number(1.0);
        let (less, scaled) = (tape.push(Operator::Subtract, vec![a[1], one]), tape.multiply(g, a[1]));
        let power = tape.method("powf", vec![a[0], less]);
        let share = tape.multiply(scaled, power);
        shares.push((0, unless_zero(tape, a[1], share)));
    }
    if tape.varies(a[1]) {
        let (scaled, logarithm) = (tape.multiply(g, value), tape.method("ln", vec![a[0]]));
        let share = tape.multiply(scaled, logarithm);
        shares.push((1, unless_zero(tape, a[0], share)));
    }
    shares
}

/// A share, and 0 where `number` is 0.
fn unless_zero(tape: &mut Tape, number: Id, share: Id) -> Id {
    let zero = tape.number(0.0);
    match tape.literal(number) {
        Some(0.0) => zero,
        Some(_) => share,
        None => {
            let is_zero = tape.compare(number, "==", zero);
            tape.select(is_zero, zero, share)
        }
    }
}

/// The shares in a collaborative operation, one of each feature.
fn operation(tape: &mut Tape, name: &str, g: Id, value: Id, a: &[Id]) -> Result<Vec<Share>, String> {
    Ok(match name {
        "sum" => vec![(0, g)],
        "dot" => vec![(0, product(tape, g, a[1], a[0])), (1, product(tape, g, a[0], a[1]))],
        "product" => vec![(0, factors(tape, g, a[0]))],
        "min" | "max" => vec![(0, extreme(tape, g, value, a[0]))],
        "norm2" => vec![(0, norm(tape, g, value, a[0]))],
        "log_sum_exp" => {
            let difference = tape.push(Operator::Subtract, vec![a[0], value]);
            vec![(0, with_method(tape, g, "exp", difference))]
        }
        "softmax" => {
            let mean = tape.operation("dot", vec![g, value], false);
            let difference = tape.push(Operator::Subtract, vec![g, mean]);
            vec![(0, tape.multiply(value, difference))]
        }
        "normalize" => vec![(0, normalized(tape, g, value, a[0]))],
        "broadcast" => vec![(0, broadcast(tape, g, a[1]))],
        "outer" => vec![of_vector(tape, "matvec", 0, g, a[1]), of_vector(tape, "transpose_matvec", 1, g, a[0])],
        "matvec" => vec![of_matrix(tape, g, a[1]), of_vector(tape, "transpose_matvec", 1, a[0], g)],
        "transpose_matvec" => vec![of_matrix(tape, a[1], g), of_vector(tape, "matvec", 1, a[0], g)],
        "solve" => matrix::solution(tape, g, value, a[0]),
        "diagonal" => return matrix::diagonal(tape, g),
        "inverse" => return matrix::inverse(tape, g, value, a[0]),
        _ => return Err(crate::message::no_derivative(name)),
    })
}

/// Each factor has the product of the others, which is 0 where one of them is.
fn factors(tape: &mut Tape, g: Id, a: Id) -> Id {
    let (zero, one) = (tape.number(0.0), tape.number(1.0));
    let is_zero = tape.compare(a, "==", zero);
    let (counted, factor) = (tape.select(is_zero, one, zero), tape.select(is_zero, one, a));
    let zeros = tape.operation("sum", vec![counted], false);
    let rest = tape.operation("product", vec![factor], false);
    let others = tape.subtract(zeros, counted);
    let is_free = tape.compare(others, "==", zero);
    let without = tape.divide(rest, factor);
    let share = tape.multiply(g, without);
    tape.select(is_free, share, zero)
}

/// The features that have the least or greatest value share it.
fn extreme(tape: &mut Tape, g: Id, value: Id, a: Id) -> Id {
    let (zero, one, is_one) = (tape.number(0.0), tape.number(1.0), tape.compare(a, "==", value));
    let counted = tape.select(is_one, one, zero);
    let count = tape.operation("sum", vec![counted], false);
    let share = tape.divide(g, count);
    tape.select(is_one, share, zero)
}

fn norm(tape: &mut Tape, g: Id, value: Id, a: Id) -> Id {
    let zero = tape.number(0.0);
    let is_positive = tape.compare(value, ">", zero);
    let direction = tape.divide(a, value);
    let share = tape.multiply(g, direction);
    tape.select(is_positive, share, zero)
}

fn normalized(tape: &mut Tape, g: Id, value: Id, a: Id) -> Id {
    let (zero, total) = (tape.number(0.0), tape.operation("sum", vec![a], false));
    let mean = tape.operation("dot", vec![g, value], false);
    let difference = tape.push(Operator::Subtract, vec![g, mean]);
    let (share, is_zero) = (tape.divide(difference, total), tape.compare(total, "==", zero));
    tape.select(is_zero, g, share)
}

fn broadcast(tape: &mut Tape, g: Id, feature: Id) -> Id {
    let (zero, number, own) = (tape.number(0.0), placeholder(feature), ident("f"));
    let code = syn::parse_quote!(#own.index() == #number);
    let is_own = tape.push_as(Operator::Code(Box::new(code)), vec![feature], false, false);
    tape.select(is_own, g, zero)
}
