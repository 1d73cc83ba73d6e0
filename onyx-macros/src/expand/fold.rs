//! `foldmap!`: the fold, its legality, and its kernels.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path};

use crate::errors::Errors;
use crate::expand::kernel::kernels;
use crate::expand::stub;
use crate::fingerprint;
use crate::message::{self, Conflict};
use crate::parse::fold::Fold;
use crate::parse::function::type_name;

/// What `foldmap!` expands to.
pub fn expand(fold: &Fold) -> TokenStream {
    let mut errors = Errors::default();
    let widths = fold.check(&mut errors);
    if !errors.is_empty() {
        return stub::fold(fold, errors);
    }
    let head = head(fold);
    let prefix = format!("{}__{}", snake_case(&data_name(fold)), fold.name.unraw());
    let (types, conflicts) = (types(fold), conflicts(fold, widths[0]));
    let implementation = implementation(fold, &prefix, &widths);
    let kernels = kernels(fold, &prefix, &widths, &described(fold, widths[0]));
    quote! {
        #head

        const _: () = {
            #types
            #implementation
            #conflicts
            #kernels
        };
    }
}

/// The structure that stands for the fold, which is a value as well.
pub fn head(fold: &Fold) -> TokenStream {
    let (attributes, visibility, name) = (&fold.attributes, &fold.visibility, &fold.name);
    quote! {
        #(#attributes)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #name;
    }
}

fn data_name(fold: &Fold) -> String {
    type_name(&fold.data).map(|name| name.unraw().to_string()).unwrap_or_default()
}

