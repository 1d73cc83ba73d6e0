//! What the names of collaborative operations stand for where they are called, which only the compiler knows.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;

use crate::expand::function::Lowered;
use crate::lower::names::numbered;
use crate::lower::region::Call;
use crate::message;

/// A question for each operation that the function calls: whether its name is the operation's.
pub fn names(lowered: &Lowered) -> TokenStream {
    let mut calls: Vec<&Call> = Vec::new();
    for call in lowered.regions.iter().filter_map(|region| region.call.as_ref()) {
        if !calls.iter().any(|known| known.name == call.name) {
            calls.push(call);
        }
    }
    calls.into_iter().enumerate().map(|(number, call)| question(number, call)).collect()
}

fn question(number: usize, call: &Call) -> TokenStream {
    let (name, text) = (&call.name, message::taken_name(&call.name));
    let at = Span::mixed_site().located_at(name.span());
    let (operation, mark) = (numbered("Operation", number), Ident::new(&name.to_string(), at));
    let count = Ident::new(if call.arguments.len() == 1 { "one" } else { "two" }, at);
    quote_spanned! {at=>
        #[diagnostic::on_unimplemented(message = #text, label = "this is no operation")]
        #[allow(non_camel_case_types)]
        trait #operation {}

        #[diagnostic::do_not_recommend]
        impl #operation for ::onyx_device::operation::Ours {}

        const _: fn() = || {
            #[allow(unused_imports)]
            use ::onyx_device::operation::Taken as _;

            fn __is<__X: #operation>(_: __X) {}

            __is(::onyx_device::operation::Name::<::onyx_device::operation::mark::#mark, _>::of(#name).#count());
        };
    }
}
