//! Prints the programs of the batch as Rust source: those of `programs.txt`, or those that the variable `ONYX_RANDOM` lists.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use onyx_random::limits::TABLE_ROWS;
use onyx_random::name::{Name, Style};
use onyx_random::program::Program;
use onyx_random::property::{Element, Precision, Property};
use onyx_random::source::HELPERS;

const VARIABLE: &str = "ONYX_RANDOM";
const LIST: &str = "programs.txt";
/// Styles whose programs do not all agree yet, and why: their tests are ignored, but for `cargo xtask random`.
const AWAITED: [(Style, &str); 1] =
    [(Style::Width, "`K` is the compiled width in functions, not the number of features")];

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed={LIST}");
    println!("cargo::rerun-if-changed=build.rs");
    let list = env::var(VARIABLE).unwrap_or_else(|_| fs::read_to_string(LIST).expect("the list of programs"));
    let names = Name::list(&list).unwrap_or_else(|error| panic!("{error}"));
    let programs: Vec<Program> = names.iter().map(Program::of).collect();
    write("helpers.rs", HELPERS);
    write("programs.rs", &library(&programs));
    write("tests.rs", &programs.iter().map(test).collect::<String>());
}

fn write(name: &str, text: &str) {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join(name), text).expect("the folder is cargo's");
}

fn library(programs: &[Program]) -> String {
    let mut text: String = programs.iter().map(module).collect();
    let cases: String = programs.iter().map(|program| format!("    {}::CASE,\n", program.name.identifier())).collect();
    let _ = write!(
        text,
        "\n/// Every program of the batch.\n#[onyx_device::prelude::host]\npub static CASES: &[case::Case] = &[\n{cases}];\n"
    );
    text
}

/// A program in a module of its own, with what a check needs of it.
fn module(program: &Program) -> String {
    let (name, data, fold) = (program.name.identifier(), program.data_name(), program.fold_name());
    let lift = program.lift().map_or("none".to_owned(), |lift| format!("{data}::{}", lift.name.to_uppercase()));
    let arms = |print: fn(&str, &Property) -> String| -> String {
        let has_values = |property: &Property| {
            !property.is_scratch() && !matches!(property.element, Element::Iteration | Element::Lift)
        };
        let lasting = program.properties.iter().enumerate().filter(|(_, property)| has_values(property));
        lasting.map(|(index, property)| format!("        {index} => {},\n", print(&data, property))).collect()
    };
    format!(
        "\n/// `{}`\n#[allow(warnings, clippy::all)]\npub mod {name} {{\nuse onyx_device::prelude::*;\n\nuse crate::helpers::*;\n\n{}\n\
         #[host]\nfn put(store: &mut onyx_runtime::Store, property: usize, at: usize, numbers: &[f64]) {{\n    let values = &crate::case::singles(numbers)[..];\n    match property {{\n{}        _ => {{}}\n    }}\n}}\n\n\
         #[host]\nfn get(store: &onyx_runtime::Store, property: usize, at: usize) -> Vec<f64> {{\n    crate::case::doubles(match property {{\n{}        _ => Vec::new(),\n    }})\n}}\n\n\
         #[host]\npub static CASE: crate::case::Case = crate::case::of!({fold}, \"{}\", {lift}, put, get);\n}}\n",
        program.name,
        program.source(),
        arms(put),
        arms(get),
        program.name,
    )
}

