//! Where a property is: one function for each way that it is reached.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;

use crate::expand::function::{Lowered, compiled_width};
use crate::expand::property::stored;
use crate::lower::names::{known_at, name_at, numbered};
use crate::lower::total::total_of;
use crate::parse::access::{Access, Place};

/// The name of the function that reaches an access's property.
pub fn place_name(lowered: &Lowered, access: &Access) -> Ident {
    numbered("place", lowered.plan.place_of(access))
}

/// The functions that reach properties. A wrong kind of property is reported at the user's access, once.
pub fn place_functions(lowered: &Lowered) -> TokenStream {
    lowered.plan.places().into_iter().map(|access| place_function(lowered, access)).collect()
}

fn place_function(lowered: &Lowered, access: &Access) -> TokenStream {
    let (name, generics, data) = (place_name(lowered, access), &lowered.function.generics, &lowered.function.data);
    let mixed = Span::mixed_site();
    let argument = property(access);
    let memory = stored(data, &access.property);
    let (parameters, output, body) = match access.place {
        _ if access.matrix.is_some() => factors(access, &memory),
        Place::Graph => of_graph(lowered, access),
        Place::Row => {
            let of = known_at(if total_of(&access.property).is_some() { "contributions" } else { "rows" }, mixed);
            (
                TokenStream::new(),
                quote_spanned!(mixed=> ::onyx_device::table::Rows),
                quote_spanned!(mixed=> ::onyx_device::table::TableRow::#of(#argument)),
            )
        }
        Place::Edge | Place::Reverse => {
            let path = edge_path(access.is_row);
            (
                quote_spanned!(mixed=> , __id: u64),
                quote_spanned!(mixed=> *mut #memory),
                quote_spanned!(mixed=> #path(#argument, __id)),
            )
        }
        _ => {
            let path = vertex_path(access);
            (
                quote_spanned!(mixed=> , __vertex: ::onyx_device::Vertex, __previous: bool),
                quote_spanned!(mixed=> *mut #memory),
                quote_spanned!(mixed=> #path(#argument, __vertex, __previous)),
            )
        }
    };
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn #name #generics (__data: &#data #parameters) -> #output {
            #body
        }
    }
}

/// What reaches a property of the graph: its parameters, its result and its body.
fn of_graph(lowered: &Lowered, access: &Access) -> (TokenStream, TokenStream, TokenStream) {
    let (mixed, argument) = (Span::mixed_site(), property(access));
    if lowered.plan.is_multiplied(access) {
        let (at, width) = (mixed.located_at(access.property.span()), compiled_width(lowered));
        return (
            TokenStream::new(),
            quote_spanned!(mixed=> *const f32),
            quote_spanned!(at=> ::onyx_device::graph_matrix::matrix::<#width>(#argument)),
        );
    }
    if access.is_row {
        return (
            TokenStream::new(),
            quote_spanned!(mixed=> *mut f32),
            quote_spanned!(mixed=> ::onyx_device::property::GraphRow::row(#argument)),
        );
    }
    (
        quote_spanned!(mixed=> , __machine: impl ::onyx_device::Machine),
        quote_spanned!(mixed=> f32),
        quote_spanned!(mixed=> unsafe { ::onyx_device::property::GraphValue::value(#argument, __machine) }),
    )
}

/// What reaches a matrix and a row of another width: its parameters, its result and its body, shown at the user's tokens.
fn factors(access: &Access, memory: &TokenStream) -> (TokenStream, TokenStream, TokenStream) {
    let (mixed, row) = (Span::mixed_site(), property(access));
    let at = mixed.located_at(access.property.span());
    let (matrix, shown) = (access.matrix.as_ref().map(field), access.matrix.as_ref().map_or(at, Ident::span));
    let (parameters, row) = if matches!(access.place, Place::Edge | Place::Reverse) {
        let id = name_at("id", at);
        (
            quote_spanned!(mixed=> , __id: u64),
            quote_spanned!(at=> ::onyx_device::projection::EdgeWhole::whole(#row, #id)),
        )
    } else {
        let vertex = name_at("vertex", at);
        (
            quote_spanned!(mixed=> , __vertex: ::onyx_device::Vertex, _previous: bool),
            quote_spanned!(at=> ::onyx_device::projection::VertexWhole::whole(#row, #vertex)),
        )
    };
    let shown = mixed.located_at(shown);
    (
        parameters,
        quote_spanned!(mixed=> ::onyx_device::projection::Factors<#memory>),
        quote_spanned!(shown=> ::onyx_device::projection::Projects::factors(#matrix, #row)),
    )
}

/// `&data.property`, shown at the user's tokens.
fn property(access: &Access) -> TokenStream {
    field(&total_of(&access.property).unwrap_or_else(|| access.property.clone()))
}

fn field(property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let data = name_at("data", at);
    quote_spanned!(at=> &#data.#property)
}

/// What reaches a vertex's value, or its contribution to a total of the graph.
fn vertex_path(access: &Access) -> TokenStream {
    let mixed = Span::mixed_site();
    match (total_of(&access.property).is_some(), access.is_row) {
        (false, true) => quote_spanned!(mixed=> ::onyx_device::property::VertexRow::row),
        (false, false) => quote_spanned!(mixed=> ::onyx_device::property::VertexValue::value),
        (true, true) => quote_spanned!(mixed=> ::onyx_device::total::TotalRow::row),
        (true, false) => quote_spanned!(mixed=> ::onyx_device::total::TotalValue::value),
    }
}

fn edge_path(is_row: bool) -> TokenStream {
    let mixed = Span::mixed_site();
    if is_row {
        quote_spanned!(mixed=> ::onyx_device::property::EdgeRow::row)
    } else {
        quote_spanned!(mixed=> ::onyx_device::property::EdgeValue::value)
    }
}
