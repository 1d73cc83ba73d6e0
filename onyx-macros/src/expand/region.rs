//! The code of one region: up to a collaborative operation, or to the end of the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Ident, Stmt, parse_quote};

use crate::check::effect::Effect;
use crate::check::operation::{Operation, ROW, declared};
use crate::expand::agreed::agree;
use crate::expand::each_feature::each_feature;
use crate::expand::function::{Lowered, compiled_width};
use crate::expand::place::place_name;
use crate::expand::property::index;
use crate::lower::multiplied;
use crate::lower::names::{known_at, label, numbered};
use crate::lower::region::{Call, Region, result};
use crate::lower::rewrite::Rewrite;
use crate::parse::access::Access;

/// A region that ends in a collaborative operation.
pub fn operating_region(lowered: &Lowered, number: usize, region: &Region, call: &Call) -> TokenStream {
    let rewrite = Rewrite::of(lowered);
    let statements = region.statements.iter().map(|statement| kept_mutable(lowered, rewrite.statement(statement)));
    let arguments: Vec<Ident> = (0..call.arguments.len()).map(|position| argument(number, position)).collect();
    let (values, kinds) = (call.arguments.iter().map(|value| rewrite.expression(value)), argument_types(lowered, call));
    let width = call.operation.is_of_matrices().then(|| compiled_width(lowered)).into_iter();
    let (result, mixed) = (result(number), Span::mixed_site());
    let matrix = multiplied(lowered, call);
    // A matrix that is multiplied where it lies is no argument that each feature has its part of.
    let own = usize::from(matrix.is_some());
    let (arguments, kinds, values) = (&arguments[own..], &kinds[own..], values.skip(own));
    let features = each_feature(
        lowered,
        number,
        region,
        &quote_spanned! {mixed=>
            #(#statements)*
            #(let __value: #kinds = #values; #arguments.set(__index, __value);)*
        },
    );
    let same_index =
        (call.operation == Operation::Broadcast).then(|| agree(lowered, &arguments[1], &quote_spanned!(mixed=> Index)));
    let starts = &starts(lowered, call)[own..];
    let operation = method(call, matrix.is_some());
    let matrix = matrix.map(|access| place_name(lowered, &access)).into_iter();
    let product = quote_spanned! {mixed=>
        unsafe { __group.#operation #(::<#width>)* (#(#matrix(__data),)* #(unsafe { #arguments.all() }),*) }
    };
    let (factors, value) = match &region.contribution {
        Some(contribution) => outer(lowered, (number, contribution), arguments, &product),
        None => (TokenStream::new(), product),
    };
    quote_spanned! {mixed=>
        #(let mut #arguments = ::onyx_device::local::Local::<#kinds, __V>::#starts;)*
        #features
        #same_index
        #factors
        #[allow(unused_unsafe)]
        let #result = #value;
    }
}

/// What has the rows of an outer product that is a contribution to a total of the graph, and the product, unless a warp adds it up by these.
fn outer(
    lowered: &Lowered,
    (number, contribution): (usize, &Ident),
    arguments: &[Ident],
    product: &TokenStream,
) -> (TokenStream, TokenStream) {
    let (mixed, data, width) = (Span::mixed_site(), &lowered.function.data, compiled_width(lowered));
    let (factors, index) = (numbered("factors", number), index(contribution));
    (
        quote_spanned!(mixed=> let #factors = [#(__group.live_part(unsafe { #arguments.all() })),*];),
        quote_spanned! {mixed=>
            if const {
                <__G as ::onyx_device::registers::Registers<#data, __V>>::TAKEN >> #index & 1 != 0
                    && ::onyx_device::reduction::adds_in_tiles::<#data, #width, __V>()
            } {
                __group.no_outer::<#width>()
            } else {
                #product
            }
        },
    )
}

/// The matrix that a call multiplies where it lies.
fn multiplied(lowered: &Lowered, call: &Call) -> Option<Access> {
    multiplied::matrix(&lowered.function, call).filter(|access| lowered.plan.is_multiplied(access))
}

/// The method of the group that makes the result of a call.
fn method(call: &Call, is_multiplied: bool) -> Ident {
    let of_graph = if is_multiplied { "graph_" } else { "" };
    known_at(&format!("{of_graph}{}", call.name), call.name.span())
}

/// How the arguments of an operation begin: with a value where padding gives none.
fn starts(lowered: &Lowered, call: &Call) -> Vec<TokenStream> {
    let at = Span::mixed_site().located_at(call.name.span());
    let start = |name: &&str| match *name {
        _ if lowered.effect == Effect::Nothing => quote_spanned!(at=> new()),
        ROW => quote_spanned!(at=> filled(::onyx_device::value::Value::ZERO)),
        "bool" => quote_spanned!(at=> filled(false)),
        "u32" => quote_spanned!(at=> filled(0)),
        _ => quote_spanned!(at=> filled(0.0)),
    };
    call.operation.arguments().iter().map(start).collect()
}

/// The variable that holds argument number `position` of call number `call`.
fn argument(call: usize, position: usize) -> Ident {
    numbered(if position == 0 { "argument" } else { "second" }, call)
}

/// A variable may be changed only in a later region, where the compiler does not see that it is the same one.
fn kept_mutable(lowered: &Lowered, mut statement: Stmt) -> Stmt {
    let lives = |name: &Ident| lowered.variables.iter().any(|variable| variable.is_mutable && variable.name == *name);
    let is_kept = declared(&statement).iter().any(|(name, is_mutable)| *is_mutable && lives(name));
    if let Stmt::Local(local) = &mut statement
        && is_kept
    {
        local.attrs.push(parse_quote!(#[allow(unused_mut)]));
    }
    statement
}

fn argument_types(lowered: &Lowered, call: &Call) -> Vec<TokenStream> {
    let at = Span::mixed_site().located_at(call.name.span());
    let kind = |name: &&str| match *name {
        ROW => {
            let width = compiled_width(lowered);
            quote_spanned!(at=> ::onyx_device::Row<#width>)
        }
        name => known_at(name, at).to_token_stream(),
    };
    call.operation.arguments().iter().map(kind).collect()
}

/// The region that the function returns from: `outcome` is what it returned for any of its features.
pub fn last_region(lowered: &Lowered, number: usize, region: &Region) -> TokenStream {
    let rewrite = Rewrite::of(lowered);
    let statements = region.statements.iter().map(|statement| rewrite.statement(statement));
    let (kind, label, mixed) = (&lowered.function.output, label(), Span::mixed_site());
    let value = quote_spanned!(mixed=> let __outcome: #kind = #label: { #(#statements)* };);
    if lowered.function.names.feature.is_none() || (lowered.is_uniform && is_constant(region)) {
        return value;
    }
    let code = if lowered.is_uniform {
        quote_spanned!(mixed=> #value __group.note(&mut __all, __index, __outcome); __outcomes = __outcome;)
    } else {
        quote_spanned!(mixed=> #value __outcomes[__index] = __outcome;)
    };
    let features = each_feature(lowered, number, region, &code);
    if lowered.is_uniform {
        let agreed = agree(lowered, &known_at("__all", mixed), &quote_spanned!(mixed=> Outcome));
        let outcome = of_first_lane(lowered);
        return quote_spanned! {mixed=>
            let mut __outcomes = true;
            let mut __all = ::onyx_device::local::Local::<bool, __V>::starting(true);
            #features
            #agreed
            let __outcome = #outcome;
        };
    }
    quote_spanned! {mixed=>
        let mut __outcomes = [false; __V];
        #features
        let __outcome = __group.any(__outcomes);
    }
}

/// What the function returned, the same for all features: of a lane without any, which ran nothing, the group's first lane says it.
fn of_first_lane(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    match lowered.effect {
        Effect::Nothing => quote_spanned!(mixed=> __outcomes),
        Effect::Panic => quote_spanned!(mixed=> __group.agreed_on_host(__outcomes)),
        Effect::Anything => quote_spanned!(mixed=> __group.agreed(__outcomes)),
    }
}

/// Whether a region is but a literal or the result of an operation.
fn is_constant(region: &Region) -> bool {
    matches!(region.statements.as_slice(), [Stmt::Expr(Expr::Lit(_) | Expr::Verbatim(_), None)])
}
