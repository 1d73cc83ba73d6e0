//! Values that are computed: literals, operators, methods and operations, and what their results mean.

use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprLit, ExprMethodCall, ExprUnary, Lit, UnOp};

use super::Sources;
use super::value::{Condition, Meaning, Pair, Value};
use super::walk::Walk;
use crate::check::operation::{Operation, called_by};
use crate::parse::access::bare;

impl Walk<'_> {
    pub(super) fn literal(&mut self, literal: &ExprLit) -> Value {
        let meaning = match &literal.lit {
            Lit::Bool(value) => Meaning::Condition(if value.value { Condition::True } else { Condition::False }),
            Lit::Float(value) if value.base10_parse::<f64>().is_ok_and(|value| value == 0.0) => Meaning::Zero,
            _ => Meaning::Other,
        };
        let value = self.fresh(Sources::new(), meaning);
        self.decided(value, Vec::new())
    }

    pub(super) fn unary(&mut self, unary: &ExprUnary) -> Value {
        let value = self.value(&unary.expr);
        let operand = value.number;
        let meaning = match (&unary.op, value.meaning) {
            (UnOp::Deref(_), meaning) => return Value { meaning, ..value },
            (UnOp::Not(_), Meaning::Condition(condition)) => negated(condition),
            (UnOp::Neg(_), Meaning::Difference((a, b))) => Meaning::Difference((b, a)),
            _ => Meaning::Other,
        };
        let result = self.linear(value.sources, value.linear, meaning);
        self.decided(result, vec![operand])
    }

    pub(super) fn binary(&mut self, binary: &ExprBinary) -> Value {
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            self.check_lazy(&binary.right);
        }
        let (a, b) = (self.value(&binary.left), self.value(&binary.right));
        let operands = vec![a.number, b.number];
        let meaning = meaning_of(&binary.op, &a, &b);
        let sources = a.sources.union(&b.sources).cloned().collect();
        let linear = match &binary.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) => a.linear.union(&b.linear).cloned().collect(),
            BinOp::Div(_) => a.linear,
            _ => Sources::new(),
        };
        let result = self.linear(sources, linear, meaning);
        self.decided(result, operands)
    }

    pub(super) fn call(&mut self, call: &ExprCall) -> Value {
        let names = self.names();
        let arguments: Vec<Value> = call.args.iter().map(|argument| self.value(argument)).collect();
        if let Some((operation, _, _)) = called_by(call, &names) {
            return self.operate(operation, arguments);
        }
        if let Some(function) = float_function(&call.func) {
            return self.computed(&function, arguments);
        }
        // A closure comes from what it has captured.
        let mut sources = self.value(&call.func).sources;
        sources.extend(arguments.into_iter().flat_map(|argument| argument.sources));
        self.fresh(sources, Meaning::Other)
    }

    pub(super) fn method(&mut self, call: &ExprMethodCall) -> Value {
        let receiver = self.value(&call.receiver);
        let arguments = call.args.iter().map(|argument| self.value(argument));
        let values: Vec<Value> = std::iter::once(receiver).chain(arguments.collect::<Vec<_>>()).collect();
        let name = call.method.to_string();
        let is_even = matches!(call.args.first(), Some(Expr::Lit(power)) if is_even(&power.lit));
        let name = if name == "powi" && is_even { "square" } else { &name };
        self.computed(name, values)
    }

    /// The result of a method of floats.
    fn computed(&mut self, method: &str, values: Vec<Value>) -> Value {
        let first = values.first().map(Value::differences).unwrap_or_default();
        let distances: Vec<Pair> = values.iter().flat_map(|value| value.distance().iter().copied()).collect();
        let meaning = match method {
            "abs" | "square" => distance(first),
            "sqrt" | "max" => distance(distances),
            _ => Meaning::Other,
        };
        let passes = matches!(method, "abs" | "square" | "powi" | "max" | "mul_add" | "sqrt");
        self.combined(values, passes, meaning)
    }

    /// What comes from all of these, by additions and multiplications if it `passes` infinities on.
    fn combined(&mut self, values: Vec<Value>, passes: bool, meaning: Meaning) -> Value {
        let operands = values.iter().map(|value| value.number).collect();
        let linear = values.iter().filter(|_| passes).flat_map(|value| value.linear.iter().cloned()).collect();
        let sources = values.into_iter().flat_map(|value| value.sources).collect();
        let result = self.linear(sources, linear, meaning);
        self.decided(result, operands)
    }

    /// The result of a collaborative operation.
    fn operate(&mut self, operation: Operation, mut values: Vec<Value>) -> Value {
        use Operation::{Any, Dot, Max, Norm2, Product, Sum};
        // A value that differs between features counts as true if it is true for any.
        if operation == Any {
            return values.remove(0);
        }
        let is_square = values.len() == 2 && values[0].number == values[1].number;
        let meaning = match operation {
            Sum | Max => distance(values[0].distance().to_vec()),
            Norm2 => distance(values[0].differences()),
            Dot if is_square => distance(values[0].differences()),
            _ => Meaning::Other,
        };
        self.combined(values, matches!(operation, Sum | Product | Max | Norm2 | Dot), meaning)
    }
}

