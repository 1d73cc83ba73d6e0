//! Properties as they stand in a function.

use proc_macro2::TokenStream;
use quote::quote;

use crate::gradient::name::ident;
use crate::parse::access::{Access, Place};

/// A property, as it stands in a function.
pub fn accessed(access: &Access) -> TokenStream {
    let (property, data) = (&access.property, ident("d"));
    let (element, feature) = (element(access), access.is_row.then(|| ident("f")).into_iter());
    if let Some(matrix) = &access.matrix {
        let row = whole(access);
        return quote!(matvec(#data.#matrix #([#feature])*, #row));
    }
    quote!(#data.#property #element #([#feature])*)
}

/// All numbers of a row of another width.
pub fn whole(access: &Access) -> TokenStream {
    let (data, property, element) = (ident("d"), &access.property, element(access));
    quote!(#data.#property #element[..])
}

fn element(access: &Access) -> TokenStream {
    let (edge, vertex, index) = (ident("e"), ident("v"), &access.index);
    match access.place {
        Place::Source => quote!([#edge.src]),
        Place::Destination => quote!([#edge.dst]),
        Place::Reverse => quote!([#edge.rev]),
        Place::Edge => quote!([#edge]),
        Place::Vertex => quote!([#vertex]),
        Place::Computed => quote!([Vertex(#index)]),
        Place::Row => quote!([#index]),
        Place::Graph => TokenStream::new(),
    }
}
