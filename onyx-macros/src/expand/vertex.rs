//! The implementations of a vertex function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::expand::edge::target_of;
use crate::expand::function::{Lowered, compiled_width};
use crate::expand::held::{held, held_type, hold};
use crate::expand::loads::{
    in_registers, is_previous, load, load_from, load_own, loads, loads_type, take_written, unless_written,
};
use crate::expand::place::{place_functions, place_name};
use crate::expand::property::{feature, fields, register, set};
use crate::expand::written::{outers, written, written_type};
use crate::expand::{compute, operation};
use crate::lower::names::{known_at, numbered};
use crate::lower::switches::arguments;
use crate::lower::total::{Added, contributions};
use crate::parse::access::{Access, Place};

/// Everything inside of the generated block.
pub fn implementation(lowered: &Lowered) -> TokenStream {
    let access = access(lowered);
    let (load_function, compute_function) = (load_function(lowered), compute_function(lowered));
    let (places, loads, written) = (place_functions(lowered), loads(lowered), written(lowered));
    let (fields, names) = (fields(lowered), operation::names(lowered));
    let (loads_type, written_type) = (loads_type(lowered), written_type(lowered));
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let arguments = arguments(&lowered.function.switches);
    let (held, held_type, hold_function) = (held(lowered), held_type(lowered), hold_function(lowered));
    let (targets, totals) = totals(lowered);
    let (multiplies, goes_on) = (!lowered.plan.multiplied.is_empty(), !lowered.function.may_stop());
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #fields
        #names
        #places
        #loads
        #written
        #held
        #targets

        unsafe impl #generics ::onyx_device::function::VertexFunction<#data> for #name #arguments {
            const ACCESS: ::onyx_device::VertexAccess = #access;
            const MULTIPLIES: bool = #multiplies;
            const GOES_ON: bool = #goes_on;
            type Held<const __V: usize> = #held_type;
            type Loads<const __V: usize> = #loads_type;
            type Written<const __V: usize> = #written_type;
            type Totals<const __V: usize> = #totals;
            #hold_function
            #load_function
            #compute_function
        }
    }
}

/// What the function adds to numbers and rows of the whole graph: the types of what is reduced, and the nested pair of them.
fn totals(lowered: &Lowered) -> (TokenStream, TokenStream) {
    let mixed = Span::mixed_site();
    let added: Vec<(&Added, &Access)> =
        lowered.totals.iter().filter_map(|added| contribution(lowered, added)).collect();
    let targets = added.iter().enumerate().map(|(number, (Added { reduction, .. }, access))| {
        let operator = known_at(reduction.operator(), mixed);
        let operator = quote_spanned!(mixed=> ::onyx_device::operator::#operator);
        target_of(lowered, number, access, (&operator, &TokenStream::new()))
    });
    let pair = added.iter().enumerate().rev().fold(quote_spanned!(mixed=> ()), |rest, (number, (_, access))| {
        let (target, data) = (numbered("Sum", number), &lowered.function.data);
        if access.is_row {
            let (feature, width) = (feature(data, &access.property), compiled_width(lowered));
            if outers(lowered).any(|(_, property)| *property == access.property) {
                quote_spanned!(mixed=> (::onyx_device::reduction::OuterReduction<#target, #width, __V>, #rest))
            } else {
                quote_spanned!(mixed=> (::onyx_device::reduction::RowReduction<#target, #feature, __V>, #rest))
            }
        } else {
            let register = register(data, &access.property);
            quote_spanned!(mixed=> (::onyx_device::reduction::ScalarReduction<#target, #register>, #rest))
        }
    });
    (targets.collect(), pair)
}

/// A total with the contribution of the function's vertex, unless that is multiplied by something before or is one to a table.
fn contribution<'a>(lowered: &'a Lowered, added: &'a Added) -> Option<(&'a Added, &'a Access)> {
    let property = contributions(&added.total);
    let mut written = lowered.plan.registers.iter().map(|register| &register.access);
    let access = written.find(|access| access.property == property).filter(|_| added.by.is_none())?;
    Some((added, access))
}

fn access(lowered: &Lowered) -> TokenStream {
    let plan = &lowered.plan;
    let reads = set(plan.loaded_at(Place::Vertex));
    let (gathers, adds) = (set(plan.gathered()), set(plan.added()));
    let writes = set(plan.written());
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        ::onyx_device::VertexAccess { reads: #reads, gathers: #gathers, adds: #adds, writes: #writes }
    }
}

/// Loads the rows of the graph.
fn hold_function(lowered: &Lowered) -> TokenStream {
    let (data, held_type, mixed) = (&lowered.function.data, held_type(lowered), Span::mixed_site());
    let value = hold(lowered, |access| {
        let place = place_name(lowered, access);
        load_from(lowered, access, &quote_spanned!(mixed=> #place(__data)))
    });
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn hold<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __data: &#data,
        ) -> #held_type {
            #value
        }
    }
}

fn load_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let (loads, loads_type) = (load(lowered, |access| load_access(lowered, access)), loads_type(lowered));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn load<
            __M: ::onyx_device::Machine,
            __T: ::onyx_device::access::Version,
            __G: ::onyx_device::registers::Registers<#data, __V>,
            const __L: usize,
            const __V: usize,
        >(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __vertex: ::onyx_device::Vertex,
            __data: &#data,
            __registers: __G,
        ) -> #loads_type {
            #loads
        }
    }
}

/// Takes what is still in registers: a sum, or a row of the graph that the group holds.
fn load_access(lowered: &Lowered, access: &Access) -> TokenStream {
    let place = place_name(lowered, access);
    let mixed = Span::mixed_site();
    let (registers, previous) = (in_registers(lowered, access), is_previous(&access.property));
    let memory = match (access.place, access.is_row) {
        (Place::Graph, false) => return quote_spanned!(mixed=> #place(__data, __group.machine())),
        (Place::Graph, true) => quote_spanned!(mixed=> #place(__data)),
        _ => quote_spanned!(mixed=> #place(__data, __vertex, #previous)),
    };
    let memory = load_own(lowered, access, &memory);
    let found = quote_spanned! {mixed=>
        match #registers {
            ::core::option::Option::Some(__known) => __known,
            ::core::option::Option::None => #memory,
        }
    };
    if access.place == Place::Graph { found } else { unless_written(access, &found) }
}

fn compute_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let mixed = Span::mixed_site();
    let element = quote_spanned!(mixed=> __vertex);
    let number = quote_spanned!(mixed=> ::onyx_device::gather::Number::Vertex(__vertex.0));
    let stores = compute::stores(lowered, |place| quote_spanned!(mixed=> #place(__data, __vertex, false)));
    let (taken, body) = (take_written(lowered, Place::Vertex), compute::body(lowered, (&element, &number), &stores));
    let (loads_type, written_type) = (loads_type(lowered), written_type(lowered));
    quote_spanned! {mixed=>
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[deny(unsafe_op_in_unsafe_fn)]
        unsafe fn compute<
            __M: ::onyx_device::Machine,
            __G: ::onyx_device::registers::Registers<#data, __V>,
            const __L: usize,
            const __V: usize,
        >(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __vertex: ::onyx_device::Vertex,
            __data: &#data,
            __loads: #loads_type,
            __registers: __G,
        ) -> (bool, #written_type) {
            #taken
            #body
        }
    }
}
