//! Expressions as Rust source.

use crate::expression::{Access, Binary, Expression, Numbered, Place, Unary, Whole};
use crate::limits::TABLE_ROWS;
use crate::program::Program;
use crate::property::Element;
use crate::source::statement;

/// An expression where nothing stands beside it.
pub(super) fn bare(program: &Program, expression: &Expression) -> String {
    match expression {
        Expression::Binary(of, values) if operator(*of).is_some() => infix(program, *of, values),
        Expression::Choose(values) => choice(program, values),
        _ => inner(program, expression),
    }
}

/// An expression as a part of another one.
pub(super) fn inner(program: &Program, expression: &Expression) -> String {
    let print = |expression: &Expression| bare(program, expression);
    match expression {
        Expression::Number(number) if *number < 0.0 => format!("({number:?}_f32)"),
        Expression::Number(number) => format!("{number:?}_f32"),
        Expression::Flag(flag) => flag.to_string(),
        Expression::Count(count) => format!("{count}_u32"),
        Expression::Read(access) => read(program, *access),
        Expression::Variable(name) => name.clone(),
        Expression::Feature(divisor) => format!("(f.index() % {divisor})"),
        Expression::Width => "(K as f32)".to_string(),
        Expression::Remainder(Numbered::Edge, divisor) => format!("((e.id % {divisor}) as u32)"),
        Expression::Remainder(of, divisor) => format!("({} % {divisor})", numbered(*of)),
        Expression::Unary(of, value) => unary(program, *of, value),
        Expression::Binary(of, values) => binary(program, *of, values),
        Expression::Choose(values) => format!("({})", choice(program, values)),
        Expression::Match(count, arms) => matched(program, count, arms),
        Expression::Operation(of, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(print).collect();
            format!("{}({})", of.name(), arguments.join(", "))
        }
        Expression::Block(statements, value) => {
            let mut text = String::from("({\n");
            statement::statements(program, statements, 2, &mut text);
            format!("{text}        {}\n    }})", print(value))
        }
        Expression::Apply(parameter, values) => {
            format!("(|{parameter}: f32| {})({})", inner(program, &values[0]), print(&values[1]))
        }
        Expression::Own(Numbered::Edge) => "(e.id as u32)".to_string(),
        Expression::Own(of) => numbered(*of).to_string(),
        Expression::Gather(property, index) => gather(program, *property, &print(index)),
        Expression::Byte(byte) => format!("{byte}_u8"),
        Expression::Whole(of, values) => whole(program, *of, values),
    }
}

fn numbered(of: Numbered) -> &'static str {
    match of {
        Numbered::Vertex => "v.0",
        Numbered::Edge => "e.id",
        Numbered::Source => "e.src.0",
        Numbered::Destination => "e.dst.0",
    }
}

/// A property at a place.
pub(super) fn read(program: &Program, Access { property, place }: Access) -> String {
    let property = &program.properties[property];
    if property.element.is_inputs() {
        let lift = program.lift().map_or("", |lift| lift.name.as_str());
        return format!("matvec(d.{lift}[f], d.{}{}[..])", property.name, index(place));
    }
    if property.element == Element::Table {
        return format!("d.{}[{} % {TABLE_ROWS}][f]", property.name, number(place));
    }
    format!("d.{}{}{}", property.name, index(place), if property.element.is_row() { "[f]" } else { "" })
}

/// A property at a vertex, or a row of a table, by its number.
fn gather(program: &Program, property: usize, number: &str) -> String {
    let property = &program.properties[property];
    let index = if property.element == Element::Table { number.to_string() } else { format!("Vertex({number})") };
    format!("d.{}[{index}]{}", property.name, if property.element.is_row() { "[f]" } else { "" })
}

fn index(place: Place) -> &'static str {
    match place {
        Place::Source => "[e.src]",
        Place::Destination => "[e.dst]",
        Place::Edge => "[e]",
        Place::Reverse => "[e.rev]",
        Place::Vertex => "[v]",
        Place::Graph => "",
    }
}

/// The number that names the row of a table.
fn number(place: Place) -> &'static str {
    match place {
        Place::Source => "e.src.0",
        Place::Destination => "e.dst.0",
        Place::Edge | Place::Reverse => "e.id as u32",
        Place::Vertex | Place::Graph => "v.0",
    }
}

