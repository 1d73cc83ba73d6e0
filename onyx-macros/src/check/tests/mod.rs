//! Many small bodies, accepted and refused.

mod effects;
mod helpers;
mod kept;
mod order;
mod padding;
mod uniformity;

use syn::{Block, ItemFn, parse_quote};

use crate::errors::Errors;
use crate::expand::function::lower;
use crate::parse::function::Kind;

/// The messages that a vertex function with this body gets. It ends in `true`.
fn messages(body: &str) -> Vec<String> {
    let block: Block = syn::parse_str(&format!("{{ {body}; true }}")).unwrap_or_else(|error| panic!("{body}: {error}"));
    let item: ItemFn = parse_quote! {
        fn act<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool #block
    };
    messages_of(Kind::Vertex, &item)
}

/// The same of an edge function.
fn messages_along(body: &str) -> Vec<String> {
    let block: Block = syn::parse_str(&format!("{{ {body}; true }}")).unwrap_or_else(|error| panic!("{body}: {error}"));
    let item: ItemFn = parse_quote! {
        fn act<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool #block
    };
    messages_of(Kind::Edge, &item)
}

fn messages_of(kind: Kind, item: &ItemFn) -> Vec<String> {
    let mut errors = Errors::default();
    lower(kind, item, &mut errors);
    errors.texts()
}

/// Each body must be accepted.
#[track_caller]
fn accepted(bodies: &[&str]) {
    let refused: Vec<_> =
        bodies.iter().map(|body| (body, messages(body))).filter(|(_, found)| !found.is_empty()).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

/// Each body must be refused, by one message with this text in it.
#[track_caller]
fn refused(text: &str, bodies: &[&str]) {
    let is_right = |found: &[String]| matches!(found, [only] if only.contains(text));
    let wrong: Vec<_> =
        bodies.iter().map(|body| (body, messages(body))).filter(|(_, found)| !is_right(found)).collect();
    assert!(wrong.is_empty(), "{text}: {wrong:#?}");
}
