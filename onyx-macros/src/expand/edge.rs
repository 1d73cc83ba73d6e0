//! The implementations of an edge function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Ident;

use crate::check::effect::Effect;
use crate::check::usage::Reduction;
use crate::expand::function::Lowered;
use crate::expand::loads::{is_previous, load, load_from, loads, loads_type, take_written, unless_written};
use crate::expand::place::{place_functions, place_name};
use crate::expand::property::{feature, fields, index, register, set, stored};
use crate::expand::written::{written, written_type};
use crate::expand::{compute, operation};
use crate::lower::names::{known_at, numbered};
use crate::lower::plan::Sum;
use crate::lower::switches::arguments;
use crate::parse::access::{Access, Place};

/// Everything inside of the generated block.
pub fn implementation(lowered: &Lowered) -> TokenStream {
    let (access, sums) = (access(lowered), sums(lowered));
    let (load_function, compute_function) = (load_function(lowered), compute_function(lowered));
    let (places, loads, targets) = (place_functions(lowered), loads(lowered), targets(lowered));
    let (fields, names) = (fields(lowered), operation::names(lowered));
    let (written, products, meets) = (written(lowered), products(lowered), meets(lowered));
    let (name, generics, data) = (&lowered.function.name, &lowered.function.generics, &lowered.function.data);
    let arguments = arguments(&lowered.function.switches);
    let mixed = Span::mixed_site();
    let (loads_type, written_type) = (loads_type(lowered), written_type(lowered));
    quote_spanned! {mixed=>
        #fields
        #names
        #places
        #loads
        #written
        #targets

        unsafe impl #generics ::onyx_device::function::EdgeFunction<#data> for #name #arguments {
            const ACCESS: ::onyx_device::EdgeAccess = #access;
            #products
            #meets
            type Loads<const __V: usize> = #loads_type;
            type Sums<const __V: usize> = #sums;
            type Written<const __V: usize> = #written_type;
            #load_function
            #compute_function
        }
    }
}

