//! What a function has written when it has run, by whose properties a later one finds it in registers.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Ident, parse_quote_spanned};

use crate::expand::function::{Lowered, width};
use crate::expand::property::{index, type_of};
use crate::lower::names::numbered;

/// The type of the structure of what is written.
pub fn written_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    quote_spanned!(mixed=> __Written<#(#width,)* __V>)
}

/// The structure of what is written, by whose properties a later function finds it.
pub fn written(lowered: &Lowered) -> TokenStream {
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let registers = || lowered.plan.registers.iter().enumerate();
    let fields = registers().map(|(number, register)| {
        let (name, of) = (numbered("register", number), type_of(lowered, &register.access));
        quote_spanned!(mixed=> #name: #of)
    });
    let (row, scalar) = (found(lowered, true), found(lowered, false));
    let (factors, found_factors) = (factors_of_outers(lowered), found_factors(lowered));
    let (width, written_type) = (width(lowered).into_iter(), written_type(lowered));
    let mut generics = lowered.function.generics.clone();
    generics.params.push(parse_quote_spanned!(mixed=> const __V: usize));
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Written<#(const #width: usize,)* const __V: usize> { #(#fields,)* #(#factors: [[f32; __V]; 2],)* }

        impl #generics ::onyx_device::registers::Registers<#data, __V> for #written_type {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn row<__X: ::onyx_device::value::Value>(&self, __property: u32) -> ::core::option::Option<[__X; __V]> {
                #row
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn scalar<__X: ::onyx_device::stored::Register>(&self, __property: u32) -> ::core::option::Option<__X> {
                #scalar
            }

            #found_factors
        }
    }
}

/// Finds one of the written properties, with features or scalar.
fn found(lowered: &Lowered, is_row: bool) -> TokenStream {
    let mixed = Span::mixed_site();
    let registers = lowered.plan.registers.iter().enumerate();
    let arms = registers.filter(|(_, register)| register.access.is_row == is_row).map(|(number, register)| {
        let index = index(&register.access.property);
        let name = numbered("register", number);
        let value = if is_row {
            quote_spanned!(mixed=> ::onyx_device::value::cast(self.#name))
        } else {
            quote_spanned!(mixed=> ::core::option::Option::Some(::onyx_device::stored::same(self.#name)))
        };
        quote_spanned! {mixed=>
            if __property == #index {
                return #value;
            }
        }
    });
    quote_spanned! {mixed=>
        #(#arms)*
        ::core::option::Option::None
    }
}

/// The numbers of the regions that end in an outer product which is a contribution to a total of the graph, and what has it.
pub fn outers(lowered: &Lowered) -> impl Iterator<Item = (usize, &Ident)> {
    let regions = lowered.regions.iter().enumerate();
    regions.filter_map(|(number, region)| Some((number, region.contribution.as_ref()?)))
}

/// The variables that have the rows of such products.
pub fn factors_of_outers(lowered: &Lowered) -> Vec<Ident> {
    outers(lowered).map(|(number, _)| numbered("factors", number)).collect()
}

/// Finds the rows of which a property is the outer product.
fn found_factors(lowered: &Lowered) -> TokenStream {
    if outers(lowered).next().is_none() {
        return TokenStream::new();
    }
    let mixed = Span::mixed_site();
    let arms = outers(lowered).map(|(number, property)| {
        let (index, name) = (index(property), numbered("factors", number));
        quote_spanned! {mixed=>
            if __property == #index {
                return ::core::option::Option::Some(self.#name);
            }
        }
    });
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn factors(&self, __property: u32) -> ::core::option::Option<[[f32; __V]; 2]> {
            #(#arms)*
            ::core::option::Option::None
        }
    }
}
