//! What functions and folds may not do with totals of the graph.

use crate::accesses::Accesses;
use crate::expression::Place;
use crate::mutation::Mutation;
use crate::mutation::fold::changed;
use crate::mutation::line::{Where, some_function, with_line};
use crate::name::Style;
use crate::program::{Fold, Function, Program};
use crate::source::place;
use crate::statement::Reduction;

/// The first total that a function adds to, and how.
fn added(function: &Function) -> Option<(usize, Reduction)> {
    let accesses = Accesses::of(function);
    let adds = accesses.operators.iter().find(|(property, _)| accesses.adds >> **property & 1 == 1);
    adds.map(|(property, reduction)| (*property, *reduction))
}

/// A line about a total that the function adds to.
fn about(rule: &'static str, message: &'static str, line: fn(&str, Reduction) -> String) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| added(function).is_some())?;
        let (property, reduction) = added(function)?;
        let line = line(&place(program, property, Place::Graph), reduction);
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    });
    mutation.of(Style::Totals)
}

fn other_operator(total: &str, reduction: Reduction) -> String {
    let method = if reduction == Reduction::Min { "max_with" } else { "min_with" };
    format!("{total}.{method}(0.5);")
}

fn twice(program: &mut Program, number: usize) -> Option<()> {
    let part = program.fold.parts.iter_mut().find(|part| part.contains(&number))?;
    part.push(number);
    Some(())
}

/// The rules of totals of the graph.
pub(super) fn mutations() -> Vec<Mutation> {
    let written = "what the whole graph has is set before a run";
    vec![
        about("assign to a total", written, |total, _| format!("{total} = 1.0;")),
        about("multiply a total", written, |total, _| format!("{total} *= 2.0;")),
        about("mean of the graph", "reduce what all edges bring to an end", |total, _| {
            format!("{total}.mean_with(1.0);")
        }),
        about("two operators of a total", "keep one of them, or use two properties", other_operator),
        changed("two that add", "let one function of the fold add to it", "added to by two functions", twice)
            .of(Style::Totals),
        changed(
            "read while it is added to",
            "which is there after the stage of",
            "read while functions add to it",
            |program, _| {
                let parts = vec![program.fold.parts.concat()];
                program.fold = Fold { parts, is_unfolded: false, ..program.fold.clone() };
                Some(())
            },
        )
        .of(Style::Totals),
        changed(
            "a total of active edges",
            "`edges = active` leaves some out",
            "added to by edges of active sources",
            |program, _| {
                program.fold.is_active = true;
                Some(())
            },
        )
        .of(Style::Totals),
    ]
}
