//! Rewrites the expressions of a body: accesses become registers, `return` leaves one feature.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprBreak, ExprClosure, ExprMethodCall, ExprPath, Ident, Stmt, Type, parse_quote};

use crate::check::method::is_reader;
use crate::check::place::root;
use crate::check::usage::{Assignment, How, Reduction, assignment, reduction};
use crate::expand::computed::{added_to, gathered_from};
use crate::expand::edge::operator;
use crate::expand::function::{Lowered, width};
use crate::lower::methods::{MATH_METHODS, STANDARD_METHODS};
use crate::lower::names::{known_at, label, name_at, numbered_at};
use crate::lower::plan::{Plan, Slot};
use crate::lower::shown::show_operands;
use crate::lower::total::total_of;
use crate::parse::access::{Access, Place, bare, recognise};
use crate::parse::function::{Kind, Names};

/// Rewrites expressions of one function.
#[derive(Debug)]
pub struct Rewrite<'a> {
    /// What the function is called for.
    pub kind: Kind,
    /// The names of its parameters.
    pub names: &'a Names,
    /// The name of the number of features.
    pub width: Option<&'a Ident>,
    /// Its registers.
    pub plan: &'a Plan,
    /// The type of its data.
    pub data: &'a Type,
}

impl<'a> Rewrite<'a> {
    /// That of a lowered function.
    pub fn of(lowered: &'a Lowered) -> Self {
        let function = &lowered.function;
        let (width, plan) = (width(lowered), &lowered.plan);
        Self { kind: function.kind, names: &function.names, width, plan, data: &function.data }
    }
}

