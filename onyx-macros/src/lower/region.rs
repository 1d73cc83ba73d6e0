//! Splits a body into regions at its collaborative operations, in the order of evaluation.

use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    BinOp, Expr, ExprBinary, ExprClosure, ExprIf, ExprMatch, ExprMethodCall, ExprReturn, Ident, Local, Stmt,
    parse_quote, parse_quote_spanned,
};

use crate::check::operation::{Arguments, Operation, called, calls_operation, declared};
use crate::check::order::{Effect, Effects, Order, is_mutable_place};
use crate::check::usage::{Use, assignment, compound};
use crate::errors::Errors;
use crate::lower::names::{name_at, numbered, numbered_at};
use crate::lower::total::total_of;
use crate::message;
use crate::parse::access::{Access, Place, recognise};
use crate::parse::function::{Function, Kind};

/// A collaborative operation between two regions.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which one.
    pub operation: Operation,
    /// The user's token.
    pub name: Ident,
    /// What it is called with, computed at the end of the region before it.
    pub arguments: Arguments,
}

/// Statements that each feature runs alone.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// The operation that ends the region; the last region has none.
    pub call: Option<Call>,
    /// How many of the statements add an outer product to a total as it is.
    pub added_products: usize,
    /// What has a vertex's contribution to a total of the graph, if that is the operation's result, an outer product, and nothing else.
    pub contribution: Option<Ident>,
}

/// The variable that holds the result of call number `number`.
pub fn result(number: usize) -> Ident {
    numbered("result", number)
}

/// The regions of a body; one more than there are operations. Refuses statements that cannot be taken apart as Rust evaluates them.
pub fn split(function: &Function, errors: &mut Errors) -> Vec<Region> {
    let (regions, open, variables) = Default::default();
    let mut split = Split { function, errors, regions, open, variables, order: Order::default() };
    for statement in &function.body.stmts {
        split.statement(statement.clone());
    }
    split.regions.push(split.open);
    split.regions
}

struct Split<'a> {
    function: &'a Function,
    errors: &'a mut Errors,
    regions: Vec<Region>,
    open: Region,
    /// The variables that are declared so far, and whether they are `mut`.
    variables: Vec<(Ident, bool)>,
    /// What of the statement has been walked.
    order: Order,
}

