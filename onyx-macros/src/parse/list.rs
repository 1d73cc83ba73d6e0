//! Lists between brackets, and errors of the parser that say what to write.

use proc_macro2::Span;
use syn::parse::{ParseBuffer, ParseStream};
use syn::{Token, bracketed};

/// What was read, or an error at the same token that says what to write.
pub fn say<T>(read: syn::Result<T>, text: &str) -> syn::Result<T> {
    read.map_err(|error| syn::Error::new(error.span(), text))
}

/// What stands between brackets, with their place.
pub fn parse_list<'input>(input: ParseStream<'input>, text: &str) -> syn::Result<(Span, ParseBuffer<'input>)> {
    let parse = || {
        let list;
        let bracket = bracketed!(list in input);
        Ok((bracket.span.join(), list))
    };
    say(parse(), text)
}

/// What `item` reads, between commas and brackets, one at least.
pub fn parse_items<T>(
    input: ParseStream<'_>,
    text: &str,
    item: impl Fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let (bracket, list) = parse_list(input, text)?;
    let mut items = Vec::new();
    while !list.is_empty() {
        items.push(item(&list)?);
        if !list.is_empty() {
            say(list.parse::<Token![,]>(), text)?;
        }
    }
    if items.is_empty() { Err(syn::Error::new(bracket, text)) } else { Ok(items) }
}
