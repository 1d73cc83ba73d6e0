//! `foldmap!`: the declaration.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprLit, GenericArgument, Generics, Ident, Lit, LitInt, Path, PathArguments, Token, Type,
    Visibility, parenthesized, parse_quote, token,
};

use crate::errors::Errors;
use crate::lower::names::numbered_at;
use crate::message;
use crate::parse::derivative::{self, Derivative};
use crate::parse::function::{check_generics, passes_width, type_name};
use crate::parse::list::{parse_list, say};
use crate::parse::option::{Edges, Options, is_option};
use crate::parse::per_lane::{PerLane, list};
use crate::parse::widths;

/// The widths that are compiled where none are asked for.
const WIDTHS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// The widest one that any row of a fold may have. Wider ones are a multiple of it, of which each lane of a warp has several times as many features.
const WIDEST: usize = 128;
/// The widest of all: a lane has 64 features of a row, and registers for three rows.
const WIDEST_OF_ALL: usize = 2048;
/// The lanes of a warp.
const LANES: usize = 32;
/// As many as the compiler's limit on recursion allows, two steps each.
const MOST_FUNCTIONS: usize = 48;

/// `pub step<const K: usize>(Data<K>) = [first, second; third]; features = [4, 16]; edges = active`
#[derive(Clone, Debug)]
pub struct Fold {
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its name.
    pub name: Ident,
    /// `<const K: usize>`, or nothing.
    pub generics: Generics,
    /// The data.
    pub data: Type,
    /// The functions in order, in parts that a `;` ends.
    pub parts: Vec<Vec<Listed>>,
    /// Whether every function is a part of its own, and nothing stays in registers between them.
    pub is_unfolded: bool,
    /// Along which edges edge functions run.
    pub edges: Edges,
    /// The properties whose gradients are asked for.
    pub gradient: Vec<Ident>,
    /// The derivatives that the user gives for it.
    pub derivatives: Vec<Derivative>,
    /// Whether functions may be none, for the message.
    bracket: Span,
    /// The widths that the user asks for.
    features: Option<Vec<LitInt>>,
    /// How many features each lane has, at most.
    features_per_lane: Option<PerLane>,
}

/// A function in the list of a fold.
#[derive(Clone, Debug)]
pub struct Listed {
    /// How the user names it, without arguments.
    pub path: Path,
    /// The values of its compile-time parameters.
    pub switches: Vec<bool>,
    /// What it is called in the generated code, shown at the user's tokens: a type, also if the user's name is none.
    pub alias: Ident,
}

impl Listed {
    /// Function number `number` of a fold: `spread`, `other::spread`, `spread::<true>`.
    fn parse(input: ParseStream<'_>, number: usize) -> syn::Result<Self> {
        let mut path: Path = say(input.parse(), message::FUNCTION_LIST)?;
        let alias = numbered_at("Function", number, path.span());
        let last = path.segments.last_mut().map(|segment| std::mem::take(&mut segment.arguments));
        if let Some(segment) = path.segments.iter().find(|segment| !segment.arguments.is_none()) {
            return Err(syn::Error::new(segment.span(), message::SWITCH));
        }
        Ok(Self { path, switches: switches(last.unwrap_or_default())?, alias })
    }

    /// The function's name without a path, with the values of its compile-time parameters.
    pub fn name(&self) -> String {
        let name = self.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let values: Vec<String> = self.switches.iter().map(bool::to_string).collect();
        if values.is_empty() { name } else { format!("{name}::<{}>", values.join(",")) }
    }
}

/// The values between `<` and `>`.
fn switches(arguments: PathArguments) -> syn::Result<Vec<bool>> {
    let arguments = match arguments {
        PathArguments::None => return Ok(Vec::new()),
        PathArguments::AngleBracketed(arguments) => arguments.args,
        PathArguments::Parenthesized(arguments) => return Err(syn::Error::new(arguments.span(), message::SWITCH)),
    };
    let value = |argument: &GenericArgument| match argument {
        GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => Ok(value.value),
        other => Err(syn::Error::new(other.span(), message::SWITCH)),
    };
    arguments.iter().map(value).collect()
}

impl ToTokens for Listed {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.alias.to_tokens(tokens);
    }
}

