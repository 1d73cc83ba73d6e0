//! How what is at a computed vertex may not be read.

use crate::expression::Place;
use crate::mutation::fold::changed;
use crate::mutation::line::{Where, features, of_vertex, scalar, some_function, some_property, with_line};
use crate::mutation::{Mutation, Refusal};
use crate::name::Style;
use crate::program::{Fold, Function};
use crate::property::{Element, Lasting, Property};

/// A line in a function about a property at a vertex: `{}` stands for its name.
fn about(
    rule: &'static str,
    message: &'static str,
    is_in: fn(&Function) -> bool,
    holds: fn(&Property) -> bool,
    line: &'static str,
) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, is_in)?;
        let property = some_property(program, function, Place::Source, dice, holds)?;
        let name = property.split('[').next()?;
        Some(with_line(program, function, Where::First, &format!("    {}", line.replace("{}", name))))
    });
    mutation.of(Style::Gathers)
}

fn has_feature(function: &Function) -> bool {
    function.has_feature
}

fn is_edge(function: &Function) -> bool {
    function.is_edge
}

fn is_table(property: &Property) -> bool {
    property.element == Element::Table
}

/// Functions that do not go together.
fn conflicts() -> Vec<Mutation> {
    let mutations = vec![
        changed(
            "a computed vertex that is written",
            "at a vertex that it computes while",
            "read at a computed vertex while it is written",
            |program, number| {
                let property = program.properties.get_mut(number).filter(|property| property.is_tracked())?;
                property.lasting = Lasting::Untracked;
                Some(())
            },
        ),
        changed(
            "a computed vertex that is written in the same stage",
            "at a vertex that it computes",
            "read at a computed vertex",
            |program, _| {
                let parts = std::mem::take(&mut program.fold.parts);
                program.fold = Fold { parts: vec![parts.concat()], is_unfolded: false, ..program.fold.clone() };
                Some(())
            },
        ),
        changed(
            "a computed vertex without a previous value",
            "before `",
            "read at a computed vertex without a previous value",
            |program, number| {
                let function = program.functions.get(number).filter(|function| !function.is_edge)?.clone();
                program.functions = vec![function];
                program.fold.parts = vec![vec![0]];
                Some(())
            },
        ),
    ];
    mutations.into_iter().map(|mutation| mutation.of(Style::Gathers)).collect()
}

/// The rules of computed vertices and rows.
pub(super) fn mutations() -> Vec<Mutation> {
    let (differs, alone) = ("which vertex or which row it is must be the same for all features", "is read alone");
    let mut mutations = vec![
        about("a computed vertex that differs", differs, has_feature, scalar, "let z = {}[Vertex(f.index())];"),
        about(
            "a computed vertex of a variable that differs",
            differs,
            has_feature,
            features,
            "let y = 2 * f.index(); let z = {}[Vertex(y % 2)][f];",
        ),
        about("a row that differs", differs, has_feature, is_table, "let z = {}[f.index() % 2][f];"),
        about("assign at a computed vertex", alone, is_edge, scalar, "{}[Vertex(0)] = 1;"),
        about("reduce at a computed vertex", alone, is_edge, scalar, "{}[Vertex(0)] += 1;"),
        about(
            "a bound at a computed vertex",
            "reduce into an end of an edge",
            is_edge,
            scalar,
            "{}[Vertex(0)].min_with(1);",
        ),
        about("a number in place of a vertex", "touches its own", |_| true, scalar, "let z = {}[0];"),
    ];
    let types = [
        about("a float as a vertex", "mismatched types", |_| true, of_vertex, "let z = {}[Vertex(0.5)];"),
        about(
            "features of a scalar at a computed vertex",
            "has no features",
            has_feature,
            scalar,
            "let z = {}[Vertex(0)][f];",
        ),
    ];
    mutations.extend(types.into_iter().map(|mutation| mutation.by(Refusal::Types)));
    mutations.extend(conflicts());
    mutations
}
