//! `#[edge_fn]` and `#[vertex_fn]`: the signature.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Attribute, Block, Expr, ExprReturn, FnArg, GenericArgument, GenericParam, Generics, Ident, ItemFn, Lit, Pat, Path,
    PathArguments, ReturnType, Safety, Signature, Stmt, Token, Type,
};

use crate::errors::Errors;
use crate::message;
use crate::parse::element::stand_ins;

/// What a function is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every edge.
    Edge,
    /// Every vertex.
    Vertex,
}

impl Kind {
    fn signature(self) -> &'static str {
        match self {
            Self::Edge => message::EDGE_SIGNATURE,
            Self::Vertex => message::VERTEX_SIGNATURE,
        }
    }
}

/// The names of the parameters.
#[derive(Clone, Debug)]
pub struct Names {
    /// The feature, if the function takes one.
    pub feature: Option<Ident>,
    /// The edge or the vertex.
    pub element: Ident,
    /// The data.
    pub data: Ident,
    /// Variables that stand for the edge, an end of it or the vertex, with what they stand for.
    pub stand_ins: Vec<(Ident, String)>,
}

/// A function as the user wrote it.
#[derive(Debug)]
pub struct Function {
    /// What it is called for.
    pub kind: Kind,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Ident,
    /// `<const K: usize>`, or nothing.
    pub generics: Generics,
    /// The names of its parameters.
    pub names: Names,
    /// The type behind `&mut` of its last parameter.
    pub data: Type,
    /// Its return type.
    pub output: Type,
    /// Its body.
    pub body: Block,
    /// The values of its compile-time parameters.
    pub switches: Vec<bool>,
}

impl Function {
    /// Whether it may return false: it has a `return`, or does not end in `true`.
    pub fn may_stop(&self) -> bool {
        let mut returns = Returns(false);
        returns.visit_block(&self.body);
        let ends_in_true = matches!(self.body.stmts.last(), Some(Stmt::Expr(Expr::Lit(value), None))
            if matches!(&value.lit, Lit::Bool(value) if value.value));
        returns.0 || !ends_in_true
    }
}

/// Whether there is a `return`.
struct Returns(bool);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, _: &'ast ExprReturn) {
        self.0 = true;
    }
}

/// Reads a function. Returns nothing if its signature leaves the body without a meaning.
pub fn parse(kind: Kind, item: &ItemFn, errors: &mut Errors) -> Option<Function> {
    check_modifiers(&item.sig, errors);
    check_generics(&item.sig.generics, errors);
    let output = check_return(kind, &item.sig, errors);
    let (mut names, data) = parameters(kind, &item.sig, errors)?;
    names.stand_ins = stand_ins(&item.block, &names.element, kind);
    check_width(&item.sig.generics, &data, errors);
    Some(Function {
        kind,
        attributes: item.attrs.clone(),
        name: item.sig.ident.clone(),
        generics: item.sig.generics.clone(),
        names,
        data,
        output: output?,
        body: (*item.block).clone(),
        switches: Vec::new(),
    })
}

fn check_modifiers(signature: &Signature, errors: &mut Errors) {
    let mut refuse = |span: Option<Span>| {
        if let Some(span) = span {
            errors.push_at(span, message::PLAIN_FUNCTION);
        }
    };
    refuse(signature.constness.map(|token| token.span));
    refuse(signature.asyncness.map(|token| token.span));
    refuse(match signature.safety {
        Safety::Unsafe(token) => Some(token.span),
        Safety::Safe(token) => Some(token.span),
        _ => None,
    });
    refuse(signature.abi.as_ref().map(Spanned::span));
    refuse(signature.variadic.as_ref().map(Spanned::span));
}

/// At most one generic parameter, `const K: usize`.
pub fn check_generics(generics: &Generics, errors: &mut Errors) {
    for (position, parameter) in generics.params.iter().enumerate() {
        let is_width =
            matches!(parameter, GenericParam::Const(width) if is_plain(&width.ty, "usize") && width.default.is_none());
        match parameter {
            GenericParam::Type(named) if position == 0 => errors.push(parameter, message::constant(&named.ident)),
            _ if !is_width || position > 0 => errors.push(parameter, message::GENERICS),
            _ => {}
        }
    }
    if let Some(clause) = &generics.where_clause {
        errors.push(clause, message::WHERE_CLAUSE);
    }
}

fn check_return(kind: Kind, signature: &Signature, errors: &mut Errors) -> Option<Type> {
    let text = match kind {
        Kind::Edge => message::EDGE_RETURN,
        Kind::Vertex => message::VERTEX_RETURN,
    };
    match &signature.output {
        ReturnType::Default => errors.push_at(signature.paren_token.span.close(), text),
        ReturnType::Type(_, output) if is_plain(output, "bool") => return Some((**output).clone()),
        ReturnType::Type(_, output) => errors.push(output, text),
    }
    None
}

