//! The kernels of a fold, emitted on the device alone.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::expand::fold::{data_at, entries, lanes, of_entry};
use crate::parse::fold::Fold;

/// Calls the device crate's macros for each width and stage, and once for what those share.
pub fn kernels(fold: &Fold, prefix: &str, widths: &[usize]) -> TokenStream {
    let (name, is_generic) = (&fold.name, fold.is_generic());
    let stages = widths.iter().flat_map(|width| (0..entries(fold)).map(move |entry| (*width, entry)));
    let each = stages.map(|(width, entry)| kernels_of(fold, prefix, width, entry));
    let (activate, fingerprint) = (format_ident!("{prefix}__activate__k0"), format_ident!("{prefix}__fingerprint"));
    let description = format_ident!("{prefix}__description");
    let data = data_at(is_generic, widths[0]);
    let lane_mark = lane_mark(fold, prefix);
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[cfg(target_arch = "nvptx64")]
        #[allow(non_snake_case, non_upper_case_globals, clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #(#each)*
            #lane_mark
            ::onyx_device::__shared_kernels!(#activate, #fingerprint, #data, #name);
            const __DESCRIPTION: ::onyx_device::description::Description =
                ::onyx_device::description::Description::of(
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
    let machine = quote!(::onyx_device::nvptx::Nvptx);
    if fold.features_per_lane() == Some(0) { quote!(::onyx_device::scalar::Scalar(#machine)) } else { machine }
}

/// What tells `check-ptx` how many features a lane has, where the fold asks for that; 0 stands for all.
fn lane_mark(fold: &Fold, prefix: &str) -> TokenStream {
    let Some(features) = fold.features_per_lane() else { return TokenStream::new() };
    let (mark, features) = (format_ident!("{prefix}__features_per_lane"), Literal::u8_unsuffixed(features));
    quote! {
        #[unsafe(no_mangle)]
        pub static #mark: u8 = #features;
    }
}

/// The kernels of the stage with this entry; those of the first have no number in their names.
fn kernels_of(fold: &Fold, prefix: &str, width: usize, entry: usize) -> TokenStream {
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
    let names = names.iter().map(|kernel| format_ident!("{prefix}__{kernel}{number}__k{width}"));
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
