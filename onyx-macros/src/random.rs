//! Random programs: legal ones are lowered without a word, and those in which one rule is broken are refused with its message.

use std::collections::BTreeMap;

use onyx_random::mutation::{self, Refusal};
use onyx_random::name::{Name, Style};
use onyx_random::program::Program;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, ItemFn};

use crate::expand;
use crate::message;
use crate::parse::fold::Fold;
use crate::parse::function::Kind;
use crate::parse::state;

/// How many programs of each style are lowered.
const LEGAL: u64 = 100;
/// How many programs each rule is broken in.
const ILLEGAL: usize = 8;

/// What the macros say about a program: nothing if they accept it.
fn complaints(source: &str) -> Vec<String> {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let mut found = Vec::new();
    file.items.iter().for_each(|item| collect(&expanded(item.clone(), &file.items), &mut found));
    found
}

fn expanded(item: Item, all: &[Item]) -> TokenStream {
    match item {
        Item::Struct(data) => with_arguments(&data.attrs.clone(), || expand::data::expand(&data)),
        Item::Union(other) => syn::Error::new_spanned(other, message::NOT_A_STRUCTURE).into_compile_error(),
        Item::Fn(function) => {
            with_arguments(&function.attrs.clone(), || expand::function::expand(kind_of(&function), &function))
        }
        Item::Macro(found) => match syn::parse2::<Fold>(found.mac.tokens) {
            Ok(fold) => whole(fold, all),
            Err(error) => error.into_compile_error(),
        },
        other => panic!("a program has no {}", other.to_token_stream()),
    }
}

fn kind_of(function: &ItemFn) -> Kind {
    let is_edge = function.attrs.iter().any(|attribute| attribute.path().is_ident("edge_fn"));
    if is_edge { Kind::Edge } else { Kind::Vertex }
}

/// A fold and what becomes of it once its items are known.
fn whole(fold: Fold, all: &[Item]) -> TokenStream {
    let begun = expand::chain::begin(&TokenStream::new(), &fold);
    let structure = all.iter().find_map(|item| match item {
        Item::Struct(structure) => Some(state::Item::Data(structure.clone())),
        _ => None,
    });
    let functions = fold.functions().map(|listed| function_of(all, &listed.name()));
    let items = structure.into_iter().chain(functions).collect();
    let compiled = expand::chain::compile(fold, items);
    quote::quote!(#begun #compiled)
}

fn function_of(all: &[Item], name: &str) -> state::Item {
    let found = all.iter().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == name => Some(function.clone()),
        _ => None,
    });
    found.map_or(state::Item::Unmarked, |function| state::Item::Function(kind_of(&function), function))
}

/// What `lib.rs` does with the arguments of an attribute.
fn with_arguments(attributes: &[Attribute], expand: impl FnOnce() -> TokenStream) -> TokenStream {
    let arguments = attributes.iter().find(|attribute| attribute.meta.require_list().is_ok());
    let error =
        arguments.map(|arguments| syn::Error::new_spanned(arguments, message::NO_ARGUMENTS).into_compile_error());
    let expanded = expand();
    quote::quote!(#error #expanded)
}

/// The texts of all `compile_error!` in an expansion.
fn collect(tokens: &TokenStream, found: &mut Vec<String>) {
    let mut is_error = false;
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(name) if name == "compile_error" => is_error = true,
            TokenTree::Group(group) if is_error => {
                let text: syn::LitStr = syn::parse2(group.stream()).expect("a text");
                found.push(text.value());
                is_error = false;
            }
            TokenTree::Group(group) => collect(&group.stream(), found),
            _ => {}
        }
    }
}

#[test]
fn legal_programs_are_accepted() {
    let first = [Style::Plain, Style::History, Style::Width, Style::Near, Style::Tables];
    let second = [Style::Outward, Style::States, Style::Totals, Style::Integers, Style::Gathers];
    let styles = first.into_iter().chain(second);
    for name in styles.flat_map(|style| (0..LEGAL).map(move |seed| Name::new(style, seed))) {
        let source = Program::of(&name).source();
        assert_eq!(complaints(&source), [""; 0], "{name}\n{source}");
    }
}

#[test]
fn illegal_programs_are_refused_with_their_message() {
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    for illegal in mutation::programs(Refusal::Macro, ILLEGAL) {
        *tried.entry(illegal.rule).or_default() += 1;
        let found = complaints(&illegal.source);
        if !found.iter().any(|text| text.contains(illegal.message)) {
            accepted.push(format!("{}: {found:?}\n{}", illegal.rule, illegal.source));
        }
    }
    println!("{} programs, by rule: {tried:#?}", tried.values().sum::<usize>());
    assert!(accepted.is_empty(), "{} accepted or refused for something else, such as\n{}", accepted.len(), accepted[0]);
    assert!(tried.values().sum::<usize>() > 600, "{}", tried.values().sum::<usize>());
}
