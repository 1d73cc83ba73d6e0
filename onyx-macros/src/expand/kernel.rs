//! The kernels of a fold, emitted on the device alone.

use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Path, parse_str};

use crate::compile::schedule::{self, Functions, Schedule};
use crate::compile::{Compiled, scratch};
use crate::expand::fold::{data_at, lanes, of_stage};

/// How many folds this process has expanded.
static FOLDS: AtomicUsize = AtomicUsize::new(0);

/// The end of the names of a fold's symbols: `__f` and a number that no other fold of the crate has, though it may have the same name in another
/// module. `build-ptx` puts names without a number in place of them, by what the descriptions say.
pub fn symbol_end() -> String {
    format!("__f{}", FOLDS.fetch_add(1, Ordering::Relaxed))
}

/// The kernels of each width and stage, and what those share.
pub fn kernels(compiled: &Compiled, prefix: &str, end: &str) -> TokenStream {
    let widths = compiled.widths.iter();
    let each = widths.flat_map(|width| (0..compiled.stages.len()).map(move |stage| (*width, stage)));
    let each = each.map(|(width, stage)| kernels_of(compiled, prefix, end, width, stage));
    let symbol = |name: &str| format_ident!("{prefix}__{name}{end}");
    let lane_mark = lane_mark(compiled, &symbol("features_per_lane"));
    let shared = shared(compiled, &symbol);
    let mixed = Span::mixed_site();
    quote_spanned! {mixed=>
        #[cfg(target_arch = "nvptx64")]
        #[allow(non_snake_case, non_upper_case_globals, unexpected_cfgs, clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #(#each)*
            #lane_mark
            #shared
        };
    }
}

/// What a fold has once: the kernels that write the active words and look for values that are not finite, the fingerprint that the host compares,
/// and the description.
fn shared(compiled: &Compiled, symbol: &impl Fn(&str) -> Ident) -> TokenStream {
    let (activate, look) = (symbol("activate__k0"), symbol("look__k0"));
    let (fingerprint, description) = (symbol("fingerprint"), symbol("description"));
    let (name, text) = (&compiled.fold.name, crate::compile::description::of(compiled));
    let data = data_at(compiled.fold.is_generic(), compiled.widths[0]);
    let has_totals = compiled.stages.iter().any(|stage| !stage.totals.is_empty());
    let apart = [
        (has_totals, "total", "AddUp"),
        (compiled.packs_sources(), "pack", "Pack"),
        (compiled.pushes(), "limit", "Limit"),
    ];
    let apart = apart.into_iter().filter(|(is_used, ..)| *is_used).map(|(_, module, arguments)| {
        let (kernel, module, arguments) =
            (symbol(&format!("{module}__k0")), format_ident!("{module}"), format_ident!("{arguments}"));
        quote!(::onyx_device::__apart_kernel!(#kernel, #module, #arguments);)
    });
    quote! {
        ::onyx_device::__shared_kernels!(#activate, #look, #fingerprint, #data, #name);
        #(#apart)*
        const __DESCRIPTION: &str = ::core::concat!(
            "module ", ::core::module_path!(), "\nplace ", ::core::file!(), ":", ::core::line!(), "\n", #text
        );
        #[unsafe(no_mangle)]
        pub static #description: [u8; __DESCRIPTION.len()] = ::onyx_device::fold::bytes(__DESCRIPTION);
    }
}

/// The machine that the kernels of a schedule run on.
fn machine(compiled: &Compiled, schedule: &Schedule) -> TokenStream {
    let has_heads = compiled.properties.have_heads();
    let passes_rows =
        schedule.functions == Functions::Stages && scratch::rows(&compiled.properties, compiled.passed) != 0;
    let machine = quote!(::onyx_device::nvptx::Nvptx::<{ cfg!(onyx_sm_90) }, #has_heads, #passes_rows>);
    if compiled.is_scalar() { quote!(::onyx_device::scalar::Scalar(#machine)) } else { machine }
}

/// What tells `check-ptx` how many features a lane has, where the fold asks for that; 0 stands for all.
fn lane_mark(compiled: &Compiled, mark: &Ident) -> TokenStream {
    let Some(features) = compiled.fold.features_per_lane() else { return TokenStream::new() };
    let features = Literal::u8_unsuffixed(features);
    quote! {
        #[unsafe(no_mangle)]
        pub static #mark: u8 = #features;
    }
}

/// The kernels of a stage; those of the first have no number in their names. At the widest width there are others for rows of several tiles.
fn kernels_of(compiled: &Compiled, prefix: &str, end: &str, width: usize, stage: usize) -> TokenStream {
    let number = if stage == 0 { String::new() } else { format!("_{stage}") };
    let has_wide = compiled.why_not_tiled.is_none() && compiled.widths.last() == Some(&width);
    let kernels = schedule::at(compiled, &compiled.stages[stage], width).map(|schedule| {
        let name = |wide: &str| format_ident!("{prefix}__{}{wide}{number}__k{width}{end}", schedule.name);
        let machine = machine(compiled, schedule);
        let arguments = if compiled.properties.have_heads() {
            quote!(arguments.of_head(#machine))
        } else {
            quote!(arguments.narrow())
        };
        let narrow = kernel(compiled, schedule, &name(""), (width, stage), &arguments);
        let wide = (has_wide && schedule.takes_tiles())
            .then(|| kernel(compiled, schedule, &name("_wide"), (width, stage), &quote!(arguments)));
        quote!(#narrow #wide)
    });
    kernels.collect()
}

/// A kernel at a width and stage, with these arguments.
fn kernel(
    compiled: &Compiled,
    schedule: &Schedule,
    name: &Ident,
    (width, stage): (usize, usize),
    arguments: &TokenStream,
) -> TokenStream {
    let Ok(path) = parse_str::<Path>(schedule.path) else { return TokenStream::new() };
    let (data, machine) = (data_at(compiled.fold.is_generic(), width), machine(compiled, schedule));
    let (lanes, features) = lanes(compiled, width);
    let (edges, vertices) = (of_stage("Edges", stage), of_stage("Vertices", stage));
    let functions = match schedule.functions {
        Functions::Edges => quote!(#edges),
        Functions::Both => quote!(#edges, #vertices),
        Functions::Stages => quote!(__Stages),
    };
    quote! {
        /// # Safety
        /// Launched by the runtime, with the arguments of this fold.
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn #name(arguments: ::onyx_device::arguments::Arguments<#data>) {
            unsafe {
                ::onyx_device::schedule::#path::<_, #data, #functions, #lanes, #features>(
                    ::onyx_device::Launch::new(#machine, &#arguments),
                )
            }
        }
    }
}
