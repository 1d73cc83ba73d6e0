//! The lowered body: registers, then a loop over the lane's features for each region, then stores.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Ident, Stmt, parse_quote};

use crate::check::effect::Effect;
use crate::check::operation::{Operation, ROW, declared};
use crate::expand::agreed::{Scalar, agree, written_scalars};
use crate::expand::function::{Lowered, compiled_width};
use crate::expand::place::place_name;
use crate::expand::property::{feature, index, stored, type_of};
use crate::expand::written::{factors_of_outers, outers};
use crate::lower::multiplied;
use crate::lower::names::{known_at, label, numbered};
use crate::lower::region::{Call, Region, result};
use crate::lower::rewrite::Rewrite;
use crate::lower::total::total_of;
use crate::lower::variable::mentions;
use crate::parse::access::Access;
use crate::parse::function::Kind;

/// The body of `compute`. `element` is the edge or the vertex, and its number. Its value is what the function returned, with what it wrote.
pub fn body(lowered: &Lowered, (element, number): (&TokenStream, &TokenStream), stores: &TokenStream) -> TokenStream {
    let (element, registers, variables) = (element_name(lowered, element), registers(lowered), variables(lowered));
    let regions = lowered.regions.iter().enumerate().map(|(number, region)| match &region.call {
        Some(call) => operating_region(lowered, number, region, call),
        None => last_region(lowered, number, region),
    });
    let (written, mixed) = (written(lowered), Span::mixed_site());
    let ((begin, end), (watch, report)) = (running(lowered), misses(lowered, number));
    quote_spanned! {mixed=>
        #element
        #registers
        #variables
        #watch
        #begin
        #(#regions)*
        #end
        #report
        #stores
        (__outcome, #written)
    }
}

/// What names the function where a panic comes out of it.
fn running(lowered: &Lowered) -> (TokenStream, TokenStream) {
    if !lowered.may_panic {
        return (TokenStream::new(), TokenStream::new());
    }
    let (mixed, name) = (Span::mixed_site(), lowered.function.name.unraw().to_string());
    (
        quote_spanned!(mixed=> let __running = ::onyx_device::running::Running::begin(#name);),
        quote_spanned!(mixed=> __running.end();),
    )
}

/// What collects reads out of range, and notes them in the end, where a function computes an index.
fn misses(lowered: &Lowered, number: &TokenStream) -> (TokenStream, TokenStream) {
    if !lowered.plan.computes_indices() {
        return (TokenStream::new(), TokenStream::new());
    }
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let name = lowered.function.name.unraw().to_string();
    let function = quote_spanned!(mixed=> const { ::onyx_device::gather::number_of(#name) });
    let reach = quote_spanned!(mixed=> <#data as ::onyx_device::property::GraphData>::reach(__data));
    (
        quote_spanned!(mixed=> let __misses = &::onyx_device::gather::Misses::default();),
        quote_spanned!(mixed=> unsafe { __misses.report(__group, #reach, #number, #function) };),
    )
}

/// The value of the structure of what is written.
fn written(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let names = (0..lowered.plan.registers.len()).map(|number| numbered("register", number));
    let factors = factors_of_outers(lowered);
    quote_spanned!(mixed=> __Written { #(#names,)* #(#factors,)* })
}

/// Stores the registers, given the code of the place of one. Scratch is stored only where it has memory.
pub fn stores(lowered: &Lowered, place: impl Fn(&Ident) -> TokenStream) -> TokenStream {
    let (mixed, data) = (Span::mixed_site(), &lowered.function.data);
    let stores = lowered.plan.registers.iter().enumerate().map(|(number, register)| {
        let (value, place) = (numbered("register", number), place(&place_name(lowered, &register.access)));
        let index = index(&register.access.property);
        let (store, round) = if register.access.is_row {
            let property = &register.access.property;
            let (feature, stored) = (feature(data, property), stored(data, property));
            let product = outers(lowered).find(|(_, contribution)| *contribution == property);
            let store = match product.map(|(number, _)| result(number)) {
                Some(product) => quote_spanned!(mixed=> #product.store(#place)),
                None => {
                    quote_spanned!(mixed=> <#feature as ::onyx_device::value::Value>::store(__group, #place, #value))
                }
            };
            (
                store,
                // A later function reads what memory has, also where it finds that in registers.
                quote_spanned!(mixed=> <#feature as ::onyx_device::value::Value>::round::<#stored, __V>(&mut #value);),
            )
        } else {
            (quote_spanned!(mixed=> __group.store_scalar(#place, #value)), TokenStream::new())
        };
        // Contributions to totals of the graph may be taken from registers.
        let is_kept = total_of(&register.access.property).map(|_| {
            quote_spanned! {mixed=>
                && <__G as ::onyx_device::registers::Registers<#data, __V>>::TAKEN >> #index & 1 == 0
            }
        });
        quote_spanned! {mixed=>
            #round
            if const {
                (<__G as ::onyx_device::registers::Registers<#data, __V>>::SPILLED >> #index & 1 == 1
                    || <#data as ::onyx_device::property::GraphData>::SCRATCH >> #index & 1 == 0) #is_kept
            } {
                unsafe { #store }
            }
        }
    });
    quote_spanned!(mixed=> #(#stores)*)
}

/// The user's name for the edge or vertex, if the body uses it other than as an index.
fn element_name(lowered: &Lowered, element: &TokenStream) -> TokenStream {
    let name = &lowered.function.names.element;
    let mixed = Span::mixed_site();
    if names_element(lowered) {
        quote_spanned!(mixed=> #[allow(unused_variables)] let #name = #element;)
    } else {
        TokenStream::new()
    }
}

/// Whether the body uses the edge or vertex other than as an index: whether it is still there when accesses have become registers.
pub fn names_element(lowered: &Lowered) -> bool {
    let (rewrite, name) = (rewrite(lowered), &lowered.function.names.element);
    let is_named = |region: &Region| {
        let statements = region.statements.iter().map(|statement| rewrite.statement(statement).to_token_stream());
        let arguments = region.call.iter().flat_map(|call| &call.arguments);
        let arguments = arguments.map(|argument| rewrite.expression(argument).to_token_stream());
        statements.chain(arguments).any(|tokens| has_name(tokens, name))
    };
    lowered.regions.iter().any(is_named)
}

fn has_name(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(found) => found == *name,
        TokenTree::Group(group) => has_name(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn registers(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let registers = lowered.plan.registers.iter().enumerate().map(|(number, register)| {
        let name = numbered("register", number);
        let start = match lowered.plan.load_of(&register.access).filter(|_| register.is_loaded) {
            Some(load) => {
                let slot = numbered("slot", load);
                quote_spanned!(mixed=> __loads.#slot)
            }
            None if register.access.is_row => quote_spanned!(mixed=> [::onyx_device::value::Value::ZERO; __V]),
            None => quote_spanned!(mixed=> ::core::default::Default::default()),
        };
        let kind = type_of(lowered, &register.access);
        quote_spanned!(mixed=> let mut #name: #kind = #start;)
    });
    registers.collect()
}

fn variables(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    let variables = (0..lowered.variables.len()).map(|number| {
        let name = numbered("variable", number);
        quote_spanned!(mixed=> let mut #name = ::onyx_device::local::Local::<_, __V>::new();)
    });
    variables.collect()
}

/// A region that ends in a collaborative operation.
fn operating_region(lowered: &Lowered, number: usize, region: &Region, call: &Call) -> TokenStream {
    let rewrite = rewrite(lowered);
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
fn last_region(lowered: &Lowered, number: usize, region: &Region) -> TokenStream {
    let rewrite = rewrite(lowered);
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

/// Runs `code` for each of the lane's features, and for padding where that cannot be seen.
///
/// A scalar is computed once a feature, from the same start: what it holds then is the same for all. A lane without features takes it from the first.
fn each_feature(lowered: &Lowered, number: usize, region: &Region, code: &TokenStream) -> TokenStream {
    let mixed = Span::mixed_site();
    let written = written_scalars(lowered, region);
    let scalars: Vec<&TokenStream> = written.iter().map(|scalar| &scalar.place).collect();
    let before: Vec<Ident> = (0..scalars.len()).map(|scalar| numbered("before", scalar)).collect();
    let after: Vec<Ident> = (0..scalars.len()).map(|scalar| numbered("after", scalar)).collect();
    let (first, noted): (Vec<TokenStream>, Vec<TokenStream>) =
        written.iter().zip(&before).map(|(scalar, before)| (scalar.noted(before), scalar.noted(&scalar.place))).unzip();
    let agreed = written.iter().zip(&after).map(|(Scalar { property, .. }, after)| {
        let property = property.unraw().to_string();
        agree(lowered, after, &quote_spanned!(mixed=> Scalar(#property)))
    });
    // The first feature comes last, so that its value stays where all give one.
    let is_shared = !scalars.is_empty() || (region.call.is_none() && lowered.is_uniform);
    let each = each(lowered, is_shared);
    let (feature, enter, leave) = (feature_name(lowered, region), enter(lowered, number), leave(lowered, number));
    let shared = match lowered.effect {
        Effect::Nothing => None,
        Effect::Panic => Some(Ident::new("shared_on_host", mixed)),
        Effect::Anything => Some(Ident::new("shared", mixed)),
    };
    let shared = shared.into_iter();
    let shared = shared.flat_map(|shared| {
        written.iter().map(move |scalar| {
            let (place, value) = (&scalar.place, scalar.shared(&shared));
            quote_spanned!(mixed=> #place = #value;)
        })
    });
    let variables = written.iter().filter_map(|Scalar { place, home, .. }| Some((place, home.as_ref()?)));
    let (variables, homes): (Vec<_>, Vec<_>) = variables.unzip();
    let inlined = inlined(lowered);
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
        #(#agreed)*
        #(#shared)*
        #(#homes = #variables;)*
    }
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

/// Has the body of the loop inlined in vertex functions. There are two loops on the host, and what has two callers is not inlined by itself: it has no wide vectors
/// then (`docs/performance.md`).
fn inlined(lowered: &Lowered) -> TokenStream {
    let mixed = Span::mixed_site();
    match lowered.function.kind {
        Kind::Vertex => {
            quote_spanned!(mixed=> #[cfg_attr(not(any(target_arch = "nvptx64", debug_assertions)), inline(always))])
        }
        Kind::Edge => TokenStream::new(),
    }
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

fn rewrite(lowered: &Lowered) -> Rewrite<'_> {
    let function = &lowered.function;
    let width = function.generics.const_params().next().map(|width| &width.ident);
    Rewrite { kind: function.kind, names: &function.names, width, plan: &lowered.plan, data: &function.data }
}
