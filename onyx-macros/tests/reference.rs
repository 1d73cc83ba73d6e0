//! The reference lists every message of the macros, word for word.

use std::fs;

use syn::visit::{self, Visit};
use syn::{Attribute, LitStr, Macro};

/// The texts of a file, without its comments.
struct Texts(Vec<String>);

impl<'ast> Visit<'ast> for Texts {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.0.push(text.value());
    }

    fn visit_macro(&mut self, found: &'ast Macro) {
        let text: LitStr = found.parse_body().expect("`format!` of one literal");
        self.visit_lit_str(&text);
        visit::visit_macro(self, found);
    }
}

#[test]
fn every_message_is_in_the_reference() {
    let mut texts = Texts(Vec::new());
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/message")).expect("the folder is there") {
        let source = fs::read_to_string(entry.expect("the folder can be read").path()).expect("the file can be read");
        texts.visit_file(&syn::parse_file(&source).expect("the file is Rust"));
    }
    assert!(texts.0.len() > 60, "{}", texts.0.len());
    // In a table, a bar within code stands behind a backslash.
    let reference = include_str!("../../docs/language.md").replace("\\|", "|");
    let missing: Vec<&String> = texts.0.iter().filter(|text| !reference.contains(*text)).collect();
    assert!(missing.is_empty(), "docs/language.md lacks {missing:#?}");
}
