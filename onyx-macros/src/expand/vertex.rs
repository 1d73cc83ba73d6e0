//! The implementations of a vertex function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::check::infinity;
use crate::expand::access::{
    fields, in_registers, index, is_previous, load, load_from, loads, loads_type, place_functions, place_name, set,
    take_written, unless_written, written, written_type,
};
use crate::expand::function::{Lowered, across};
use crate::expand::{compute, operation};
use crate::parse::access::{Access, Place};

/// Everything inside of the generated block.
pub fn implementation(lowered: &Lowered) -> TokenStream {
    let (kind, access) = (kind(lowered), access(lowered));
    let (load_function, compute_function) = (load_function(lowered), compute_function(lowered));
    let (places, loads, written) = (place_functions(lowered), loads(lowered), written(lowered));
    let (fields, names) = (fields(lowered), operation::names(lowered));
    let (loads_type, written_type) = (loads_type(lowered), written_type(lowered));
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #fields
        #names
        #places
        #loads
        #written
        #kind

        impl #generics ::onyx_device::function::VertexFunction<#data> for #name {
            const ACCESS: ::onyx_device::VertexAccess = #access;
            type Loads<const __V: usize> = #loads_type;
            type Written<const __V: usize> = #written_type;
            #load_function
            #compute_function
        }
    }
}

fn kind(lowered: &Lowered) -> TokenStream {
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let (may_stop, across, flow) = (lowered.function.may_stop(), across(lowered), flow(lowered));
    let (mixed, infinity) = (Span::mixed_site(), infinity::may_make_one(&lowered.function));
    quote_spanned! {mixed=>
        impl ::onyx_device::split::Function for #name {
            type Kind = ::onyx_device::split::VertexKind;
            const MAY_STOP: bool = #may_stop;
            const MAY_MAKE_INFINITY: bool = #infinity;
            const ACROSS: ::onyx_device::tile::Across = #across;
        }

        impl #generics ::onyx_device::split::Accesses<#data> for #name {
            const EDGE: ::onyx_device::EdgeAccess = ::onyx_device::EdgeAccess::NONE;
            const VERTEX: ::onyx_device::VertexAccess =
                <Self as ::onyx_device::function::VertexFunction<#data>>::ACCESS;
            const FLOW: ::onyx_device::changes::Flow = #flow;
        }
    }
}

/// Where what the function stores and returns comes from, as a constant expression.
fn flow(lowered: &Lowered) -> TokenStream {
    let (data, flow, mixed) = (&lowered.function.data, &lowered.flow, Span::mixed_site());
    let stores = flow.stores.iter().map(|stored| {
        let (property, sources) = (index(data, &stored.property), set(data, &stored.sources));
        let linear = set(data, &stored.linear);
        let rests_on = set(data, stored.rests_on.iter().flatten());
        let is_certain = stored.is_certain;
        quote_spanned! {mixed=>
            ::onyx_device::changes::Stored {
                property: #property,
                sources: #sources,
                linear: #linear,
                rests_on: #rests_on,
                is_certain: #is_certain,
            }
        }
    });
    let (returned, covers) = (set(data, &flow.returned), set(data, &flow.covers));
    let always_true = flow.always_true;
    quote_spanned! {mixed=>
        ::onyx_device::changes::Flow {
            stores: &[#(#stores),*],
            returned: #returned,
            covers: #covers,
            always_true: #always_true,
        }
    }
}

fn access(lowered: &Lowered) -> TokenStream {
    let (plan, data) = (&lowered.plan, &lowered.function.data);
    let reads = set(data, plan.loaded_at(Place::Vertex));
    let writes = set(data, plan.written());
    let mixed = Span::mixed_site();
    quote_spanned!(mixed=> ::onyx_device::VertexAccess { reads: #reads, writes: #writes })
}

fn load_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let (loads, loads_type) = (load(lowered, |access| load_access(lowered, access)), loads_type(lowered));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[inline(always)]
        unsafe fn load<
            __M: ::onyx_device::Machine,
            __T: ::onyx_device::access::Time,
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

/// Takes what is still in registers: a sum.
fn load_access(lowered: &Lowered, access: &Access) -> TokenStream {
    let (place, data) = (place_name(lowered, access), &lowered.function.data);
    let mixed = Span::mixed_site();
    match (access.place, access.is_row) {
        (Place::Graph, false) => return quote_spanned!(mixed=> #place(__data, __group.machine())),
        (Place::Graph, true) => return load_from(lowered, access, &quote_spanned!(mixed=> #place(__data))),
        _ => {}
    }
    let (registers, previous) = (in_registers(lowered, access), is_previous(data, &access.property));
    let memory = load_from(lowered, access, &quote_spanned!(mixed=> #place(__data, __vertex, #previous)));
    let found = quote_spanned! {mixed=>
        match #registers {
            ::core::option::Option::Some(__known) => __known,
            ::core::option::Option::None => #memory,
        }
    };
    unless_written(lowered, access, &found)
}

fn compute_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let mixed = Span::mixed_site();
    let element = quote_spanned!(mixed=> __vertex);
    let stores = compute::stores(lowered, |place| quote_spanned!(mixed=> #place(__data, __vertex, false)));
    let (taken, body) = (take_written(lowered, Place::Vertex), compute::body(lowered, &element, &stores));
    let (loads_type, written_type) = (loads_type(lowered), written_type(lowered));
    quote_spanned! {mixed=>
        #[inline(always)]
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
