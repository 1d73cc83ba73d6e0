//! The names that the functions of a fold have in the generated code.
//!
//! A plain function is no type, and the compiler would say no more than that. So each function is imported by another name, of which there is a
//! type in any case: the function's own, or else one that says that it is not marked.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::message;
use crate::parse::fold::{Fold, Listed};

/// The imports, and a question for each function: whether it is marked.
pub fn aliases(fold: &Fold) -> TokenStream {
    let mixed = Span::mixed_site();
    let names = fold.functions().map(|function| &function.alias);
    let imports: TokenStream = fold.functions().map(import).collect();
    quote_spanned! {mixed=>
        mod __unmarked {
            #(pub use ::onyx_device::split::Unmarked as #names;)*
        }

        #[allow(unused_imports)]
        use __unmarked::*;
        #imports
    }
}

fn import(function: &Listed) -> TokenStream {
    let at = Span::mixed_site().located_at(function.path.span());
    let (path, alias, text) = (&function.path, &function.alias, message::not_marked(function.name()));
    quote_spanned! {at=>
        #[allow(unused_imports)]
        use #path as #alias;
        const _: () = if !<#alias as ::onyx_device::split::Function>::IS_MARKED { panic!(#text) };
    }
}
