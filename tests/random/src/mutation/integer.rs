//! What may not be done with integers.

use crate::expression::Place;
use crate::mutation::line::{Where, features, scalar, some_function, with_line};
use crate::mutation::{Mutation, Refusal};
use crate::name::Style;
use crate::property::{Precision, Property};
use crate::source::place;

/// A line about a property at the destination that the function does not reduce otherwise: `{}` stands for it.
fn reduced(rule: &'static str, message: &'static str, holds: fn(&Property) -> bool, line: &'static str) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.is_edge && function.has_feature)?;
        let used = crate::accesses::Accesses::of(function);
        let used = used.reduces | used.reads_destination | used.reads_source;
        let mut properties = program.properties.iter().enumerate();
        let (property, _) = properties.find(|(index, property)| used >> index & 1 == 0 && holds(property))?;
        let line = line.replace("{}", &place(program, property, Place::Destination));
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    });
    mutation.by(Refusal::Types).of(Style::Integers)
}

/// A program in whose structure one type is replaced by another.
fn declared(rule: &'static str, message: &'static str, from: &'static str, to: &'static str) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, _| {
        let data = program.data();
        data.contains(from).then(|| program.source().replacen(&data, &data.replacen(from, to, 1), 1))
    });
    mutation.of(Style::Integers)
}

fn word(property: &Property) -> bool {
    scalar(property) && property.precision == Precision::Word
}

fn byte(property: &Property) -> bool {
    scalar(property) && property.precision == Precision::Byte
}

fn float(property: &Property) -> bool {
    scalar(property) && property.precision == Precision::Single
}

/// The rules of integers.
pub(super) fn mutations() -> Vec<Mutation> {
    let (words, bytes) =
        ("a property of `u32` values is not reduced by", "a property of `u8` values is not reduced by");
    vec![
        reduced("a product of integers", words, word, "{} *= 2;"),
        reduced("a sum of bytes", bytes, byte, "{} += 1;"),
        reduced("a least byte", bytes, byte, "{}.min_with(1);"),
        reduced("bits of bytes", bytes, byte, "{} |= 1;"),
        reduced("bits of a float", "a property of `f32` values is not reduced by", float, "{} &= 1.0;"),
        reduced("a mean of integers", "has no mean, softmax, log-sum", word, "{}.mean_with(1.0);"),
        reduced("a float in a total of integers", "mismatched types", word, "{} += 0.5;"),
        reduced("bits of features", "combine the bits of integers", features, "{} |= 1;").by(Refusal::Macro),
        declared("integers of sixteen bits", "has no values of type", "<u32>", "<u16>"),
        declared("two types of values", "the values of a property are of one type", "<u32>", "<u32, u8>"),
    ]
}
