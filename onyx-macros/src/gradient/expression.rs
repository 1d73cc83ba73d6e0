//! Reads expressions.

use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprCall, ExprMethodCall, Type, UnOp};

use crate::check::operation::{Operation, called};
use crate::gradient::reader::Reading;
use crate::gradient::rule::{has_rule, is_constant_method};
use crate::gradient::value::{Id, Operator, placeholder};
use crate::message;
use crate::parse::access::bare;

impl Reading<'_, '_> {
    /// The value of an expression.
    pub(super) fn expression(&mut self, expression: &Expr) -> Id {
        let expression = bare(expression);
        if let Some(access) = self.access(expression) {
            return self.accessed(&access);
        }
        match expression {
            Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.variables.contains_key(name)) => {
                path.path.get_ident().map(|name| self.variables[name]).unwrap_or_default()
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.negated(expression, &unary.expr),
            Expr::Binary(binary) => self.binary(expression, &binary.op, &binary.left, &binary.right),
            Expr::MethodCall(call) => self.method(expression, call),
            Expr::Call(call) => self.call(expression, call),
            Expr::Cast(cast) => self.cast(expression, &cast.expr, &cast.ty),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => {
                let value = self.evaluated(expression);
                value.unwrap_or_else(|| self.code(expression, Some(message::GRADIENT_PATTERN.to_owned())))
            }
            _ => self.code(expression, Some(message::no_derivative("this"))),
        }
    }

    fn negated(&mut self, whole: &Expr, inner: &Expr) -> Id {
        let id = self.expression(inner);
        if self.reader.tape.varies(id) { self.reader.tape.negate(id) } else { self.code(whole, None) }
    }

    fn binary(&mut self, whole: &Expr, operator: &BinOp, left: &Expr, right: &Expr) -> Id {
        let is_arithmetic = matches!(operator, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_));
        if !is_arithmetic {
            let unknown = matches!(operator, BinOp::Rem(_)).then(|| message::no_derivative("%"));
            return self.code(whole, unknown);
        }
        let (a, b) = (self.expression(left), self.expression(right));
        if !self.reader.tape.varies(a) && !self.reader.tape.varies(b) {
            return self.code(whole, None);
        }
        let (tape, at) = (&mut self.reader.tape, operator.span());
        let operator = match operator {
            BinOp::Add(_) => Operator::Add,
            BinOp::Sub(_) => Operator::Subtract,
            BinOp::Mul(_) => Operator::Multiply,
            _ => Operator::Divide,
        };
        let id = tape.push(operator, vec![a, b]);
        tape.spans.insert(id, at);
        id
    }

    /// `before op= value`
    pub(super) fn compound(&mut self, operator: &BinOp, before: Id, value: Id, at: &impl quote::ToTokens) -> Id {
        let tape = &mut self.reader.tape;
        match operator {
            BinOp::AddAssign(_) => tape.add(before, value),
            BinOp::SubAssign(_) => tape.subtract(before, value),
            BinOp::MulAssign(_) => tape.multiply(before, value),
            BinOp::DivAssign(_) => tape.divide(before, value),
            _ => {
                self.reader.errors.push(at, message::no_derivative("this assignment"));
                before
            }
        }
    }

    fn method(&mut self, whole: &Expr, call: &ExprMethodCall) -> Id {
        let name = call.method.to_string();
        let arguments: Vec<&Expr> = std::iter::once(&*call.receiver).chain(&call.args).collect();
        self.float_function(whole, &name, &arguments)
    }

    /// `a.name(b)` or `f32::name(a, b)`.
    fn float_function(&mut self, whole: &Expr, name: &str, arguments: &[&Expr]) -> Id {
        let ids: Vec<Id> = arguments.iter().map(|argument| self.expression(argument)).collect();
        if !ids.iter().any(|id| self.reader.tape.varies(*id)) || is_constant_method(name) {
            return self.code(whole, None);
        }
        if !has_rule(name, ids.len()) {
            return self.code(whole, Some(message::no_derivative(name)));
        }
        self.reader.tape.method(name, ids)
    }

    fn call(&mut self, whole: &Expr, call: &ExprCall) -> Id {
        if let Some((operation, name, arguments)) = called(whole, &[]) {
            let ids: Vec<Id> = arguments.iter().map(|argument| self.expression(argument)).collect();
            let differs = !operation.is_uniform();
            return match operation {
                Operation::Any | Operation::All | Operation::Argmax => self.constant_operation(&name.to_string(), ids),
                _ => {
                    let id = self.reader.tape.operation(&name.to_string(), ids, differs);
                    self.reader.tape.spans.insert(id, name.span());
                    id
                }
            };
        }
        let Expr::Path(function) = bare(&call.func) else {
            return self.code(whole, Some(message::no_derivative("this call")));
        };
        let segments: Vec<String> = function.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [.., "constant"] if arguments.len() == 1 => self.code(whole, None),
            ["f32", name] => self.float_function(whole, name, &arguments),
            _ => self.plain_call(whole, function, &arguments),
        }
    }

    /// An operation whose result does not vary, whatever its arguments do.
    fn constant_operation(&mut self, name: &str, arguments: Vec<Id>) -> Id {
        self.reader.tape.push_as(Operator::Operation(name.to_owned()), arguments, false, true)
    }

    fn cast(&mut self, whole: &Expr, inner: &Expr, to: &Type) -> Id {
        let id = self.expression(inner);
        let is_float = matches!(to, Type::Path(path) if path.path.is_ident("f32"));
        if is_float && self.reader.tape.varies(id) { id } else { self.code(whole, None) }
    }

    /// An expression as code in which values have places. Where one of them varies and the result would, `unknown` says why that has no gradient.
    pub(super) fn code(&mut self, expression: &Expr, unknown: Option<String>) -> Id {
        let mut code = expression.clone();
        let mut place = Place { reading: self, arguments: Vec::new(), differs: false, assigns: false };
        place.visit_expr_mut(&mut code);
        let Place { arguments, differs, assigns, .. } = place;
        if assigns {
            self.reader.errors.push(expression, message::GRADIENT_PATTERN);
        }
        let tape = &mut self.reader.tape;
        let is_uniform = !differs && arguments.iter().all(|argument| tape.is_uniform(*argument));
        match unknown.filter(|_| arguments.iter().any(|argument| tape.varies(*argument))) {
            Some(reason) => tape.push_as(Operator::Unknown(Box::new(code), reason), arguments, true, is_uniform),
            None => tape.push_as(Operator::Code(Box::new(code)), arguments, false, is_uniform),
        }
    }
}

