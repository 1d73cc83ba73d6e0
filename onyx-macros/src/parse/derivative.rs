//! Derivatives of plain functions, given beside the gradient of a fold: `derivative = [softplus = softplus_slope]`, or, where one is computed of the function's value,
//! `derivative = [sigmoid = sigmoid_slope(value)]`.

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{ExprPath, Ident, Token, parenthesized, token};

use crate::errors::Errors;
use crate::message;
use crate::parse::list::say;

/// The derivative of one function.
#[derive(Clone, Debug)]
pub struct Derivative {
    /// The function, as functions of the fold call it.
    pub of: ExprPath,
    /// What computes its derivative: a function of the same arguments.
    pub by: ExprPath,
    /// Whether that takes the function's value in place of the first argument.
    pub takes_value: bool,
}

impl Parse for Derivative {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let of: ExprPath = say(input.parse(), message::NO_DERIVATIVES)?;
        if !input.peek(Token![=]) {
            return Err(syn::Error::new_spanned(&of, message::NO_DERIVATIVES));
        }
        input.parse::<Token![=]>()?;
        Ok(Self { of, by: input.parse()?, takes_value: parse_value(input)? })
    }
}

/// Whether `(value)` comes next.
fn parse_value(input: ParseStream<'_>) -> syn::Result<bool> {
    if !input.peek(token::Paren) {
        return Ok(false);
    }
    let taken;
    let parenthesis = parenthesized!(taken in input);
    let is_value = taken.parse::<Ident>().is_ok_and(|name| name == "value") && taken.is_empty();
    if is_value { Ok(true) } else { Err(syn::Error::new(parenthesis.span.join(), message::DERIVATIVE_TAKES)) }
}

/// They are of different functions, and for a gradient.
pub fn check(derivatives: &[Derivative], has_gradient: bool, errors: &mut Errors) {
    if let Some(first) = derivatives.first().filter(|_| !has_gradient) {
        errors.push(&first.of, message::DERIVATIVE_ALONE);
    }
    for (at, Derivative { of, .. }) in derivatives.iter().enumerate() {
        if derivatives[..at].iter().any(|before| before.of == *of) {
            errors.push(of, message::derivative_twice(path_text(of)));
        }
    }
}

/// A path as a person writes it.
pub fn path_text(path: &ExprPath) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use syn::parse_str;

    use super::*;

    #[test]
    fn what_computes_a_derivative_takes_the_arguments_or_the_value() {
        assert!(!parse_str::<Derivative>("soft = own::slope").unwrap().takes_value);
        assert!(parse_str::<Derivative>("soft = own::slope::<2>(value)").unwrap().takes_value);
        for taken in ["(x)", "()", "(value, x)", "(2)"] {
            let error = parse_str::<Derivative>(&format!("soft = slope{taken}")).unwrap_err();
            assert_eq!(error.to_string(), message::DERIVATIVE_TAKES);
        }
    }
}
