//! Slips of the pen that mean something else in Rust, or nothing: `v + 1`, `x ^ 2.0`, `x ** 2`, and a method whose value nobody takes.

use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprField, ExprMethodCall, Lit, Member, UnOp};

use crate::check::method::is_reader;
use crate::errors::Errors;
use crate::message;
use crate::parse::access::{bare, is_name, recognise};
use crate::parse::element::{number, written};
use crate::parse::function::{Function, Kind};

/// Refuses an operator that is none of floats, and arithmetic with an edge or a vertex.
pub fn operator(function: &Function, binary: &ExprBinary, errors: &mut Errors) {
    if is_power(binary) {
        errors.push(binary, message::POWER);
    }
    if is_arithmetic(&binary.op) {
        [&binary.left, &binary.right].into_iter().for_each(|side| operand(function, side, errors));
        integer(function, (&binary.left, &binary.right), errors);
        integer(function, (&binary.right, &binary.left), errors);
    }
}

/// Refuses an integer with which a float is computed.
fn integer(function: &Function, (integer, float): (&Expr, &Expr), errors: &mut Errors) {
    if !is_float(function, float) {
        return;
    }
    let width = function.generics.const_params().next().map(|width| &width.ident);
    match bare(integer) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) if number.suffix().is_empty() => errors.push(number, message::float_literal(number)),
            _ => {}
        },
        Expr::Path(path) if width.is_some_and(|width| path.path.is_ident(width)) => {
            errors.push(integer, message::width_as_float(path.path.to_token_stream()));
        }
        _ => {}
    }
}

/// Whether an expression is certainly a float: a literal, or one feature of a property.
fn is_float(function: &Function, expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        _ => recognise(expression, function.kind, &function.names)
            .is_some_and(|access| access.is_ok_and(|access| access.is_row)),
    }
}

/// Refuses an edge or a vertex in place of a number.
pub fn operand(function: &Function, operand: &Expr, errors: &mut Errors) {
    if let Some(element) = written(operand, &function.names.element) {
        errors.push(operand, message::no_number(&element, &number(&element, function.kind)));
    }
}

/// Refuses a field that no edge or vertex has: a property is meant.
pub fn field(function: &Function, field: &ExprField, errors: &mut Errors) {
    let element = &function.names.element;
    let Member::Named(name) = &field.member else { return };
    let is_known = function.kind == Kind::Edge && ["id", "src", "dst", "rev"].iter().any(|known| name == known);
    if is_name(&field.base, element) && !is_known {
        errors.push(name, message::field(name, element));
    }
}

/// Refuses a method of an edge or a vertex, which have none but those of comparisons and copies.
pub fn method(function: &Function, call: &ExprMethodCall, errors: &mut Errors) {
    let is_element = written(&call.receiver, &function.names.element).is_some();
    if is_element && !is_reader(call) && call.method != "clone" {
        errors.push(&call.method, message::ELEMENT_METHOD);
    }
}

/// Refuses a method that only computes where nobody takes what it returns.
pub fn dropped(call: &ExprMethodCall, errors: &mut Errors) {
    let method = &call.method;
    if method == "min" || method == "max" {
        errors.push(method, message::dropped_bound(method));
    } else if is_reader(call) {
        errors.push(method, message::dropped(method));
    }
}

fn is_arithmetic(operator: &BinOp) -> bool {
    matches!(operator, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

/// Whether it is `x ^ 2.0`, or `x ** 2`.
fn is_power(binary: &ExprBinary) -> bool {
    match (&binary.op, bare(&binary.right)) {
        (BinOp::BitXor(_), Expr::Lit(exponent)) => matches!(exponent.lit, Lit::Float(_)),
        (BinOp::Mul(_), Expr::Unary(power)) => {
            matches!(power.op, UnOp::Deref(_)) && matches!(bare(&power.expr), Expr::Lit(_))
        }
        _ => false,
    }
}
