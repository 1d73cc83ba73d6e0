//! What a function has loaded when it runs.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;

use crate::expand::function::{Lowered, width};
use crate::expand::property::{feature, index, register, type_of};
use crate::lower::names::{name_at, numbered};
use crate::parse::access::{Access, Place};

/// The type of the structure of what is loaded.
pub fn loads_type(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    quote_spanned!(mixed=> __Loads<#(#width,)* __V>)
}

/// The structure of what is loaded; with it, of which properties the previous value is read at an index that is computed.
pub fn loads(lowered: &Lowered) -> TokenStream {
    let (mixed, width) = (Span::mixed_site(), width(lowered).into_iter());
    let gathered = gathered(lowered).map(|gathered| quote_spanned!(mixed=> #gathered: u64)).into_iter();
    let fields = lowered.plan.loads.iter().enumerate().map(|(number, load)| {
        let (slot, of) = (numbered("slot", number), type_of(lowered, &load.access));
        quote_spanned!(mixed=> #slot: #of)
    });
    quote_spanned! {mixed=>
        #[derive(Clone, Copy)]
        pub struct __Loads<#(const #width: usize,)* const __V: usize> { #(#fields,)* #(#gathered,)* }
    }
}

/// The name of the field that says which properties are read at their previous value where the index is computed, if any is read so.
fn gathered(lowered: &Lowered) -> Option<Ident> {
    (!lowered.plan.gathers.is_empty()).then(|| name_at("gathered", Span::mixed_site()))
}

/// The value of the structure of what is loaded, given the code that loads one access.
pub fn load(lowered: &Lowered, code: impl Fn(&Access) -> TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let fields = lowered.plan.loads.iter().enumerate().map(|(number, load)| {
        let (slot, code) = (numbered("slot", number), code(&load.access));
        quote_spanned!(mixed=> #slot: #code)
    });
    let gathered = gathered(lowered).into_iter();
    quote_spanned! {mixed=>
        __Loads { #(#fields,)* #(#gathered: const { <__T as ::onyx_device::access::Version>::GATHERED },)* }
    }
}

/// Loads from a place.
pub fn load_from(lowered: &Lowered, access: &Access, place: &TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    if access.matrix.is_some() {
        quote_spanned!(mixed=> unsafe { __group.project(#place) })
    } else if access.is_row {
        let feature = feature(&lowered.function.data, &access.property);
        quote_spanned!(mixed=> unsafe { <#feature as ::onyx_device::value::Value>::load(__group, #place) })
    } else {
        quote_spanned!(mixed=> unsafe { __group.load_scalar(#place) })
    }
}

/// Loads a row of a vertex from a place: one that no other group asks for in this stage, as such.
pub fn load_own(lowered: &Lowered, access: &Access, place: &TokenStream) -> TokenStream {
    let load = load_from(lowered, access, place);
    if access.place != Place::Vertex || access.matrix.is_some() || !access.is_row {
        return load;
    }
    let mixed = Span::mixed_site();
    let (data, index) = (&lowered.function.data, index(&access.property));
    let streamed = load_from(lowered, access, &quote_spanned!(mixed=> ::onyx_device::streamed::streamed(#place)));
    quote_spanned! {mixed=>
        if const {
            <__G as ::onyx_device::registers::Registers<#data, __V>>::PULLS
                && <__G as ::onyx_device::registers::Registers<#data, __V>>::SHARED >> #index & 1 == 0
        } {
            #streamed
        } else {
            #load
        }
    }
}

/// Whether a property is read at its previous value.
pub fn is_previous(property: &Ident) -> TokenStream {
    let (mixed, index) = (Span::mixed_site(), index(property));
    quote_spanned!(mixed=> const { <__T as ::onyx_device::access::Version>::PREVIOUS >> #index & 1 == 1 })
}

/// The code `memory`, unless an earlier function will have written the edge's or vertex's property by the time that this one runs.
pub fn unless_written(access: &Access, memory: &TokenStream) -> TokenStream {
    let index = index(&access.property);
    let mixed = Span::mixed_site();
    let nothing = if access.is_row {
        quote_spanned!(mixed=> [::onyx_device::value::Value::ZERO; __V])
    } else {
        quote_spanned!(mixed=> ::core::default::Default::default())
    };
    quote_spanned! {mixed=>
        if const { <__T as ::onyx_device::access::Version>::WRITTEN >> #index & 1 == 1 } { #nothing } else { #memory }
    }
}

/// Puts what earlier functions have written of the edge or vertex in place of what was not loaded.
pub fn take_written(lowered: &Lowered, own: Place) -> TokenStream {
    let mixed = Span::mixed_site();
    let loads = lowered.plan.loads.iter().enumerate().filter(|(_, load)| load.access.place == own);
    let taken: Vec<TokenStream> = loads
        .map(|(number, load)| {
            let (slot, registers) = (numbered("slot", number), in_registers(lowered, &load.access));
            quote_spanned! {mixed=>
                if let ::core::option::Option::Some(__known) = #registers {
                    __loads.#slot = __known;
                }
            }
        })
        .collect();
    let start = (!taken.is_empty()).then(|| quote_spanned!(mixed=> let mut __loads = __loads;));
    quote_spanned!(mixed=> #start #(#taken)*)
}

/// What is in registers of the property of an access.
pub fn in_registers(lowered: &Lowered, access: &Access) -> TokenStream {
    let (mixed, data, index) = (Span::mixed_site(), &lowered.function.data, index(&access.property));
    let method = if access.is_row {
        let feature = feature(data, &access.property);
        quote_spanned!(mixed=> row::<#feature>)
    } else {
        let register = register(data, &access.property);
        quote_spanned!(mixed=> scalar::<#register>)
    };
    quote_spanned! {mixed=>
        ::onyx_device::registers::Registers::<#data, __V>::#method(&__registers, #index)
    }
}
