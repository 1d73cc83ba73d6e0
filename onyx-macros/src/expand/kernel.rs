//! The kernels of a fold, emitted on the device alone.

use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use crate::expand::fold::{data_at, entries, lanes, of_entry};
use crate::parse::fold::Fold;

/// How many folds this process has expanded.
static FOLDS: AtomicUsize = AtomicUsize::new(0);

/// The end of the names of a fold's symbols: `__f` and a number that no other fold of the crate has, though it may have the same name in another
/// module. `build-ptx` puts names without a number in place of them, by what the descriptions say.
fn symbol_end() -> String {
    format!("__f{}", FOLDS.fetch_add(1, Ordering::Relaxed))
}

/// Calls the device crate's macros for each width and stage, and once for what those share.
pub fn kernels(fold: &Fold, prefix: &str, widths: &[usize]) -> TokenStream {
    let (name, is_generic) = (&fold.name, fold.is_generic());
    let stages = widths.iter().flat_map(|width| (0..entries(fold)).map(move |entry| (*width, entry)));
    let end = symbol_end();
    let each = stages.map(|(width, entry)| kernels_of(fold, prefix, &end, width, entry));
    let symbol = |name: &str| format_ident!("{prefix}__{name}{end}");
    let (activate, look) = (symbol("activate__k0"), symbol("look__k0"));
    let (fingerprint, description) = (symbol("fingerprint"), symbol("description"));
    let data = data_at(is_generic, widths[0]);
    let lane_mark = lane_mark(fold, &symbol("features_per_lane"));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[cfg(target_arch = "nvptx64")]
        #[allow(non_snake_case, non_upper_case_globals, unexpected_cfgs, clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #(#each)*
            #lane_mark
            ::onyx_device::__shared_kernels!(#activate, #look, #fingerprint, #data, #name);
            const __DESCRIPTION: ::onyx_device::description::Description = ::onyx_device::description::Description::of(
                ::onyx_device::description::Origin {
                    module: ::core::module_path!(),
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
                <#name as ::onyx_device::Fold>::PROPERTIES,
                &__MEMBERS,
                ::onyx_device::description::Changes {
                    obstacle: <#name as ::onyx_device::Fold>::CHANGE_OBSTACLE,
                    is_overruled: <#name as ::onyx_device::Fold>::IS_OVERRULED,
                    is_active: <#name as ::onyx_device::Fold>::IS_ACTIVE,
                },
            );
            #[unsafe(no_mangle)]
            pub static #description: [u8; __DESCRIPTION.length()] = __DESCRIPTION.bytes();
        };
    }
}

/// The machine that the kernels run on.
fn machine(fold: &Fold) -> TokenStream {
    let machine = quote!(::onyx_device::nvptx::Nvptx::<{ cfg!(onyx_vector_reductions) }>);
    if fold.features_per_lane() == Some(0) { quote!(::onyx_device::scalar::Scalar(#machine)) } else { machine }
}

/// What tells `check-ptx` how many features a lane has, where the fold asks for that; 0 stands for all.
fn lane_mark(fold: &Fold, mark: &Ident) -> TokenStream {
    let Some(features) = fold.features_per_lane() else { return TokenStream::new() };
    let features = Literal::u8_unsuffixed(features);
    quote! {
        #[unsafe(no_mangle)]
        pub static #mark: u8 = #features;
    }
}

/// The kernels of the stage with this entry; those of the first have no number in their names.
fn kernels_of(fold: &Fold, prefix: &str, end: &str, width: usize, entry: usize) -> TokenStream {
    let names = [
        "pull",
        "clear",
        "finish",
        "push",
        "vertex",
        "vertex_per_warp",
        "vertex_per_block",
        "edge_flat",
        "warp_word",
        "recompute",
        "every_vertex",
    ];
    let number = if entry == 0 { String::new() } else { format!("_{entry}") };
    let names = names.iter().map(|kernel| format_ident!("{prefix}__{kernel}{number}__k{width}{end}"));
    let (name, data, (lanes, features)) = (&fold.name, data_at(fold.is_generic(), width), lanes(fold, width));
    let (edges, vertices) = (of_entry("Edges", entry), of_entry("Vertices", entry));
    let (entry, machine) = (Literal::usize_unsuffixed(entry), machine(fold));
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        ::onyx_device::__kernels!(
            #(#names,)* #data, #name, #entry, #edges, #vertices, #lanes, #features, #machine
        );
    }
}