impl Parse for Fold {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let name = parse_name(input)?;
        let mut generics = input.parse()?;
        let mut data = say(parse_data(input), message::FOLD_FORM)?;
        widths::of_fold(&mut generics, &mut data);
        say(input.parse::<Token![=]>(), message::FOLD_FORM)?;
        let is_unfolded = parse_unfolded(input)?;
        let (bracket, list) = parse_list(input, message::FUNCTION_LIST)?;
        let mut parts = parse_parts(&list)?;
        if is_unfolded {
            parts = parts.into_iter().flatten().map(|function| vec![function]).collect();
        }
        let options = Options::parse(input)?;
        Ok(Self {
            attributes,
            visibility,
            name,
            generics,
            data,
            parts,
            is_unfolded,
            edges: options.edges,
            gradient: options.gradient,
            derivatives: options.derivatives,
            bracket,
            features: options.features,
            features_per_lane: options.features_per_lane,
        })
    }
}

/// The fold's name. An option in its place is told where it belongs.
fn parse_name(input: ParseStream<'_>) -> syn::Result<Ident> {
    let name: Ident = say(input.parse(), message::FOLD_FORM)?;
    if input.peek(Token![=]) && is_option(&name) {
        return Err(syn::Error::new(name.span(), message::OPTION_PLACE));
    }
    Ok(name)
}

/// The data, between parentheses.
fn parse_data(input: ParseStream<'_>) -> syn::Result<Type> {
    let content;
    parenthesized!(content in input);
    let data = content.parse()?;
    if content.is_empty() { Ok(data) } else { Err(content.error(message::FOLD_FORM)) }
}

/// `unfolded`, if it stands before the functions.
fn parse_unfolded(input: ParseStream<'_>) -> syn::Result<bool> {
    let word: Option<Ident> = input.parse()?;
    match word {
        Some(word) if !input.peek(token::Bracket) => Err(syn::Error::new(word.span(), message::FUNCTION_LIST)),
        Some(word) if word != "unfolded" => Err(syn::Error::new(word.span(), message::FOLD_WORD)),
        word => Ok(word.is_some()),
    }
}

/// Functions between commas, in parts between semicolons. Empty parts are left out.
fn parse_parts(list: ParseStream<'_>) -> syn::Result<Vec<Vec<Listed>>> {
    let (mut parts, mut number) = (vec![Vec::new()], 0);
    while !list.is_empty() {
        if list.parse::<Option<Token![;]>>()?.is_some() {
            parts.push(Vec::new());
            continue;
        }
        let listed = Listed::parse(list, number)?;
        if list.peek(Token![=]) {
            return Err(syn::Error::new(listed.path.span(), message::OPTION_PLACE));
        }
        parts.last_mut().into_iter().for_each(|part| part.push(listed.clone()));
        number += 1;
        if !list.is_empty() && !list.peek(Token![;]) {
            say(list.parse::<Token![,]>(), message::FUNCTION_LIST)?;
        }
    }
    parts.retain(|part| !part.is_empty());
    Ok(parts)
}

/// Whether there can be kernels for rows of this width.
fn may_be_compiled(width: usize) -> bool {
    WIDTHS.contains(&width) || width.is_multiple_of(WIDEST) && (WIDEST..=WIDEST_OF_ALL).contains(&width)
}

impl Fold {
    /// Checks the declaration. Returns the widths to compile.
    pub fn check(&self, errors: &mut Errors) -> Vec<usize> {
        check_generics(&self.generics, errors);
        self.check_data(errors);
        if let Some(per_lane) = &self.features_per_lane {
            per_lane.check(self.asked_widths(), errors);
        }
        derivative::check(&self.derivatives, self.has_gradient(), errors);
        if self.parts.is_empty() {
            errors.push_at(self.bracket, message::NO_FUNCTIONS);
        }
        if let Some(function) = self.functions().nth(MOST_FUNCTIONS) {
            errors.push(&function.path, message::TOO_MANY_FUNCTIONS);
        }
        self.widths(errors)
    }

    /// Whether the structure or a function in the fold's module has the fold's name.
    pub fn shares_name(&self) -> bool {
        let functions = self.functions().filter_map(|function| function.path.get_ident().cloned());
        let data = matches!(&self.data, Type::Path(data) if data.path.segments.len() == 1);
        functions.chain(type_name(&self.data).filter(|_| data)).any(|name| name == self.name)
    }

