//! Prints random programs whose gradient is asked for, and a test of each: eight that have all kinds of inputs and reductions. The variable `ONYX_SMOOTH` has other seeds than those of every test run.

use std::path::PathBuf;
use std::{env, fs};

use onyx_random::smooth::Program;

const VARIABLE: &str = "ONYX_SMOOTH";
const SEEDS: &str = "1,2,3,4,46,53,64,66";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let seeds = env::var(VARIABLE).unwrap_or_else(|_| SEEDS.to_owned());
    let seeds = seeds.split(',').map(|seed| seed.trim().parse().expect("the seeds are numbers between commas"));
    let programs: Vec<Program> = seeds.map(Program::drawn).collect();
    let source = |program: &Program| {
        format!("pub use {0}::*;\nmod {0} {{\nuse super::*;\n{1}}}\n", module(program), program.source())
    };
    let test = |program: &Program| {
        let (seed, name) = (program.seed, program.name());
        let data = if program.has_heads { "many" } else { "one" };
        format!("#[test]\nfn {name}_has_its_gradient() {{\n    check!({seed}, {name}, {name}_gradient, {data});\n}}\n")
    };
    write("smooth.rs", &programs.iter().map(source).collect::<String>());
    write("smooth_tests.rs", &programs.iter().map(test).collect::<String>());
}

fn module(program: &Program) -> String {
    format!("of_{}", program.seed)
}

fn write(name: &str, text: &str) {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(folder.join(name), text).expect("the folder is cargo's");
}
