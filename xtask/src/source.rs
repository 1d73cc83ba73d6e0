//! The source of a crate, as far as messages need it: which function stands at a line, and which ones call what a GPU has not.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprCall, ExprMethodCall, File, ImplItemFn, Item, ItemFn, ItemMod, Meta, TraitItemFn};

use crate::methods::{MATH_METHODS, STANDARD_METHODS};

/// A method of floats that a plain function calls, and that `core` lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub file: PathBuf,
    pub line: usize,
    pub function: String,
    pub method: String,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, line, function, method } = self;
        write!(to, "{}:{line}: `{function}` calls `{method}`, which needs the standard library", file.display())
    }
}

impl Missing {
    /// What to write in its place.
    pub fn fix(&self) -> String {
        fix(&self.method)
    }
}

/// What to write in place of a method of floats.
pub fn fix(method: &str) -> String {
    if MATH_METHODS.contains(&method) {
        format!("write onyx_device::math::{method}(..), or mark the function with #[host] if no fold calls it")
    } else {
        format!(
            "a GPU has no {method}: write it with what onyx_device::math has, or mark the function with #[host] if no fold calls it"
        )
    }
}

/// The name of the innermost function around a line.
pub fn function_at(file: &Path, line: usize) -> Option<String> {
    let mut walk = Around { line, found: None };
    walk.visit_file(&parse(file)?);
    walk.found
}

fn parse(file: &Path) -> Option<File> {
    syn::parse_file(&fs::read_to_string(file).ok()?).ok()
}

struct Around {
    line: usize,
    found: Option<String>,
}

