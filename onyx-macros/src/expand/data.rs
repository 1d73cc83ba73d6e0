//! `#[graph_data]`: the structure, how the runtime sees it, and a key for each property.

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Field, Ident, ItemStruct, Token, parse_quote};

use crate::compile::property::{Element, Properties, Property};
use crate::compile::scratch;
use crate::errors::Errors;
use crate::expand::carrier::{Carried, carrier, check_name};
use crate::expand::stub;
use crate::parse::function::last_segment;
use crate::parse::repair::repaired;
use crate::parse::{data, widths};

type Fields = Punctuated<Field, Token![,]>;

/// What `#[graph_data]` expands to.
pub fn expand(item: &ItemStruct) -> TokenStream {
    let mut errors = Errors::default();
    check_name(&item.ident, &mut errors);
    let item = &repaired(item, &mut errors);
    let (names, item) = (widths::names(item), &widths::of_structure(item, &mut errors));
    let ordered = data::ordered(item);
    match data::parse(item, &mut errors).and(named(&ordered)) {
        Some(fields) if errors.is_empty() => finished(&ordered, fields, &names),
        _ => refused(item, errors),
    }
}

/// What stands for a structure with errors.
pub fn refused(item: &ItemStruct, errors: Errors) -> TokenStream {
    let stub = stub::data(item, errors);
    let carrier = carrier(Carried::Broken, (&item.ident, &item.vis, &item.attrs), &TokenStream::new());
    quote!(#stub #carrier)
}

fn named(item: &ItemStruct) -> Option<&Fields> {
    match &item.fields {
        syn::Fields::Named(fields) => Some(&fields.named),
        _ => None,
    }
}

fn finished(item: &ItemStruct, fields: &Fields, widths: &[String]) -> TokenStream {
    let (keys, implementation, types) = (keys(item), implementation(item, fields, widths), types(item, fields));
    let structure = with_reach(with_default_width(item));
    let carrier = carrier(Carried::Data, (&item.ident, &item.vis, &item.attrs), &plain(item));
    quote! {
        #[repr(C)]
        #[derive(Clone, Copy)]
        #structure

        #keys
        #implementation
        #types
        #carrier
    }
}

/// The structure as folds see it: without attributes.
fn plain(item: &ItemStruct) -> ItemStruct {
    let mut item = item.clone();
    item.attrs.clear();
    item.fields.iter_mut().for_each(|field| field.attrs.clear());
    item
}

/// All that is compiled of a structure.
pub fn compiled(item: &ItemStruct) -> TokenStream {
    named(item).map_or_else(TokenStream::new, |fields| implementation(item, fields, &[]))
}

/// The structure with the width 0 where none is written, so that it is named without one, as in `Data<LabelPropagation>`.
fn with_default_width(item: &ItemStruct) -> ItemStruct {
    let mut item = item.clone();
    for width in item.generics.const_params_mut().filter(|width| width.default.is_none()) {
        width.default = Some((Token![=](Span::mixed_site()), parse_quote!(0)));
    }
    item
}

/// The structure with what it knows of the graph, in a field that no one names.
fn with_reach(mut item: ItemStruct) -> ItemStruct {
    if let syn::Fields::Named(fields) = &mut item.fields {
        let name = reach();
        fields.named.push(parse_quote!(#[doc(hidden)] #name: ::onyx_device::gather::Reach));
    }
    item
}

/// The name of that field.
fn reach() -> Ident {
    Ident::new("__reach", Span::mixed_site())
}

/// The type of each property, by its position, and one for those that are not there.
fn types(item: &ItemStruct, fields: &Fields) -> TokenStream {
    let contributions = contributions(item, fields).into_iter().map(|(_, of)| of);
    let known = fields.iter().map(|field| field.ty.to_token_stream()).chain(contributions);
    let known = known.enumerate().map(|(index, of)| {
        let index = Literal::usize_unsuffixed(index);
        field_type(item, &quote!(#index), &of)
    });
    let types: TokenStream = known.collect();
    let unknown = unknown(item);
    quote!(#types #unknown)
}

/// The type of a property that the structure does not have, which the compiler reports where it is accessed.
pub fn unknown(item: &ItemStruct) -> TokenStream {
    field_type(item, &quote!({ ::onyx_device::property::UNKNOWN }), &quote!(::onyx_device::property::Parameter))
}

fn field_type(item: &ItemStruct, index: &TokenStream, of: &TokenStream) -> TokenStream {
    let (introduced, arguments, _) = item.generics.split_for_impl();
    let name = &item.ident;
    quote! {
        #[allow(clippy::undocumented_unsafe_blocks)]
        unsafe impl #introduced ::onyx_device::property::Field<#index> for #name #arguments {
            type Property = #of;
        }
    }
}

/// The totals among the fields, each with the type of the property that has its contributions.
fn contributions<'a>(item: &ItemStruct, fields: &'a Fields) -> Vec<(&'a Field, TokenStream)> {
    let width = item.generics.const_params().next().map(|width| &width.ident);
    let of = |field: &Field| {
        let name = &last_segment(&field.ty)?.ident;
        Some(match Element::of_type(name)?.contributions()? {
            Element::VertexFeatures => quote!(::onyx_device::property::VertexFeatures<#width>),
            Element::VertexMatrix => quote!(::onyx_device::matrix::VertexMatrix<#width>),
            Element::Table => quote!(::onyx_device::table::Table<#width>),
            _ => quote!(::onyx_device::property::VertexScalar),
        })
    };
    fields.iter().filter_map(|field| Some((field, of(field)?))).collect()
}

/// The keys stand at the width 0, so that they are named without one: `LabelPropagation::LABEL`.
/// A key for each property.
pub fn keys(item: &ItemStruct) -> TokenStream {
    let width = item.generics.const_params().next().map(|width| &width.ident);
    let data = item.ident.unraw().to_string();
    let keys = item.fields.iter().enumerate().map(|(index, field)| key(&data, index, field, width));
    let (name, arguments) = (&item.ident, width.map(|_| quote!(<0>)));
    quote! {
        impl #name #arguments {
            #(#keys)*
        }
    }
}

fn key(data: &str, index: usize, field: &Field, width: Option<&Ident>) -> TokenStream {
    let property = field.ident.as_ref().map(Ident::unraw);
    let Some(property) = property else { return TokenStream::new() };
    let name = Ident::new(&property.to_string().to_uppercase(), property.span());
    let docs = docs(field, &property);
    let of = at_width(field.ty.to_token_stream(), width, 0);
    quote! {
        #(#docs)*
        #[allow(clippy::undocumented_unsafe_blocks)]
        pub const #name: ::onyx_device::property::Key<Self, #of> =
            unsafe { ::onyx_device::property::Key::new(#index, ::core::concat!(::core::module_path!(), "::", #data)) };
    }
}

fn docs(field: &Field, property: &Ident) -> Vec<TokenStream> {
    let is_doc = |attribute: &&Attribute| attribute.path().is_ident("doc");
    let docs: Vec<TokenStream> = field.attrs.iter().filter(is_doc).map(ToTokens::to_token_stream).collect();
    if !docs.is_empty() {
        return docs;
    }
    let text = format!("The property `{property}`.");
    vec![quote!(#[doc = #text])]
}

/// A type with `number` in place of the number of features.
pub fn at_width(of: TokenStream, width: Option<&Ident>, number: usize) -> TokenStream {
    let literal = Literal::usize_unsuffixed(number);
    let replace = |tree: TokenTree| match tree {
        TokenTree::Ident(name) if Some(&name) == width => quote_spanned!(name.span()=> #literal),
        TokenTree::Group(group) => {
            let inner = at_width(group.stream(), width, number);
            TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inner)).into()
        }
        tree => tree.into(),
    };
    of.into_iter().map(replace).collect()
}

fn implementation(item: &ItemStruct, fields: &Fields, widths: &[String]) -> TokenStream {
    let name = &item.ident;
    let (introduced, arguments, _) = item.generics.split_for_impl();
    let contributions = contributions(item, fields);
    let (constants, bind) = (constants(item, fields, &contributions), bind(fields, &contributions));
    let (restore_previous, keep_as_previous) = (each(fields, "restore_previous"), each(fields, "keep_as_previous"));
    let passing = passing(item, fields);
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            unsafe impl #introduced ::onyx_device::property::GraphData for #name #arguments {
                #constants
                const WIDTHS: &'static [&'static str] = &[#(#widths),*];
                #bind
                #passing
                #restore_previous
                #keep_as_previous
            }
        };
    }
}

fn constants(item: &ItemStruct, fields: &Fields, contributions: &[(&Field, TokenStream)]) -> TokenStream {
    let width = item.generics.const_params().next().map(|width| width.ident.to_token_stream());
    let width = width.unwrap_or_else(|| quote!(1));
    let text = item.ident.unraw().to_string();
    let own = fields.iter().map(|field| field.ty.to_token_stream());
    let types = own.chain(contributions.iter().map(|(_, of)| of.clone()));
    let known = Properties::of(item).map_or_else(Vec::new, |properties| properties.0);
    let descriptors = known.iter().zip(types).map(|(property, of)| descriptor(property, &of));
    quote! {
        const WIDTH: usize = #width;
        const NAME: &'static str = #text;
        const PATH: &'static str = ::core::concat!(::core::module_path!(), "::", #text);
        const PROPERTIES: &'static [::onyx_device::property::Descriptor] = &[#(#descriptors),*];
    }
}

fn descriptor(property: &Property, of: &TokenStream) -> TokenStream {
    let name = &property.name;
    // Functions reach in memory what is not written as scratch, whatever another name of it stands for.
    let scratch =
        if property.is_scratch { quote!(<#of as ::onyx_device::property::Property>::SCRATCH) } else { quote!(false) };
    quote! {
        ::onyx_device::property::Descriptor {
            name: #name,
            element: <#of as ::onyx_device::property::Property>::ELEMENT,
            tracked: <#of as ::onyx_device::property::Property>::TRACKED,
            scratch: #scratch,
            number: <#of as ::onyx_device::property::Property>::NUMBER,
            input: <#of as ::onyx_device::property::Property>::INPUT,
        }
    }
}

fn bind(fields: &Fields, contributions: &[(&Field, TokenStream)]) -> TokenStream {
    let (mixed, count) = (Span::mixed_site(), fields.len());
    let names: Vec<_> = fields.iter().map(|field| &field.ident).collect();
    let position = |field: &Field| contributions.iter().position(|(total, _)| total.ident == field.ident);
    let fields = fields.iter().enumerate().map(|(index, field)| {
        let (name, of) = (&field.ident, &field.ty);
        let own = quote_spanned!(mixed=> <#of as ::onyx_device::property::Property>::bind(__storages[#index]));
        let bound = match position(field).map(|number| count + number) {
            Some(contributions) => quote_spanned! {mixed=>
                ::onyx_device::total::Total::with_contributions(#own, __storages[#contributions])
            },
            None => own,
        };
        quote_spanned!(mixed=> #name: #bound)
    });
    let reach = reach();
    let exchanges = names.iter().enumerate().map(|(index, name)| {
        quote_spanned! {mixed=>
            if __properties >> #index & 1 == 1 {
                __data.#name = ::onyx_device::property::Property::exchanged(__data.#name);
            }
        }
    });
    quote_spanned! {mixed=>
        fn bind(__storages: &[::onyx_device::property::Storage]) -> Self {
            Self { #(#fields,)* #reach: ::onyx_device::gather::Reach::NONE }
        }

        fn reaching(self, #reach: ::onyx_device::gather::Reach) -> Self {
            Self { #reach, ..self }
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn reach(&self) -> ::onyx_device::gather::Reach {
            self.#reach
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn narrow(self) -> Self {
            Self { #(#names: ::onyx_device::property::Property::narrow(self.#names),)* #reach: self.#reach }
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn of_head(self, __head: u32) -> Self {
            Self { #(#names: ::onyx_device::property::Property::of_head(self.#names, __head),)* #reach: self.#reach }
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn exchanged(self, __properties: u64) -> Self {
            let mut __data = self;
            #(#exchanges)*
            __data
        }
    }
}

/// The function that moves scratch rows, if there are any.
fn passing(item: &ItemStruct, fields: &Fields) -> TokenStream {
    let mixed = Span::mixed_site();
    let rows = Properties::of(item).map_or(0, |properties| scratch::rows(&properties, properties.scratch()));
    if rows == 0 {
        return TokenStream::new();
    }
    let moves = fields.iter().enumerate().filter(|(index, _)| rows >> index & 1 == 1).map(|(index, field)| {
        let name = &field.ident;
        quote_spanned! {mixed=>
            if __properties >> #index & 1 == 1 {
                __data.#name = ::onyx_device::property::Property::at(__data.#name, __rows, __first);
                __rows = __rows.wrapping_add(__floats);
            }
        }
    });
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn passing(self, __properties: u64, __rows: *mut f32, __floats: usize, __first: u32) -> Self {
            let (mut __data, mut __rows) = (self, __rows);
            #(#moves)*
            __data
        }
    }
}

/// The function that calls the same one of each property whose bit is set.
fn each(fields: &Fields, function: &str) -> TokenStream {
    let (mixed, function) = (Span::mixed_site(), format_ident!("{function}"));
    let calls = fields.iter().enumerate().map(|(index, field)| {
        let (name, of) = (&field.ident, &field.ty);
        quote_spanned! {mixed=>
            if __properties >> #index & 1 == 1 {
                unsafe { <#of as ::onyx_device::property::Property>::#function(&self.#name, __group, __vertex) }
            }
        }
    });
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn #function<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
            &self,
            __group: ::onyx_device::Group<__M, __L, __V>,
            __vertex: ::onyx_device::Vertex,
            __properties: u64,
        ) {
            #(#calls)*
        }
    }
}
