//! The attributes of Onyx and `foldmap!`: `parse` reads what the user wrote, `check` refuses what has no meaning, `lower` takes it apart, and
//! `expand` writes the code. Every message stands in `message`.
#![deny(missing_docs)]

mod check;
mod compile;
mod errors;
mod expand;
mod fingerprint;
mod gradient;
mod lower;
mod message;
mod parse;
#[cfg(test)]
mod random;

use proc_macro::TokenStream;
use syn::{Item, ItemFn, parse_macro_input};

use crate::errors::Errors;
use crate::parse::function::Kind;
use crate::parse::remnant::Remnant;
use crate::parse::state::State;

/// Declares the properties of an algorithm.
///
/// Each field is a property: `VertexFeatures<K>`, `VertexScalar`, `VertexMatrix<K>`, `EdgeFeatures<K>`, `EdgeScalar`, `EdgeMatrix<K>`,
/// `GraphMatrix<K>` or `Parameter`; the first three may be `Tracked`. `K` is the number of features, and the structure's only generic parameter but for other
/// widths, `J` of `VertexFeatures<J>`, `EdgeFeatures<J>` and `GraphMatrix<K, J>`, whose rows functions read whole.
/// Each property gets a key of its name in capitals, such as `LabelPropagation::SEED`.
#[proc_macro_attribute]
pub fn graph_data(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse::<Item>(item.clone()) {
        Ok(Item::Struct(data)) => with_arguments(arguments, expand::data::expand(&data)),
        Ok(other) => refuse(&other, item, message::NOT_A_STRUCTURE),
        Err(error) => unread(item, error, |rest, errors| expand::data::refused(&rest.structure(), errors)),
    }
}

/// Declares what happens for each active edge, one feature at a time.
///
/// The function reads properties at the edge's ends (`d.label[e.src][f]`, `d.rank[e.dst]`) and at the edge itself (`d.weight[e]`), writes the
/// edge's own properties, and reduces into the destination: `d.sum[e.dst][f] += x`, `*=`, `|=`, `&=`, `.min_with(x)`, `.max_with(x)`, `.mean_with(x)`,
/// `.softmax_add(score, x)`. It returns whether the destination is activated.
#[proc_macro_attribute]
pub fn edge_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Edge, arguments, item)
}

/// Declares what happens for each active vertex, one feature at a time.
///
/// The function reads and writes properties of its own vertex: `d.label[v][f] = x`. `sum(x)`, `softmax(x)`, `dot(a, b)` and their like work
/// across the features. It returns whether the vertex has changed.
#[proc_macro_attribute]
pub fn vertex_fn(arguments: TokenStream, item: TokenStream) -> TokenStream {
    function(Kind::Vertex, arguments, item)
}

/// Declares a sequence of edge and vertex functions that run together, compiled for several numbers of features.
///
/// `foldmap! { pub step<const K: usize>(Data<K>) = [spread, absorb]; features = [4, 16] }`
#[proc_macro]
pub fn foldmap(input: TokenStream) -> TokenStream {
    match syn::parse(input.clone()) {
        Ok(fold) => expand::chain::begin(&input.into(), &fold).into(),
        Err(error) => expand::chain::refused(input.into(), error).into(),
    }
}

/// What `foldmap!` hands on from one of its items to the next: not for users.
#[doc(hidden)]
#[proc_macro]
pub fn compile_fold(input: TokenStream) -> TokenStream {
    let tokens = input.clone().into();
    let state = parse_macro_input!(input as State);
    expand::chain::go_on(&tokens, state).into()
}

/// Compiles an item for the host alone.
#[proc_macro_attribute]
pub fn host(arguments: TokenStream, item: TokenStream) -> TokenStream {
    with_arguments(arguments, expand::host::expand(&item.into()))
}

fn function(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse::<Item>(item.clone()) {
        Ok(Item::Fn(function)) if function.sig.receiver().is_some() => {
            syn::Error::new_spanned(function.sig.receiver(), message::RECEIVER).into_compile_error().into()
        }
        Ok(Item::Fn(function)) => with_arguments(arguments, expand_function(kind, &function)),
        Ok(other) => refuse(&other, item, message::NOT_A_FUNCTION),
        Err(error) => unread(item, error, |rest, errors| expand::function::refused(kind, &rest.function(), errors)),
    }
}

fn expand_function(kind: Kind, item: &ItemFn) -> proc_macro2::TokenStream {
    expand::function::expand(kind, item)
}

/// Adds an error if an attribute that takes no arguments has some.
fn with_arguments(arguments: TokenStream, expanded: proc_macro2::TokenStream) -> TokenStream {
    let arguments = proc_macro2::TokenStream::from(arguments);
    if arguments.is_empty() {
        return expanded.into();
    }
    let error = syn::Error::new_spanned(arguments, message::NO_ARGUMENTS).into_compile_error();
    quote::quote!(#error #expanded).into()
}

/// What stands for an item with a syntax error, of which the beginning is known.
fn unread(
    item: TokenStream,
    error: syn::Error,
    expand: impl Fn(Remnant, Errors) -> proc_macro2::TokenStream,
) -> TokenStream {
    let mut errors = Errors::default();
    let is_index = error.to_string().ends_with("expected `]`");
    errors.push_error(if is_index { syn::Error::new(error.span(), message::INDEX) } else { error });
    match Remnant::of(item.into()) {
        Some(rest) => expand(rest, errors).into(),
        None => errors.into_tokens().into(),
    }
}

/// The item as it is, with an error at its first token.
fn refuse(at: &Item, item: TokenStream, text: &str) -> TokenStream {
    let error = syn::Error::new(syn::spanned::Spanned::span(at), text).into_compile_error();
    let item = proc_macro2::TokenStream::from(item);
    quote::quote!(#error #item).into()
}
