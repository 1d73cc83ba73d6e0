//! A property in generated code: its constants, and the types of what it holds.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use crate::expand::data::at_width;
use crate::expand::function::{Lowered, width};
use crate::lower::names::name_at;
use crate::lower::total::Added;
use crate::message;
use crate::parse::access::Access;

/// The number of a property in the data, as a constant.
pub fn index(property: &Ident) -> Ident {
    name_at(&format!("INDEX_{}", property.unraw()), Span::mixed_site())
}

/// A set of properties, as a constant expression.
pub fn set<'a>(properties: impl IntoIterator<Item = &'a Ident>) -> TokenStream {
    let indices = properties.into_iter().map(index);
    let mixed = Span::mixed_site();
    quote_spanned!(mixed=> 0 #(| 1 << #indices)*)
}

/// What a property has for one feature, as a type: a float, or the row of a matrix.
pub fn feature(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::FeatureOf<#data, #field>)
}

/// What registers hold of a scalar property, as a type: a float or an integer.
pub fn register(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::RegisterOf<#data, #field>)
}

/// The type of a property's numbers in memory.
pub fn stored(data: &Type, property: &Ident) -> TokenStream {
    let at = Span::mixed_site().located_at(property.span());
    let field = field_name(property);
    quote_spanned!(at=> ::onyx_device::property::StoredOf<#data, #field>)
}

/// The type of what the lane has of an access.
pub fn type_of(lowered: &Lowered, access: &Access) -> TokenStream {
    let mixed = Span::mixed_site();
    if !access.is_row {
        return register(&lowered.function.data, &access.property);
    }
    let feature = feature(&lowered.function.data, &access.property);
    quote_spanned!(mixed=> [#feature; __V])
}

/// The name of the constant that is a property's position.
fn field_name(property: &Ident) -> Ident {
    name_at(&format!("FIELD_{}", property.unraw()), Span::mixed_site())
}

/// The positions of all properties that the function reaches, as constants: the same at every number of features, of which 0 is one, so that the compiler compares names once.
pub fn fields(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let data = at_width(lowered.function.data.to_token_stream(), width(lowered), 0);
    let mut names: Vec<&Ident> = Vec::new();
    for access in lowered.plan.places() {
        if !names.contains(&&access.property) {
            names.push(&access.property);
        }
    }
    let fields = names.into_iter().map(|property| {
        let (field, index, name) = (field_name(property), index(property), property.unraw().to_string());
        quote_spanned! {mixed=>
            #[allow(dead_code, non_upper_case_globals)]
            const #field: u32 = ::onyx_device::property::field_of(
                <#data as ::onyx_device::property::GraphData>::PROPERTIES,
                #name,
            );
            #[allow(dead_code, non_upper_case_globals)]
            const #index: u32 = ::onyx_device::property::index_of(#field);
        }
    });
    let places = lowered.plan.places().into_iter();
    let features = places.filter(|access| access.is_row && access.matrix.is_none());
    let refused = features.map(|access| refuse_feature(access, &data));
    let products = lowered.totals.iter().map(|added| check_product(added, &data));
    let (fields, refused, products): (TokenStream, TokenStream, TokenStream) =
        (fields.collect(), refused.collect(), products.collect());
    quote_spanned!(mixed=> #fields #refused #products)
}

/// Refuses one feature of what has another number of them, where the user takes it.
fn refuse_feature(access: &Access, data: &TokenStream) -> TokenStream {
    let (at, property) = (Span::mixed_site().located_at(access.property.span()), &access.property);
    let (field, text) = (field_name(property), message::feature_of_input(property.unraw()));
    quote_spanned! {at=>
        const _: () = if ::onyx_device::projection::is_input(
            <#data as ::onyx_device::property::GraphData>::PROPERTIES,
            #field,
        ) {
            panic!(#text)
        };
    }
}

/// Has the compiler compare the widths of a sum of products with those of what is multiplied.
fn check_product(added: &Added, data: &TokenStream) -> TokenStream {
    let Some(by) = &added.by else { return TokenStream::new() };
    let at = Span::mixed_site().located_at(by.property.span());
    let of = |property: &Ident| {
        let name = property.unraw().to_string();
        quote_spanned! {at=>
            <#data as ::onyx_device::property::Field<{
                ::onyx_device::property::field_of(<#data as ::onyx_device::property::GraphData>::PROPERTIES, #name)
            }>>::Property
        }
    };
    let (total, by_type) = (of(&added.total), of(&by.property));
    let (matrix, row) = if by.is_row { (total, by_type) } else { (by_type, total) };
    quote_spanned!(at=> const _: () = ::onyx_device::projection::multiplied::<#matrix, #row>();)
}
