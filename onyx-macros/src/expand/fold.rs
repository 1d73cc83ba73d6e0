//! A fold that is known as a whole: what the runtime sees of it, and its kernels.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, ItemStruct, Visibility};

use crate::compile::function::FoldFunction;
use crate::compile::stage::Stage;
use crate::compile::total::Total;
use crate::compile::{Compiled, changes, divergence, schedule, scratch};
use crate::expand::function::Lowered;
use crate::expand::kernel::{kernels, symbol_end};
use crate::expand::{data, function};
use crate::fingerprint;
use crate::lower::switches::arguments;
use crate::parse::fold::Fold;
use crate::parse::function::type_name;

/// Everything but the structure that stands for the fold.
pub fn expand(compiled: &Compiled, structure: &ItemStruct, functions: &[Lowered]) -> TokenStream {
    let prefix = prefix(&compiled.fold);
    let (types, questions) = (types(compiled), questions(compiled));
    let code = [types.clone(), kernels(compiled, &prefix, ""), data::compiled(structure)];
    let code: Vec<TokenStream> = code.into_iter().chain(functions.iter().map(function::implementation)).collect();
    let implementation = implementation(compiled, functions, &prefix, fingerprint::of(functions, &code));
    let kernels = kernels(compiled, &prefix, &symbol_end());
    quote! {
        #types
        #questions
        #implementation
        #kernels
    }
}

/// The structure that stands for the fold, which is a value as well.
pub fn head(attributes: &[Attribute], visibility: &Visibility, name: &Ident) -> TokenStream {
    quote! {
        #(#attributes)*
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug)]
        #visibility struct #name;
    }
}

