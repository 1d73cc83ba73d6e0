//! `#[graph_data]`: the structure.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{
    Expr, Field, Fields, GenericArgument, Ident, ItemStruct, PathArguments, PathSegment, Token, Type, parse_quote,
    parse_quote_spanned,
};

use crate::compile::property::{Element, Number};
use crate::errors::Errors;
use crate::message;
use crate::parse::function::{check_generics, is_width, last_segment};

/// The bits of an access set.
const MOST_PROPERTIES: usize = 64;
/// The properties that have a value for each feature.
const OF_FEATURES: [&str; 7] =
    ["VertexFeatures", "EdgeFeatures", "GraphFeatures", "VertexMatrix", "EdgeMatrix", "GraphMatrix", "Table"];
/// The properties that have one value for all features.
const OF_SCALARS: [&str; 6] = ["VertexScalar", "EdgeScalar", "VertexHeads", "EdgeHeads", "GraphScalar", "Parameter"];
/// The properties whose numbers may be integers.
const OF_INTEGERS: [&str; 4] = ["VertexScalar", "EdgeScalar", "VertexHeads", "EdgeHeads"];
/// The properties whose numbers may be floats of two bytes.
const OF_HALVES: [&str; 2] = ["VertexFeatures", "EdgeFeatures"];
/// What may be taken for the type of a property's values.
const NUMBERS: [&str; 18] = [
    "f16",
    "saturating_f16",
    "bf16",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "bool",
];

/// Checks the structure. Returns its fields if they have names.
pub fn parse<'a>(item: &'a ItemStruct, errors: &mut Errors) -> Option<&'a Punctuated<Field, Token![,]>> {
    check_generics(&item.generics, errors);
    let Fields::Named(fields) = &item.fields else {
        match &item.fields {
            Fields::Unit => errors.push(&item.ident, message::NO_PROPERTIES),
            fields => errors.push(fields, message::NAMED_FIELDS),
        }
        return None;
    };
    if fields.named.is_empty() {
        errors.push(&item.ident, message::NO_PROPERTIES);
    }
    if let Some(field) = first_too_many(&fields.named) {
        errors.push(&field.ident, message::TOO_MANY_PROPERTIES);
    }
    let width = item.generics.const_params().next().map(|width| &width.ident);
    fields.named.iter().for_each(|field| check_field(field, width, errors));
    check_heads(&fields.named, errors);
    Some(&fields.named)
}

/// The first field that is too many. One of a total of the graph has contributions beside it.
fn first_too_many(fields: &Punctuated<Field, Token![,]>) -> Option<&Field> {
    let mut count = 0;
    fields.iter().find(|field| {
        let element = last_segment(&field.ty).and_then(|segment| Element::of_type(&segment.ident));
        count += 1 + usize::from(element.is_some_and(|element| element.contributions().is_some()));
        count > MOST_PROPERTIES
    })
}

/// Where rows are heads, there is no matrix, which would have a row for each feature of all heads.
fn check_heads(fields: &Punctuated<Field, Token![,]>, errors: &mut Errors) {
    if !fields.iter().filter_map(element).any(Element::is_of_heads) {
        return;
    }
    for field in fields.iter().filter(|field| element(field).is_some_and(Element::is_matrix)) {
        errors.push(&field.ty, message::MATRIX_OF_HEADS);
    }
    for field in fields.iter().filter(|field| element(field).is_some_and(Element::is_of_inputs)) {
        errors.push(&field.ident, message::INPUT_OF_HEADS);
    }
}

fn element(field: &Field) -> Option<Element> {
    last_segment(&field.ty).and_then(|segment| Element::of_type(&segment.ident))
}

fn check_field(field: &Field, width: Option<&Ident>, errors: &mut Errors) {
    for attribute in field.attrs.iter().filter(|attribute| is_condition(attribute)) {
        errors.push(attribute, message::CONDITIONAL_PROPERTY);
    }
    let segment = last_segment(&field.ty).filter(|segment| Element::of_type(&segment.ident).is_some());
    let Some(segment) = segment else {
        errors.push(&field.ty, message::no_property(type_text(&field.ty)));
        return;
    };
    let is_one_of = |names: &[&str]| names.iter().any(|name| segment.ident == name);
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    };
    if is_one_of(&OF_FEATURES) {
        check_features(&field.ty, &segment.ident, &arguments, width, errors);
        check_kinds(arguments.get(1..).unwrap_or_default(), &segment.ident, errors);
    } else if is_one_of(&OF_SCALARS) {
        check_scalar(&segment.ident, &arguments, width, errors);
        check_kinds(&arguments, &segment.ident, errors);
    }
}

/// A type as a person writes it.
fn type_text(of: &Type) -> String {
    of.to_token_stream().to_string().replace(" < ", "<").replace(" >", ">")
}

