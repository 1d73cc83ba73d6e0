//! Prints the programs that must not compile, each in a file of its own, when a feature asks for them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use onyx_random::mutation::{self, Refusal};
use onyx_random::source::HELPERS;

/// How many programs each rule is broken in; the test counts on the same.
const PROGRAMS: usize = 4;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut modules = String::new();
    for (feature, refusal) in [("CARGO_FEATURE_TYPES", Refusal::Types), ("CARGO_FEATURE_FOLDS", Refusal::Fold)] {
        if env::var_os(feature).is_some() {
            modules.push_str(&print(&folder, refusal));
        }
    }
    fs::write(folder.join("helpers.rs"), HELPERS).expect("the folder is cargo's");
    fs::write(folder.join("programs.rs"), modules).expect("the folder is cargo's");
}

/// Writes the programs of a refusal, and returns the modules that they become.
fn print(folder: &Path, refusal: Refusal) -> String {
    let programs = mutation::programs(refusal, PROGRAMS).into_iter().enumerate();
    let print = |(number, program): (usize, mutation::Illegal)| {
        let path = folder.join(format!("program_{number}.rs"));
        let source = format!("use onyx_device::prelude::*;\n\nuse crate::helpers::*;\n\n{}", program.source);
        fs::write(&path, source).expect("the folder is cargo's");
        format!("#[path = {path:?}]\npub mod program_{number};\n")
    };
    programs.map(print).collect()
}
