//! What edge and vertex functions have in common: the type that stands in place of the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, Ident, ItemFn};

use crate::check::effect::{self, Effect};
use crate::check::flow::{self, Flow};
use crate::check::uniformity::Uniformity;
use crate::check::{body, operation, uniformity, usage, width};
use crate::errors::Errors;
use crate::expand::carrier::{Carried, carrier, check_name};
use crate::expand::{edge, stub, vertex};
use crate::lower::kept;
use crate::lower::multiplied;
use crate::lower::plan::Plan;
use crate::lower::region::{self, Region};
use crate::lower::switches::{self, Switches};
use crate::lower::total::{self, Added};
use crate::lower::variable::{self, Variable};
use crate::parse::function::{self, Function, Kind};
use crate::parse::widths;

/// A checked function with the parts of its lowered form.
#[derive(Debug)]
pub struct Lowered {
    /// What the user wrote.
    pub function: Function,
    /// The totals of the graph that it adds to.
    pub totals: Vec<Added>,
    /// Its registers.
    pub plan: Plan,
    /// Its regions.
    pub regions: Vec<Region>,
    /// Its variables that live across regions.
    pub variables: Vec<Variable>,
    /// Whether it returns the same for all features.
    pub is_uniform: bool,
    /// Where what it stores and returns comes from.
    pub flow: Flow,
    /// What could be seen of it if it ran for padding as well.
    pub effect: Effect,
    /// Whether it may panic on the host.
    pub may_panic: bool,
}

/// What `#[edge_fn]` and `#[vertex_fn]` expand to.
pub fn expand(kind: Kind, item: &ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let switches = Switches::of(&item.sig.generics);
    switches.check(&mut errors);
    let choices = switches.choices().into_iter();
    let lowered: Option<Vec<Lowered>> = choices.map(|values| lower_chosen(kind, item, &values, &mut errors)).collect();
    match lowered {
        Some(lowered) if errors.is_empty() => {
            let head = head(&item.attrs, &item.vis, &item.sig.ident, &switches);
            let (each, carrier) = (lowered.iter().map(finished), carrier_of(kind, item));
            quote!(#head #(#each)* #carrier)
        }
        _ => refused(kind, item, errors),
    }
}

/// What stands for a function with errors.
pub fn refused(kind: Kind, item: &ItemFn, errors: Errors) -> TokenStream {
    let stub = stub::function(kind, item, &Switches::of(&item.sig.generics), errors);
    let carrier = broken(item);
    quote!(#stub #carrier)
}

/// A derived function, which no macro shows to folds.
pub fn definition(kind: Kind, item: &ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let lowered = lower(kind, item, &mut errors);
    let (head, errors) = (head(&item.attrs, &item.vis, &item.sig.ident, &Switches::default()), errors.into_tokens());
    let finished = lowered.as_ref().map(finished);
    quote!(#errors #head #finished)
}

/// Lowers a function with these values of its compile-time parameters. What is wrong with several choices is said once.
pub fn lower_chosen(kind: Kind, item: &ItemFn, values: &[bool], errors: &mut Errors) -> Option<Lowered> {
    if !errors.is_empty() {
        return None;
    }
    let mut lowered = lower(kind, &switches::chosen(item, values), errors)?;
    lowered.function.switches = values.to_vec();
    Some(lowered)
}

/// The macro that shows the function to folds.
fn carrier_of(kind: Kind, item: &ItemFn) -> TokenStream {
    let carried = match kind {
        Kind::Edge => Carried::Edge,
        Kind::Vertex => Carried::Vertex,
    };
    let plain = ItemFn { attrs: Vec::new(), ..item.clone() };
    carrier(carried, (&item.sig.ident, &item.vis, &item.attrs), &plain)
}

fn broken(item: &ItemFn) -> TokenStream {
    carrier(Carried::Broken, (&item.sig.ident, &item.vis, &item.attrs), &TokenStream::new())
}

/// Checks and lowers a function. All errors are collected; nothing is lowered if there is any.
pub fn lower(kind: Kind, item: &ItemFn, errors: &mut Errors) -> Option<Lowered> {
    check_name(&item.sig.ident, errors);
    let item = &widths::of_function(item, errors);
    let mut function = function::parse(kind, item, errors)?;
    let totals = total::put_contributions(&mut function);
    let uses = body::check(&function, errors);
    usage::check_reduced(kind, &uses, errors);
    usage::check_operators(&uses, errors);
    usage::check_ends(&uses, errors);
    usage::check_reversed(&uses, errors);
    operation::check(&function, errors);
    width::check(&function, errors);
    let Uniformity { is_uniform, apart } = uniformity::check(&function, errors);
    if !errors.is_empty() {
        return None;
    }
    let mut regions = region::split(&function, errors);
    region::keep_sole_contributions(&mut regions, &uses);
    if !errors.is_empty() {
        return None;
    }
    let variables = variable::across(&regions);
    region::check_returns(&regions, errors);
    kept::check(&function, &variables, errors);
    let (flow, (effect, may_panic)) = (flow::of(&function), effect::of(&function));
    let plan = Plan::new(&uses, &apart, multiplied::of(&function, &uses, &regions));
    Some(Lowered { plan, function, totals, regions, variables, is_uniform, flow, effect, may_panic })
}

fn finished(lowered: &Lowered) -> TokenStream {
    let function = &lowered.function;
    let attributes = &function.attributes;
    let implementation = implementation(lowered);
    let shared = shared_attributes(attributes);
    quote! {
        #(#shared)*
        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            #[allow(unused_imports)]
            use ::onyx_device::method::{Absent as _, NoFloat as _, OtherFloat as _, Refused as _};

            #implementation
        };
    }
}

/// What stands in the generated block.
pub fn implementation(lowered: &Lowered) -> TokenStream {
    match lowered.function.kind {
        Kind::Edge => edge::implementation(lowered),
        Kind::Vertex => vertex::implementation(lowered),
    }
}

/// The structure in place of a function. It is a type alone, so that a variable may have the function's name.
pub fn head(attributes: &[Attribute], visibility: &syn::Visibility, name: &Ident, switches: &Switches) -> TokenStream {
    let attributes = attributes.iter().filter(|attribute| !is_of_code(attribute));
    let (mixed, declared) = (Span::mixed_site(), switches.declared());
    let generics = (!switches.0.is_empty()).then(|| quote!(<#declared>));
    quote_spanned! {mixed=>
        #(#attributes)*
        #[allow(missing_copy_implementations, missing_debug_implementations, non_camel_case_types)]
        #visibility struct #name #generics {}
    }
}

/// Attributes that say how code is compiled, which a structure cannot carry.
fn is_of_code(attribute: &Attribute) -> bool {
    ["inline", "cold", "must_use", "track_caller"].iter().any(|name| attribute.path().is_ident(name))
}

/// Attributes that the generated code needs as well: conditions and lint levels.
pub fn shared_attributes(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    let names = ["cfg", "allow", "expect", "warn", "deny", "forbid"];
    attributes.iter().filter(move |attribute| names.iter().any(|name| attribute.path().is_ident(name)))
}

/// The number of features, an argument of what is loaded; nothing for data without features.
pub fn width(lowered: &Lowered) -> Option<&Ident> {
    lowered.function.generics.const_params().next().map(|width| &width.ident)
}

/// The compiled number of features, as a constant.
pub fn compiled_width(lowered: &Lowered) -> TokenStream {
    width(lowered).map_or_else(|| quote_spanned!(Span::mixed_site()=> 1), ToTokens::to_token_stream)
}
