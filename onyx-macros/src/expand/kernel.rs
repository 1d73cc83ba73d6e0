//! The kernels of a fold, emitted on the device alone.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};

use crate::expand::fold::{data_at, lanes};
use crate::parse::fold::Fold;

/// Calls the device crate's macros for each width, and once for what widths share.
///
/// `functions` is the list that describes the fold's functions.
pub fn kernels(declared: &Fold, prefix: &str, widths: &[usize], functions: &TokenStream) -> TokenStream {
    let each = widths.iter().map(|width| kernels_of(declared, prefix, *width));
    let (activate, fingerprint) = (format_ident!("{prefix}__activate__k0"), format_ident!("{prefix}__fingerprint"));
    let description = format_ident!("{prefix}__description");
    let (fold, data) = (&declared.name, data_at(declared.is_generic(), widths[0]));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[cfg(target_arch = "nvptx64")]
        #[allow(non_snake_case, non_upper_case_globals, clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #(#each)*
            ::onyx_device::__shared_kernels!(#activate, #fingerprint, #data, #fold);
            const __DESCRIPTION: ::onyx_device::description::Description =
                ::onyx_device::description::Description::of(<#fold as ::onyx_device::Fold>::PROPERTIES, &#functions);
            #[unsafe(no_mangle)]
            pub static #description: [u8; __DESCRIPTION.length()] = __DESCRIPTION.bytes();
        };
    }
}

fn kernels_of(declared: &Fold, prefix: &str, width: usize) -> TokenStream {
    let names = ["pull", "clear", "finish", "push", "vertex", "vertex_per_warp", "edge_flat", "warp_word"];
    let names = names.iter().map(|kernel| format_ident!("{prefix}__{kernel}__k{width}"));
    let (data, (lanes, features)) = (data_at(declared.is_generic(), width), lanes(declared, width));
    let (fold, mixed) = (&declared.name, Span::mixed_site());
    quote_spanned! {mixed=>
        ::onyx_device::__kernels!(#(#names,)* #data, #fold, __Edges, __Vertices, #lanes, #features);
    }
}
