//! Programs of a style do all that the style is for.

use std::collections::BTreeSet;

use onyx_random::accesses::Accesses;
use onyx_random::expression::{Access, Expression, Place, Unary};
use onyx_random::name::{Name, Style};
use onyx_random::program::Program;
use onyx_random::property::Element;
use onyx_random::rules;
use onyx_random::statement::{Reduction, Statement};
use onyx_random::walk;

/// How many programs of each style are drawn.
const FEW: u64 = 40;
/// How many of those that have more to do.
const SEEDS: u64 = 120;

/// What programs do with the floats of heads, in words.
fn uses_of_heads(program: &Program) -> BTreeSet<String> {
    let is_of_heads = |property: usize| program.properties[property].element.is_of_heads();
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        walk::expressions(function, &mut |expression| {
            uses.extend(match expression {
                Expression::Read(access) if is_of_heads(access.property) => Some(format!("read at {:?}", access.place)),
                _ => None,
            });
        });
        let (accesses, kind) = (Accesses::of(function), if function.is_edge { "edge" } else { "vertex" });
        let reduced = accesses.operators.iter().filter(|(property, _)| is_of_heads(**property));
        uses.extend(reduced.map(|(_, operator)| format!("reduced by {operator:?}")));
        uses.extend((0..program.properties.len()).filter_map(|property| {
            let is_written = accesses.writes >> property & 1 == 1 && is_of_heads(property);
            is_written.then(|| format!("written by {kind} functions"))
        }));
    }
    uses
}

