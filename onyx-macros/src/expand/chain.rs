//! How a fold comes to see its structure and its functions: each has a macro of its own name, and each of these calls the next.
//!
//! A name that has no such macro finds one that says so: it is imported in a block outside of the one that imports the user's names.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{ExprPath, Ident, ItemStruct, Path, PathArguments, Type};

use crate::compile::Compiled;
use crate::compile::function::FoldFunction;
use crate::compile::legality;
use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::expand::carrier::check_name;
use crate::expand::fold::{data_at, head};
use crate::expand::function::{Lowered, lower_chosen, shared_attributes};
use crate::expand::{fold, function, stub};
use crate::gradient::{Derived, derive};
use crate::lower::names::name_at;
use crate::lower::switches::Switches;
use crate::message;
use crate::parse::fold::{Fold, Listed};
use crate::parse::function::type_name;
use crate::parse::option::is_option;
use crate::parse::remnant::Remnant;
use crate::parse::state::{Item, State};

/// What `foldmap!` expands to: the fold's structure, and a call of the first macro.
pub fn begin(declaration: &TokenStream, fold: &Fold) -> TokenStream {
    if fold.shares_name() {
        return renamed(fold);
    }
    let mut errors = Errors::default();
    fold.check(&mut errors);
    fold.functions().filter_map(|function| function.path.get_ident()).for_each(|name| check_name(name, &mut errors));
    let sibling = fold.has_gradient().then(|| fold.gradient_of(Vec::new()));
    let (own, sibling_head) = (head_of(fold), sibling.as_ref().map(head_of));
    let head = quote!(#own #sibling_head);
    let Some(data) = path_of(&fold.data).filter(|_| errors.is_empty()) else {
        let (errors, stubs) = (errors.into_tokens(), stubs(fold));
        return quote!(#errors #head #stubs);
    };
    let structure = structure_name(fold);
    let names: Vec<(&Ident, Path)> = [(&structure, data)]
        .into_iter()
        .chain(fold.functions().map(|function| (&function.alias, function.path.clone())))
        .collect();
    let fallbacks = names.iter().map(|(alias, _)| import(alias, &quote!(::onyx_device::__unmarked)));
    let imports = names.iter().map(|(alias, path)| import(alias, path));
    let shared = shared_attributes(&fold.attributes);
    quote! {
        #head

        #(#shared)*
        const _: () = {
            #(#fallbacks)*
            const _: () = {
                #(#imports)*
                const _: () = {
                    #structure! { { #declaration } }
                };
            };
        };
    }
}

fn head_of(fold: &Fold) -> TokenStream {
    head(&fold.attributes, &fold.visibility, &fold.name)
}

/// What stands for a fold with errors, and for its gradient.
fn stubs(fold: &Fold) -> TokenStream {
    let names = [fold.name.clone()].into_iter().chain(fold.has_gradient().then(|| fold.gradient_name()));
    names.map(|name| stub::fold(&name)).collect()
}

/// What stands for a fold that has the name of another item: a value of this name, whose type has another one.
fn renamed(fold: &Fold) -> TokenStream {
    let (visibility, name) = (&fold.visibility, &fold.name);
    let error = syn::Error::new(name.span(), message::name_of_item(name)).into_compile_error();
    let other = name_at(&name.unraw().to_string(), name.span());
    let (head, stub) = (head(&[], visibility, &other), stub::fold(&other));
    quote! {
        #error
        #head
        #stub

        #[allow(dead_code, non_upper_case_globals)]
        #visibility const #name: #other = #other;
    }
}

/// What stands for a fold with a syntax error.
pub fn refused(tokens: TokenStream, error: syn::Error) -> TokenStream {
    let error = error.into_compile_error();
    let Some(Remnant { attributes, visibility, name, .. }) = Remnant::of(tokens).filter(|fold| !is_option(&fold.name))
    else {
        return error;
    };
    let (head, stub) = (head(&attributes, &visibility, &name), stub::fold(&name));
    quote!(#error #head #stub)
}

fn import(alias: &Ident, path: &impl ToTokens) -> TokenStream {
    let at = Span::mixed_site().located_at(alias.span());
    quote_spanned! {at=>
        #[allow(unused_imports)]
        use #path as #alias;
    }
}

/// What the structure is called in the generated code.
fn structure_name(fold: &Fold) -> Ident {
    name_at("Structure", fold.data.span())
}

/// The path of a type, without arguments.
fn path_of(of: &Type) -> Option<Path> {
    match of {
        Type::Path(path) if path.qself.is_none() => {
            let mut path = path.path.clone();
            path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
            Some(path)
        }
        Type::Group(group) => path_of(&group.elem),
        _ => None,
    }
}

/// Calls the next macro, or compiles the fold if all of it is known.
pub fn go_on(tokens: &TokenStream, state: State) -> TokenStream {
    let State { fold, items } = state;
    let next = items.len().checked_sub(1).and_then(|known| fold.functions().nth(known));
    match next {
        Some(Listed { alias, .. }) => quote!(#alias! { #tokens }),
        None => compile(fold, items),
    }
}

/// Everything but the fold's own structure.
pub fn compile(fold: Fold, items: Vec<Item>) -> TokenStream {
    let mut errors = Errors::default();
    let unmarked = unmarked(&fold, &items);
    match whole(&fold, items.clone(), &mut errors) {
        Some(whole) if errors.is_empty() => {
            let Whole { compiled, structure, functions } = &whole;
            let (own, gradient) = (fold::expand(compiled, structure, functions), gradient(&whole, &items));
            quote!(#own #gradient)
        }
        _ => {
            let (errors, stubs) = (errors.into_tokens(), stubs(&fold));
            quote!(#unmarked #errors #stubs)
        }
    }
}

/// The fold that computes the gradient of another one, if that asks for it.
fn gradient(of: &Whole, items: &[Item]) -> TokenStream {
    let Whole { compiled, structure, functions } = of;
    if !compiled.fold.has_gradient() {
        return TokenStream::new();
    }
    let mut errors = Errors::default();
    let derived = derive(compiled, structure, functions, items, &mut errors);
    let expanded = derived.and_then(|derived| derived_fold(derived, structure, &mut errors));
    match expanded {
        Some(expanded) if errors.is_empty() => expanded,
        _ => {
            let (errors, stub) = (errors.into_tokens(), stub::fold(&compiled.fold.gradient_name()));
            quote!(#errors #stub)
        }
    }
}

/// Derived functions and their fold, in a block of their own.
fn derived_fold(derived: Derived, structure: &ItemStruct, errors: &mut Errors) -> Option<TokenStream> {
    let source = derived.source();
    let definitions: Vec<TokenStream> =
        derived.written.iter().map(|(kind, item)| function::definition(*kind, item)).collect();
    let items = [Item::Data(structure.clone())].into_iter().chain(derived.functions).collect();
    let given: Vec<TokenStream> = derived.given.iter().map(|(by, arguments)| has_form(by, *arguments)).collect();
    let mut whole = whole(&derived.fold, items, errors)?;
    whole.compiled.source = Some(source);
    let fold = fold::expand(&whole.compiled, &whole.structure, &whole.functions);
    Some(quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::onyx_device::prelude::*;

            #(#given)*
            #(#definitions)*
            #fold
        };
    })
}

/// Has the compiler say, where the user gives a derivative, that it does not return one for each argument.
fn has_form(by: &ExprPath, arguments: usize) -> TokenStream {
    let at = by.span();
    let returned = if arguments == 1 { quote_spanned!(at=> f32) } else { quote_spanned!(at=> [f32; #arguments]) };
    let taken = std::iter::repeat_n(quote_spanned!(at=> _), arguments);
    quote_spanned! {at=>
        const _: () = {
            let _: fn(#(#taken),*) -> #returned = #by;
        };
    }
}

/// A fold with its items.
struct Whole {
    compiled: Compiled,
    structure: ItemStruct,
    functions: Vec<Lowered>,
}

/// The fold with its items; nothing if one of them has errors.
fn whole(fold: &Fold, items: Vec<Item>, errors: &mut Errors) -> Option<Whole> {
    let mut items = items.into_iter();
    let Some(Item::Data(structure)) = items.next() else { return None };
    if fold.is_generic() == structure.generics.params.is_empty() {
        errors.push(&fold.data, message::FOLD_WIDTH);
    }
    let properties = Properties::of(&structure)?;
    let functions = fold.functions().zip(items).map(|(listed, item)| lowered(listed, item, errors));
    let functions: Vec<Lowered> = functions.collect::<Option<_>>()?;
    fold.functions()
        .zip(&functions)
        .for_each(|(listed, lowered)| check_data(fold, &structure, listed, lowered, errors));
    let firsts = fold.parts.iter().flat_map(|part| (0..part.len()).map(|position| position == 0));
    let members = fold.functions().zip(firsts).zip(&functions);
    let members =
        members.map(|((listed, is_first), lowered)| FoldFunction::new(listed, is_first, lowered, &properties));
    let members = members.collect();
    let widths = fold.check(errors);
    let compiled = Compiled::new(fold.clone(), widths, properties, members);
    legality::check(&compiled, errors);
    Some(Whole { compiled, structure, functions })
}

/// A function takes the fold's structure, by the name that it has where it is declared or in the fold.
fn check_data(fold: &Fold, structure: &ItemStruct, listed: &Listed, lowered: &Lowered, errors: &mut Errors) {
    let data = type_name(&lowered.function.data);
    if data.as_ref() != Some(&structure.ident) && data != type_name(&fold.data) {
        errors.push(&listed.path, message::other_data(listed.name(), &structure.ident));
    }
}

/// A function's lowered form; its errors are reported where it stands.
fn lowered(listed: &Listed, item: Item, errors: &mut Errors) -> Option<Lowered> {
    let Item::Function(kind, item) = item else { return None };
    let (found, expected) = (listed.switches.len(), Switches::of(&item.sig.generics).0.len());
    if found != expected {
        errors.push(&listed.path, message::number_of_switches(listed.name(), expected, found));
        return None;
    }
    let mut own = Errors::default();
    lower_chosen(kind, &item, &listed.switches, &mut own).filter(|_| own.is_empty())
}

/// What is said of names that no attribute of Onyx stands on. The compiler comes to it if it has found all of them.
fn unmarked(fold: &Fold, items: &[Item]) -> TokenStream {
    let functions = fold.functions().zip(items.iter().skip(1));
    let functions = functions.filter(|(_, item)| matches!(item, Item::Unmarked)).map(|(function, _)| {
        let (at, text) = (Span::mixed_site().located_at(function.alias.span()), message::not_marked(function.name()));
        quote_spanned!(at=> const _: () = panic!(#text);)
    });
    let structure = matches!(items.first(), Some(Item::Unmarked)).then(|| not_data(fold));
    quote!(#structure #(#functions)*)
}

/// An alias of a structure hides it, and another type is none.
fn not_data(fold: &Fold) -> TokenStream {
    let at = Span::mixed_site().located_at(fold.data.span());
    let (generics, data, at_width, text) =
        (&fold.generics, &fold.data, data_at(fold.is_generic(), 1), message::FOLD_WIDTH);
    quote_spanned! {at=>
        type __Data #generics = #data;
        const _: () = {
            let _ = <#at_width as ::onyx_device::property::GraphData>::WIDTH;
            panic!(#text)
        };
    }
}
