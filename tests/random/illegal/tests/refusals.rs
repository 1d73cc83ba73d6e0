//! Programs in which one rule is broken do not compile, and are told so by the message of that rule.

use std::collections::BTreeMap;
use std::process::Command;

use onyx_random::mutation::{self, Refusal};
use serde_json::Value;

/// How many programs each rule is broken in, as the build script has it.
const PROGRAMS: usize = 4;

/// The errors of all programs, by number.
fn errors(feature: &str) -> BTreeMap<usize, Vec<String>> {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "check",
        "--quiet",
        "--package",
        env!("CARGO_PKG_NAME"),
        "--features",
        feature,
        "--message-format=json",
    ]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs this test");
    let mut errors: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let message = &message["message"];
        if message["level"] == "error"
            && let Some(number) = number(message)
        {
            errors.entry(number).or_default().push(text(message));
        }
    }
    assert!(!output.status.success(), "everything compiles");
    errors
}

/// The number of the program that a message is shown in. The span of a panic is in the core library, whatever is shown.
fn number(message: &Value) -> Option<usize> {
    let (_, name) = message["rendered"].as_str()?.split_once("/program_")?;
    name.split_once(".rs")?.0.parse().ok()
}

/// What is said, with the labels and notes.
fn text(message: &Value) -> String {
    let labels = message["spans"].as_array().into_iter().flatten().map(|span| &span["label"]);
    let notes = message["children"].as_array().into_iter().flatten().map(|note| &note["message"]);
    let parts = std::iter::once(&message["message"]).chain(labels).chain(notes);
    parts.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

fn refused(refusal: Refusal, feature: &str, least: usize) {
    let programs = mutation::programs(refusal, PROGRAMS);
    let errors = errors(feature);
    let mut wrong = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let found = errors.get(&number).map_or(&[][..], Vec::as_slice);
        if !found.iter().any(|text| text.contains(program.message)) {
            wrong.push(format!("{}: {found:#?}\n{}", program.rule, program.source));
        }
    }
    println!("{} programs are refused", programs.len() - wrong.len());
    assert!(
        wrong.is_empty(),
        "{} are accepted or refused for something else, such as\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(programs.len() >= least, "{}", programs.len());
}

#[test]
fn mistaken_properties_are_refused() {
    refused(Refusal::Types, "types", 30);
}

#[test]
fn folds_that_do_not_go_together_are_refused() {
    refused(Refusal::Fold, "folds", 25);
}