/// `LabelPropagation` as `label_propagation`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = !letter.is_uppercase();
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The data at one width.
pub fn data_at(is_generic: bool, width: usize) -> TokenStream {
    let width = Literal::usize_unsuffixed(width);
    if is_generic { quote!(__Data<#width>) } else { quote!(__Data) }
}

/// How many lanes hold a row of `width` features, and how many features each.
pub fn lanes(fold: &Fold, width: usize) -> (Literal, Literal) {
    let (lanes, features) = fold.lanes(width);
    (Literal::usize_unsuffixed(lanes), Literal::usize_unsuffixed(features))
}

fn types(fold: &Fold) -> TokenStream {
    let (generics, data) = (&fold.generics, &fold.data);
    let list = fold
        .functions
        .iter()
        .rev()
        .fold(quote!(()), |rest, function| quote_spanned!(function.span()=> (#function, #rest)));
    quote! {
        type __Data #generics = #data;
        type __Edges = <#list as ::onyx_device::split::Split>::Edges;
        type __Vertices = <#list as ::onyx_device::split::Split>::Vertices;
    }
}

fn implementation(fold: &Fold, prefix: &str, widths: &[usize]) -> TokenStream {
    let (name, fingerprint, data) = (&fold.name, fingerprint::of_package(), data_at(fold.is_generic(), widths[0]));
    let width_literals = widths.iter().map(|width| Literal::usize_unsuffixed(*width));
    let (edges, vertices) =
        (accesses(fold, &data, "EdgeAccess", "EDGE"), accesses(fold, &data, "VertexAccess", "VERTEX"));
    let is_edge: Vec<TokenStream> = fold.functions.iter().map(is_edge).collect();
    let visit = visit(fold, widths);
    quote! {
        impl ::onyx_device::Fold for #name {
            const NAME: &'static str = #prefix;
            const PACKAGE: &'static str = ::core::env!("CARGO_PKG_NAME");
            const FINGERPRINT: u64 = ::onyx_device::fold::fingerprint(#fingerprint);
            const WIDTHS: &'static [usize] = &[#(#width_literals),*];
            const PROPERTIES: &'static [::onyx_device::property::Descriptor] =
                <#data as ::onyx_device::property::GraphData>::PROPERTIES;
            const EDGES: ::onyx_device::EdgeAccess = #edges;
            const VERTICES: ::onyx_device::VertexAccess = #vertices;
            const HAS_EDGES: bool = #(#is_edge)||*;
            const HAS_VERTICES: bool = !(#(#is_edge)&&*);
            #visit
        }
    }
}

fn visit(fold: &Fold, widths: &[usize]) -> TokenStream {
    let mixed = Span::mixed_site();
    let arms = widths.iter().map(|width| {
        let (data, (lanes, features)) = (data_at(fold.is_generic(), *width), lanes(fold, *width));
        let width = Literal::usize_unsuffixed(*width);
        quote_spanned! {mixed=>
            #width => ::core::option::Option::Some(
                __visitor.visit::<#data, __Edges, __Vertices, #width, #lanes, #features>()
            ),
        }
    });
    quote_spanned! {mixed=>
        fn visit<__N: ::onyx_device::WidthVisitor>(
            __width: usize,
            __visitor: __N,
        ) -> ::core::option::Option<__N::Output> {
            match __width {
                #(#arms)*
                _ => ::core::option::Option::None,
            }
        }
    }
}

/// What all functions access: each is asked at its own token.
fn accesses(fold: &Fold, data: &TokenStream, set: &str, constant: &str) -> TokenStream {
    let (set, constant) = (Ident::new(set, Span::mixed_site()), Ident::new(constant, Span::mixed_site()));
    let each = fold.functions.iter().map(|function| {
        let at = Span::mixed_site().located_at(function.span());
        quote_spanned!(at=> .union(<#function as ::onyx_device::split::Accesses<#data>>::#constant))
    });
    quote!(::onyx_device::#set::NONE #(#each)*)
}

/// The functions in order, for the description in the PTX.
fn described(fold: &Fold, width: usize) -> TokenStream {
    let data = data_at(fold.is_generic(), width);
    let functions = fold.functions.iter().map(|function| {
        let (name, is_edge) = (last(function), is_edge(function));
        quote! {
            ::onyx_device::description::Function {
                name: #name,
                is_edge: #is_edge,
                edge: <#function as ::onyx_device::split::Accesses<#data>>::EDGE,
                vertex: <#function as ::onyx_device::split::Accesses<#data>>::VERTEX,
            }
        }
    });
    quote!([#(#functions),*])
}

/// Whether a function is an edge function, shown at its own token.
fn is_edge(function: &Path) -> TokenStream {
    let at = Span::mixed_site().located_at(function.span());
    quote_spanned!(at=> <<#function as ::onyx_device::split::Function>::Kind as ::onyx_device::split::Kind>::IS_EDGE)
}

/// An assertion for each pair of functions, shown at the later of them.
fn conflicts(fold: &Fold, width: usize) -> TokenStream {
    let data = data_at(fold.is_generic(), width);
    let pairs = fold
        .functions
        .iter()
        .enumerate()
        .flat_map(|(position, later)| fold.functions[..position].iter().map(move |earlier| (earlier, later)));
    pairs.map(|(earlier, later)| conflict(&data, earlier, later)).collect()
}

fn conflict(data: &TokenStream, earlier: &Path, later: &Path) -> TokenStream {
    let (first, second) = (last(earlier), last(later));
    let vertex = check(data, earlier, later, "conflict", message::vertex_conflict(&first, &second));
    let forward = check(data, later, earlier, "unfinished_sum", message::reduction_conflict(&second, &first));
    let backward = check(data, earlier, later, "unfinished_sum", message::reduction_conflict(&first, &second));
    let shared = check(data, earlier, later, "shared_sum", message::shared_reduction(&first, &second));
    let mixed = check(data, earlier, later, "mixed_reduction", message::mixed_reduction(&first, &second));
    let order = check(data, earlier, later, "edge_order", message::edge_order_conflict(&first, &second));
    let checks = [vertex, forward, backward, shared, mixed, order];
    let at = later.span();
    let order = order_assertion(earlier, later);
    checks.into_iter().map(|found| assertion(at, &found)).chain([order]).collect()
}

/// An edge function must not follow a vertex function.
fn order_assertion(earlier: &Path, later: &Path) -> TokenStream {
    let at = Span::mixed_site().located_at(later.span());
    let text = message::edge_after_vertex(last(later), last(earlier));
    let (before, after) = (is_edge(earlier), is_edge(later));
    quote_spanned!(at=> const _: () = if !#before && #after { panic!(#text) };)
}

/// One question to the device crate, and the text around the property that answers it.
struct Check {
    question: TokenStream,
    conflict: Conflict,
}

fn check(data: &TokenStream, a: &Path, b: &Path, question: &str, conflict: Conflict) -> Check {
    let question = Ident::new(question, Span::mixed_site());
    let access = |function: &Path| quote!(<#function as ::onyx_device::split::Accesses<#data>>);
    let (first, second) = (access(a), access(b));
    let second = if question == "conflict" { quote!(#second::VERTEX) } else { quote!(#second::EDGE) };
    let properties = quote!(<#data as ::onyx_device::property::GraphData>::PROPERTIES);
    let question = quote!(::onyx_device::fold::#question(#properties, #first::EDGE, #second));
    Check { question, conflict }
}

fn assertion(at: Span, check: &Check) -> TokenStream {
    let (question, Conflict { before, after }) = (&check.question, &check.conflict);
    let at = Span::mixed_site().located_at(at);
    let text = quote_spanned!(at=> ::onyx_device::message::Text::new().then(#before).then(__property).then(#after));
    quote_spanned! {at=>
        const _: () = match #question {
            ::core::option::Option::None => (),
            ::core::option::Option::Some(__property) => panic!("{}", #text.as_str()),
        };
    }
}

fn last(function: &Path) -> String {
    function.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}