impl Around {
    fn look(&mut self, whole: Span, name: &syn::Ident) {
        if (whole.start().line..=whole.end().line).contains(&self.line) {
            self.found = Some(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Around {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.look(item.span(), &item.sig.ident);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.look(item.span(), &item.sig.ident);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.look(item.span(), &item.sig.ident);
        visit::visit_trait_item_fn(self, item);
    }
}

/// What the functions of a library call that `core` lacks, but for those that are compiled for the host alone. The types are not known: methods
/// that the library has of its own are left out.
pub fn missing(library: &Path) -> Vec<Missing> {
    let mut walk = Calls::default();
    walk.file(library, true);
    walk.found.retain(|missing| !walk.own.contains(&missing.method));
    walk.found
}

/// The calls of a crate, file by file.
#[derive(Default)]
struct Calls {
    file: PathBuf,
    /// The functions around.
    functions: Vec<String>,
    /// The methods that the crate has itself.
    own: Vec<String>,
    found: Vec<Missing>,
}

impl Calls {
    /// Walks a file. Modules of a crate's root, and of a `mod.rs`, lie beside it; those of others in a folder of its name.
    fn file(&mut self, file: &Path, is_root: bool) {
        let Some(parsed) = parse(file) else { return };
        let outer = std::mem::replace(&mut self.file, file.to_path_buf());
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let folder = if is_root { folder } else { folder.join(file.file_stem().unwrap_or_default()) };
        self.items(&parsed.items, &folder);
        self.file = outer;
    }

    fn items(&mut self, items: &[Item], folder: &Path) {
        for item in items {
            match item {
                Item::Mod(module) if !is_for_host(&module.attrs) => self.module(module, folder),
                Item::Mod(_) => {}
                other => self.visit_item(other),
            }
        }
    }

    fn module(&mut self, module: &ItemMod, folder: &Path) {
        let inner = folder.join(module.ident.to_string());
        match &module.content {
            Some((_, items)) => self.items(items, &inner),
            None => {
                let beside = inner.with_extension("rs");
                let is_beside = beside.is_file();
                self.file(&if is_beside { beside } else { inner.join("mod.rs") }, !is_beside);
            }
        }
    }

    fn function(&mut self, attributes: &[Attribute], name: &syn::Ident, walk: impl FnOnce(&mut Self)) {
        // The macros say themselves what an Onyx function calls.
        let is_marked = ["edge_fn", "vertex_fn"].iter().any(|mark| has(attributes, mark));
        if !is_marked && !is_for_host(attributes) {
            self.functions.push(name.to_string());
            walk(self);
            self.functions.pop();
        }
    }

    fn call(&mut self, method: &syn::Ident) {
        let name = method.to_string();
        let is_missing = MATH_METHODS.contains(&&*name) || STANDARD_METHODS.contains(&&*name);
        if let (true, Some(function)) = (is_missing, self.functions.last()) {
            let (file, line) = (self.file.clone(), method.span().start().line);
            self.found.push(Missing { file, line, function: function.clone(), method: name });
        }
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_item(&mut self, item: &'ast Item) {
        let is_for_host = match item {
            Item::Impl(item) => is_for_host(&item.attrs),
            Item::Trait(item) => is_for_host(&item.attrs),
            Item::Const(item) => is_for_host(&item.attrs),
            _ => false,
        };
        if !is_for_host {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.attrs, &item.sig.ident, |walk| visit::visit_item_fn(walk, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.own.push(item.sig.ident.to_string());
        self.function(&item.attrs, &item.sig.ident, |walk| visit::visit_impl_item_fn(walk, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.own.push(item.sig.ident.to_string());
        self.function(&item.attrs, &item.sig.ident, |walk| visit::visit_trait_item_fn(walk, item));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.call(&call.method);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Expr::Path(path) = &*call.func {
            let segments = &path.path.segments;
            let is_float = segments.len() == 2 && ["f32", "f64"].iter().any(|float| segments[0].ident == float);
            if let (true, Some(last)) = (is_float, segments.last()) {
                self.call(&last.ident);
            }
        }
        visit::visit_expr_call(self, call);
    }
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// Whether an item is left out where the device is compiled.
fn is_for_host(attributes: &[Attribute]) -> bool {
    let leaves_out = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition: String = list.tokens.to_string().split_whitespace().collect();
            condition == "test" || condition.contains("not(target_arch=\"nvptx64\")")
        }
        _ => false,
    };
    has(attributes, "host") || has(attributes, "test") || attributes.iter().any(leaves_out)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::{function_at, missing};

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = missing(&folder.path().join("lib.rs"));
        let name = |file: &std::path::Path| file.strip_prefix(folder.path()).unwrap().display().to_string();
        found
            .iter()
            .map(|found| format!("{}:{} {} {}", name(&found.file), found.line, found.function, found.method))
            .collect()
    }

    #[test]
    fn plain_functions_are_found_with_their_lines() {
        let text = "fn weigh(x: f32) -> f32 {\n    let y = x.sin();\n    f32::atan2(x, y) + x.abs()\n}\n";
        assert_eq!(found(&[("lib.rs", text)]), ["lib.rs:2 weigh sin", "lib.rs:3 weigh atan2"]);
    }

    #[test]
    fn modules_are_followed() {
        let a = "mod inner { pub fn f(x: f32) -> f32 { x.sqrt() } mod deep; }\nmod b;\n";
        let files = [
            ("lib.rs", "mod a;\nmod c;\n"),
            ("a.rs", a),
            ("a/b.rs", "fn g(x: f32) -> f32 { x.floor() }"),
            ("a/inner/deep.rs", "fn h(x: f32) -> f32 { x.ceil() }"),
            ("c/mod.rs", "mod d;"),
            ("c/d.rs", "fn i(x: f32) -> f32 { x.exp() }"),
        ];
        let expected = ["a.rs:1 f sqrt", "a/inner/deep.rs:1 h ceil", "a/b.rs:1 g floor", "c/d.rs:1 i exp"];
        assert_eq!(found(&files), expected);
    }

    #[test]
    fn what_is_for_the_host_or_checked_elsewhere_is_left_out() {
        let text = "#[host]\nmod run { fn f(x: f32) -> f32 { x.sin() } }\n\
                    #[cfg(test)]\nmod tests { fn f(x: f32) -> f32 { x.sin() } }\n\
                    #[cfg(not(target_arch = \"nvptx64\"))]\nfn g(x: f32) -> f32 { x.sin() }\n\
                    #[onyx_device::prelude::vertex_fn]\nfn h(x: f32) -> f32 { x.sin() }\n\
                    #[host]\nimpl A { fn i(x: f32) -> f32 { x.sin() } }\n";
        assert!(found(&[("lib.rs", text)]).is_empty());
    }

    #[test]
    fn methods_of_the_crate_are_its_own() {
        let text = "struct Own;\nimpl Own { fn log(self) {} }\nfn f(own: Own, x: f32) { own.log(); x.ln(); }\n";
        assert_eq!(found(&[("lib.rs", text)]), ["lib.rs:3 f ln"]);
    }

    #[test]
    fn the_innermost_function_is_named() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("a.rs");
        fs::write(&file, "struct A;\nimpl A {\n    fn outer() {\n        fn inner() {\n        }\n    }\n}\n").unwrap();
        let names: Vec<_> = (1..7).map(|line| function_at(&file, line)).collect();
        let expected = [None, None, Some("outer"), Some("inner"), Some("inner"), Some("outer")];
        assert_eq!(names, expected.map(|name| name.map(str::to_string)));
    }
}
