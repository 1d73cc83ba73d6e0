//! Expressions that are written, and how tightly they hold together.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{BinOp, Expr, Lit, UnOp};

use crate::gradient::name::ident;

/// How tightly an expression holds together: what holds less stands in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    Loose,
    Sum,
    Product,
    Unary,
    Atom,
}

/// An expression.
pub type Written = (TokenStream, Hold);

pub fn hold_of(code: &Expr) -> Hold {
    match code {
        Expr::Lit(literal) if !matches!(literal.lit, Lit::Float(_) | Lit::Int(_)) => Hold::Atom,
        Expr::Lit(_) | Expr::Path(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Field(_) => Hold::Atom,
        Expr::Paren(_) | Expr::Index(_) | Expr::Tuple(_) | Expr::Array(_) => Hold::Atom,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) => Hold::Unary,
        Expr::Binary(binary) => match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) => Hold::Sum,
            BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => Hold::Product,
            _ => Hold::Loose,
        },
        _ => Hold::Loose,
    }
}

/// Numbers that have names.
const CONSTANTS: [(f32, &str); 2] = [(std::f32::consts::LN_2, "LN_2"), (std::f32::consts::LOG2_E, "LOG2_E")];

pub fn written_number(number: f32) -> Written {
    if number.is_infinite() {
        let text = if number > 0.0 { quote!(f32::INFINITY) } else { quote!(f32::NEG_INFINITY) };
        return (text, Hold::Atom);
    }
    if number == f32::MIN {
        return (quote!(f32::MIN), Hold::Atom);
    }
    if let Some((_, name)) = CONSTANTS.iter().find(|(constant, _)| *constant == number) {
        let name = ident(name);
        return (quote!(core::f32::consts::#name), Hold::Atom);
    }
    let literal = Literal::f32_unsuffixed(number.abs());
    if number < 0.0 { (quote!(-#literal), Hold::Unary) } else { (quote!(#literal), Hold::Atom) }
}
