//! `features_per_lane`: how many features of a row a lane has at most.

use std::fmt;
use std::slice;

use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::token::Bracket;
use syn::{Ident, LitInt};

use crate::errors::Errors;
use crate::message;
use crate::parse::list::{parse_items, say};

/// As many as one access to memory brings of floats.
const USUAL: usize = 4;
/// As many as a user may ask for; eight are one access of floats of two bytes.
const ALLOWED: [usize; 4] = [1, 2, USUAL, 8];

/// What stands after `features_per_lane`.
#[derive(Clone, Debug)]
pub enum PerLane {
    /// A number of features.
    Number(LitInt),
    /// One for each of the widths, in their order.
    Each(Vec<LitInt>),
    /// All of them, in one thread that reaches them one by one.
    All,
}

impl Parse for PerLane {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitInt) {
            return input.parse().map(Self::Number);
        }
        if input.peek(Bracket) {
            let number = |list: ParseStream<'_>| say(list.parse(), message::FEATURES_PER_LANE);
            return parse_items(input, message::FEATURES_PER_LANE, number).map(Self::Each);
        }
        let word = say(input.call(Ident::parse_any), message::FEATURES_PER_LANE)?;
        if word == "all" { Ok(Self::All) } else { Err(syn::Error::new(word.span(), message::FEATURES_PER_LANE)) }
    }
}

/// As a user would write it.
impl fmt::Display for PerLane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Each(numbers) => f.write_str(&list(numbers)),
            Self::All => f.write_str("all"),
        }
    }
}

impl PerLane {
    /// How many features a lane has at most of a row of `width`, one of `widths`; nothing is asked for where this is none.
    pub fn most(asked: Option<&Self>, width: usize, widths: &[LitInt]) -> usize {
        let literal = match asked {
            None => None,
            Some(Self::All) => return width,
            Some(Self::Number(literal)) => Some(literal),
            Some(Self::Each(numbers)) => {
                let at = widths.iter().position(|literal| number(literal) == Some(width));
                at.and_then(|at| numbers.get(at))
            }
        };
        literal.and_then(number).unwrap_or(USUAL)
    }

    /// How many it has at the width where these are fewest; 0 for all of them.
    pub fn least(&self) -> Option<u8> {
        match self {
            Self::All => Some(0),
            _ => self.numbers().iter().filter_map(|literal| literal.base10_parse().ok()).min(),
        }
    }

    /// Tells of numbers that no lane can have, and of a list that is not as long as that of the widths.
    pub fn check(&self, widths: &[LitInt], errors: &mut Errors) {
        let is_wrong = |literal: &&LitInt| !number(literal).is_some_and(|number| ALLOWED.contains(&number));
        self.numbers().iter().filter(is_wrong).for_each(|literal| errors.push(literal, message::FEATURES_PER_LANE));
        if let Self::Each(numbers) = self
            && numbers.len() != widths.len()
        {
            errors.push(&numbers[0], message::numbers_of_lanes(numbers.len(), widths.len()));
        }
    }

    fn numbers(&self) -> &[LitInt] {
        match self {
            Self::Number(literal) => slice::from_ref(literal),
            Self::Each(numbers) => numbers,
            Self::All => &[],
        }
    }
}

fn number(literal: &LitInt) -> Option<usize> {
    literal.base10_parse().ok()
}

/// Numbers as a user would write them.
pub fn list(numbers: &[LitInt]) -> String {
    let numbers: Vec<&str> = numbers.iter().map(LitInt::base10_digits).collect();
    format!("[{}]", numbers.join(", "))
}