/// The name that the fold has in the PTX.
fn prefix(fold: &Fold) -> String {
    let data = type_name(&fold.data).map(|name| name.unraw().to_string()).unwrap_or_default();
    format!("{}__{}", snake_case(&data), fold.name.unraw())
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
pub fn lanes(compiled: &Compiled, width: usize) -> (Literal, Literal) {
    let (lanes, features) = compiled.lanes(width);
    (Literal::usize_unsuffixed(lanes), Literal::usize_unsuffixed(features))
}

/// The name of a type of a stage.
pub fn of_stage(name: &str, stage: usize) -> Ident {
    Ident::new(&format!("__{name}{stage}"), Span::mixed_site())
}

/// The data, and the runs of each stage.
fn types(compiled: &Compiled) -> TokenStream {
    let (generics, data) = (&compiled.fold.generics, &compiled.fold.data);
    let runs = compiled.stages.iter().enumerate().map(|(number, stage)| {
        let (edges, vertices) = (of_stage("Edges", number), of_stage("Vertices", number));
        let edge_run = run(compiled, stage, &compiled.members[stage.edges.clone()]);
        let vertex_run = run(compiled, stage, &compiled.members[stage.vertices.clone()]);
        quote!(type #edges = #edge_run; type #vertices = #vertex_run;)
    });
    let rows = Literal::u64_unsuffixed(scratch::rows(&compiled.properties, compiled.passed));
    let end = quote!(::onyx_device::stage::Passing<#rows>);
    let stages = (0..compiled.stages.len()).rev().fold(end, |rest, number| {
        let (edges, vertices) = (of_stage("Edges", number), of_stage("Vertices", number));
        quote!((::onyx_device::stage::Stage<#edges, #vertices>, #rest))
    });
    quote! {
        type __Data #generics = #data;
        #(#runs)*
        type __Stages = #stages;
    }
}

/// The functions of one kind of a stage, in order, of whose scratch some is in memory.
fn run(compiled: &Compiled, stage: &Stage, members: &[FoldFunction]) -> TokenStream {
    let list = members.iter().rev().fold(quote!(()), |rest, member| {
        let at = Span::mixed_site().located_at(member.span);
        let (alias, arguments) = (&member.alias, arguments(&member.switches));
        quote_spanned!(at=> (#alias #arguments, #rest))
    });
    let stored = compiled.scratch_in_memory() & (stage.accesses.writes | stage.accesses.writes_edge);
    let properties = Literal::u64_unsuffixed(stored);
    let list = if stored == 0 { list } else { quote!(::onyx_device::run::ScratchInMemory<#list, #properties>) };
    let flags = Literal::u32_unsuffixed(stage.flags);
    quote!(::onyx_device::stage::Staged<#list, #flags>)
}

/// Asks the compiler at each function whether it is one of the fold's data.
fn questions(compiled: &Compiled) -> TokenStream {
    let data = data_at(compiled.fold.is_generic(), compiled.widths[0]);
    let questions = compiled.members.iter().map(|member| {
        let (at, function) = (Span::mixed_site().located_at(member.span), &member.alias);
        let arguments = arguments(&member.switches);
        let of = Ident::new(if member.is_edge() { "EdgeFunction" } else { "VertexFunction" }, at);
        quote_spanned! {at=>
            const _: fn() = || {
                let _ = <#function #arguments as ::onyx_device::function::#of<#data>>::ACCESS;
            };
        }
    });
    questions.collect()
}

fn implementation(compiled: &Compiled, functions: &[Lowered], prefix: &str, fingerprint: u64) -> TokenStream {
    let fold = &compiled.fold;
    let declared = fold.name.unraw().to_string();
    let (name, data) = (&fold.name, data_at(fold.is_generic(), compiled.widths[0]));
    let widths = compiled.widths.iter().map(|width| Literal::usize_unsuffixed(*width));
    let lane_counts = compiled.widths.iter().map(|width| lanes(compiled, *width).0);
    let (is_active, is_scalar, is_overruled) = (fold.is_active(), compiled.is_scalar(), compiled.is_overruled());
    let (pushes, recomputes) = (compiled.pushes(), compiled.recomputes());
    let stages = compiled.stages.iter().enumerate().map(|(number, stage)| stage_access(compiled, &data, number, stage));
    let (why_not_tiled, why_not_change_driven) =
        (option(&compiled.why_not_tiled), option(&compiled.why_not_change_driven));
    let watched = if is_overruled { changes::watched(&compiled.properties, &compiled.members) } else { 0 };
    let (scratch_in_memory, summed) = (compiled.scratch_in_memory(), divergence::summed(&compiled.members));
    let (structure, visit) = (data_at(fold.is_generic(), 0), visit(compiled));
    let functions = functions.iter().map(|lowered| lowered.function.name.unraw().to_string());
    quote! {
        #[allow(clippy::undocumented_unsafe_blocks)]
        unsafe impl ::onyx_device::FoldOf<#structure> for #name {}

        #[allow(clippy::undocumented_unsafe_blocks)]
        unsafe impl ::onyx_device::Fold for #name {
            const NAME: &'static str = #prefix;
            const DECLARED_NAME: &'static str = #declared;
            const MODULE: &'static str = ::core::module_path!();
            const PACKAGE: &'static str = ::core::env!("CARGO_PKG_NAME");
            const FINGERPRINT: u64 = ::onyx_device::fold::fingerprint(#fingerprint);
            const WIDTHS: &'static [usize] = &[#(#widths),*];
            const LANES: &'static [usize] = &[#(#lane_counts),*];
            const DATA: &'static str = <#data as ::onyx_device::property::GraphData>::PATH;
            const PROPERTIES: &'static [::onyx_device::property::Descriptor] =
                <#data as ::onyx_device::property::GraphData>::PROPERTIES;
            const WIDTH_NAMES: &'static [&'static str] = <#data as ::onyx_device::property::GraphData>::WIDTHS;
            const FUNCTIONS: &'static [&'static str] = &[#(#functions),*];
            const STAGES: &'static [::onyx_device::stage::StageAccess] = &[#(#stages),*];
            const IS_ACTIVE: bool = #is_active;
            const IS_SCALAR: bool = #is_scalar;
            const WHY_NOT_TILED: ::core::option::Option<&'static str> = #why_not_tiled;
            const WHY_NOT_CHANGE_DRIVEN: ::core::option::Option<&'static str> = #why_not_change_driven;
            const IS_OVERRULED: bool = #is_overruled;
            const PUSHES: bool = #pushes;
            const RECOMPUTES: bool = #recomputes;
            const WATCHED: u64 = #watched;
            const SUMMED: u64 = #summed;
            const SCRATCH_IN_MEMORY: u64 = #scratch_in_memory;

            #visit
        }
    }
}

fn stage_access(compiled: &Compiled, data: &TokenStream, number: usize, stage: &Stage) -> TokenStream {
    let (edges, vertices) = (of_stage("Edges", number), of_stage("Vertices", number));
    let (has_edges, has_vertices, may_stop) = (stage.has_edges(), stage.has_vertices(), stage.may_stop);
    let (flags, reads_graph) =
        (Literal::u32_unsuffixed(stage.flags), Literal::u64_unsuffixed(stage.accesses.reads_graph));
    let kernels = schedule::of(compiled, stage).map(|schedule| schedule.name);
    let totals = stage.totals.iter().map(total);
    quote! {
        ::onyx_device::stage::StageAccess {
            edges: <#edges as ::onyx_device::run::EdgeRun<#data>>::ACCESS,
            vertices: <#vertices as ::onyx_device::run::VertexRun<#data>>::ACCESS,
            reads_graph: #reads_graph,
            has_edges: #has_edges,
            has_vertices: #has_vertices,
            may_stop: #may_stop,
            flags: #flags,
            parts: <<#edges as ::onyx_device::run::EdgeRun<#data>>::Sums<1> as ::onyx_device::reduction::Accumulator<#data, 1>>::PARTS,
            kernels: &[#(#kernels),*],
            totals: &[#(#totals),*],
        }
    }
}

fn total(total: &Total) -> TokenStream {
    let operator = Ident::new(total.operator(), Span::mixed_site());
    let Total { total, contributions, by, .. } = total;
    let by = match by {
        Some(by) => quote!(::core::option::Option::Some(#by)),
        None => quote!(::core::option::Option::None),
    };
    quote! {
        ::onyx_device::stage::GraphTotal {
            total: #total,
            contributions: #contributions,
            operator: ::onyx_device::stage::TotalOperator::#operator,
            by: #by,
        }
    }
}

/// A text if there is one, as an expression.
fn option(text: &Option<impl ToString>) -> TokenStream {
    match text.as_ref().map(ToString::to_string) {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    }
}

fn visit(compiled: &Compiled) -> TokenStream {
    let mixed = Span::mixed_site();
    let arms = compiled.widths.iter().map(|width| {
        let (data, (lanes, features)) = (data_at(compiled.fold.is_generic(), *width), lanes(compiled, *width));
        let width = Literal::usize_unsuffixed(*width);
        quote_spanned! {mixed=>
            #width => ::core::option::Option::Some(
                __visitor.visit::<#data, __Stages, #width, #lanes, #features>()
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
