//! What can still be told of an item with a syntax error, so that nothing else is reported because of it.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Generics, Ident, ItemFn, ItemStruct, Token, Type, Visibility, braced, parse_quote, token};

/// The beginning of an item.
pub struct Remnant {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its name.
    pub name: Ident,
    /// Its generic parameters; none if these have the error.
    pub generics: Generics,
    /// The fields that can be read, if it is a structure.
    fields: Vec<(Ident, Type)>,
}

impl Remnant {
    /// The beginning of the item in `tokens`; nothing if it has no name.
    pub fn of(tokens: TokenStream) -> Option<Self> {
        Self::parse.parse2(tokens).ok()
    }

    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attributes, visibility) = (input.call(Attribute::parse_outer)?, input.parse()?);
        if input.parse::<Option<Token![fn]>>()?.is_none() {
            input.parse::<Option<Token![struct]>>()?;
        }
        let (name, generics) = (input.parse()?, input.parse().unwrap_or_default());
        let fields = if input.peek(token::Brace) { parse_fields(input)? } else { Vec::new() };
        input.parse::<TokenStream>()?;
        Ok(Self { attributes, visibility, name, generics, fields })
    }

    /// The function without parameters and without a body.
    pub fn function(&self) -> ItemFn {
        let Self { attributes, visibility, name, generics, .. } = self;
        parse_quote!(#(#attributes)* #visibility fn #name #generics () {})
    }

    /// The structure with its fields.
    pub fn structure(&self) -> ItemStruct {
        let Self { attributes, visibility, name, generics, fields } = self;
        let (names, types): (Vec<&Ident>, Vec<&Type>) = fields.iter().map(|(name, of)| (name, of)).unzip();
        parse_quote!(#(#attributes)* #visibility struct #name #generics { #(#names: #types,)* })
    }
}

/// Whatever looks like a field between braces.
fn parse_fields(input: ParseStream<'_>) -> syn::Result<Vec<(Ident, Type)>> {
    let content;
    braced!(content in input);
    let mut fields = Vec::new();
    while !content.is_empty() {
        if content.peek(Ident) && content.peek2(Token![:]) {
            let name = content.parse()?;
            content.parse::<Token![:]>()?;
            fields.extend(content.parse().ok().map(|of| (name, of)));
        } else {
            content.parse::<TokenTree>()?;
        }
    }
    Ok(fields)
}