/// Puts values in their places.
struct Place<'p, 'r, 'a> {
    reading: &'p mut Reading<'r, 'a>,
    arguments: Vec<Id>,
    /// Whether the feature is used, or the vertex's.
    differs: bool,
    assigns: bool,
}

impl Place<'_, '_, '_> {
    fn put(&mut self, id: Id) -> Expr {
        self.arguments.push(id);
        let name = placeholder(id);
        syn::parse_quote!(#name)
    }

    fn value(&mut self, expression: &Expr) -> Option<Id> {
        if let Some(access) = self.reading.access(expression) {
            return Some(self.reading.accessed(&access));
        }
        if called(expression, &[]).is_some() {
            return Some(self.reading.expression(expression));
        }
        let Expr::Path(path) = expression else { return None };
        path.path.get_ident().and_then(|name| self.reading.variables.get(name).copied())
    }

    /// The names that the derived function has for the parameters.
    fn parameter(&mut self, expression: &Expr) -> Option<Expr> {
        let Expr::Path(path) = expression else { return None };
        let (name, function) = (path.path.get_ident()?, self.reading.function);
        if function.names.feature.as_ref() == Some(name) {
            self.differs = true;
            return Some(super::name::name_of("f"));
        }
        if function.names.element == *name {
            return Some(super::name::name_of(if super::reader::is_edge(function) { "e" } else { "v" }));
        }
        let width = function.generics.const_params().next().map(|width| &width.ident);
        let own = self.reading.reader.width.as_ref().filter(|_| width == Some(name))?;
        Some(syn::parse_quote!(#own))
    }
}

impl VisitMut for Place<'_, '_, '_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let lends = matches!(expression, Expr::Reference(reference) if reference.mutability.is_some());
        self.assigns |= lends || crate::check::usage::assignment(expression).is_some();
        if let Some(id) = self.value(expression) {
            *expression = self.put(id);
        } else if let Some(parameter) = self.parameter(expression) {
            *expression = parameter;
        } else {
            visit_mut::visit_expr_mut(self, expression);
        }
    }
}
