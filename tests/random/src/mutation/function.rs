//! What no function may do.

use crate::expression::Place;
use crate::mutation::line::{Where, features, some_function, some_property, with_line};
use crate::mutation::{Mutation, Refusal};

/// A line in any function with a feature.
fn anywhere(rule: &'static str, message: &'static str, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |_| true)?;
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    })
}

/// A line in a function that has a feature, or has none.
fn with_feature(rule: &'static str, message: &'static str, has_feature: bool, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.has_feature == has_feature)?;
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    })
}

/// An operation where not every feature arrives.
fn stray(rule: &'static str, line: &'static str) -> Mutation {
    with_feature(rule, "every feature must reach", true, line)
}

/// A line about a property with features, of which `{}` stands for the name.
fn about(rule: &'static str, message: &'static str, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.has_feature)?;
        let at = if function.is_edge { Place::Source } else { Place::Vertex };
        let property = some_property(program, function, at, dice, features)?;
        let (name, index) = (property.split('[').next()?, if function.is_edge { "e.src" } else { "v" });
        let line = line.replace("{name}", name).replace("{at}", index);
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    })
}

/// The rules of all functions.
pub(super) fn mutations() -> Vec<Mutation> {
    vec![
        stray("an operation in a branch", "if true { let z = sum(1.0_f32); }"),
        stray("an operation in an else", "if true { } else { let z = max(1.0_f32); }"),
        stray("an operation in a match", "match 1 { 1 => { let z = dot(1.0, 2.0); } _ => {} }"),
        stray("an operation in a for", "for i in 0..2 { let z = product(1.0_f32); }"),
        stray("an operation in a while", "let mut i = 0; while i < 2 { let z = min(1.0_f32); i += 1; }"),
        stray("an operation in a loop", "loop { let z = argmax(1.0_f32); break; }"),
        stray("an operation after an and", "let z = 1.0 < 2.0 && any(true);"),
        stray("an operation after an or", "let z = 1.0 < 2.0 || all(true);"),
        stray("an operation in a closure", "let z = || softmax(1.0_f32);"),
        stray("an operation in a block", "let z = { normalize(1.0_f32) };"),
        stray("an operation after a return", "if 1.0 > 2.0 { return true; } let z = norm2(1.0_f32);"),
        stray("an operation in an operation in a branch", "if true { let z = sum(softmax(1.0_f32)); }"),
        with_feature(
            "an operation without a feature",
            "add the parameter `f: Feature` in front",
            false,
            "let z = sum(1.0_f32);",
        ),
        with_feature(
            "an operation with two arguments",
            "is over all features and takes one argument",
            true,
            "let z = max(1.0_f32, 2.0_f32);",
        ),
        with_feature(
            "a broadcast that differs",
            "which feature is broadcast must be the same",
            true,
            "let z = broadcast(1.0, f.index());",
        ),
        with_feature(
            "a variable without a value",
            "give `z` a value here",
            true,
            "let z: f32; let y = sum(1.0_f32); z = y;",
        ),
        about("another feature", "a function touches its own feature alone", "let z = {name}[{at}][0];"),
        about("the feature first", "say whose feature first", "let z = {name}[f][{at}];"),
        about("too many indices", "say whose feature first", "let z = {name}[{at}][f][f];"),
        anywhere("a macro", "a macro cannot be used", "let z = vec![1.0];"),
        anywhere("an assertion", "a macro cannot be used", "assert!(true);"),
        anywhere("unsafe", "needs no `unsafe`", "let z = unsafe { 1.0 };"),
        anywhere("an item", "move this item out", "fn inner() {}"),
        anywhere("a question mark", "in place of `?`", "let z = Some(1.0)?;"),
        anywhere("a constant block", "this is not supported", "let z = const { 1.0 };"),
        anywhere("a break of nothing", "there is no loop around this", "break;"),
        anywhere("a continue of nothing", "there is no loop around this", "continue;"),
        anywhere("a return of nothing", "return `true` or `false`", "if 1.0 > 2.0 { return; }"),
        anywhere("the whole data", "only reached through its properties", "let z = d;"),
        anywhere("a reference to the data", "only reached through its properties", "let z = &d;"),
        anywhere("a parameter's name", "is the name of a parameter", "let d = 1.0;"),
        anywhere("a method of the standard library", "needs the standard library", "let z = 1.0_f32.asinh();")
            .by(Refusal::Types),
        anywhere("a function for a method", "write it as a method", "let z = f32::sqrt(2.0);"),
        Mutation::new("write a parameter", "what the whole graph has is set before a run", |program, dice| {
            let function = some_function(program, dice, |_| true)?;
            let holds = |property: &crate::property::Property| property.element == crate::property::Element::Parameter;
            let property = some_property(program, function, Place::Graph, dice, holds)?;
            Some(with_line(program, function, Where::First, &format!("    {property} = 1.0;")))
        }),
        Mutation::new("a feature without a feature", "to use features, add the parameter", |program, dice| {
            let function = some_function(program, dice, |function| !function.has_feature)?;
            let property = program.properties.iter().find(|property| features(property))?;
            let at = if function.is_edge { "e.src" } else { "v" };
            Some(with_line(program, function, Where::First, &format!("    let z = d.{}[{at}][f];", property.name)))
        }),
    ]
}