fn distance(pairs: Vec<Pair>) -> Meaning {
    if pairs.is_empty() { Meaning::Other } else { Meaning::Distance(pairs) }
}

fn is_even(power: &Lit) -> bool {
    matches!(power, Lit::Int(power) if power.base10_parse::<u32>().is_ok_and(|power| power > 0 && power.is_multiple_of(2)))
}

/// `f32::abs` and its like.
fn float_function(function: &Expr) -> Option<String> {
    let Expr::Path(path) = bare(function) else { return None };
    let segments = &path.path.segments;
    (segments.len() == 2 && segments[0].ident == "f32").then(|| segments[1].ident.to_string())
}

fn negated(condition: Condition) -> Meaning {
    match condition {
        Condition::True => Meaning::Condition(Condition::False),
        Condition::False => Meaning::Condition(Condition::True),
        Condition::Near(pairs) => Meaning::Condition(Condition::Differs(pairs)),
        _ => Meaning::Other,
    }
}

fn meaning_of(operator: &BinOp, a: &Value, b: &Value) -> Meaning {
    let both = || (Box::new(a.clone()), Box::new(b.clone()));
    match operator {
        BinOp::Sub(_) => Meaning::Difference((a.number, b.number)),
        BinOp::Add(_) if !a.distance().is_empty() && !b.distance().is_empty() => {
            distance([a.distance(), b.distance()].concat())
        }
        BinOp::Mul(_) if a.number == b.number => distance(a.differences()),
        BinOp::Div(_) => distance(a.distance().to_vec()),
        BinOp::Gt(_) | BinOp::Ge(_) => compared(a, b),
        BinOp::Lt(_) | BinOp::Le(_) => compared(b, a),
        BinOp::Ne(_) => Meaning::Condition(Condition::Differs(equal(a, b))),
        BinOp::Eq(_) => Meaning::Condition(Condition::Near(equal(a, b))),
        BinOp::Or(_) | BinOp::BitOr(_) => {
            let (a, b) = both();
            Meaning::Condition(Condition::Either(a, b))
        }
        BinOp::And(_) | BinOp::BitAnd(_) => {
            let (a, b) = both();
            Meaning::Condition(Condition::Both(a, b))
        }
        _ => Meaning::Other,
    }
}

/// What it says that the first is greater than the second.
fn compared(greater: &Value, less: &Value) -> Meaning {
    match (greater.distance(), less.distance()) {
        ([], []) => Meaning::Other,
        (pairs, []) => Meaning::Condition(Condition::Differs(pairs.to_vec())),
        ([], pairs) => Meaning::Condition(Condition::Near(pairs.to_vec())),
        _ => Meaning::Other,
    }
}

/// The pairs that are the same where two values are.
fn equal(a: &Value, b: &Value) -> Vec<Pair> {
    let zero = |zero: &Value, other: &Value| {
        if matches!(zero.meaning, Meaning::Zero) { other.differences() } else { Vec::new() }
    };
    let mut pairs = vec![(a.number, b.number)];
    pairs.extend(zero(a, b));
    pairs.extend(zero(b, a));
    pairs
}