fn put(data: &str, property: &Property) -> String {
    let key = format!("{data}::{}", property.name.to_uppercase());
    if let Some(kind) = whole(property) {
        let scalars = whole_scalars(property, &key, "_mut");
        return format!(
            "crate::case::set_heads({scalars}, at, &numbers.iter().map(|it| *it as {kind}).collect::<Vec<_>>())"
        );
    }
    match property.element {
        Element::VertexFeatures => format!("store.set_row({key}, at as u32, values)"),
        Element::VertexScalar => format!("store.scalars_mut({key})[at] = values[0]"),
        Element::VertexHeads => format!("crate::case::set_heads(store.scalars_mut({key}), at, values)"),
        Element::VertexInputs => format!("store.set_row({key}, at as u32, values)"),
        Element::EdgeInputs => format!("store.set_edge_row({key}, at, values)"),
        Element::Lift => String::new(),
        Element::EdgeFeatures => format!("store.set_edge_row({key}, at, values)"),
        Element::EdgeScalar => format!("store.edge_scalars_mut({key})[at] = values[0]"),
        Element::EdgeHeads => format!("crate::case::set_heads(store.edge_scalars_mut({key}), at, values)"),
        Element::Parameter => format!("store.set({key}, values[0])"),
        Element::Iteration => String::new(),
        Element::Table => format!(
            "{{ if at == 0 {{ store.resize({key}, {TABLE_ROWS}).unwrap(); }} store.table_row_mut({key}, at).copy_from_slice(values) }}"
        ),
        Element::VertexMatrix => rows(&format!("store.matrix_row_mut({key}, at as u32, row)")),
        Element::EdgeMatrix => rows(&format!("store.edge_matrix_row_mut({key}, at, row)")),
        Element::GraphFeatures => format!("store.graph_matrix_row_mut({key}, 0).copy_from_slice(values)"),
        Element::GraphScalar => format!("store.set_graph_scalar({key}, values[0])"),
        Element::GraphMatrix => rows(&format!("store.graph_matrix_row_mut({key}, row)")),
    }
}

/// The type of whole numbers, if the property has such.
fn whole(property: &Property) -> Option<&'static str> {
    match property.precision {
        Precision::Word => Some("u32"),
        Precision::Byte => Some("u8"),
        _ => None,
    }
}

/// All whole numbers of a property of vertices or edges.
fn whole_scalars(property: &Property, key: &str, suffix: &str) -> String {
    let of = if property.element.is_of_edge() { "edge_" } else { "" };
    format!("store.{of}scalars{suffix}({key})")
}

fn rows(row: &str) -> String {
    format!(
        "{{ let size = store.features(); (0..size).for_each(|row| {row}.copy_from_slice(&values[row * size..][..size])) }}"
    )
}

fn get(data: &str, property: &Property) -> String {
    let key = format!("{data}::{}", property.name.to_uppercase());
    if whole(property).is_some() {
        let heads = if property.element.is_of_heads() { "store.heads()" } else { "1" };
        let numbers = format!("crate::case::heads({}, at, {heads})", whole_scalars(property, &key, ""));
        return format!("return {numbers}.into_iter().map(f64::from).collect()");
    }
    let all = |row: String| format!("(0..store.features()).flat_map(|row| {row}.to_vec()).collect()");
    match property.element {
        Element::VertexFeatures => format!("store.row_floats({key}, at as u32)"),
        Element::VertexScalar => format!("vec![store.scalars({key})[at]]"),
        Element::VertexHeads => format!("crate::case::heads(store.scalars({key}), at, store.heads())"),
        Element::VertexInputs => format!("store.row_floats({key}, at as u32)"),
        Element::EdgeInputs => format!("store.edge_row_floats({key}, at)"),
        Element::Lift => String::new(),
        Element::EdgeFeatures => format!("store.edge_row_floats({key}, at)"),
        Element::EdgeScalar => format!("vec![store.edge_scalars({key})[at]]"),
        Element::EdgeHeads => format!("crate::case::heads(store.edge_scalars({key}), at, store.heads())"),
        Element::Parameter => format!("vec![store.get({key})]"),
        Element::Iteration => String::new(),
        Element::Table => format!("store.table_row({key}, at).to_vec()"),
        Element::VertexMatrix => all(format!("store.matrix_row({key}, at as u32, row)")),
        Element::EdgeMatrix => all(format!("store.edge_matrix_row({key}, at, row)")),
        Element::GraphFeatures => format!("store.graph_matrix_row({key}, 0).to_vec()"),
        Element::GraphScalar => format!("vec![store.graph_scalar({key})]"),
        Element::GraphMatrix => all(format!("store.graph_matrix_row({key}, row)")),
    }
}

/// A test of its own, so that each program is reported by its name.
fn test(program: &Program) -> String {
    let name = program.name.identifier();
    let awaited = AWAITED.iter().find(|(style, _)| *style == program.name.style);
    let ignored = awaited.map(|(_, reason)| format!("#[ignore = {reason:?}]\n")).unwrap_or_default();
    format!(
        "#[test]\n{ignored}fn {name}() {{\n    onyx_random_batch::check::agrees(&onyx_random_batch::{name}::CASE);\n}}\n\n"
    )
}
