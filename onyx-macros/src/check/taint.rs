//! The taint of every kind of expression: see [`crate::check::uniformity`].

use syn::{Expr, ExprCall, ExprClosure, ExprMatch, ExprMethodCall};

use crate::check::cause::{Cause, Taint, join};
use crate::check::control::Kind;
use crate::check::method::is_reader;
use crate::check::operation::called_by;
use crate::check::uniformity::Walk;
use crate::check::usage::assignment;
use crate::message;
use crate::parse::access::{evaluated, recognise};

impl Walk<'_> {
    /// Walks an expression in the order of evaluation. Why its value may differ between features.
    pub(super) fn value(&mut self, expression: &Expr) -> Taint {
        if let Some(assignment) = assignment(expression) {
            self.assign(assignment);
            return None;
        }
        if let Some(access) = recognise(expression, self.function.kind, &self.function.names) {
            self.index_of(evaluated(&access));
            let differs = access.is_ok_and(|access| access.is_row);
            return self.see(differs.then_some(Cause::Differs));
        }
        self.shape(expression)
    }

    /// Walks what is computed of where an access is: the same for all features.
    pub(super) fn index_of(&mut self, index: Option<&Expr>) {
        if let Some(index) = index
            && self.value(index).is_some()
        {
            self.refuse(index, message::INDEX_DIFFERS.to_owned());
        }
    }

    fn all<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Taint {
        parts.into_iter().fold(None, |taint, part| {
            let part = self.value(part);
            join(taint, part)
        })
    }

    /// What is neither an assignment nor an access. A kind of expression that is not known differs.
    fn shape(&mut self, expression: &Expr) -> Taint {
        match expression {
            Expr::Lit(_) | Expr::Infer(_) => None,
            Expr::Path(path) => self.name(path),
            Expr::Array(array) => self.all(&array.elems),
            Expr::Tuple(tuple) => self.all(&tuple.elems),
            Expr::Struct(of) => self.all(of.fields.iter().map(|field| &field.expr).chain(of.rest.as_deref())),
            Expr::Repeat(repeat) => self.value(&repeat.expr),
            Expr::Range(range) => self.all(range.start.as_deref().into_iter().chain(range.end.as_deref())),
            Expr::Cast(cast) => self.value(&cast.expr),
            Expr::Field(field) => self.value(&field.base),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Index(index) => self.all([&*index.expr, &*index.index]),
            Expr::Reference(reference) => self.value(&reference.expr),
            Expr::Unary(unary) => self.value(&unary.expr),
            Expr::Binary(binary) => {
                let left = self.value(&binary.left);
                let is_lazy = matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_));
                let condition = left.clone().filter(|_| is_lazy);
                let right = self.under(condition, |walk| walk.value(&binary.right));
                join(left, right)
            }
            Expr::Call(call) => self.call(expression, call),
            Expr::MethodCall(call) => self.method(expression, call),
            _ => self.flow(expression),
        }
    }

    /// What decides which features come where.
    fn flow(&mut self, expression: &Expr) -> Taint {
        match expression {
            Expr::Block(block) if block.label.is_none() => self.block(&block.block),
            Expr::Block(block) => {
                self.control.enter(block.label.as_ref().map(|label| label.name.clone()), Kind::Block);
                let tail = self.block(&block.block);
                join(tail, self.control.exit())
            }
            Expr::If(choice) => {
                let condition = self.value(&choice.cond);
                let then = self.under(condition.clone(), |walk| walk.block(&choice.then_branch));
                let otherwise = choice.else_branch.as_ref();
                let otherwise =
                    otherwise.and_then(|(_, otherwise)| self.under(condition.clone(), |walk| walk.value(otherwise)));
                join(condition, join(then, otherwise))
            }
            Expr::Let(condition) => {
                let taint = self.value(&condition.expr);
                self.bind(&condition.pat, &taint);
                taint
            }
            Expr::Match(choice) => self.choose(choice),
            Expr::While(repeated) => self.repeat(repeated.label.as_ref(), |walk| {
                let condition = walk.value(&repeated.cond);
                walk.control.around = join(walk.control.around.take(), condition);
                walk.block(&repeated.body);
            }),
            Expr::Loop(repeated) => self.repeat(repeated.label.as_ref(), |walk| drop(walk.block(&repeated.body))),
            Expr::ForLoop(repeated) => {
                let taint = self.value(&repeated.expr);
                self.repeat(repeated.label.as_ref(), |walk| {
                    walk.control.around = join(walk.control.around.take(), taint.clone());
                    walk.bind(&repeated.pat, &taint);
                    walk.block(&repeated.body);
                })
            }
            _ => self.leave(expression),
        }
    }

    /// What goes elsewhere.
    fn leave(&mut self, expression: &Expr) -> Taint {
        match expression {
            Expr::Break(leave) => {
                let value = leave.expr.as_ref().and_then(|value| self.value(value));
                self.control.leave(leave.label.as_ref(), value);
                None
            }
            Expr::Continue(leave) => {
                self.control.leave(leave.label.as_ref(), None);
                None
            }
            Expr::Return(leave) => {
                let value = leave.expr.as_ref().and_then(|value| self.value(value));
                self.control.finish(value);
                None
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Verbatim(tokens) if tokens.is_empty() => None,
            _ => Some(Cause::Differs),
        }
    }

    /// Whatever a closure reads may come out of it, in its value or through what it is given.
    fn closure(&mut self, closure: &ExprClosure) -> Taint {
        let before = self.seen.take();
        self.control.enter(None, Kind::Function);
        closure.inputs.iter().for_each(|input| self.bind(input, &None));
        let value = self.value(&closure.body);
        let value = join(value, self.control.exit());
        let value = join(value, self.seen.take());
        self.seen = join(before, value.clone());
        value
    }

    fn choose(&mut self, choice: &ExprMatch) -> Taint {
        let mut condition = self.value(&choice.expr);
        let mut value = None;
        for arm in &choice.arms {
            self.bind(&arm.pat, &condition);
            let guard = self.under(condition.clone(), |walk| walk.guards(&arm.pat));
            condition = join(condition, guard);
            let body = self.under(condition.clone(), |walk| walk.value(&arm.body));
            value = join(value, body);
        }
        join(condition, value)
    }

    fn call(&mut self, expression: &Expr, call: &ExprCall) -> Taint {
        if let Some((operation, _, arguments)) = called_by(call, &[]) {
            return self.operate(operation, arguments);
        }
        let taint = self.all(std::iter::once(&*call.func).chain(&call.args));
        self.touch(expression, taint.clone());
        taint
    }

    fn method(&mut self, expression: &Expr, call: &ExprMethodCall) -> Taint {
        let taint = self.all(std::iter::once(&*call.receiver).chain(&call.args));
        if !is_reader(call) {
            self.touch(expression, taint.clone());
        }
        taint
    }
}
