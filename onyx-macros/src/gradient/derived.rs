//! What comes of a derivation: a fold with its functions, and their source.

use quote::{ToTokens, quote};
use syn::{ExprPath, ItemFn};

use crate::gradient::name::ident;
use crate::parse::fold::{Fold, Listed};
use crate::parse::function::Kind;
use crate::parse::state::Item;

/// The gradient of a fold.
#[derive(Debug)]
pub struct Derived {
    /// The fold that computes it.
    pub fold: Fold,
    /// Its functions in order: derived ones, and those of the user that compute again what was not kept.
    pub functions: Vec<Item>,
    /// The derived ones.
    pub written: Vec<(Kind, ItemFn)>,
    /// The plain functions that the user gives as derivatives, each with its number of arguments.
    pub given: Vec<(ExprPath, usize)>,
}

impl Derived {
    /// The functions and the fold as a user would write them.
    pub fn source(&self) -> String {
        let functions = self.written.iter().map(|(kind, item)| {
            let attribute = ident(if *kind == Kind::Edge { "edge_fn" } else { "vertex_fn" });
            quote!(#[#attribute] #item).to_string()
        });
        let parts = self.fold.parts.iter().map(|part| part.iter().map(Listed::name).collect::<Vec<_>>().join(", "));
        let (list, name) = (parts.collect::<Vec<_>>().join("; "), self.fold.name.to_string());
        let (generics, data) = (text(&self.fold.generics), text(&self.fold.data));
        let (visibility, options) = (text(&self.fold.visibility), self.fold.options_text());
        let space = if visibility.is_empty() { "" } else { " " };
        let fold = format!("foldmap! {{ {visibility}{space}{name}{generics}({data}) = [{list}]{options} }}");
        functions.chain([fold]).collect::<Vec<_>>().join(" ")
    }
}

/// Tokens as a person writes them.
fn text(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let spaces = [("< ", "<"), (" <", "<"), (" >", ">"), (" :", ":"), (" ,", ",")];
    spaces.into_iter().fold(text, |text, (from, to)| text.replace(from, to))
}