impl Split<'_> {
    fn statement(&mut self, mut statement: Stmt) {
        let (total, contribution) = (self.total_of_product(&statement), self.contribution_of_product(&statement));
        self.order.begin();
        match &mut statement {
            Stmt::Local(Local { init: Some(init), .. }) => {
                self.walk(&mut init.expr);
                if let Some((_, otherwise)) = &init.diverge {
                    self.pass(otherwise);
                }
            }
            Stmt::Expr(expression, _) => self.walk(expression),
            Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => {}
        }
        self.order.end();
        if let Some(total) = total {
            statement = self.added_to(&total);
        }
        if let Some(region) = self.regions.last_mut().filter(|_| contribution.is_some()) {
            region.contribution = contribution;
        }
        self.variables.extend(declared(&statement));
        self.open.statements.push(statement);
    }

    /// The total that an edge function adds an outer product to as it is, in a statement of its own.
    fn total_of_product(&self, statement: &Stmt) -> Option<Expr> {
        let (left, access) = self.product_added_to(statement)?;
        let is_total = self.function.kind == Kind::Edge && access.is_row && access.place != Place::Row;
        is_total.then(|| left.clone())
    }

    /// The same of a vertex function's contribution to a total of the graph.
    fn contribution_of_product(&self, statement: &Stmt) -> Option<Ident> {
        let (_, access) = self.product_added_to(statement)?;
        let is_contribution = access.is_row && access.place == Place::Vertex && total_of(&access.property).is_some();
        is_contribution.then_some(access.property)
    }

    /// What a statement adds an outer product to as it is.
    fn product_added_to<'s>(&self, statement: &'s Stmt) -> Option<(&'s Expr, Access)> {
        let Stmt::Expr(Expr::Binary(ExprBinary { left, op: BinOp::AddAssign(_), right, .. }), _) = statement else {
            return None;
        };
        let (operation, ..) = called(right, &self.shadowed())?;
        let access = recognise(left, self.function.kind, &self.function.names)?.ok()?;
        (operation == Operation::Outer).then_some((left, access))
    }

    /// The statement that adds the last result to a total: products of several edges may be added at once.
    fn added_to(&mut self, total: &Expr) -> Stmt {
        let at = Span::mixed_site().located_at(total.span());
        let (result, index) = (numbered_at("result", self.regions.len() - 1, at), name_at("index", at));
        self.open.added_products += 1;
        let receiver = Expr::Verbatim(quote_spanned!(at=> #result));
        let index = Expr::Verbatim(quote_spanned!(at=> #index));
        Stmt::Expr(parse_quote_spanned!(at=> #receiver.add_to(#index, &mut #total)), Some(Default::default()))
    }

    /// Takes the operations out of an expression, in the order of evaluation.
    fn walk(&mut self, expression: &mut Expr) {
        let shadowed = self.shadowed();
        if let Some((operation, name, arguments)) = called(expression, &shadowed) {
            let (name, mut arguments) = (name.clone(), arguments.clone());
            self.order.begin();
            arguments.iter_mut().for_each(|argument| self.walk(argument));
            self.order.operate(&name, self.errors);
            *expression = self.end(operation, name, arguments);
        } else if calls_operation(expression, &shadowed) {
            self.descend(expression);
        } else {
            self.pass(expression);
        }
    }

    /// Walks an argument of a call.
    fn argument(&mut self, argument: &mut Expr) {
        if is_mutable_place(argument) && !calls_operation(argument, &self.shadowed()) {
            self.order.pass(Effect::Reads, argument);
        } else {
            self.walk(argument);
        }
    }

    fn shadowed(&self) -> Vec<Ident> {
        self.variables.iter().map(|(name, _)| name.clone()).collect()
    }

    fn effects(&self) -> Effects<'_> {
        Effects { function: self.function, variables: &self.variables }
    }

    /// An expression without operations is evaluated.
    fn pass(&mut self, expression: &Expr) {
        let (effect, at) = self.effects().of(expression);
        self.order.pass(effect, at);
    }

    /// Walks the parts of an expression, then notes what it does itself.
    fn descend(&mut self, expression: &mut Expr) {
        let (own, at) = (self.effects().own(expression), expression.to_token_stream());
        if !self.parts(expression) {
            self.errors.push(&at, message::UNSUPPORTED);
        }
        self.order.pass(own, &at);
    }

    fn each<'e>(&mut self, parts: impl IntoIterator<Item = &'e mut Expr>) {
        parts.into_iter().for_each(|part| self.walk(part));
    }

    /// Walks the parts of an expression in the order of evaluation. Whether it is of a kind in which operations may be called.
    fn parts(&mut self, expression: &mut Expr) -> bool {
        match expression {
            Expr::Array(array) => self.each(&mut array.elems),
            Expr::Tuple(tuple) => self.each(&mut tuple.elems),
            Expr::Struct(of) => {
                self.each(of.fields.iter_mut().map(|field| &mut field.expr));
                self.each(of.rest.as_deref_mut());
            }
            Expr::Call(call) => {
                self.walk(&mut call.func);
                call.args.iter_mut().for_each(|argument| self.argument(argument));
            }
            Expr::MethodCall(call) if is_bound(call) => {
                self.each(&mut call.args);
                self.place(&mut call.receiver);
            }
            Expr::MethodCall(call) => {
                self.walk(&mut call.receiver);
                call.args.iter_mut().for_each(|argument| self.argument(argument));
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Assign(assign) => {
                self.walk(&mut assign.right);
                self.place(&mut assign.left);
            }
            Expr::Index(index) => self.each([&mut *index.expr, &mut *index.index]),
            Expr::Range(range) => self.each(range.start.as_deref_mut().into_iter().chain(range.end.as_deref_mut())),
            Expr::Cast(cast) => self.walk(&mut cast.expr),
            Expr::Field(field) => self.walk(&mut field.base),
            Expr::Group(inner) => self.walk(&mut inner.expr),
            Expr::Paren(inner) => self.walk(&mut inner.expr),
            Expr::Reference(reference) => self.walk(&mut reference.expr),
            Expr::Repeat(repeat) => self.walk(&mut repeat.expr),
            Expr::Unary(unary) => self.walk(&mut unary.expr),
            Expr::Let(condition) => self.walk(&mut condition.expr),
            Expr::Return(leave) => self.each(leave.expr.as_deref_mut()),
            _ => return self.branches(expression),
        }
        true
    }

    /// Walks what decides where to go. What it goes to calls no operation, and is evaluated after it.
    fn branches(&mut self, expression: &mut Expr) -> bool {
        match expression {
            Expr::If(choice) => {
                self.walk(&mut choice.cond);
                self.pass(&Expr::If(ExprIf { cond: parse_quote!(true), ..choice.clone() }));
            }
            Expr::Match(choice) => {
                self.walk(&mut choice.expr);
                self.pass(&Expr::Match(ExprMatch { expr: parse_quote!(()), ..choice.clone() }));
            }
            Expr::ForLoop(repeated) => self.walk(&mut repeated.expr),
            _ => return false,
        }
        true
    }

    fn binary(&mut self, binary: &mut ExprBinary) {
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                self.walk(&mut binary.left);
                self.pass(&binary.right);
            }
            operator if compound(&operator) => self.compound(&mut binary.left, &mut binary.right),
            _ => self.each([&mut *binary.left, &mut *binary.right]),
        }
    }

    /// The right side of a compound assignment is evaluated first where both are numbers, the left one elsewhere: both must give the same.
    fn compound(&mut self, left: &mut Expr, right: &mut Expr) {
        self.pass_indices(left);
        self.walk(right);
        self.place(left);
    }

    /// What says which place is assigned.
    fn pass_indices(&mut self, left: &Expr) {
        match left {
            Expr::Index(index) if !self.is_access(left) => {
                self.pass_indices(&index.expr);
                self.pass(&index.index);
            }
            Expr::Field(field) => self.pass_indices(&field.base),
            Expr::Paren(inner) => self.pass_indices(&inner.expr),
            Expr::Group(inner) => self.pass_indices(&inner.expr),
            Expr::Path(_) | Expr::Index(_) => {}
            _ => self.pass(left),
        }
    }

    /// Walks what says which place is assigned.
    fn place(&mut self, left: &mut Expr) {
        match left {
            _ if self.is_access(left) => self.row(left),
            Expr::Index(index) => {
                self.place(&mut index.expr);
                self.walk(&mut index.index);
            }
            Expr::Field(field) => self.place(&mut field.base),
            Expr::Paren(inner) => self.place(&mut inner.expr),
            Expr::Group(inner) => self.place(&mut inner.expr),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|place| self.place(place)),
            Expr::Array(array) => array.elems.iter_mut().for_each(|place| self.place(place)),
            Expr::Struct(of) => of.fields.iter_mut().for_each(|field| self.place(&mut field.expr)),
            Expr::Call(call) => call.args.iter_mut().for_each(|place| self.place(place)),
            Expr::Path(_) | Expr::Infer(_) => {}
            _ => self.walk(left),
        }
    }

    /// Walks what says which row of a table a place is: `i` of `d.total[i][f]`.
    fn row(&mut self, left: &mut Expr) {
        match left {
            Expr::Paren(inner) => self.row(&mut inner.expr),
            Expr::Group(inner) => self.row(&mut inner.expr),
            Expr::Index(feature) => {
                if let Expr::Index(row) = &mut *feature.expr {
                    self.walk(&mut row.index);
                }
            }
            _ => {}
        }
    }

    fn is_access(&self, expression: &Expr) -> bool {
        recognise(expression, self.function.kind, &self.function.names).is_some()
    }

    /// Ends the open region with a call; returns the expression that stands for its result.
    fn end(&mut self, operation: Operation, name: Ident, arguments: Arguments) -> Expr {
        let at = name.span();
        let result = numbered_at("result", self.regions.len(), at);
        let mut region = std::mem::take(&mut self.open);
        region.call = Some(Call { operation, name, arguments });
        self.regions.push(region);
        if operation.is_uniform() {
            return Expr::Verbatim(quote_spanned!(at=> #result));
        }
        let index = name_at("index", at);
        if operation.has_rows() {
            return Expr::Verbatim(quote_spanned!(at=> #result.row(#index)));
        }
        Expr::Verbatim(quote_spanned!(at=> #result[#index]))
    }
}

/// Leaves out contributions that other statements write as well, beside the one that begins them.
pub fn keep_sole_contributions(regions: &mut [Region], uses: &[Use]) {
    for region in regions {
        let writes =
            |property: &Ident| uses.iter().filter(|usage| usage.writes() && usage.access.property == *property).count();
        region.contribution = region.contribution.take().filter(|property| writes(property) == 2);
    }
}

/// Whether a call reduces into a property: `d.least[e.dst][f].min_with(x)`.
fn is_bound(call: &ExprMethodCall) -> bool {
    assignment(&Expr::MethodCall(call.clone())).is_some()
}

/// Refuses a `return` that a collaborative operation follows.
pub fn check_returns(regions: &[Region], errors: &mut Errors) {
    for region in regions {
        let Some(call) = &region.call else { continue };
        let mut found = Returns(Vec::new());
        region.statements.iter().for_each(|statement| found.visit_stmt(statement));
        call.arguments.iter().for_each(|argument| found.visit_expr(argument));
        for leave in found.0 {
            errors.push_at(leave.return_token.span, message::early_return(&call.name));
        }
    }
}

struct Returns(Vec<ExprReturn>);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, leave: &'ast ExprReturn) {
        self.0.push(leave.clone());
        visit::visit_expr_return(self, leave);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}
