//! The lowered body: registers, then a loop over the lane's features for each region, then stores.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

use crate::expand::function::Lowered;
use crate::expand::place::place_name;
use crate::expand::property::{feature, index, stored, type_of};
use crate::expand::region::{last_region, operating_region};
use crate::expand::written::{factors_of_outers, outers};
use crate::lower::names::numbered;
use crate::lower::region::{Region, result};
use crate::lower::rewrite::Rewrite;
use crate::lower::total::total_of;
use crate::parse::access::{Access, Place};

/// The body of `compute`. `element` is the edge or the vertex, and its number. Its value is what the function returned, with what it wrote.
pub fn body(lowered: &Lowered, (element, number): (&TokenStream, &TokenStream), stores: &TokenStream) -> TokenStream {
    let (element, registers, variables) = (element_name(lowered, element), registers(lowered), variables(lowered));
    let regions = lowered.regions.iter().enumerate().map(|(number, region)| match &region.call {
        Some(call) => operating_region(lowered, number, region, call),
        None => last_region(lowered, number, region),
    });
    let (written, mixed) = (written(lowered), Span::mixed_site());
    let ((begin, end), (watch, report)) = (running(lowered), misses(lowered, number));
    quote_spanned! {mixed=>
        #element
        #registers
        #variables
        #watch
        #begin
        #(#regions)*
        #end
        #report
        #stores
        (__outcome, #written)
    }
}

/// What names the function where a panic comes out of it.
fn running(lowered: &Lowered) -> (TokenStream, TokenStream) {
    if !lowered.may_panic {
        return (TokenStream::new(), TokenStream::new());
    }
    let (mixed, name) = (Span::mixed_site(), lowered.function.name.unraw().to_string());
    (
        quote_spanned!(mixed=> let __running = ::onyx_device::running::Running::begin(#name);),
        quote_spanned!(mixed=> __running.end();),
    )
}

/// What collects reads out of range, and notes them in the end, where a function computes an index.
fn misses(lowered: &Lowered, number: &TokenStream) -> (TokenStream, TokenStream) {
    if !lowered.plan.computes_indices() {
        return (TokenStream::new(), TokenStream::new());
    }
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let name = lowered.function.name.unraw().to_string();
    let function = quote_spanned!(mixed=> const { ::onyx_device::gather::number_of(#name) });
    let reach = quote_spanned!(mixed=> <#data as ::onyx_device::property::GraphData>::reach(__data));
    (
        quote_spanned!(mixed=> let __misses = &::onyx_device::gather::Misses::default();),
        quote_spanned!(mixed=> unsafe { __misses.report(__group, #reach, #number, #function) };),
    )
}

/// The value of the structure of what is written.
fn written(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let names = (0..lowered.plan.registers.len()).map(|number| numbered("register", number));
    let factors = factors_of_outers(lowered);
    quote_spanned!(mixed=> __Written { #(#names,)* #(#factors,)* })
}

/// Stores the registers, given the code of the place of one. Scratch is stored only where it has memory.
pub fn stores(lowered: &Lowered, place: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let stores = lowered.plan.registers.iter().enumerate().map(|(number, register)| {
        let (value, place) = (numbered("register", number), place(&place_name(lowered, &register.access)));
        let (index, (store, round)) =
            (index(&register.access.property), store(lowered, &register.access, &value, &place));
        // Contributions to totals of the graph may be taken from registers.
        let is_kept = total_of(&register.access.property).map(|_| {
            quote_spanned! {mixed=>
                && <__G as ::onyx_device::registers::Registers<#data, __V>>::TAKEN >> #index & 1 == 0
            }
        });
        quote_spanned! {mixed=>
            #round
            if const {
                (<__G as ::onyx_device::registers::Registers<#data, __V>>::SPILLED >> #index & 1 == 1
                    || <#data as ::onyx_device::property::GraphData>::SCRATCH >> #index & 1 == 0) #is_kept
            } {
                unsafe { #store }
            }
        }
    });
    quote_spanned!(mixed=> #(#stores)*)
}

/// Stores one register; and rounds it before, since a later function reads what memory has, also where it finds that in registers.
fn store(lowered: &Lowered, access: &Access, value: &Ident, place: &TokenStream) -> (TokenStream, TokenStream) {
    let (mixed, data, property) = (Span::mixed_site(), &lowered.function.data, &access.property);
    if !access.is_row {
        return (quote_spanned!(mixed=> __group.store_scalar(#place, #value)), TokenStream::new());
    }
    let (feature, stored) = (feature(data, property), stored(data, property));
    let product = outers(lowered).find(|(_, contribution)| *contribution == property);
    let store = match product.map(|(number, _)| result(number)) {
        Some(product) => quote_spanned!(mixed=> #product.store(#place)),
        None if access.place == Place::Vertex => quote_spanned! {mixed=>
            if const { <__G as ::onyx_device::registers::Registers<#data, __V>>::PULLS } {
                <#feature as ::onyx_device::value::Value>::store(__group, ::onyx_device::streamed::streamed(#place), #value);
            } else {
                <#feature as ::onyx_device::value::Value>::store(__group, #place, #value);
            }
        },
        None => quote_spanned!(mixed=> <#feature as ::onyx_device::value::Value>::store(__group, #place, #value)),
    };
    (store, quote_spanned!(mixed=> <#feature as ::onyx_device::value::Value>::round::<#stored, __V>(&mut #value);))
}

/// The user's name for the edge or vertex, if the body uses it other than as an index.
fn element_name(lowered: &Lowered, element: &TokenStream) -> TokenStream {
    let name = &lowered.function.names.element;
    let mixed = Span::mixed_site();
    if names_element(lowered) {
        quote_spanned!(mixed=> #[allow(unused_variables)] let #name = #element;)
    } else {
        TokenStream::new()
    }
}

/// Whether the body uses the edge or vertex other than as an index: whether it is still there when accesses have become registers.
pub fn names_element(lowered: &Lowered) -> bool {
    let (rewrite, name) = (Rewrite::of(lowered), &lowered.function.names.element);
    let is_named = |region: &Region| {
        let statements = region.statements.iter().map(|statement| rewrite.statement(statement).to_token_stream());
        let arguments = region.call.iter().flat_map(|call| &call.arguments);
        let arguments = arguments.map(|argument| rewrite.expression(argument).to_token_stream());
        statements.chain(arguments).any(|tokens| has_name(tokens, name))
    };
    lowered.regions.iter().any(is_named)
}

fn has_name(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == *name,
        TokenTree::Group(group) => has_name(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn registers(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let registers = lowered.plan.registers.iter().enumerate().map(|(number, register)| {
        let name = numbered("register", number);
        let start = match lowered.plan.load_of(&register.access).filter(|_| register.is_loaded) {
            Some(load) => {
                let slot = numbered("slot", load);
                quote_spanned!(mixed=> __loads.#slot)
            }
            None if register.access.is_row => quote_spanned!(mixed=> [::onyx_device::value::Value::ZERO; __V]),
            None => quote_spanned!(mixed=> ::core::default::Default::default()),
        };
        let kind = type_of(lowered, &register.access);
        quote_spanned!(mixed=> let mut #name: #kind = #start;)
    });
    registers.collect()
}

fn variables(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let variables = (0..lowered.variables.len()).map(|number| {
        let name = numbered("variable", number);
        quote_spanned!(mixed=> let mut #name = ::onyx_device::local::Local::<_, __V>::new();)
    });
    variables.collect()
}
