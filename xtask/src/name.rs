//! Which names a crate may have.

use crate::error::{Error, Result};

/// Names that cargo refuses, or that would shadow a crate the generated code uses.
const RESERVED: [&str; 16] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "main",
    "onyx-device",
    "onyx-macros",
    "onyx-runtime",
    "onyx_device",
    "onyx_macros",
    "onyx_runtime",
    "proc-macro",
    "std",
    "test",
];

/// Checks the name of a new crate.
pub fn check(name: &str) -> Result<()> {
    match problem(name) {
        None => Ok(()),
        Some(reason) => Err(Error::BadName { name: name.to_string(), reason }),
    }
}

fn problem(name: &str) -> Option<&'static str> {
    let first = name.chars().next();
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    match first {
        None => Some("it is empty"),
        Some(first) if !first.is_ascii_alphabetic() => Some("it must begin with a letter"),
        _ if !name.chars().all(is_allowed) => Some("only ASCII letters, digits, - and _ are allowed"),
        _ if RESERVED.contains(&name) => Some("the name is taken by Rust, cargo or Onyx"),
        _ if is_keyword(name) => Some("it is a keyword of Rust"),
        _ => None,
    }
}

fn is_keyword(name: &str) -> bool {
    // An identifier that is not a keyword parses; everything else about the name was checked before.
    syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_err()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn good_names_pass() {
        for name in ["a", "my-ranks", "gcn_2", "LabelPropagation"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn bad_names_are_refused_with_the_reason_and_the_fix() {
        let cases = [
            ("", "empty"),
            ("2gcn", "letter"),
            ("-a", "letter"),
            ("a b", "ASCII"),
            ("é", "letter"),
            ("aé", "ASCII"),
            ("a/b", "ASCII"),
        ];
        for (name, reason) in cases.into_iter().chain([
            ("core", "taken"),
            ("onyx-device", "taken"),
            ("match", "keyword"),
            ("try", "keyword"),
        ]) {
            let message = check(name).unwrap_err().to_string();
            assert!(message.contains(reason) && message.contains("--name"), "{message}");
        }
    }
}