impl Rewrite<'_> {
    /// The rewritten statement.
    pub fn statement(&self, statement: &Stmt) -> Stmt {
        let mut statement = statement.clone();
        Walk { rewrite: self, closures: 0 }.visit_stmt_mut(&mut statement);
        statement
    }

    /// The rewritten expression.
    pub fn expression(&self, expression: &Expr) -> Expr {
        let mut expression = expression.clone();
        Walk { rewrite: self, closures: 0 }.visit_expr_mut(&mut expression);
        expression
    }

    fn register(&self, access: &Access) -> Expr {
        let at = Span::mixed_site().located_at(access.property.span());
        let value = match self.plan.slot(access) {
            Slot::Load(number) => {
                let (loads, slot) = (name_at("loads", at), numbered_at("slot", number, at));
                quote_spanned!(at=> #loads.#slot)
            }
            Slot::Register(number) => {
                let register = numbered_at("register", number, at);
                quote_spanned!(at=> #register)
            }
            Slot::Sum(number) => sum(number, access.is_row, at),
        };
        if access.is_row {
            let index = name_at("index", at);
            return Expr::Verbatim(quote_spanned!(at=> #value[#index]));
        }
        Expr::Verbatim(value)
    }
}

/// The place of the value of sum number `number`.
pub fn sum(number: usize, is_row: bool, at: Span) -> TokenStream {
    let total = total(number, at);
    let field = if is_row { quote_spanned!(at=> values) } else { quote_spanned!(at=> value) };
    quote_spanned!(at=> #total.#field)
}

/// The place of sum number `number`: sums are a nested pair.
pub fn total(number: usize, at: Span) -> TokenStream {
    let sums = name_at("sums", at);
    let rest = (0..number).map(|_| quote_spanned!(at=> .1));
    quote_spanned!(at=> #sums #(#rest)* .0)
}

/// The variable that has what is the same for all features of sum number `number`.
pub fn shared(number: usize, at: Span) -> Ident {
    numbered_at("shared", number, at)
}

struct Walk<'a> {
    rewrite: &'a Rewrite<'a>,
    closures: usize,
}

impl Walk<'_> {
    fn access(&self, expression: &Expr) -> Option<Access> {
        recognise(expression, self.rewrite.kind, self.rewrite.names).and_then(Result::ok)
    }

    /// A method that a float may have of this crate: what it is called on decides, which only the compiler knows.
    fn math(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let is_one = |names: &[&str]| names.iter().any(|method| call.method == *method);
        if !is_one(MATH_METHODS) && !is_one(STANDARD_METHODS) {
            return None;
        }
        visit_mut::visit_expr_method_call_mut(self, call);
        let (at, receiver) = (Span::mixed_site().located_at(call.method.span()), bare(&call.receiver));
        let value = quote_spanned!(at=> ::onyx_device::method::Of(&(#receiver)).value());
        *call.receiver = Expr::Verbatim(value);
        Some(Expr::MethodCall(call.clone()))
    }

    /// The store's number of features, in place of the compiled one.
    fn features(&self, path: &ExprPath) -> Option<Expr> {
        self.rewrite.width.filter(|width| path.path.is_ident(*width))?;
        let at = Span::mixed_site().located_at(path.span());
        let group = name_at("group", at);
        Some(Expr::Verbatim(quote_spanned!(at=> (#group.features() as ::core::primitive::usize))))
    }

    /// What is read by a method is behind a shared reference, so that a method which changes it does not compile.
    fn read(&mut self, call: &mut ExprMethodCall) -> Option<Expr> {
        let names = self.rewrite.names;
        let is_variable = |name: &Ident| names.element != *name && names.feature.as_ref() != Some(name);
        let is_property = self.access(&call.receiver).is_some();
        if !(is_property || is_reader(call) && root(&call.receiver).is_some_and(is_variable)) {
            return None;
        }
        visit_mut::visit_expr_method_call_mut(self, call);
        let (receiver, at) = (&call.receiver, Span::mixed_site().located_at(call.receiver.span()));
        *call.receiver = Expr::Verbatim(quote_spanned!(at=> (*&#receiver)));
        Some(Expr::MethodCall(call.clone()))
    }

    fn leave(&mut self, expression: &mut Expr) -> Option<Expr> {
        let Expr::Return(leave) = expression else { return None };
        if self.closures > 0 {
            return None;
        }
        if let Some(value) = &mut leave.expr {
            self.visit_expr_mut(value);
        }
        let break_token = syn::Token![break](leave.return_token.span);
        Some(Expr::Break(ExprBreak { attrs: Vec::new(), break_token, label: Some(label()), expr: leave.expr.take() }))
    }

    /// `place.min_with(x)` as an assignment of the lesser of both, `place.mean_with(x)` as a contribution to the place's state.
    fn bound(&mut self, expression: &Expr) -> Option<Expr> {
        let Assignment { left, how: How::Bound(reduction), score, right, .. } = assignment(expression)? else {
            return None;
        };
        if reduction.has_state() {
            return self.contribution(left, reduction, score.into_iter().chain([right]));
        }
        let (mut place, mut value) = (left.clone(), right.clone());
        self.visit_expr_mut(&mut place);
        self.visit_expr_mut(&mut value);
        if self.access(left).is_some_and(|access| !access.is_row) {
            let function = known_at(if reduction == Reduction::Min { "lesser" } else { "greater" }, value.span());
            return Some(Expr::Assign(
                parse_quote!(#place = ::onyx_device::stored::Register::#function(#place, #value)),
            ));
        }
        let function = known_at(if reduction == Reduction::Min { "min" } else { "max" }, value.span());
        Some(Expr::Assign(parse_quote!(#place = ::core::primitive::f32::#function(#place, #value))))
    }

    /// `place |= x` and `place &= x` of a scalar total.
    fn bits(&mut self, expression: &Expr) -> Option<Expr> {
        let Assignment { left, how, right, .. } = assignment(expression)?;
        let reduction = reduction(how).ok().filter(|reduction| reduction.is_of_bits())?;
        let Slot::Sum(_) = self.rewrite.plan.slot(&self.access(left)?) else { return None };
        let (mut place, mut value) = (left.clone(), right.clone());
        self.visit_expr_mut(&mut place);
        self.visit_expr_mut(&mut value);
        let at = Span::mixed_site().located_at(left.span());
        let operator = known_at(reduction.operator(), at);
        Some(Expr::Verbatim(quote_spanned! {at=>
            #place = ::onyx_device::stored::Register::combine::<::onyx_device::operator::#operator>(#place, #value)
        }))
    }

    /// `place += x` and `place -= x` of a scalar total, which is modulo 2^32 where it is an integer.
    fn sum(&mut self, expression: &Expr) -> Option<Expr> {
        let Assignment { left, how: How::Compound(operator), right, .. } = assignment(expression)? else { return None };
        let function = match operator {
            BinOp::AddAssign(_) => "plus",
            BinOp::SubAssign(_) => "minus",
            _ => return None,
        };
        let access = self.access(left).filter(|access| !access.is_row)?;
        let Slot::Sum(_) = self.rewrite.plan.slot(&access) else { return None };
        let (mut place, mut value) = (left.clone(), right.clone());
        self.visit_expr_mut(&mut place);
        self.visit_expr_mut(&mut value);
        let at = Span::mixed_site().located_at(operator.span());
        let function = known_at(function, at);
        Some(Expr::Verbatim(quote_spanned!(at=> #place = ::onyx_device::stored::Register::#function(#place, #value))))
    }

    /// Combines the state of one contribution into that of a place.
    fn contribution<'e>(
        &mut self,
        place: &Expr,
        reduction: Reduction,
        arguments: impl Iterator<Item = &'e Expr>,
    ) -> Option<Expr> {
        let access = self.access(place)?;
        let Slot::Sum(number) = self.rewrite.plan.slot(&access) else { return None };
        let mut arguments: Vec<Expr> = arguments.cloned().collect();
        arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        let at = Span::mixed_site().located_at(access.property.span());
        let (total, operator) = (total(number, at), operator(&self.rewrite.plan.sums[number], at));
        let index = access.is_row.then(|| name_at("index", at)).into_iter();
        let is_shared = access.is_row && self.rewrite.plan.sums[number].is_shared;
        let (variable, group) = (shared(number, at), name_at("group", at));
        let machine = is_shared.then(|| quote_spanned!(at=> , _, _)).into_iter();
        let (shared, group) = (is_shared.then_some(&variable).into_iter(), is_shared.then_some(group).into_iter());
        let contribution = match reduction {
            Reduction::Own => quote_spanned!(at=> #(#arguments)*),
            _ => quote_spanned!(at=> #operator::contribution(#(#arguments),*)),
        };
        // Of a scalar each feature computes the same: by a variable of its own, which is one computation then.
        let taken = if !access.is_row && self.rewrite.names.feature.is_some() {
            let state = quote_spanned!(at=> <#operator as ::onyx_device::operator::StateOperator>);
            quote_spanned!(at=> #variable = #state::combine(#variable, #state::admitted(__contribution)))
        } else {
            quote_spanned!(at=> #total.take::<#operator #(#machine)*>(#(#group,)* #(&mut #shared,)* #(#index,)* __contribution))
        };
        Some(Expr::Verbatim(quote_spanned! {at=>
            {
                let __contribution: <#operator as ::onyx_device::operator::StateOperator>::State = #contribution;
                #taken
            }
        }))
    }

    /// A read at an index that is computed: a block, which gets parentheses where a statement begins with it.
    fn gathered(&mut self, access: &Access, index: &Expr) -> Expr {
        let mut index = index.clone();
        self.visit_expr_mut(&mut index);
        let Rewrite { plan, data, .. } = self.rewrite;
        Expr::Block(gathered_from(plan, data, access, &index))
    }

    /// Adds to a row that is computed.
    fn added(&mut self, expression: &Expr) -> Option<Expr> {
        let Assignment { left, how, right, .. } = assignment(expression)?;
        let access = self.access(left).filter(|access| access.place == Place::Row)?;
        let (mut index, mut value) = (access.index.as_deref()?.clone(), right.clone());
        self.visit_expr_mut(&mut index);
        self.visit_expr_mut(&mut value);
        if matches!(how, How::Compound(BinOp::SubAssign(_))) {
            value = parse_quote!(-(#value));
        }
        let operator = reduction(how).ok()?.operator();
        Some(Expr::Verbatim(added_to(self.rewrite.plan, self.rewrite.data, &access, (&index, operator, &value))))
    }

    /// The start of a vertex's contributions to a sum, `0.0`, which may be the row of a matrix.
    fn start(&mut self, expression: &Expr) -> Option<Expr> {
        let Expr::Assign(assign) = expression else { return None };
        let access = self.access(&assign.left)?;
        let is_start = access.is_row && total_of(&access.property).is_some();
        if !is_start || *assign.right != parse_quote!(0.0) {
            return None;
        }
        let (at, place) = (Span::mixed_site().located_at(access.property.span()), self.rewrite.register(&access));
        Some(Expr::Verbatim(quote_spanned!(at=> #place = ::onyx_device::value::Value::ZERO)))
    }

    fn replacement(&mut self, expression: &mut Expr) -> Option<Expr> {
        if let Some(start) = self.start(expression) {
            return Some(start);
        }
        if let Some(added) = self.added(expression) {
            return Some(added);
        }
        if let Some(combined) =
            self.bound(expression).or_else(|| self.sum(expression)).or_else(|| self.bits(expression))
        {
            return Some(combined);
        }
        if assignment(expression).is_none()
            && let Some(access) = self.access(expression)
        {
            return Some(match &access.index {
                Some(index) => self.gathered(&access, index),
                None => self.rewrite.register(&access),
            });
        }
        match expression {
            Expr::MethodCall(call) => self.math(call).or_else(|| self.read(call)),
            Expr::Path(path) => self.features(path),
            _ => self.leave(expression),
        }
    }
}

impl VisitMut for Walk<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match self.replacement(expression) {
            Some(replacement) => *expression = replacement,
            None => visit_mut::visit_expr_mut(self, expression),
        }
        show_operands(expression);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.closures += 1;
        visit_mut::visit_expr_closure_mut(self, closure);
        self.closures -= 1;
    }
}
