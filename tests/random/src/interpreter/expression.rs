//! The value of an expression, for all features side by side.

use crate::expression::{Binary, Expression, Numbered, Unary, Whole};
use crate::float::Float;
use crate::interpreter::frame::{At, Frame};
use crate::interpreter::operation;
use crate::limits::{bound, tame};
use crate::value::Value;

impl Frame<'_> {
    /// What an expression has, by feature.
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Vec<Value> {
        match expression {
            Expression::Number(number) => self.all(Value::Float(Float::new(*number))),
            Expression::Flag(flag) => self.all(Value::Flag(*flag)),
            Expression::Count(count) => self.all(Value::Count(*count)),
            Expression::Read(access) => self.read(*access),
            Expression::Variable(name) => self.variable(name),
            Expression::Feature(divisor) => (0..self.lanes).map(|lane| Value::Count(lane as u32 % divisor)).collect(),
            Expression::Width => self.all(Value::Float(Float::new(self.features as f64))),
            Expression::Remainder(of, divisor) => self.all(Value::Count(self.number(*of) as u32 % divisor)),
            Expression::Unary(of, value) => self.evaluate(value).iter().map(|value| unary(*of, value)).collect(),
            Expression::Binary(of, values) => self.pairs(values, |left, right| binary(*of, left, right)),
            Expression::Choose(values) => self.chosen(values),
            Expression::Match(count, arms) => self.matched(count, arms),
            Expression::Operation(of, arguments) => {
                let arguments: Vec<Vec<Value>> = arguments.iter().map(|argument| self.evaluate(argument)).collect();
                operation::apply(*of, &arguments)
            }
            Expression::Block(statements, value) => {
                let depth = self.variables.len();
                self.statements(statements, &vec![true; self.lanes]);
                let values = self.evaluate(value);
                self.variables.truncate(depth);
                values
            }
            Expression::Apply(parameter, values) => self.applied(parameter, values),
            Expression::Own(of) => self.all(Value::Count(self.number(*of) as u32)),
            Expression::Gather(property, index) => self.gathered(*property, index),
            Expression::Byte(byte) => self.all(Value::Byte(*byte)),
            Expression::Whole(of, values) => self.pairs(values, |left, right| whole(*of, left, right)),
        }
    }

    fn all(&self, value: Value) -> Vec<Value> {
        vec![value; self.lanes]
    }

    /// What a property has at vertices, or in rows of a table, that were computed.
    fn gathered(&mut self, property: usize, index: &Expression) -> Vec<Value> {
        let numbers = self.evaluate(index).into_iter().enumerate();
        numbers.map(|(lane, number)| self.elsewhere(property, number.count() as usize, lane)).collect()
    }

    fn number(&self, of: Numbered) -> usize {
        match (self.at, of) {
            (At::Vertex(vertex), _) => vertex,
            (At::Edge(edge), Numbered::Source) => edge.source,
            (At::Edge(edge), Numbered::Destination) => edge.destination,
            (At::Edge(edge), _) => edge.number,
        }
    }

    fn pairs(&mut self, values: &[Expression; 2], of: impl Fn(&Value, &Value) -> Value) -> Vec<Value> {
        let (left, right) = (self.evaluate(&values[0]), self.evaluate(&values[1]));
        left.iter().zip(&right).map(|(left, right)| of(left, right)).collect()
    }

    fn chosen(&mut self, values: &[Expression; 3]) -> Vec<Value> {
        let [holds, yes, no] = values.each_ref().map(|value| self.evaluate(value));
        (0..self.lanes).map(|lane| if holds[lane].flag() { yes[lane].clone() } else { no[lane].clone() }).collect()
    }

    fn matched(&mut self, count: &Expression, arms: &[Expression]) -> Vec<Value> {
        let count = self.evaluate(count);
        let arms: Vec<Vec<Value>> = arms.iter().map(|arm| self.evaluate(arm)).collect();
        let last = arms.len() - 1;
        (0..self.lanes).map(|lane| arms[last.min(count[lane].whole() as usize)][lane].clone()).collect()
    }

    fn applied(&mut self, parameter: &str, values: &[Expression; 2]) -> Vec<Value> {
        let [body, argument] = values;
        let argument = self.evaluate(argument);
        self.variables.push((parameter.to_string(), argument));
        let values = self.evaluate(body);
        self.variables.pop();
        values
    }
}

fn unary(of: Unary, value: &Value) -> Value {
    match of {
        Unary::Negate => value.map(Float::negated),
        Unary::Not => Value::Flag(!value.flag()),
        Unary::Abs => value.map(Float::abs),
        Unary::Tame => value.map(|float| float.exactly(tame)),
        Unary::Bound => value.map(|float| Float { value: bound(float.value), ..float }),
        Unary::Sqrt => value.map(Float::sqrt),
        Unary::Exp => value.map(Float::exp),
        Unary::Ln => value.map(Float::ln),
        // The nearest single float, which is exact.
        Unary::Float => Value::Float(Float::new(f64::from(value.whole() as f32))),
        Unary::Whole if value.is_whole() => Value::Count(value.whole()),
        Unary::Whole => Value::Count(floor(value.float())),
        Unary::Byte => Value::Byte(value.whole() as u8),
    }
}

fn binary(of: Binary, left: &Value, right: &Value) -> Value {
    match of {
        Binary::Add => left.zip(right, Float::plus),
        Binary::Subtract => left.zip(&right.map(Float::negated), Float::plus),
        Binary::Multiply => left.zip(right, Float::times),
        Binary::Scale => left.map(|float| float.times(right.float())),
        Binary::Divide => left.zip(right, Float::divided_by),
        Binary::Least => left.zip(right, Float::least),
        Binary::Greatest | Binary::Greater => left.zip(right, Float::greatest),
        Binary::Less => compared(left, right, f64::lt),
        Binary::More => compared(left, right, f64::gt),
        Binary::AtMost => compared(left, right, f64::le),
        Binary::Equal => compared(left, right, f64::eq),
        Binary::Differs => compared(left, right, f64::ne),
        Binary::And => Value::Flag(left.flag() && right.flag()),
        Binary::Or => Value::Flag(left.flag() || right.flag()),
    }
}

/// The whole part, cut off at the ends of a `u32`.
fn floor(float: Float) -> u32 {
    assert!(float.is_exact(), "{float:?} decides: the generator lets only exact numbers do so");
    float.value as u32
}

fn compared(left: &Value, right: &Value, of: impl Fn(&f64, &f64) -> bool) -> Value {
    if left.is_whole() {
        return Value::Flag(of(&f64::from(left.whole()), &f64::from(right.whole())));
    }
    Value::Flag(left.float().compared(right.float(), of))
}

/// Of two whole numbers of a type, or of one and how far it is shifted.
pub(super) fn whole(of: Whole, left: &Value, right: &Value) -> Value {
    let (a, b) = (left.whole(), right.whole());
    // What is computed in 32 bits has the lowest ones of what eight bits would have.
    left.like(match of {
        Whole::Add => a.wrapping_add(b),
        Whole::Subtract => a.wrapping_sub(b),
        Whole::Multiply => a.wrapping_mul(b),
        Whole::And => a & b,
        Whole::Or => a | b,
        Whole::Exclusive => a ^ b,
        Whole::Least => a.min(b),
        Whole::Greatest => a.max(b),
        Whole::Quotient => a / b.max(1),
        Whole::Rest => a % b.max(1),
        Whole::Left => a << b,
        Whole::Right => a >> b,
    })
}
