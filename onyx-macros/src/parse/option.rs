//! `foldmap!`: the options after the functions, `; features = [4, 16]; edges = active`.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, Token};

use crate::message;
use crate::parse::derivative::Derivative;
use crate::parse::list::{parse_items, say};
use crate::parse::per_lane::PerLane;

/// The names of all options.
const NAMES: [&str; 5] = ["features", "features_per_lane", "edges", "gradient", "derivative"];

/// Whether a name is an option's.
pub fn is_option(name: &Ident) -> bool {
    NAMES.iter().any(|option| name == option)
}

/// What stands after the functions.
#[derive(Default)]
pub struct Options {
    /// The widths that the user asks for.
    pub features: Option<Vec<LitInt>>,
    /// How many features each lane has, at most.
    pub features_per_lane: Option<PerLane>,
    /// Along which edges edge functions run.
    pub edges: Edges,
    /// The properties whose gradients are asked for.
    pub gradient: Vec<Ident>,
    /// The derivatives that the user gives for it.
    pub derivatives: Vec<Derivative>,
}

/// Along which edges edge functions run.
#[derive(Clone, Copy, Debug, Default)]
pub enum Edges {
    /// All; changes alone where the functions show that this is the same.
    #[default]
    All,
    /// Those of active sources.
    Active,
    /// Changes alone where that can be done, as asked for by this word.
    Changed(Span),
}

impl Options {
    /// Reads all options, which begin with a `;` and stand between others.
    pub fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        let mut known: Vec<Ident> = Vec::new();
        input.parse::<Option<Token![;]>>()?;
        while !input.is_empty() {
            let option = say(input.call(Ident::parse), message::OPTION_SEPARATOR)?;
            if known.contains(&option) {
                return Err(syn::Error::new(option.span(), message::twice(&option)));
            }
            options.read(&option, input)?;
            known.push(option);
            if !input.is_empty() {
                say(input.parse::<Token![;]>(), message::OPTION_SEPARATOR)?;
            }
        }
        Ok(options)
    }

    /// Reads what stands after the name of an option.
    fn read(&mut self, option: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        if !is_option(option) {
            return Err(syn::Error::new(option.span(), message::FOLD_OPTION));
        }
        say(input.parse::<Token![=]>(), message::FOLD_OPTION)?;
        match option.to_string().as_str() {
            "features" => {
                self.features =
                    Some(parse_items(input, message::NO_WIDTHS, |list| say(list.parse(), message::NO_WIDTHS))?)
            }
            "features_per_lane" => self.features_per_lane = Some(input.parse()?),
            "edges" => self.edges = parse_edges(input)?,
            "gradient" => {
                self.gradient =
                    parse_items(input, message::NO_GRADIENT, |list| say(list.parse(), message::NO_GRADIENT))?
            }
            _ => self.derivatives = parse_items(input, message::NO_DERIVATIVES, Derivative::parse)?,
        }
        Ok(())
    }
}

fn parse_edges(input: ParseStream<'_>) -> syn::Result<Edges> {
    let word = say(input.call(Ident::parse), message::FOLD_EDGES)?;
    match word.to_string().as_str() {
        "active" => Ok(Edges::Active),
        "all" => Ok(Edges::All),
        "changed" => Ok(Edges::Changed(word.span())),
        _ => Err(syn::Error::new(word.span(), message::FOLD_EDGES)),
    }
}
