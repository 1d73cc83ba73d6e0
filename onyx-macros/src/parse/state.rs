//! What goes from macro to macro until a fold is known as a whole: its declaration, then its structure and functions.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, ItemFn, ItemStruct, braced};

use crate::expand::carrier::Carried;
use crate::parse::fold::Fold;
use crate::parse::function::Kind;

/// One of the items that a fold names.
#[derive(Clone, Debug)]
pub enum Item {
    /// The structure.
    Data(ItemStruct),
    /// A function.
    Function(Kind, ItemFn),
    /// Something with errors of its own.
    Broken,
    /// Something that no attribute of Onyx stands on.
    Unmarked,
}

/// The fold and the items that are known by now: its structure first, then its functions.
#[derive(Debug)]
pub struct State {
    /// The declaration.
    pub fold: Fold,
    /// The items.
    pub items: Vec<Item>,
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let declaration;
        braced!(declaration in input);
        let fold = declaration.parse()?;
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Self { fold, items })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        let content;
        braced!(content in input);
        let carried = Carried::WORDS.iter().find(|(known, _)| word == known).map(|(_, carried)| *carried);
        match carried {
            Some(Carried::Data) => content.parse().map(Self::Data),
            Some(Carried::Edge) => content.parse().map(|function| Self::Function(Kind::Edge, function)),
            Some(Carried::Vertex) => content.parse().map(|function| Self::Function(Kind::Vertex, function)),
            Some(Carried::Broken) => Ok(Self::Broken),
            None => Ok(Self::Unmarked),
        }
    }
}