#[test]
fn programs_of_heads_do_all_that_heads_may_do() {
    let programs: Vec<Program> = (0..FEW).map(|seed| Program::of(&Name::new(Style::Heads, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_heads(program).contains(use_of)).count();
    let places = ["Source", "Destination", "Edge", "Reverse", "Vertex"].map(|place| format!("read at {place}"));
    let operators = ["Sum", "Product", "Min", "Max"].map(|operator| format!("reduced by {operator}"));
    let writers = ["edge", "vertex"].map(|kind| format!("written by {kind} functions"));
    for use_of in places.iter().chain(&operators).chain(&writers) {
        println!("{use_of}: {} of {FEW}", count(use_of));
        assert!(count(use_of) > 0, "{use_of}");
    }
    let stages = programs.iter().filter(|program| program.stages().len() > 1).count();
    let pushed = programs.iter().filter(|program| rules::may_be_change_driven(program)).count();
    println!("{stages} have several stages, {pushed} may be pushed");
    assert!(stages > 4 && pushed > 4, "{stages}, {pushed}");
}

/// What programs do at the sources of edges into which they reduce, in words.
fn uses_of_sources(program: &Program) -> BTreeSet<String> {
    let mut uses = BTreeSet::new();
    let stages = program.stages();
    let ends: BTreeSet<bool> = stages.iter().filter_map(|stage| program.end(stage)).map(is_source).collect();
    uses.extend((ends.len() == 2).then(|| "both ends in a fold".to_string()));
    for stage in stages.iter().filter(|stage| program.end(stage).is_some_and(is_source)) {
        let edges: Vec<Accesses> = stage.edges.iter().map(|edge| Accesses::of(&program.functions[*edge])).collect();
        uses.extend(
            edges.iter().flat_map(|it| it.operators.values()).map(|operator| format!("reduced by {operator:?}")),
        );
        let vertices = stage.vertices.iter().map(|vertex| Accesses::of(&program.functions[*vertex]));
        let written = vertices.fold(0, |written, accesses| written | accesses.writes);
        let tracked = rules::set_of(program, |property| property.is_tracked());
        let has = |holds: fn(&Accesses) -> u64| edges.iter().fold(0, |found, it| found | holds(it));
        let found = [
            ("read at the destination while it is written", has(|it| it.reads_destination) & written & tracked),
            ("read at the source while it is written", has(|it| it.reads_source) & written),
            ("written at the edge", has(|it| it.writes)),
            ("read at the reverse edge", has(|it| it.reads_reverse)),
            ("reduced in a stage of edges alone", if stage.vertices.is_empty() { has(|it| it.reduces) } else { 0 }),
        ];
        uses.extend(found.into_iter().filter(|(_, set)| *set != 0).map(|(use_of, _)| use_of.to_string()));
    }
    uses
}

fn is_source(end: Place) -> bool {
    end == Place::Source
}

#[test]
fn outward_programs_do_all_that_may_be_done_at_sources() {
    let programs: Vec<Program> = (0..FEW).map(|seed| Program::of(&Name::new(Style::Outward, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_sources(program).contains(use_of)).count();
    let operators = ["Sum", "Product", "Min", "Max"].map(|operator| format!("reduced by {operator}"));
    let others = [
        "both ends in a fold",
        "read at the destination while it is written",
        "read at the source while it is written",
        "written at the edge",
        "read at the reverse edge",
        "reduced in a stage of edges alone",
    ];
    for use_of in operators.iter().map(String::as_str).chain(others) {
        println!("{use_of}: {} of {FEW}", count(use_of));
        assert!(count(use_of) > 0, "{use_of}");
    }
    let joined = |program: &Program| program.stages().len() > program.fold.parts.len() && !program.fold.is_unfolded;
    let (active, joined) = (
        programs.iter().filter(|program| program.fold.is_active).count(),
        programs.iter().filter(|program| joined(program)).count(),
    );
    println!("{active} run along edges of active sources, {joined} have stages that no `;` parts");
    assert!(active > 2 && joined > 4, "{active}, {joined}");
}

/// What programs reduce by operators that have a state, in words.
fn uses_of_states(program: &Program) -> BTreeSet<String> {
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        reductions(&function.statements, &mut |access, reduction| {
            let shape = if program.properties[access.property].element.is_row() { "features" } else { "scalars" };
            uses.insert(format!("{reduction:?} of {shape}"));
            uses.insert(format!("{reduction:?} at {:?}", access.place));
        });
    }
    uses
}

/// Shows every reduction.
fn reductions(statements: &[Statement], show: &mut dyn FnMut(Access, Reduction)) {
    for statement in statements {
        if let Statement::Reduce { access, reduction, .. } = statement {
            show(*access, *reduction);
        }
        statement.blocks().into_iter().for_each(|block| reductions(block, show));
    }
}

#[test]
fn programs_of_states_have_all_of_them() {
    let programs: Vec<Program> = (0..FEW).map(|seed| Program::of(&Name::new(Style::States, seed))).collect();
    let uses: Vec<BTreeSet<String>> = programs.iter().map(uses_of_states).collect();
    for operator in ["Mean", "Softmax", "LogSum"] {
        for of in ["of features", "of scalars", "at Source", "at Destination"] {
            let count = uses.iter().filter(|uses| uses.contains(&format!("{operator} {of}"))).count();
            println!("{operator} {of}: {count} of {FEW}");
            assert!(count > 0, "{operator} {of}");
        }
    }
}

/// What programs do with totals and constants of the graph, in words.
fn uses_of_the_graph(program: &Program) -> BTreeSet<String> {
    let mut uses = BTreeSet::new();
    for (number, stage) in program.stages().iter().enumerate() {
        for function in stage.edges.iter().chain(&stage.vertices).map(|function| &program.functions[*function]) {
            let accesses = Accesses::of(function);
            let kind = if function.is_edge { "edges" } else { "vertices" };
            let added = accesses.operators.iter().filter(|(property, _)| accesses.adds >> **property & 1 == 1);
            for (property, operator) in added {
                let element = program.properties[*property].element;
                uses.extend([format!("{operator:?} of {kind}"), format!("{element:?} of {kind}")]);
            }
            for property in (0..program.properties.len()).filter(|property| accesses.reads_graph >> property & 1 == 1) {
                let element = program.properties[property].element;
                uses.insert(match adder(program, property) {
                    Some(adder) if adder < number => format!("{element:?} of an earlier stage"),
                    Some(_) => format!("{element:?} of the iteration before"),
                    None => format!("{element:?} that is constant"),
                });
            }
        }
    }
    uses
}

/// The stage that adds to a total of the graph.
fn adder(program: &Program, property: usize) -> Option<usize> {
    let adds = |function: &usize| Accesses::of(&program.functions[*function]).adds >> property & 1 == 1;
    program.stages().iter().position(|stage| stage.edges.iter().chain(&stage.vertices).any(adds))
}

#[test]
fn programs_of_totals_add_to_the_graph_and_read_it() {
    let programs: Vec<Program> = (0..FEW).map(|seed| Program::of(&Name::new(Style::Totals, seed))).collect();
    let uses: Vec<BTreeSet<String>> = programs.iter().map(uses_of_the_graph).collect();
    let (elements, kinds) = ([Element::GraphScalar, Element::GraphFeatures], ["edges", "vertices"]);
    let added = kinds.iter().flat_map(|kind| ["Sum", "Min", "Max"].map(|operator| format!("{operator} of {kind}")));
    let of = elements.iter().flat_map(|element| kinds.map(|kind| format!("{element:?} of {kind}")));
    let reads = ["of an earlier stage", "of the iteration before", "that is constant"];
    let read = elements.iter().flat_map(|element| reads.map(|read| format!("{element:?} {read}")));
    for use_of in added.chain(of).chain(read) {
        let count = uses.iter().filter(|uses| uses.contains(&use_of)).count();
        println!("{use_of}: {count} of {FEW}");
        assert!(count > 0, "{use_of}");
    }
    let pushed = programs.iter().filter(|program| rules::may_be_change_driven(program)).count();
    println!("{pushed} may be pushed");
    assert!(pushed > 4, "{pushed}");
}

/// What programs do with integers, in words.
fn uses_of_integers(program: &Program) -> BTreeSet<String> {
    let precision = |property: usize| program.properties[property].precision;
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        walk::expressions(function, &mut |expression| {
            uses.extend(match expression {
                Expression::Read(access) if precision(access.property).is_whole() => {
                    Some(format!("{:?} read at {:?}", precision(access.property), access.place))
                }
                Expression::Whole(of, _) => Some(format!("computed by {of:?}")),
                Expression::Unary(of @ (Unary::Float | Unary::Whole | Unary::Byte), _) => {
                    Some(format!("converted by {of:?}"))
                }
                _ => None,
            });
        });
        let (accesses, kind) = (Accesses::of(function), if function.is_edge { "edge" } else { "vertex" });
        let reduced = accesses.operators.iter().filter(|(property, _)| precision(**property).is_whole());
        uses.extend(reduced.map(|(_, operator)| format!("reduced by {operator:?}")));
        let written = (0..program.properties.len()).filter(|property| accesses.writes >> property & 1 == 1);
        let of_heads = written.filter(|property| program.properties[*property].element.is_of_heads());
        uses.extend(of_heads.map(|property| format!("{:?} of heads", precision(property))));
        uses.extend((0..program.properties.len()).filter_map(|property| {
            let is_written = accesses.writes >> property & 1 == 1 && precision(property).is_whole();
            let (precision, lasting) = (precision(property), program.properties[property].lasting);
            is_written.then(|| format!("{precision:?} {lasting:?} written by {kind} functions"))
        }));
    }
    uses
}

#[test]
fn programs_of_integers_do_all_that_integers_may_do() {
    let programs: Vec<Program> = (0..SEEDS).map(|seed| Program::of(&Name::new(Style::Integers, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_integers(program).contains(use_of)).count();
    let types = ["Word", "Byte"];
    let places = ["Source", "Destination", "Edge", "Reverse", "Vertex"];
    let reads = types.iter().flat_map(|of| places.map(|place| format!("{of} read at {place}")));
    let kinds = ["Tracked vertex", "Untracked vertex", "Scratch vertex", "Untracked edge", "Scratch edge"];
    let kinds = kinds.map(|kind| kind.split_once(' ').expect("how long it lasts, and whose it is"));
    let written = |(lasting, kind): (&str, &str)| types.map(|of| format!("{of} {lasting} written by {kind} functions"));
    let operators = ["Sum", "Min", "Max", "Or", "And"].map(|operator| format!("reduced by {operator}"));
    let conversions = ["Float", "Whole", "Byte"].map(|of| format!("converted by {of}"));
    let heads = types.map(|of| format!("{of} of heads"));
    let uses = reads.chain(heads).chain(kinds.into_iter().flat_map(written)).chain(operators).chain(conversions);
    for use_of in uses {
        println!("{use_of}: {} of {SEEDS}", count(&use_of));
        assert!(count(&use_of) > 0, "{use_of}");
    }
    let pushed = programs.iter().filter(|program| rules::may_be_change_driven(program)).count();
    println!("{pushed} may be pushed");
    assert!(pushed > 4, "{pushed}");
}

/// What programs read at computed vertices and rows, in words.
fn uses_of_gathers(program: &Program) -> BTreeSet<String> {
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        let kind = if function.is_edge { "edge" } else { "vertex" };
        walk::expressions(function, &mut |expression| {
            let Expression::Gather(property, number) = expression else { return };
            let descriptor = &program.properties[*property];
            uses.insert(format!("{:?} read in {kind} functions", descriptor.element));
            uses.insert(format!("{:?} read", descriptor.precision));
            uses.insert(format!("{:?} read", descriptor.lasting));
            uses.extend(matches!(**number, Expression::Gather(..)).then(|| "read at what was read so".to_string()));
        });
        let accesses = Accesses::of(function);
        let own = accesses.gathers & accesses.writes != 0;
        uses.extend(own.then(|| "read where the function writes it itself".to_string()));
    }
    uses
}

#[test]
fn programs_of_gathers_read_at_vertices_that_they_compute() {
    let programs: Vec<Program> = (0..SEEDS).map(|seed| Program::of(&Name::new(Style::Gathers, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_gathers(program).contains(use_of)).count();
    let kinds = ["edge", "vertex"];
    let elements = ["VertexFeatures", "VertexScalar", "VertexHeads", "Table"];
    let reads = elements.iter().flat_map(|of| kinds.map(|kind| format!("{of} read in {kind} functions")));
    let types = ["Single", "Half", "Word", "Byte", "Tracked", "Untracked"].map(|of| format!("{of} read"));
    let others = ["read at what was read so", "read where the function writes it itself"].map(String::from);
    for use_of in reads.chain(types).chain(others) {
        println!("{use_of}: {} of {SEEDS}", count(&use_of));
        assert!(count(&use_of) > 0, "{use_of}");
    }
}
