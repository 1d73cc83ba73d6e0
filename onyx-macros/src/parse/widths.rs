//! The widths of a structure beside its number of features: `J` of `struct Layer<const K: usize, const J: usize>`.
//!
//! How many numbers a row of such a width has, is known when a fold runs. So its name goes no further than here: the structure and its functions are
//! generic over `K` alone, and a property of another width has a type of its own, with the width's number.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    ExprPath, Field, FnArg, GenericArgument, GenericParam, Generics, Ident, ItemFn, ItemStruct, PathArguments, Token,
    Type, parse_quote, punctuated::Punctuated,
};

use crate::errors::Errors;
use crate::message;
use crate::parse::data::is_half;
use crate::parse::function::{is_width, last_segment};

/// As many as a structure may have beside its number of features.
const MOST: usize = 3;

/// The names of the widths beside the number of features, which is number 0.
pub struct Widths(Vec<Ident>);

impl Widths {
    /// Those that an item declares.
    pub fn of(generics: &Generics) -> Self {
        Self(generics.params.iter().filter_map(number).skip(1).cloned().collect())
    }

    fn check(&self, errors: &mut Errors) {
        if let Some(width) = self.0.get(MOST) {
            errors.push(width, message::TOO_MANY_WIDTHS);
        }
    }

    /// The number of the width that a generic argument is.
    fn of_argument(&self, argument: &GenericArgument) -> Option<usize> {
        self.0.iter().position(|width| is_width(argument, width)).map(|position| position + 1)
    }

    /// Leaves the widths out where an item declares them.
    fn leave_out(&self, generics: &mut Generics) {
        let is_other = |parameter: &GenericParam| number(parameter).is_some_and(|name| self.0.contains(name));
        generics.params = generics.params.iter().filter(|parameter| !is_other(parameter)).cloned().collect();
    }

    /// Leaves the widths out of the data's type.
    fn leave_out_of_type(&self, of: &mut Type) {
        let Some(arguments) = arguments_mut(of) else { return };
        *arguments = arguments.iter().filter(|argument| self.of_argument(argument).is_none()).cloned().collect();
    }
}

/// The name of a generic parameter, `const J: usize`.
fn number(parameter: &GenericParam) -> Option<&Ident> {
    match parameter {
        GenericParam::Const(width) if width.default.is_none() => {
            matches!(&width.ty, Type::Path(path) if path.path.is_ident("usize")).then_some(&width.ident)
        }
        _ => None,
    }
}

fn arguments_mut(of: &mut Type) -> Option<&mut Punctuated<GenericArgument, Token![,]>> {
    match of {
        Type::Path(path) => match &mut path.path.segments.last_mut()?.arguments {
            PathArguments::AngleBracketed(arguments) => Some(&mut arguments.args),
            _ => None,
        },
        Type::Group(group) => arguments_mut(&mut group.elem),
        Type::Reference(reference) => arguments_mut(&mut reference.elem),
        _ => None,
    }
}

/// The names of all widths of a structure, the number of features first.
pub fn names(item: &ItemStruct) -> Vec<String> {
    item.generics.params.iter().filter_map(number).map(Ident::to_string).collect()
}

/// The structure with its number of features alone.
pub fn of_structure(item: &ItemStruct, errors: &mut Errors) -> ItemStruct {
    let (mut item, widths) = (item.clone(), Widths::of(&item.generics));
    widths.check(errors);
    let features = item.generics.const_params().next().map(|width| width.ident.clone());
    if let Some(features) = features.filter(|_| !widths.0.is_empty()) {
        widths.leave_out(&mut item.generics);
        item.fields.iter_mut().for_each(|field| retype(field, &features, &widths, errors));
    }
    item
}

/// A property of another width has another type.
fn retype(field: &mut Field, features: &Ident, widths: &Widths, errors: &mut Errors) {
    let Some(segment) = last_segment(&field.ty) else { return };
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return };
    let arguments: Vec<&GenericArgument> = arguments.args.iter().collect();
    let Some((at, number)) = arguments.iter().find_map(|argument| Some((*argument, widths.of_argument(argument)?)))
    else {
        return;
    };
    let is_matrix =
        arguments.len() == 2 && is_width(arguments[0], features) && widths.of_argument(arguments[1]).is_some();
    let is_row = widths.of_argument(arguments[0]).is_some();
    match segment.ident.to_string().as_str() {
        "GraphMatrix" if is_matrix => {
            field.ty = parse_quote!(::onyx_device::projection::Projection<#features, #number>);
        }
        "VertexFeatures" if is_row => field.ty = row("VertexInputs", number, &arguments[1..], errors),
        "EdgeFeatures" if is_row => field.ty = row("EdgeInputs", number, &arguments[1..], errors),
        property => {
            errors.push(at, message::no_input(property, at.to_token_stream(), features));
            let property = segment.ident.clone();
            field.ty = parse_quote!(#property<#features>);
        }
    }
}

/// A row of width number `number`, of halves where the user says so.
fn row(name: &str, number: usize, others: &[&GenericArgument], errors: &mut Errors) -> Type {
    let name = Ident::new(name, proc_macro2::Span::call_site());
    let (halves, rest): (Vec<&GenericArgument>, Vec<&GenericArgument>) =
        others.iter().copied().partition(|argument| is_half(argument));
    rest.iter().for_each(|argument| errors.push(argument, message::INPUT_KIND));
    halves.iter().skip(1).for_each(|argument| errors.push(argument, message::SECOND_TYPE));
    let half = halves.first().map(|half| {
        let half = half.to_token_stream();
        quote::quote!(, ::onyx_device::half::#half)
    });
    parse_quote!(::onyx_device::projection::#name<#number #half>)
}

/// The function generic over the number of features alone.
pub fn of_function(item: &ItemFn, errors: &mut Errors) -> ItemFn {
    let (mut item, widths) = (item.clone(), Widths::of(&item.sig.generics));
    if widths.0.is_empty() {
        return item;
    }
    widths.check(errors);
    widths.leave_out(&mut item.sig.generics);
    for input in &mut item.sig.inputs {
        if let FnArg::Typed(input) = input {
            widths.leave_out_of_type(&mut input.ty);
        }
    }
    Named { widths: &widths, errors }.visit_block(&item.block);
    item
}

/// A fold's generic parameters and its data, with the number of features alone.
pub fn of_fold(generics: &mut Generics, data: &mut Type) {
    let widths = Widths::of(generics);
    widths.leave_out(generics);
    widths.leave_out_of_type(data);
}

/// Refuses widths in a body, which has no value for them.
struct Named<'a> {
    widths: &'a Widths,
    errors: &'a mut Errors,
}

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(name) = path.path.get_ident().filter(|name| self.widths.0.contains(name)) {
            self.errors.push(name, message::input_width(name));
        }
        visit::visit_expr_path(self, path);
    }
}
