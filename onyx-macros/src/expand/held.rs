//! The rows of the graph that a vertex function reads, which are loaded apart from what each vertex has.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::parse_quote_spanned;

use crate::expand::function::{Lowered, width};
use crate::expand::property::{index, type_of};
use crate::lower::names::numbered;
use crate::parse::access::{Access, Place};

/// The rows of the graph that the function reads: the number of each among what is loaded, and the access.
fn held_loads(lowered: &Lowered) -> impl Iterator<Item = (usize, &Access)> {
    let loads = lowered.plan.loads.iter().map(|load| &load.access).enumerate();
    loads.filter(|(_, access)| access.place == Place::Graph && access.is_row && access.matrix.is_none())
}

/// The type of the structure of those rows, or nothing.
pub fn held_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    if held_loads(lowered).next().is_none() {
        return quote_spanned!(mixed=> ());
    }
    quote_spanned!(mixed=> __Held<#(#width,)* __V>)
}

/// The structure of those rows, by whose properties the function finds them.
pub fn held(lowered: &Lowered) -> TokenStream {
    if held_loads(lowered).next().is_none() {
        return TokenStream::new();
    }
    let (mixed, data, held_type) = (Span::mixed_site(), &lowered.function.data, held_type(lowered));
    let fields = held_loads(lowered).map(|(number, access)| {
        let (slot, of) = (numbered("slot", number), type_of(lowered, access));
        quote_spanned!(mixed=> #slot: #of)
    });
    let arms = held_loads(lowered).map(|(number, access)| {
        let (slot, index) = (numbered("slot", number), index(&access.property));
        quote_spanned! {mixed=>
            if __property == #index {
                return ::onyx_device::value::cast(self.#slot);
            }
        }
    });
    let width = width(lowered).into_iter();
    let mut generics = lowered.function.generics.clone();
    generics.params.push(parse_quote_spanned!(mixed=> const __V: usize));
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Held<#(const #width: usize,)* const __V: usize> { #(#fields,)* }

        impl #generics ::onyx_device::registers::Registers<#data, __V> for #held_type {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn row<__X: ::onyx_device::value::Value>(&self, __property: u32) -> ::core::option::Option<[__X; __V]> {
                #(#arms)*
                ::core::option::Option::None
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn scalar<__X: ::onyx_device::stored::Register>(&self, _: u32) -> ::core::option::Option<__X> {
                ::core::option::Option::None
            }
        }
    }
}

/// The value of that structure, given the code that loads one access.
pub fn hold(lowered: &Lowered, code: impl Fn(&Access) -> TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let fields: Vec<TokenStream> = held_loads(lowered)
        .map(|(number, access)| {
            let (slot, code) = (numbered("slot", number), code(access));
            quote_spanned!(mixed=> #slot: #code)
        })
        .collect();
    if fields.is_empty() { TokenStream::new() } else { quote_spanned!(mixed=> __Held { #(#fields,)* }) }
}
