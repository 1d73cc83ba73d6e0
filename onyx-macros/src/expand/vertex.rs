//! The implementations of a vertex function.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::expand::access::{
    feature, index, is_previous, load, load_from, loads, loads_type, place_functions, place_name, set,
};
use crate::expand::compute;
use crate::expand::function::Lowered;
use crate::parse::access::{Access, Place};

/// Everything inside of the generated block.
pub fn implementation(lowered: &Lowered) -> TokenStream {
    let (kind, access) = (kind(lowered), access(lowered));
    let (load_function, compute_function) = (load_function(lowered), compute_function(lowered));
    let (places, loads, loads_type) = (place_functions(lowered), loads(lowered), loads_type(lowered));
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #places
        #loads
        #kind

        impl #generics ::onyx_device::function::VertexFunction<#data> for #name {
            const ACCESS: ::onyx_device::VertexAccess = #access;
            type Loads<const __V: usize> = #loads_type;
            #load_function
            #compute_function
        }
    }
}

fn kind(lowered: &Lowered) -> TokenStream {
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let (mixed, may_stop) = (Span::mixed_site(), lowered.function.may_stop());
    quote_spanned! {mixed=>
        impl ::onyx_device::split::Function for #name {
            type Kind = ::onyx_device::split::VertexKind;
            const MAY_STOP: bool = #may_stop;
        }

        impl #generics ::onyx_device::split::Accesses<#data> for #name {
            const EDGE: ::onyx_device::EdgeAccess = ::onyx_device::EdgeAccess::NONE;
            const VERTEX: ::onyx_device::VertexAccess =
                <Self as ::onyx_device::function::VertexFunction<#data>>::ACCESS;
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
            __A: ::onyx_device::reduction::Accumulator<#data, __V>,
            const __L: usize,
            const __V: usize,
        >(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __vertex: ::onyx_device::Vertex,
            __data: &#data,
            __sums: ::onyx_device::function::Sums<'_, __A>,
        ) -> #loads_type {
            #loads
        }
    }
}

/// Takes a sum that is still in registers, and memory otherwise.
fn load_access(lowered: &Lowered, access: &Access) -> TokenStream {
    let (place, data) = (place_name(lowered, access), &lowered.function.data);
    let mixed = Span::mixed_site();
    match (access.place, access.is_row) {
        (Place::Graph, false) => return quote_spanned!(mixed=> #place(__data)),
        (Place::Graph, true) => return load_from(lowered, access, &quote_spanned!(mixed=> #place(__data))),
        _ => {}
    }
    let (index, previous) = (index(data, &access.property), is_previous(data, &access.property));
    let memory = load_from(lowered, access, &quote_spanned!(mixed=> #place(__data, __vertex, #previous)));
    let feature = feature(data, &access.property);
    let sum = if access.is_row {
        quote_spanned!(mixed=> row::<#data, #feature, __V>)
    } else {
        quote_spanned!(mixed=> scalar::<#data, __V>)
    };
    quote_spanned! {mixed=>
        match __sums.#sum(const { #index }) {
            ::core::option::Option::Some(__sum) => __sum,
            ::core::option::Option::None => #memory,
        }
    }
}

fn compute_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let mixed = Span::mixed_site();
    let element = quote_spanned!(mixed=> __vertex);
    let stores = compute::stores(lowered, |place| quote_spanned!(mixed=> #place(__data, __vertex, false)));
    let (body, loads_type) = (compute::body(lowered, &element, &stores), loads_type(lowered));
    quote_spanned! {mixed=>
        #[inline(always)]
        #[deny(unsafe_op_in_unsafe_fn)]
        unsafe fn compute<__M: ::onyx_device::Machine, const __L: usize, const __V: usize>(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __vertex: ::onyx_device::Vertex,
            __data: &#data,
            __loads: #loads_type,
        ) -> bool {
            #body
        }
    }
}
