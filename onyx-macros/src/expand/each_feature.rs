//! The loop over a lane's features.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Ident;
use syn::ext::IdentExt;

use crate::check::effect::Effect;
use crate::expand::agreed::{Scalar, agree, written_scalars};
use crate::expand::function::Lowered;
use crate::lower::names::{known_at, numbered};
use crate::lower::region::Region;
use crate::lower::variable::mentions;

/// Runs `code` for each of the lane's features, and for padding where that cannot be seen.
///
/// A scalar is computed once a feature, from the same start: what it holds then is the same for all. A lane without features takes it from the first.
pub fn each_feature(lowered: &Lowered, number: usize, region: &Region, code: &TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let written = written_scalars(lowered, region);
    let scalars: Vec<&TokenStream> = written.iter().map(|scalar| &scalar.place).collect();
    let named = |base: &str| -> Vec<Ident> { (0..scalars.len()).map(|scalar| numbered(base, scalar)).collect() };
    let (before, after) = (named("before"), named("after"));
    let (first, noted): (Vec<TokenStream>, Vec<TokenStream>) =
        written.iter().zip(&before).map(|(scalar, before)| (scalar.noted(before), scalar.noted(&scalar.place))).unzip();
    // The first feature comes last, so that its value stays where all give one.
    let is_shared = !scalars.is_empty() || (region.call.is_none() && lowered.is_uniform);
    let each = each(lowered, is_shared);
    let (feature, enter, leave) = (feature_name(lowered, region), enter(lowered, number), leave(lowered, number));
    let (agreed, shared) = (agreed(lowered, &written, &after), shared(lowered, &written));
    let variables = written.iter().filter_map(|Scalar { place, home, .. }| Some((place, home.as_ref()?)));
    let (variables, homes): (Vec<_>, Vec<_>) = variables.unzip();
    let inlined = inlined();
    quote_spanned! {mixed=>
        #(let mut #variables = #homes;)*
        #(
            let #before = #scalars;
            let mut #after = ::onyx_device::local::Local::<_, __V>::starting(#first);
        )*
        #each(#inlined |__index| {
            #(#scalars = #before;)*
            #feature
            #enter
            #code
            #leave
            #(__group.note(&mut #after, __index, #noted);)*
        });
        #agreed
        #shared
        #(#homes = #variables;)*
    }
}

/// Compares what the features have left of each scalar.
fn agreed(lowered: &Lowered, written: &[Scalar<'_>], after: &[Ident]) -> TokenStream {
    let mixed = Span::mixed_site();
    let each = written.iter().zip(after).map(|(Scalar { property, .. }, after)| {
        let property = property.unraw().to_string();
        agree(lowered, after, &quote_spanned!(mixed=> Scalar(#property)))
    });
    each.collect()
}

/// Has lanes without features take the scalars from the first one, where those have not run.
fn shared(lowered: &Lowered, written: &[Scalar<'_>]) -> TokenStream {
    let mixed = Span::mixed_site();
    let method = match lowered.effect {
        Effect::Nothing => return TokenStream::new(),
        Effect::Panic => Ident::new("shared_on_host", mixed),
        Effect::Anything => Ident::new("shared", mixed),
    };
    let each = written.iter().map(|scalar| {
        let (place, value) = (&scalar.place, scalar.shared(&method));
        quote_spanned!(mixed=> #place = #value;)
    });
    each.collect()
}

/// The loop over the lane's features: those beyond the store's are left out where that could be seen.
fn each(lowered: &Lowered, from_last: bool) -> TokenStream {
    let mixed = Span::mixed_site();
    let name = if from_last { "each_from_last" } else { "each" };
    let of_group = |ending: &str| {
        let name = Ident::new(&name.replacen("each", &format!("each_live{ending}"), 1), mixed);
        quote_spanned!(mixed=> __group.#name)
    };
    match lowered.effect {
        Effect::Nothing => {
            let name = known_at(name, mixed);
            quote_spanned!(mixed=> ::onyx_device::unrolled::#name::<__V>)
        }
        Effect::Panic => of_group("_on_host"),
        Effect::Anything => of_group(""),
    }
}

/// Has the body of the loop inlined. There are two loops on the host, and what has two callers is not inlined by itself: it has no wide vectors then (`docs/performance.md`).
fn inlined() -> TokenStream {
    let mixed = Span::mixed_site();
    quote_spanned!(mixed=> #[cfg_attr(not(any(target_arch = "nvptx64", debug_assertions)), inline(always))])
}

fn feature_name(lowered: &Lowered, region: &Region) -> TokenStream {
    let mixed = Span::mixed_site();
    match &lowered.function.names.feature {
        Some(name) if mentions(region, name) => quote_spanned! {mixed=>
            #[allow(unused_variables)]
            let #name = ::onyx_device::Feature(__group.feature(__index));
        },
        _ => TokenStream::new(),
    }
}

fn enter(lowered: &Lowered, region: usize) -> TokenStream {
    let mixed = Span::mixed_site();
    let entering = lowered.variables.iter().enumerate().filter(|(_, variable)| variable.enters(region));
    let enter = entering.map(|(number, variable)| {
        let (kept, name) = (numbered("variable", number), &variable.name);
        let mutable = variable.is_mutable.then(|| quote_spanned!(mixed=> mut));
        quote_spanned!(mixed=> #[allow(unused_mut)] let #mutable #name = unsafe { #kept.get(__index) };)
    });
    enter.collect()
}

fn leave(lowered: &Lowered, region: usize) -> TokenStream {
    let mixed = Span::mixed_site();
    let leaving = lowered.variables.iter().enumerate().filter(|(_, variable)| variable.leaves(region));
    let leave = leaving.map(|(number, variable)| {
        let (kept, name) = (numbered("variable", number), &variable.name);
        // What cannot be kept is reported once, at the user's variable.
        let at = mixed.located_at(name.span());
        let value = if variable.begins(region) {
            quote_spanned!(at=> ::onyx_device::local::kept(#name))
        } else {
            quote_spanned!(at=> #name)
        };
        quote_spanned!(mixed=> #kept.set(__index, #value);)
    });
    leave.collect()
}
