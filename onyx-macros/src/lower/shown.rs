//! Shows operators at the user's tokens.
//!
//! For the compiler an operator stands where its operands do. An operand of the user's and a generated one have no place in common, so that errors and panics would be
//! at the attribute. So a generated operand stands between parentheses that are the user's.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Stmt};

use crate::check::usage::compound;

/// Shows the operands of an expression where the user's stood.
pub fn show_operands(expression: &mut Expr) {
    match expression {
        Expr::Binary(binary) => show_both(&mut binary.left, &binary.op, &mut binary.right),
        Expr::Unary(unary) => show(&mut unary.expr, unary.op.span()),
        Expr::Cast(cast) => show(&mut cast.expr, cast.as_token.span),
        Expr::MethodCall(call) => show(&mut call.receiver, call.method.span()),
        Expr::Call(call) => {
            let at = call.func.span();
            call.args.iter_mut().for_each(|argument| show_value(argument, at));
        }
        Expr::Reference(reference) => show(&mut reference.expr, reference.and_token.span),
        _ => {}
    }
}

fn show_both(left: &mut Expr, operator: &BinOp, right: &mut Expr) {
    show(left, operator.span());
    if compound(operator) {
        show_value(right, operator.span());
    } else {
        show(right, operator.span());
    }
}

/// Puts a generated operand between parentheses.
fn show(operand: &mut Expr, user: Span) {
    if is_generated(operand) {
        let tokens = operand.to_token_stream();
        *operand = grouped(Delimiter::Parenthesis, tokens, operand.span().resolved_at(user));
    }
}

/// Puts what is assigned, or given to a function, into a block, since the compiler warns of parentheses there.
fn show_value(value: &mut Expr, user: Span) {
    if is_generated(value) {
        let at = value.span();
        let kept = quote_spanned!(at=> let __value = #value; __value);
        *value = grouped(Delimiter::Brace, kept, at.resolved_at(user));
    }
}

/// Whether an expression stands in place of the user's: code, or a block of nothing else.
fn is_generated(expression: &Expr) -> bool {
    match expression {
        Expr::Verbatim(_) => true,
        Expr::Block(block) => matches!(block.block.stmts.as_slice(), [Stmt::Expr(Expr::Verbatim(_), None)]),
        _ => false,
    }
}

fn grouped(delimiter: Delimiter, tokens: TokenStream, at: Span) -> Expr {
    let mut group = Group::new(delimiter, tokens);
    group.set_span(at);
    Expr::Verbatim(TokenTree::Group(group).into())
}
