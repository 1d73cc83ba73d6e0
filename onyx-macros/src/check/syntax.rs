//! Which kinds of expressions are in the language.

use syn::Expr;

/// Whether an expression is of a kind that every check and the lowering know. What a later version of Rust adds is not.
pub fn is_known(expression: &Expr) -> bool {
    match expression {
        Expr::Array(_) | Expr::Binary(_) | Expr::Call(_) | Expr::Cast(_) | Expr::Closure(_) | Expr::Field(_) => true,
        Expr::Group(_) | Expr::Index(_) | Expr::Infer(_) | Expr::Lit(_) | Expr::MethodCall(_) | Expr::Paren(_) => true,
        Expr::Path(_) | Expr::Range(_) | Expr::Reference(_) | Expr::Repeat(_) | Expr::Struct(_) => true,
        Expr::Tuple(_) | Expr::Unary(_) | Expr::Assign(_) => true,
        Expr::Block(_) | Expr::Break(_) | Expr::Continue(_) | Expr::ForLoop(_) | Expr::If(_) | Expr::Let(_) => true,
        Expr::Loop(_) | Expr::Match(_) | Expr::Return(_) | Expr::While(_) => true,
        // Refused with a message of its own.
        Expr::Macro(_) => true,
        // A `;` that ends nothing.
        Expr::Verbatim(tokens) => tokens.is_empty(),
        _ => false,
    }
}