fn is_condition(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// The first argument of a property with features is the structure's number of them.
fn check_features(
    whole: &Type,
    property: &Ident,
    arguments: &[&GenericArgument],
    width: Option<&Ident>,
    errors: &mut Errors,
) {
    match (arguments.first(), width) {
        (Some(argument), Some(width)) if is_width(argument, width) => {}
        (Some(argument), Some(width)) => errors.push(argument, message::other_width(property, width)),
        (None, Some(width)) => errors.push(whole, message::other_width(property, width)),
        (_, None) => errors.push(whole, message::width_of_nothing(property)),
    }
}

/// A property with one value for all features takes no number of them.
fn check_scalar(property: &Ident, arguments: &[&GenericArgument], width: Option<&Ident>, errors: &mut Errors) {
    let is_number = |argument: &&&GenericArgument| {
        matches!(argument, GenericArgument::Const(Expr::Lit(_) | Expr::Block(_)))
            || width.is_some_and(|width| is_width(argument, width))
    };
    for argument in arguments.iter().filter(is_number) {
        errors.push(argument, message::scalar_width(property));
    }
}

/// Whether a property may have values of a type that it names.
fn may_have(property: &Ident, name: &Ident) -> bool {
    let is_one_of = |names: &[&str]| names.iter().any(|known| property == known);
    Number::of_name(name).is_some_and(|number| {
        number.is_integer() && is_one_of(&OF_INTEGERS) || number.is_half() && is_one_of(&OF_HALVES)
    })
}

/// The other arguments of a property say how long its values last, and of which type they are.
fn check_kinds(arguments: &[&GenericArgument], property: &Ident, errors: &mut Errors) {
    let mut known = None;
    for argument in arguments {
        let Some(name) = number(argument) else { continue };
        if !may_have(property, name) {
            errors.push(argument, message::value_type(property, name));
        } else if known.replace(name).is_some() {
            errors.push(argument, message::SECOND_TYPE);
        }
    }
}

/// The name of a type of numbers that an argument is.
fn number(argument: &GenericArgument) -> Option<&Ident> {
    let GenericArgument::Type(kind) = argument else { return None };
    let name = &last_segment(kind)?.ident;
    NUMBERS.iter().any(|number| name == number).then_some(name)
}

/// Whether an argument is a type of halves.
pub fn is_half(argument: &GenericArgument) -> bool {
    number(argument).and_then(Number::of_name).is_some_and(Number::is_half)
}

/// The structure with the arguments of properties in one order: how many values there are, how long they last, then of which type they are. Scratch
/// of one number has one for each head, if there are heads.
pub fn ordered(item: &ItemStruct) -> ItemStruct {
    let mut item = item.clone();
    item.fields.iter_mut().for_each(|field| order(&mut field.ty));
    if item.fields.iter().filter_map(element).any(Element::is_of_heads) {
        item.fields.iter_mut().for_each(|field| part_scratch(&mut field.ty));
    }
    item
}

/// Scratch is each head's own. A fold that is unfolded has it in memory, so that one number must have room for all heads there.
fn part_scratch(of: &mut Type) {
    let Some(segment) = last_segment(of) else { return };
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return };
    let is_scratch = arguments.args.iter().any(|argument| {
        let GenericArgument::Type(kind) = argument else { return false };
        last_segment(kind).is_some_and(|name| name.ident == "Scratch")
    });
    let heads = match Element::of_type(&segment.ident) {
        Some(Element::VertexScalar) if is_scratch => "VertexHeads",
        Some(Element::EdgeScalar) if is_scratch => "EdgeHeads",
        _ => return,
    };
    let name = Ident::new(heads, segment.ident.span());
    *of = parse_quote_spanned!(name.span()=> ::onyx_device::heads::#name #arguments);
}

fn order(of: &mut Type) {
    let Type::Path(path) = of else { return };
    let Some(segment) = path.path.segments.last_mut() else { return };
    let PathArguments::AngleBracketed(arguments) = &mut segment.arguments else { return };
    let property = &segment.ident;
    let is_type = |argument: &GenericArgument| number(argument).is_some_and(|name| may_have(property, name));
    let (types, others): (Vec<_>, Vec<_>) = arguments.args.iter().cloned().partition(is_type);
    if types.is_empty() {
        return;
    }
    let says_more = others.len() > usize::from(OF_HALVES.iter().any(|known| property == known));
    let lasting = (!says_more).then(|| parse_quote!(::onyx_device::property::Untracked));
    // `u32` may be the name of something else where the structure stands.
    let types = types.into_iter().map(|kind| match number(&kind).map(|name| (name, Number::of_name(name))) {
        Some((name, Some(known))) if known.is_half() => {
            parse_quote_spanned!(name.span()=> ::onyx_device::half::#name)
        }
        Some((name, _)) => parse_quote_spanned!(name.span()=> ::core::primitive::#name),
        None => kind,
    });
    arguments.args = others.into_iter().chain(lasting).chain(types).collect();
}

/// The structure with what is wrong about its fields' types and conditions left out, so that the compiler does not report it again.
pub fn mended(item: &ItemStruct) -> ItemStruct {
    let mut item = item.clone();
    let width = item.generics.const_params().next().map_or_else(|| quote!(1), |width| width.ident.to_token_stream());
    for field in &mut item.fields {
        field.attrs.retain(|attribute| !is_condition(attribute));
        mend(&mut field.ty, &width);
    }
    ordered(&item)
}

fn mend(of: &mut Type, width: &TokenStream) {
    let Type::Path(path) = of else { return };
    let Some(segment) = path.path.segments.last_mut() else { return };
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.clone(),
        _ => Punctuated::default(),
    };
    let lasts = ["Tracked", "Untracked", "Scratch"];
    let lasting = |kind: &PathSegment| lasts.iter().any(|last| kind.ident == last);
    let typed = |kind: &PathSegment| may_have(&segment.ident, &kind.ident);
    let is_kept = |argument: &GenericArgument| match argument {
        GenericArgument::Type(kind) => last_segment(kind).is_some_and(|kind| lasting(kind) || typed(kind)),
        _ => false,
    };
    let mut kept: Vec<GenericArgument> = arguments.into_iter().filter(is_kept).collect();
    let mut has_number = false;
    kept.retain(|argument| number(argument).is_none() || !std::mem::replace(&mut has_number, true));
    if OF_FEATURES.iter().any(|name| segment.ident == name) {
        segment.arguments = PathArguments::AngleBracketed(parse_quote!(<#width #(, #kept)*>));
    } else if OF_SCALARS.iter().any(|name| segment.ident == name) && !segment.arguments.is_none() {
        segment.arguments = PathArguments::AngleBracketed(parse_quote!(<#(#kept),*>));
    }
}
