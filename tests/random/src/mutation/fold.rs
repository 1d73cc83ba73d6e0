//! What a fold may not be.

use crate::accesses::Accesses;
use crate::expression::Place;
use crate::mutation::line::{Where, with_line};
use crate::mutation::{Mutation, Refusal};
use crate::program::{Fold, Program};
use crate::property::{Lasting, Property};
use crate::rules;
use crate::source::place;
use crate::statement::Statement;
use crate::walk::each_block;

/// A program in whose `foldmap!` one thing is replaced by another.
fn replaced(rule: &'static str, message: &'static str, from: &'static str, to: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, _| {
        let fold = program.foldmap();
        fold.contains(from).then(|| program.source().replacen(&fold, &fold.replacen(from, to, 1), 1))
    })
}

/// A program that is changed as a whole, and then breaks the rule of a fold whose name contains `broken`.
pub(super) fn changed(
    rule: &'static str,
    message: &'static str,
    broken: &'static str,
    change: fn(&mut Program, usize) -> Option<()>,
) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, dice| {
        let first = dice.below(64);
        (0..64).map(|number| (first + number) % 64).find_map(|number| {
            let mut program = program.clone();
            change(&mut program, number)?;
            rules::broken(&program).filter(|found| found.contains(broken)).map(|_| program.source())
        })
    });
    mutation.by(Refusal::Fold)
}

/// The property with this number, of those that fulfil a condition.
fn property(program: &mut Program, number: usize, lasting: Lasting) -> Option<&mut Property> {
    program.properties.get_mut(number).filter(|property| property.lasting == lasting)
}

/// Has all functions reduce into the sources of their edges.
fn turned(program: &mut Program) {
    program.functions.iter_mut().for_each(|function| {
        each_block(&mut function.statements, &mut |block| {
            block.iter_mut().for_each(|statement| {
                if let Statement::Reduce { access, .. } = statement {
                    access.place = Place::Source;
                }
            });
            false
        });
    });
}

/// The rules of folds.
pub(super) fn mutations() -> Vec<Mutation> {
    let mut mutations = vec![
        replaced(
            "no functions",
            "name at least one function",
            "[edge0",
            "[]; features = [4] }\nfoldmap! { rest(Data) = [edge0",
        ),
        replaced(
            "a width that is no power of two",
            "is a power of two from 1 to 128",
            "features = [",
            "features = [3, ",
        ),
        replaced("a width that is too large", "is a power of two from 1 to 128", "features = [", "features = [4096, "),
        replaced("widths that fall", "in ascending order", "features = [", "features = [128, "),
        replaced("a width twice", "in ascending order", "features = [4]", "features = [4, 4]"),
        replaced("no widths", "numbers of features in brackets, one at least", "features = [4]", "features = []"),
        replaced("another option", "the options of a fold are", "features = [", "feature = ["),
        replaced(
            "three features a lane",
            "a lane has 1, 2, 4, 8 or `all`",
            "features_per_lane = 1",
            "features_per_lane = 3",
        ),
        replaced(
            "some features a lane",
            "a lane has 1, 2, 4, 8 or `all`",
            "features_per_lane = all",
            "features_per_lane = some",
        ),
        replaced(
            "other edges",
            "write `edges = all`, `edges = active` or `edges = changed`",
            "edges = active",
            "edges = some",
        ),
        replaced("another word", "only `unfolded` may stand", "= unfolded [", "= folded ["),
        replaced("a fold without a width", "make the fold generic", "<const K: usize>(", "("),
        replaced("data without a width in a fold", "pass the number of features on", "<K>)", ")"),
        replaced("a function that is not there", "unresolved import `edge_none`", "edge0", "edge_none")
            .by(Refusal::Types),
    ];
    mutations.extend(conflicts());
    mutations
}

/// One edge function reads at the reverse edge what another one of its stage writes.
fn reversed(program: &Program) -> Option<String> {
    let stages = program.stages();
    let pairs = stages.iter().flat_map(|stage| {
        stage.edges.iter().flat_map(|writer| stage.edges.iter().map(move |reader| (*writer, *reader)))
    });
    let mut pairs = pairs.filter(|(writer, reader)| writer != reader);
    pairs.find_map(|(writer, reader)| {
        let [writer, reader] = [writer, reader].map(|function| &program.functions[function]);
        let (written, kept) = (Accesses::of(writer).writes, Accesses::of(reader).writes);
        let fits = |(index, property): &(usize, &Property)| {
            written >> index & 1 == 1
                && kept >> index & 1 == 0
                && !property.is_scratch()
                && (reader.has_feature || !property.element.is_row())
        };
        let (property, _) = program.properties.iter().enumerate().find(fits)?;
        let line = format!("    let z = {};", place(program, property, Place::Reverse));
        Some(with_line(program, reader, Where::First, &line))
    })
}

/// Functions that do not go together.
fn conflicts() -> Vec<Mutation> {
    vec![
        changed(
            "read at the source while it is written",
            "declare the property `Tracked`",
            "read at the source",
            |program, number| {
                property(program, number, Lasting::Tracked)?.lasting = Lasting::Untracked;
                Some(())
            },
        ),
        changed(
            "read at the destination while it is written",
            "declare the property `Tracked`",
            "read at the destination",
            |program, number| {
                property(program, number, Lasting::Tracked)?.lasting = Lasting::Untracked;
                turned(program);
                Some(())
            },
        ),
        changed("a function twice", "in one fold", "reduced by two functions", |program, number| {
            let part = program.fold.parts.iter_mut().find(|part| part.contains(&number))?;
            let position = part.iter().position(|function| *function == number)?;
            part.insert(position, number);
            Some(())
        }),
        changed(
            "stages that are one",
            "put a `;` between the two",
            "read at an end while it is reduced",
            |program, _| {
                let parts = std::mem::take(&mut program.fold.parts);
                program.fold = Fold { parts: vec![parts.concat()], is_unfolded: false, ..program.fold.clone() };
                Some(())
            },
        ),
        Mutation::new("the reverse edge in the same stage", "put a `;` between the two", |program, _| {
            reversed(program)
        })
        .by(Refusal::Fold),
        changed("scratch that is never written", "writes on every path", "no function before", |program, number| {
            let accesses = Accesses::of(program.functions.get(number)?);
            (accesses.writes != 0).then_some(())?;
            program.fold.parts.iter_mut().for_each(|part| part.retain(|function| *function != number));
            program.fold.parts.retain(|part| !part.is_empty());
            (!program.fold.parts.is_empty()).then_some(())
        }),
        changed("scratch of something that lasts", "reads the scratch property", "scratch", |program, number| {
            let property = property(program, number, Lasting::Untracked)?;
            (property.element.is_of_vertex() || property.element.is_of_edge()).then_some(())?;
            (!property.element.is_matrix()).then_some(())?;
            property.lasting = Lasting::Scratch;
            Some(())
        }),
        changed(
            "a total in scratch",
            "reduces into the scratch property",
            "away from its own edge",
            |program, number| {
                let reduces =
                    program.functions.iter().any(|function| Accesses::of(function).reduces >> number & 1 == 1);
                let property = property(program, number, Lasting::Untracked)?;
                (reduces && !property.element.is_matrix()).then_some(())?;
                property.lasting = Lasting::Scratch;
                Some(())
            },
        ),
        changed(
            "progress that is not kept",
            "an unfolded fold keeps nothing about an edge",
            "may stop",
            |program, _| {
                program.fold.is_unfolded = true;
                Some(())
            },
        ),
    ]
}