fn parameters(kind: Kind, signature: &Signature, errors: &mut Errors) -> Option<(Names, Type)> {
    let typed: Option<Vec<(&Pat, &Type)>> = signature.inputs.iter().map(typed).collect();
    let typed = typed.unwrap_or_default();
    let (feature, rest) = match typed.split_first() {
        Some(((pattern, first), rest)) if is_plain(first, "Feature") => (Some(*pattern), rest),
        _ => (None, typed.as_slice()),
    };
    let [(element, element_type), (data, data_type)] = rest else {
        refuse_parameters(kind, signature, errors);
        return None;
    };
    let is_right = check_element(kind, element_type, errors);
    let data_type = check_data(kind, data_type, errors);
    let feature = feature.map(|pattern| name(pattern, errors));
    let (element, data) = (name(element, errors), name(data, errors));
    let names = Names { feature: feature.flatten(), element: element?, data: data?, stand_ins: Vec::new() };
    is_right.then_some(()).and(data_type).map(|data_type| (names, data_type))
}

fn typed(input: &FnArg) -> Option<(&Pat, &Type)> {
    match input {
        FnArg::Typed(input) => Some((&input.pat, &input.ty)),
        FnArg::Receiver(_) => None,
    }
}

fn refuse_parameters(kind: Kind, signature: &Signature, errors: &mut Errors) {
    match further(signature) {
        _ if signature.inputs.is_empty() => errors.push_at(signature.paren_token.span.join(), kind.signature()),
        Some(further) => errors.push(further, message::FURTHER_PARAMETER),
        None => errors.push(&signature.inputs, kind.signature()),
    }
}

/// The parameter that stands after the data.
fn further(signature: &Signature) -> Option<&FnArg> {
    let is_data = |input: &FnArg| typed(input).is_some_and(|(_, of)| matches!(of, Type::Reference(_)));
    let data = signature.inputs.iter().position(is_data).filter(|position| [1, 2].contains(position))?;
    signature.inputs.iter().nth(data + 1)
}

fn check_element(kind: Kind, given: &Type, errors: &mut Errors) -> bool {
    let is_edge = is_plain(given, "Edge");
    let is_vertex = is_plain(given, "Vertex");
    match kind {
        Kind::Edge if is_edge => return true,
        Kind::Vertex if is_vertex => return true,
        Kind::Edge if is_vertex => errors.push(given, message::VERTEX_IN_EDGE_FUNCTION),
        Kind::Vertex if is_edge => errors.push(given, message::EDGE_IN_VERTEX_FUNCTION),
        _ => errors.push(given, kind.signature()),
    }
    false
}

fn check_data(kind: Kind, given: &Type, errors: &mut Errors) -> Option<Type> {
    let is_index = ["Feature", "Edge", "Vertex"].iter().any(|index| is_plain(given, index));
    match given {
        Type::Reference(reference) if reference.mutability.is_some() && matches!(*reference.elem, Type::Path(_)) => {
            return Some((*reference.elem).clone());
        }
        _ if is_index => errors.push(given, kind.signature()),
        _ => errors.push(given, message::DATA_BY_REFERENCE),
    }
    None
}

/// The name that a parameter has. `_` becomes one that no body can mention.
fn name(pattern: &Pat, errors: &mut Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(plain) if plain.by_ref.is_none() && plain.mutability.is_none() && plain.subpat.is_none() => {
            Some(plain.ident.clone())
        }
        Pat::Wild(wild) => Some(Ident::new("__unnamed", wild.span())),
        _ => {
            errors.push(pattern, message::PARAMETER_NAME);
            None
        }
    }
}

fn check_width(generics: &Generics, data: &Type, errors: &mut Errors) {
    let is_generic = !generics.params.is_empty();
    if generics.type_params().next().is_some() {
        return;
    }
    if let Some(text) = match (is_generic, passes_width(generics, data)) {
        (true, Some(true)) | (false, None) => None,
        (true, _) => Some(message::DATA_WITHOUT_WIDTH),
        (false, Some(_)) => Some(message::FUNCTION_WITHOUT_WIDTH),
    } {
        errors.push(data, text);
    }
}

/// Whether `data` takes exactly the generic constant; nothing if it takes no argument at all.
pub fn passes_width(generics: &Generics, data: &Type) -> Option<bool> {
    let arguments = arguments(data)?;
    let width = generics.const_params().next();
    Some(width.is_some_and(|width| arguments.len() == 1 && is_width(&arguments[0], &width.ident)))
}

/// Whether a generic argument is the generic constant, in braces or not.
pub fn is_width(argument: &GenericArgument, width: &Ident) -> bool {
    match argument {
        GenericArgument::Type(Type::Path(path)) => path.path.is_ident(width),
        GenericArgument::Const(Expr::Block(block)) => match block.block.stmts.as_slice() {
            [Stmt::Expr(Expr::Path(path), None)] => path.path.is_ident(width),
            _ => false,
        },
        _ => false,
    }
}

fn arguments(data: &Type) -> Option<&Punctuated<GenericArgument, Token![,]>> {
    match &last_segment(data)?.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    }
}

/// The last segment of a type's path.
pub fn last_segment(of: &Type) -> Option<&syn::PathSegment> {
    path(of)?.segments.last()
}

fn path(of: &Type) -> Option<&Path> {
    match of {
        Type::Path(path) => Some(&path.path),
        Type::Group(group) => path(&group.elem),
        _ => None,
    }
}

/// The name of a type without its path and arguments.
pub fn type_name(of: &Type) -> Option<Ident> {
    last_segment(of).map(|segment| segment.ident.clone())
}

/// Whether a type is called `name` and has no arguments.
fn is_plain(of: &Type, name: &str) -> bool {
    last_segment(of).is_some_and(|segment| segment.ident == name && segment.arguments.is_none())
}