fn choice(program: &Program, values: &[Expression; 3]) -> String {
    let [holds, yes, no] = values.each_ref().map(|value| bare(program, value));
    format!("if {holds} {{ {yes} }} else {{ {no} }}")
}

fn matched(program: &Program, count: &Expression, arms: &[Expression]) -> String {
    let last = arms.len() - 1;
    let pattern = |number: usize| if number == last { "_".to_string() } else { number.to_string() };
    let arms: Vec<String> = arms
        .iter()
        .enumerate()
        .map(|(number, arm)| format!("{} => {}", pattern(number), inner(program, arm)))
        .collect();
    format!("(match {} {{ {} }})", bare(program, count), arms.join(", "))
}

/// What stands before the dot of a method. A method of a variable might change it, as far as the compiler sees.
fn receiver(program: &Program, value: &Expression) -> String {
    match value {
        Expression::Variable(name) => format!("({name} + 0.0)"),
        Expression::Unary(Unary::Negate, _) => format!("({})", inner(program, value)),
        _ => inner(program, value),
    }
}

fn unary(program: &Program, of: Unary, value: &Expression) -> String {
    match of {
        Unary::Negate => format!("(-{})", inner(program, value)),
        Unary::Not => format!("!({})", bare(program, value)),
        Unary::Abs if matches!(value, Expression::Binary(of, _) if operator(*of).is_some()) => {
            format!("{}.abs()", inner(program, value))
        }
        Unary::Abs => format!("f32::abs({})", bare(program, value)),
        Unary::Tame => format!("tame({})", bare(program, value)),
        Unary::Bound => format!("bound({})", bare(program, value)),
        Unary::Sqrt => format!("{}.sqrt()", receiver(program, value)),
        Unary::Exp => format!("{}.exp()", receiver(program, value)),
        Unary::Ln => format!("{}.ln()", receiver(program, value)),
        Unary::Float => format!("({} as f32)", inner(program, value)),
        Unary::Whole => format!("({} as u32)", inner(program, value)),
        Unary::Byte => format!("({} as u8)", inner(program, value)),
    }
}

/// The operator that stands between two values.
fn operator(of: Binary) -> Option<&'static str> {
    Some(match of {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply | Binary::Scale => "*",
        Binary::Divide => "/",
        Binary::Less => "<",
        Binary::More => ">",
        Binary::AtMost => "<=",
        Binary::Equal => "==",
        Binary::Differs => "!=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Least | Binary::Greatest | Binary::Greater => return None,
    })
}

fn infix(program: &Program, of: Binary, values: &[Expression; 2]) -> String {
    let [left, right] = values.each_ref().map(|value| inner(program, value));
    format!("{left} {} {right}", operator(of).unwrap_or_default())
}

fn binary(program: &Program, of: Binary, values: &[Expression; 2]) -> String {
    let arguments = || values.each_ref().map(|value| bare(program, value)).join(", ");
    let method = |name| match &values[0] {
        Expression::Read(_) => format!("{}.{name}({})", inner(program, &values[0]), bare(program, &values[1])),
        _ => format!("f32::{name}({})", arguments()),
    };
    match of {
        Binary::Least => method("min"),
        Binary::Greatest => method("max"),
        Binary::Greater => format!("greater({})", arguments()),
        _ => format!("({})", infix(program, of, values)),
    }
}

fn whole(program: &Program, of: Whole, values: &[Expression; 2]) -> String {
    let left = inner(program, &values[0]);
    let method = |name| format!("{left}.{name}({})", bare(program, &values[1]));
    let infix = |operator| format!("({left} {operator} {})", inner(program, &values[1]));
    match of {
        Whole::Add => method("wrapping_add"),
        Whole::Subtract => method("wrapping_sub"),
        Whole::Multiply => method("wrapping_mul"),
        Whole::Least => method("min"),
        Whole::Greatest => method("max"),
        Whole::And => infix("&"),
        Whole::Or => infix("|"),
        Whole::Exclusive => infix("^"),
        Whole::Left => infix("<<"),
        Whole::Right => infix(">>"),
        Whole::Quotient => format!("({left} / {})", divisor(program, &values[1])),
        Whole::Rest => format!("({left} % {})", divisor(program, &values[1])),
    }
}

/// What divides, which is not zero.
fn divisor(program: &Program, value: &Expression) -> String {
    let text = inner(program, value);
    match value {
        Expression::Count(1..) | Expression::Byte(1..) => text,
        _ => format!("{text}.max(1)"),
    }
}