/// How many collaborative operations there are, and products that several edges may make together, where there are any.
fn products(lowered: &Lowered) -> TokenStream {
    let operations = lowered.regions.iter().filter_map(|region| region.call.as_ref()).map(|call| call.operation);
    let all = operations.clone().count();
    let logarithmic = operations.filter(|operation| operation.is_logarithmic()).count();
    let added = lowered.regions.iter().map(|region| region.added_products).sum();
    let constant = |name: &str, count: usize| {
        let name = Ident::new(name, Span::mixed_site());
        (count > 0).then(|| quote_spanned!(Span::mixed_site()=> const #name: ::core::primitive::usize = #count;))
    };
    let constants = [("OPERATIONS", all), ("LOG_PRODUCTS", logarithmic), ("ADDED_PRODUCTS", added)];
    constants.into_iter().filter_map(|(name, count)| constant(name, count)).collect()
}

/// Whether lanes meet in the function, where they may: see [`compute`] and [`crate::expand::each_feature`].
fn meets(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    match lowered.effect {
        Effect::Nothing if lowered.is_uniform => TokenStream::new(),
        Effect::Panic if lowered.is_uniform => {
            quote_spanned!(mixed=> const MEETS: ::core::primitive::bool = ::core::cfg!(not(target_arch = "nvptx64"));)
        }
        _ => quote_spanned!(mixed=> const MEETS: ::core::primitive::bool = true;),
    }
}

fn access(lowered: &Lowered) -> TokenStream {
    let plan = &lowered.plan;
    let source = set(plan.loaded_at(Place::Source));
    let destination = set(plan.loaded_at(Place::Destination));
    let edge = set(plan.loaded_at(Place::Edge));
    let reverse = set(plan.loaded_at(Place::Reverse));
    let graph = set(plan.loaded_at(Place::Graph));
    let (gathers, adds) = (set(plan.gathered()), set(plan.added()));
    let writes = set(plan.written());
    let reduces = set(plan.reduced());
    let by = |reductions: &[Reduction]| set(reductions.iter().flat_map(|reduction| plan.reduced_by(*reduction)));
    let names_edge = compute::names_element(lowered);
    let multiplies = by(&[Reduction::Product]);
    // An integer of which bits are cleared begins as its least one does, one of which bits are set as its greatest.
    let (lowers, raises) = (by(&[Reduction::Min, Reduction::BitAnd]), by(&[Reduction::Max, Reduction::BitOr]));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        ::onyx_device::EdgeAccess {
            reads_source: #source,
            reads_destination: #destination,
            reads_edge: #edge,
            reads_reverse: #reverse,
            reads_graph: #graph,
            gathers: #gathers,
            adds: #adds,
            writes_edge: #writes,
            reduces: #reduces,
            multiplies: #multiplies,
            lowers: #lowers,
            raises: #raises,
            names_edge: #names_edge,
        }
    }
}

/// The nested pair of what is added up.
fn sums(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let sums = lowered.plan.sums.iter().enumerate();
    sums.rev().fold(quote_spanned!(mixed=> ()), |rest, (number, sum)| {
        let target = numbered("Sum", number);
        if sum.reduction.has_state() {
            let operator = operator(sum, mixed);
            let state = quote_spanned!(mixed=> <#operator as ::onyx_device::operator::StateOperator>::State);
            let total = match (sum.access.is_row, sum.is_shared) {
                (true, true) => quote_spanned!(mixed=> SharedStates<#target, #state, __V>),
                (true, false) => quote_spanned!(mixed=> RowStates<#target, #state, __V>),
                (false, _) => quote_spanned!(mixed=> ScalarState<#target, #state>),
            };
            return quote_spanned!(mixed=> (::onyx_device::state::#total, #rest));
        }
        let (data, property) = (&lowered.function.data, &sum.access.property);
        if sum.access.is_row {
            let feature = feature(data, property);
            quote_spanned!(mixed=> (::onyx_device::reduction::RowReduction<#target, #feature, __V>, #rest))
        } else {
            let register = register(data, property);
            quote_spanned!(mixed=> (::onyx_device::reduction::ScalarReduction<#target, #register>, #rest))
        }
    })
}

fn targets(lowered: &Lowered) -> TokenStream {
    lowered.plan.sums.iter().enumerate().map(|(number, sum)| target(lowered, number, sum)).collect()
}

fn target(lowered: &Lowered, number: usize, sum: &Sum) -> TokenStream {
    target_of(lowered, number, &sum.access, (&operator(sum, Span::mixed_site()), &check_operator(lowered, sum)))
}

/// What is reduced into a property at a vertex, as a type: by an operator, with what has the compiler check that.
pub fn target_of(
    lowered: &Lowered,
    number: usize,
    access: &Access,
    (operator, check): (&TokenStream, &TokenStream),
) -> TokenStream {
    let (generics, data) = (&lowered.function.generics, &lowered.function.data);
    let (name, place) = (numbered("Sum", number), place_name(lowered, access));
    let (index, mixed) = (index(&access.property), Span::mixed_site());
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types)]
        pub struct #name;

        unsafe impl #generics ::onyx_device::reduction::Target<#data> for #name {
            const PROPERTY: u32 = #index;
            type Operator = #operator;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn place(__data: &#data, __vertex: ::onyx_device::Vertex) -> *mut f32 {
                #check
                #place(__data, __vertex, false).cast()
            }
        }
    }
}

/// Matrices are reduced by sums alone, and integers by what has no state: anything else is reported at the user's property.
fn check_operator(lowered: &Lowered, sum: &Sum) -> TokenStream {
    let property = &sum.access.property;
    let at = Span::mixed_site().located_at(property.span());
    let stored = stored(&lowered.function.data, property);
    let is_whole = quote_spanned!(at=> ::onyx_device::stored::check_whole::<#stored>(););
    match (sum.access.is_row, sum.reduction) {
        (true, Reduction::Sum) => return is_whole,
        (false, reduction) => {
            let (register, operator) = (register(&lowered.function.data, property), operator(sum, at));
            return if reduction.has_state() {
                quote_spanned!(at=> ::onyx_device::stored::check_finished::<#register>();)
            } else {
                quote_spanned!(at=> ::onyx_device::stored::check_reduced::<#register, #operator>();)
            };
        }
        (true, _) => {}
    }
    let (feature, operator) = (feature(&lowered.function.data, property), operator(sum, at));
    quote_spanned!(at=> #is_whole ::onyx_device::value::check_reduced_by::<#feature, #operator>();)
}

/// The operator of a sum, as a type.
pub fn operator(sum: &Sum, at: Span) -> TokenStream {
    match &sum.operator {
        Some(operator) => operator.to_token_stream(),
        None => {
            let operator = known_at(sum.reduction.operator(), at);
            quote_spanned!(at=> ::onyx_device::operator::#operator)
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
            const __L: usize,
            const __V: usize,
        >(
            __group: ::onyx_device::Group<__M, __L, __V>,
            __edge: ::onyx_device::Edge,
            __data: &#data,
        ) -> #loads_type {
            #loads
        }
    }
}

fn load_access(lowered: &Lowered, access: &Access) -> TokenStream {
    let (place, previous) = (place_name(lowered, access), is_previous(&access.property));
    let mixed = Span::mixed_site();
    let from = match access.place {
        Place::Graph if access.is_row => quote_spanned!(mixed=> #place(__data)),
        Place::Graph => return quote_spanned!(mixed=> #place(__data, __group.machine())),
        Place::Edge => {
            return unless_written(
                access,
                &load_from(lowered, access, &quote_spanned!(mixed=> #place(__data, __edge.id))),
            );
        }
        Place::Reverse => quote_spanned!(mixed=> #place(__data, __edge.rev.id())),
        Place::Source => quote_spanned!(mixed=> #place(__data, __edge.src, #previous)),
        Place::Destination | Place::Vertex | Place::Computed | Place::Row => {
            quote_spanned!(mixed=> #place(__data, __edge.dst, #previous))
        }
    };
    load_from(lowered, access, &from)
}

fn compute_function(lowered: &Lowered) -> TokenStream {
    let data = &lowered.function.data;
    let mixed = Span::mixed_site();
    let element = quote_spanned!(mixed=> __edge);
    let number = quote_spanned!(mixed=> ::onyx_device::gather::Number::Edge(__edge.id));
    let stores = compute::stores(lowered, |place| quote_spanned!(mixed=> #place(__data, __edge.id)));
    let (taken, body) = (take_written(lowered, Place::Edge), compute::body(lowered, (&element, &number), &stores));
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
            __edge: ::onyx_device::Edge,
            __data: &#data,
            __loads: #loads_type,
            __registers: __G,
            __sums: &mut Self::Sums<__V>,
        ) -> (bool, #written_type) {
            #taken
            #body
        }
    }
}
