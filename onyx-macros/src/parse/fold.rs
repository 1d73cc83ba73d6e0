//! `foldmap!`: the declaration.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Generics, Ident, LitInt, Path, Token, Type, Visibility, bracketed, parenthesized};

use crate::errors::Errors;
use crate::message;
use crate::parse::function::{check_generics, passes_width};

/// All widths that can be compiled.
const WIDTHS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// The lanes of a warp.
const LANES: usize = 32;
/// As many as one access to memory brings.
const MOST_FEATURES_PER_LANE: usize = 4;

/// `pub step<const K: usize>(Data<K>) = [first, second]; features = [4, 16]`
#[derive(Debug)]
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
    /// The functions, in order.
    pub functions: Vec<Path>,
    /// Whether functions may be none, for the message.
    bracket: proc_macro2::Span,
    /// The widths that the user asks for.
    features: Option<Vec<LitInt>>,
    /// How many features each lane has, at least.
    features_per_lane: Option<LitInt>,
}

impl Parse for Fold {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let name = input.parse()?;
        let generics = input.parse()?;
        let content;
        parenthesized!(content in input);
        let data = content.parse()?;
        input.parse::<Token![=]>()?;
        let list;
        let bracket = bracketed!(list in input);
        let functions = Punctuated::<Path, Token![,]>::parse_terminated_with(&list, Path::parse_mod_style)?;
        input.parse::<Option<Token![;]>>()?;
        let (mut features, mut features_per_lane) = (None, None);
        while !input.is_empty() {
            let option = input.call(Ident::parse)?;
            input.parse::<Token![=]>()?;
            match option.to_string().as_str() {
                "features" => features = Some(parse_widths(input)?),
                "features_per_lane" => features_per_lane = Some(input.parse()?),
                _ => return Err(syn::Error::new(option.span(), message::FOLD_OPTION)),
            }
            input.parse::<Option<Token![;]>>()?;
        }
        Ok(Self {
            attributes,
            visibility,
            name,
            generics,
            data,
            functions: functions.into_iter().collect(),
            bracket: bracket.span.join(),
            features,
            features_per_lane,
        })
    }
}

fn parse_widths(input: ParseStream<'_>) -> syn::Result<Vec<LitInt>> {
    let list;
    let bracket = bracketed!(list in input);
    let widths = Punctuated::<LitInt, Token![,]>::parse_terminated(&list)?;
    if widths.is_empty() {
        return Err(syn::Error::new(bracket.span.join(), message::NO_WIDTHS));
    }
    Ok(widths.into_iter().collect())
}

impl Fold {
    /// Checks the declaration. Returns the widths to compile.
    pub fn check(&self, errors: &mut Errors) -> Vec<usize> {
        check_generics(&self.generics, errors);
        self.check_data(errors);
        self.check_features_per_lane(errors);
        if self.functions.is_empty() {
            errors.push_at(self.bracket, message::NO_FUNCTIONS);
        }
        self.widths(errors)
    }

    /// How many lanes hold a row of `width` features, and how many features each has: a warp has 32 lanes.
    pub fn lanes(&self, width: usize) -> (usize, usize) {
        let asked = self.features_per_lane.as_ref().and_then(|literal| literal.base10_parse().ok());
        let lanes = (width / asked.unwrap_or(MOST_FEATURES_PER_LANE).min(width)).min(LANES);
        (lanes, width / lanes)
    }

    fn check_features_per_lane(&self, errors: &mut Errors) {
        let Some(literal) = &self.features_per_lane else { return };
        if !literal.base10_parse().is_ok_and(|features: usize| [1, 2, MOST_FEATURES_PER_LANE].contains(&features)) {
            errors.push(literal, message::FEATURES_PER_LANE);
        }
    }

    /// Whether the fold is generic over the number of features.
    pub fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }

    fn check_data(&self, errors: &mut Errors) {
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
            match literal.base10_parse().ok().filter(|width| WIDTHS.contains(width)) {
                None => errors.push(literal, message::WIDTH),
                Some(width) if widths.last().is_some_and(|last| *last >= width) => {
                    errors.push(literal, message::WIDTH_ORDER);
                }
                Some(width) => widths.push(width),
            }
        }
        if !self.is_generic() && widths != [1] {
            errors.push(&given[0], message::SCALAR_WIDTHS);
        }
        widths
    }
}