    /// What the fold is called that computes the gradient.
    pub fn gradient_name(&self) -> Ident {
        Ident::new(&format!("{}_gradient", self.name.unraw()), self.name.span())
    }

    /// Whether gradients are asked for.
    pub fn has_gradient(&self) -> bool {
        !self.gradient.is_empty()
    }

    /// The options as a user would write them, for the source of a derived fold.
    pub fn options_text(&self) -> String {
        let widths = self.features.iter().map(|widths| format!("; features = {}", list(widths)));
        let per_lane = self.features_per_lane.iter().map(|per_lane| format!("; features_per_lane = {per_lane}"));
        widths.chain(per_lane).collect()
    }

    /// The fold's own attributes, with another documentation.
    fn gradient_attributes(&self) -> Vec<Attribute> {
        let text = format!(" The gradient of [`{}`].", self.name.unraw());
        let rest = self.attributes.iter().filter(|attribute| !attribute.path().is_ident("doc"));
        rest.cloned().chain([parse_quote!(#[doc = #text])]).collect()
    }

    /// The fold of the functions in `parts` that computes the gradient, over the same data and for the same numbers of features.
    pub fn gradient_of(&self, parts: Vec<Vec<Listed>>) -> Self {
        Self {
            attributes: self.gradient_attributes(),
            name: self.gradient_name(),
            parts,
            is_unfolded: false,
            edges: Edges::All,
            gradient: Vec::new(),
            derivatives: Vec::new(),
            ..self.clone()
        }
    }

    /// All functions, in order.
    pub fn functions(&self) -> impl Iterator<Item = &Listed> {
        self.parts.iter().flatten()
    }

    /// How many lanes hold a row of `width` features, and how many features each has: a warp has 32 lanes.
    pub fn lanes(&self, width: usize) -> (usize, usize) {
        let most = PerLane::most(self.features_per_lane.as_ref(), width, self.asked_widths());
        let lanes = (width / most.min(width)).min(LANES);
        (lanes, width / lanes)
    }

    /// How many features each lane has, if the user says so, at the width where these are fewest; 0 for all of them, which are then reached one by one.
    pub fn features_per_lane(&self) -> Option<u8> {
        self.features_per_lane.as_ref()?.least()
    }

    /// The widths that the user asks for, if any.
    fn asked_widths(&self) -> &[LitInt] {
        self.features.as_deref().unwrap_or_default()
    }

    /// Whether edge functions run along the edges of active sources alone.
    pub fn is_active(&self) -> bool {
        matches!(self.edges, Edges::Active)
    }

    /// Whether the fold is generic over the number of features.
    pub fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }

    /// The first of the widths at which a lane has more features than one access brings, if there is one.
    pub fn wide(&self) -> Option<&LitInt> {
        let is_wide = |width: &&LitInt| width.base10_parse().is_ok_and(|width: usize| width > WIDEST);
        self.asked_widths().iter().find(is_wide)
    }

    fn check_data(&self, errors: &mut Errors) {
        if self.generics.type_params().next().is_some() {
            return;
        }
        match (self.is_generic(), passes_width(&self.generics, &self.data)) {
            (true, Some(true)) | (false, None) => {}
            (true, _) => errors.push(&self.data, message::FOLD_DATA_WITHOUT_WIDTH),
            (false, _) => errors.push(&self.data, message::FOLD_WITHOUT_WIDTH),
        }
    }

    fn widths(&self, errors: &mut Errors) -> Vec<usize> {
        let Some(given) = &self.features else {
            return if self.is_generic() { WIDTHS.to_vec() } else { vec![1] };
        };
        let mut widths = Vec::new();
        for literal in given {
            match literal.base10_parse().ok().filter(|width| may_be_compiled(*width)) {
                None => errors.push(literal, message::WIDTH),
                Some(width) if widths.last().is_some_and(|last| *last >= width) => {
                    errors.push(literal, message::WIDTH_ORDER);
                }
                Some(width) => widths.push(width),
            }
        }
        if !self.is_generic() && passes_width(&self.generics, &self.data).is_none() && widths != [1] {
            errors.push(&given[0], message::SCALAR_WIDTHS);
        }
        widths
    }
}
