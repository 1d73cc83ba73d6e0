//! `foldmap!`: the fold, its legality, and its kernels.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use crate::errors::Errors;
use crate::expand::alias::aliases;
use crate::expand::function::shared_attributes;
use crate::expand::kernel::kernels;
use crate::expand::stub;
use crate::fingerprint;
use crate::message::{self, Conflict};
use crate::parse::fold::{Edges, Fold, Listed};
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
    let (aliases, types, members) = (aliases(fold), types(fold), members(fold, widths[0]));
    let (conflicts, unfolded, changes) = (conflicts(fold, widths[0]), unfolded(fold), changes(fold));
    let data_widths: TokenStream = widths.iter().map(|width| data_width(fold, *width)).collect();
    let implementation = implementation(fold, &prefix, &widths);
    let kernels = kernels(fold, &prefix, &widths);
    let shared = shared_attributes(&fold.attributes);
    quote! {
        #head

        #(#shared)*
        const _: () = {
            #aliases
            #types
            #members
            #data_widths
            #implementation
            #conflicts
            #unfolded
            #changes
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

/// Asks the compiler whether the data has as many features as the fold is compiled for, which an alias may hide from this macro.
fn data_width(fold: &Fold, width: usize) -> TokenStream {
    let (at, data) = (Span::mixed_site().located_at(fold.data.span()), data_at(fold.is_generic(), width));
    let (width, text) = (Literal::usize_unsuffixed(width), message::FOLD_WIDTH);
    quote_spanned! {at=>
        const _: () = if <#data as ::onyx_device::property::GraphData>::WIDTH != #width { panic!(#text) };
    }
}

/// How many lanes hold a row of `width` features, and how many features each.
pub fn lanes(fold: &Fold, width: usize) -> (Literal, Literal) {
    let (lanes, features) = fold.lanes(width);
    (Literal::usize_unsuffixed(lanes), Literal::usize_unsuffixed(features))
}

/// How many stages a part of `functions` functions may have: it is not known here which of them are edge functions.
fn most_stages(functions: usize) -> usize {
    functions / 2 + 1
}

/// How many entries a fold keeps for its stages.
pub fn entries(fold: &Fold) -> usize {
    fold.parts.iter().map(|part| most_stages(part.len())).sum()
}

/// The name of a type of the stage with this entry.
pub fn of_entry(name: &str, entry: usize) -> Ident {
    Ident::new(&format!("__{name}{entry}"), Span::mixed_site())
}

/// The data, and for each entry the functions that are left, the runs of its stage, and their flags.
fn types(fold: &Fold) -> TokenStream {
    let (generics, data) = (&fold.generics, &fold.data);
    let mut entry = 0;
    let parts: TokenStream = fold.parts.iter().map(|part| part_types(fold, part, &mut entry)).collect();
    let stages = (0..entry).rev().fold(quote!(()), |rest, entry| {
        let (edges, vertices) = (of_entry("Edges", entry), of_entry("Vertices", entry));
        quote!((::onyx_device::stage::Stage<#edges, #vertices>, #rest))
    });
    quote! {
        type __Data #generics = #data;
        #parts
        type __Stages = #stages;
    }
}

fn part_types(fold: &Fold, part: &[Listed], entry: &mut usize) -> TokenStream {
    let list =
        part.iter().rev().fold(quote!(()), |rest, function| quote_spanned!(function.span()=> (#function, #rest)));
    let mut functions = quote!(#list);
    let mut types = TokenStream::new();
    for _ in 0..most_stages(part.len()) {
        types.extend(stage_types(fold, &functions, *entry));
        let left = of_entry("Functions", *entry);
        functions = quote!(<#left as ::onyx_device::split::Split>::Rest);
        *entry += 1;
    }
    types
}

fn stage_types(fold: &Fold, functions: &TokenStream, entry: usize) -> TokenStream {
    let name = &fold.name;
    let [left, edges, vertices, flags] = ["Functions", "Edges", "Vertices", "FLAGS"].map(|name| of_entry(name, entry));
    let [edge_run, vertex_run] = ["Edges", "Vertices"].map(|run| split_run(fold, &left, run));
    quote! {
        type #left = #functions;
        const #flags: u32 = ::onyx_device::stage::find(<#name as ::onyx_device::Fold>::STAGES, #entry).flags;
        type #edges = ::onyx_device::stage::Staged<#edge_run, { #flags }>;
        type #vertices = ::onyx_device::stage::Staged<#vertex_run, { #flags }>;
    }
}

/// The first run of edge functions, or of vertex functions, among those that are left. An unfolded one has its scratch in memory.
fn split_run(fold: &Fold, left: &Ident, run: &str) -> TokenStream {
    let run = Ident::new(run, Span::mixed_site());
    let run = quote!(<#left as ::onyx_device::split::Split>::#run);
    if fold.is_unfolded { quote!(::onyx_device::run::Spilled<#run>) } else { run }
}

/// What each function is and accesses, asked at its own token.
fn members(fold: &Fold, width: usize) -> TokenStream {
    let data = data_at(fold.is_generic(), width);
    let mut entry = 0;
    let members = fold.parts.iter().flat_map(|part| {
        let first = entry;
        entry += most_stages(part.len());
        let data = &data;
        part.iter().enumerate().map(move |(position, function)| member(data, function, position == 0, first))
    });
    let (count, members): (usize, Vec<TokenStream>) = (fold.functions().count(), members.collect());
    quote!(const __MEMBERS: [::onyx_device::stage::Member; #count] = [#(#members),*];)
}

fn member(data: &TokenStream, function: &Listed, is_first: bool, entry: usize) -> TokenStream {
    let (at, name, is_edge) = (Span::mixed_site().located_at(function.span()), function.name(), is_edge(function));
    quote_spanned! {at=>
        ::onyx_device::stage::Member {
            name: #name,
            is_edge: #is_edge,
            edge: <#function as ::onyx_device::split::Accesses<#data>>::EDGE,
            vertex: <#function as ::onyx_device::split::Accesses<#data>>::VERTEX,
            may_stop: <#function as ::onyx_device::split::Function>::MAY_STOP,
            may_make_infinity: <#function as ::onyx_device::split::Function>::MAY_MAKE_INFINITY,
            flow: <#function as ::onyx_device::split::Accesses<#data>>::FLOW,
            across: <#function as ::onyx_device::split::Function>::ACROSS,
            is_first: #is_first,
            entry: #entry,
        }
    }
}

fn implementation(fold: &Fold, prefix: &str, widths: &[usize]) -> TokenStream {
    let (name, fingerprint, data) = (&fold.name, fingerprint::of_package(), data_at(fold.is_generic(), widths[0]));
    let width_literals = widths.iter().map(|width| Literal::usize_unsuffixed(*width));
    let (is_active, visit) = (fold.is_active(), visit(fold, widths));
    let is_overruled = matches!(fold.edges, Edges::Changed(_));
    let is_scalar = fold.features_per_lane() == Some(0);
    let spilled = fold.is_unfolded.then(|| {
        quote!(
            const SPILLED: u64 = ::onyx_device::fold::scratch(<Self as ::onyx_device::Fold>::PROPERTIES);
        )
    });
    let structure = data_at(fold.is_generic(), 0);
    quote! {
        impl ::onyx_device::FoldOf<#structure> for #name {}

        impl ::onyx_device::Fold for #name {
            const NAME: &'static str = #prefix;
            const MODULE: &'static str = ::core::module_path!();
            const PACKAGE: &'static str = ::core::env!("CARGO_PKG_NAME");
            const FINGERPRINT: u64 = ::onyx_device::fold::fingerprint(#fingerprint);
            const WIDTHS: &'static [usize] = &[#(#width_literals),*];
            const DATA: &'static str = <#data as ::onyx_device::property::GraphData>::PATH;
            const PROPERTIES: &'static [::onyx_device::property::Descriptor] =
                <#data as ::onyx_device::property::GraphData>::PROPERTIES;
            const STAGES: &'static [::onyx_device::stage::StageAccess] = &::onyx_device::stage::stages::<
                { ::onyx_device::stage::count(&__MEMBERS) },
            >(&__MEMBERS, #is_active);
            const IS_ACTIVE: bool = #is_active;
            const IS_SCALAR: bool = #is_scalar;
            const OBSTACLE: ::core::option::Option<::onyx_device::tile::Obstacle> =
                ::onyx_device::tile::obstacle(Self::PROPERTIES, &__MEMBERS, #is_active);
            const CHANGE_OBSTACLE: ::core::option::Option<::onyx_device::changes::ChangeObstacle> =
                ::onyx_device::changes::obstacle(Self::PROPERTIES, &__MEMBERS, Self::STAGES.len(), Self::SPILLED);
            const IS_OVERRULED: bool = #is_overruled;
            const WATCHED: u64 = if #is_overruled { ::onyx_device::changes::watched(Self::PROPERTIES, &__MEMBERS) } else { 0 };
            const SUMMED: u64 = ::onyx_device::divergence::summed(&__MEMBERS);
            #spilled

            fn narrowest<__N: ::onyx_device::DataVisitor>(__visitor: __N) -> ::core::option::Option<__N::Output> {
                ::core::option::Option::Some(__visitor.visit::<#data>())
            }

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

/// Whether a function is an edge function, shown at its own token.
fn is_edge(function: &Listed) -> TokenStream {
    let at = Span::mixed_site().located_at(function.span());
    quote_spanned!(at=> <<#function as ::onyx_device::split::Function>::Kind as ::onyx_device::split::Kind>::IS_EDGE)
}

/// An assertion for each pair of functions of a part, shown at the later of them.
fn conflicts(fold: &Fold, width: usize) -> TokenStream {
    let data = data_at(fold.is_generic(), width);
    let mut first = 0;
    let mut conflicts = TokenStream::new();
    for part in &fold.parts {
        for (position, later) in part.iter().enumerate() {
            for (number, earlier) in part[..position].iter().enumerate() {
                let same = same_stage(first + number, first + position);
                conflicts.extend(conflict(&data, earlier, later, &same));
            }
        }
        first += part.len();
    }
    let each = fold.functions().enumerate().map(|(position, function)| scratch(fold, &data, position, function));
    conflicts.extend(each);
    conflicts
}

/// The assertions that one function uses scratch as it may.
fn scratch(fold: &Fold, data: &TokenStream, position: usize, function: &Listed) -> TokenStream {
    let (properties, is_unfolded) = (properties(data), fold.is_unfolded);
    let (name, access) = (function.name(), quote!(<#function as ::onyx_device::split::Accesses<#data>>::EDGE));
    let fold = quote!(::onyx_device::fold);
    let checks = [
        Check {
            question: quote!(#fold::unwritten_scratch(#properties, &__MEMBERS, #position, #is_unfolded)),
            conflict: message::scratch_unwritten(&name),
        },
        Check {
            question: quote!(#fold::distant_scratch(#properties, #access)),
            conflict: message::scratch_at_end(&name),
        },
        Check {
            question: quote!(#fold::reduced_scratch(#properties, #access)),
            conflict: message::scratch_reduced(&name),
        },
    ];
    checks.iter().map(|check| assertion(function.span(), check, &quote!(true))).collect()
}

/// An edge function of a fold that is not folded must not stop the edge function after it.
fn unfolded(fold: &Fold) -> TokenStream {
    let functions: Vec<&Listed> = fold.functions().filter(|_| fold.is_unfolded).collect();
    functions.windows(2).map(|pair| unfolded_assertion(pair[0], pair[1])).collect()
}

fn unfolded_assertion(edge: &Listed, next: &Listed) -> TokenStream {
    let at = Span::mixed_site().located_at(edge.span());
    let text = message::unfolded_progress(edge.name(), next.name());
    let (is_edge, is_next_edge) = (is_edge(edge), is_edge(next));
    quote_spanned! {at=>
        const _: () = if #is_edge && #is_next_edge && <#edge as ::onyx_device::split::Function>::MAY_STOP { panic!(#text) };
    }
}

/// An assertion that changes can be propagated where they were asked for, shown at that word.
fn changes(fold: &Fold) -> TokenStream {
    let Edges::Changed(word) = fold.edges else { return TokenStream::new() };
    let (at, name, before) = (Span::mixed_site().located_at(word), &fold.name, message::NO_CHANGES);
    quote_spanned! {at=>
        const _: () = match <#name as ::onyx_device::Fold>::CHANGE_OBSTACLE {
            ::core::option::Option::Some(__obstacle) if !__obstacle.may_be_overruled() => {
                panic!("{}", __obstacle.text(#before).as_str())
            }
            _ => (),
        };
    }
}

/// Whether two functions are in one stage, by their numbers.
fn same_stage(earlier: usize, later: usize) -> TokenStream {
    let entry = |number: usize| quote!(::onyx_device::stage::entry_of(&__MEMBERS, #number));
    let (earlier, later) = (entry(earlier), entry(later));
    quote!(#earlier == #later)
}

fn conflict(data: &TokenStream, earlier: &Listed, later: &Listed, same: &TokenStream) -> TokenStream {
    let (first, second) = (earlier.name(), later.name());
    let vertex = check(data, earlier, later, "conflict", message::vertex_conflict(&first, &second));
    let forward = check(data, later, earlier, "unfinished_sum", message::reduction_conflict(&second, &first));
    let backward = check(data, earlier, later, "unfinished_sum", message::reduction_conflict(&first, &second));
    let shared = check(data, earlier, later, "shared_sum", message::shared_reduction(&first, &second));
    let mixed = check(data, earlier, later, "mixed_reduction", message::mixed_reduction(&first, &second));
    let reverse = check(data, earlier, later, "reverse_edge", message::reverse_conflict(&first, &second));
    let reversed = check(data, later, earlier, "reverse_edge", message::reverse_conflict(&second, &first));
    let checks = [vertex, forward, backward, shared, mixed, reverse, reversed];
    checks.into_iter().map(|found| assertion(later.span(), &found, same)).collect()
}

/// One question to the device crate, and the text around the property that answers it.
struct Check {
    question: TokenStream,
    conflict: Conflict,
}

fn check(data: &TokenStream, a: &Listed, b: &Listed, question: &str, conflict: Conflict) -> Check {
    let question = Ident::new(question, Span::mixed_site());
    let access = |function: &Listed| quote!(<#function as ::onyx_device::split::Accesses<#data>>);
    let (first, second) = (access(a), access(b));
    let second = if question == "conflict" { quote!(#second::VERTEX) } else { quote!(#second::EDGE) };
    let properties = properties(data);
    let question = quote!(::onyx_device::fold::#question(#properties, #first::EDGE, #second));
    Check { question, conflict }
}

fn properties(data: &TokenStream) -> TokenStream {
    quote!(<#data as ::onyx_device::property::GraphData>::PROPERTIES)
}

fn assertion(at: Span, check: &Check, same: &TokenStream) -> TokenStream {
    let (question, Conflict { before, after }) = (&check.question, &check.conflict);
    let at = Span::mixed_site().located_at(at);
    let text = quote_spanned!(at=> ::onyx_device::message::Text::new().then(#before).then(__property).then(#after));
    quote_spanned! {at=>
        const _: () = match #question {
            ::core::option::Option::Some(__property) if #same => panic!("{}", #text.as_str()),
            _ => (),
        };
    }
}
