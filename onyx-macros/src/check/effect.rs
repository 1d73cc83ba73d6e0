//! What of a body could be seen if it ran for padding as well: a panic, an endless loop, a function of the user's.
//!
//! Types are not known here. What is certainly a float or a truth value is found by its form, and arithmetic on these has no effect; of all else
//! the worst is taken.

use syn::punctuated::Punctuated;
use syn::{Block, Expr, ExprCall, ExprMethodCall, Ident, Pat, Stmt, Token};

use crate::check::kind::{self, Kind};
use crate::check::operation::{Operation, called_by};
use crate::check::usage::{How, assignment};
use crate::parse::access::{Place, bare, evaluated, is_name, recognise};
use crate::parse::function::Function;

/// The worst that a body may do, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It computes with floats alone.
    Nothing,
    /// Arithmetic may panic, on the host: a GPU has no panics.
    Panic,
    /// It may do anything: it has a loop, an index, or calls a function.
    Anything,
}

/// The effect of a function, and whether it may panic on the host.
pub fn of(function: &Function) -> (Effect, bool) {
    let mut walk = Walk {
        function,
        variables: Vec::new(),
        branches: 0,
        may_differ: false,
        effect: Effect::Nothing,
        has_scalars: false,
    };
    walk.block(&function.body);
    (walk.effect, walk.has_scalars || walk.effect != Effect::Nothing)
}

struct Walk<'a> {
    function: &'a Function,
    /// The variables in scope.
    variables: Vec<(Ident, Kind)>,
    /// How many branches are around.
    branches: usize,
    /// Whether some features may have left by now, or have scalars of their own.
    may_differ: bool,
    effect: Effect,
    /// Whether it computes with two scalars, which may be integers.
    has_scalars: bool,
}

impl Walk<'_> {
    fn may(&mut self, effect: Effect) -> Kind {
        self.effect = self.effect.max(effect);
        Kind::Unknown
    }

    /// Walks what only some features may come to.
    fn branch<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.branches += 1;
        let result = walk(self);
        self.branches -= 1;
        result
    }

    fn scope<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.variables.len();
        let result = walk(self);
        self.variables.truncate(depth);
        result
    }

    fn block(&mut self, block: &Block) -> Kind {
        self.scope(|walk| block.stmts.iter().fold(Kind::Unknown, |_, statement| walk.statement(statement)))
    }

    fn statement(&mut self, statement: &Stmt) -> Kind {
        match statement {
            Stmt::Local(local) => {
                let Some(init) = &local.init else {
                    self.bind(&local.pat, Kind::Unknown);
                    return Kind::Unknown;
                };
                if let Some((_, otherwise)) = &init.diverge {
                    self.kind(otherwise);
                }
                self.declare(&local.pat, &init.expr);
                Kind::Unknown
            }
            Stmt::Expr(expression, _) => self.kind(expression),
            _ => self.may(Effect::Anything),
        }
    }

    fn declare(&mut self, pattern: &Pat, value: &Expr) {
        match (pattern, bare(value)) {
            (Pat::Tuple(names), Expr::Tuple(values)) if names.elems.len() == values.elems.len() => {
                let kinds: Vec<Kind> = values.elems.iter().map(|value| self.kind(value)).collect();
                names.elems.iter().zip(kinds).for_each(|(name, kind)| self.bind(name, kind));
            }
            _ => {
                let kind = self.kind(value);
                self.bind(pattern, kind);
            }
        }
    }

    /// A plain name has the value's kind; of what a pattern takes apart nothing is known.
    fn bind(&mut self, pattern: &Pat, kind: Kind) {
        match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.variables.push((name.ident.clone(), kind));
            }
            Pat::Type(typed) => self.bind(&typed.pat, Kind::declared(&typed.ty)),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.bind(element, Kind::Unknown)),
            _ => {
                let mut names = Names(Vec::new());
                syn::visit::Visit::visit_pat(&mut names, pattern);
                self.variables.extend(names.0.into_iter().map(|name| (name, Kind::Unknown)));
            }
        }
    }

    /// Walks an expression. Returns what is known of its value.
    fn kind(&mut self, expression: &Expr) -> Kind {
        if let Some(assignment) = assignment(expression) {
            if let Some(score) = assignment.score {
                self.kind(score);
            }
            let (left, right) = (self.place(assignment.left), self.kind(assignment.right));
            return match assignment.how {
                How::Compound(_) => self.arithmetic(left, right),
                _ => Kind::Unknown,
            };
        }
        if let Some(access) = recognise(expression, self.function.kind, &self.function.names) {
            evaluated(&access).map(|index| self.kind(index));
            let Ok(access) = access else { return Kind::Float };
            if access.is_row || matches!(access.place, Place::Graph | Place::Row) {
                return Kind::Float;
            }
            // What another vertex has may be another value for each feature, and for padding.
            self.may_differ |= access.place == Place::Computed;
            return Kind::Scalar;
        }
        match bare(expression) {
            Expr::Lit(literal) => Kind::of_literal(&literal.lit),
            Expr::Path(path) => self.path(path),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Cast(cast) => {
                self.kind(&cast.expr);
                Kind::declared(&cast.ty)
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            other => self.structure(other),
        }
    }

    /// What is left of an assignment: a property, a variable, or what lies in one.
    fn place(&mut self, left: &Expr) -> Kind {
        match bare(left) {
            Expr::Field(field) => {
                self.place(&field.base);
                Kind::Unknown
            }
            _ => self.kind(left),
        }
    }

    fn path(&self, path: &syn::ExprPath) -> Kind {
        let Some(name) = path.path.get_ident() else {
            let is_float = path.path.segments.iter().any(|segment| segment.ident == "f32");
            return if is_float { Kind::Float } else { Kind::Unknown };
        };
        if let Some((_, kind)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            return *kind;
        }
        let is_width = self.function.generics.const_params().next().is_some_and(|width| width.ident == *name);
        if is_width { Kind::Integer } else { Kind::Unknown }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Kind {
        use syn::BinOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        let left = self.kind(&binary.left);
        let right = match binary.op {
            And(_) | Or(_) => self.branch(|walk| walk.kind(&binary.right)),
            _ => self.kind(&binary.right),
        };
        match binary.op {
            And(_) | Or(_) => Kind::Truth,
            Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => {
                if left == Kind::Unknown && right == Kind::Unknown {
                    self.may(Effect::Panic);
                }
                Kind::Truth
            }
            _ => self.arithmetic(left, right),
        }
    }

    /// A float with something unknown is a float, too, as with a constant of the user's.
    ///
    /// Of two scalars nobody knows whether they are integers. What is computed of them wherever any feature comes is the same for padding as for a
    /// feature that is there; in a branch, padding may be alone.
    fn arithmetic(&mut self, left: Kind, right: Kind) -> Kind {
        match (left, right) {
            (Kind::Float, Kind::Float | Kind::Scalar) | (Kind::Scalar, Kind::Float) => Kind::Float,
            (Kind::Scalar, Kind::Scalar) => {
                self.has_scalars = true;
                if self.branches > 0 || self.may_differ {
                    self.may(Effect::Panic);
                }
                Kind::Scalar
            }
            (Kind::Scalar, Kind::Unknown) | (Kind::Unknown, Kind::Scalar) => {
                self.may(Effect::Panic);
                Kind::Scalar
            }
            (Kind::Truth, Kind::Truth) => Kind::Truth,
            (Kind::Float, _) | (_, Kind::Float) => {
                self.may(Effect::Panic);
                Kind::Float
            }
            (Kind::Integer | Kind::Scalar, Kind::Integer | Kind::Scalar) => {
                self.may(Effect::Panic);
                Kind::Integer
            }
            _ => self.may(Effect::Panic),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Kind {
        let is_literal = matches!(bare(&unary.expr), Expr::Lit(_));
        match (self.kind(&unary.expr), unary.op) {
            (kind, syn::UnOp::Neg(_)) if matches!(kind, Kind::Float | Kind::Scalar) || is_literal => kind,
            (kind @ (Kind::Truth | Kind::Integer | Kind::Scalar), syn::UnOp::Not(_)) => kind,
            (_, syn::UnOp::Deref(_)) => Kind::Unknown,
            (kind, _) => {
                self.may(Effect::Panic);
                kind
            }
        }
    }

    fn call(&mut self, call: &ExprCall) -> Kind {
        let shadowed: Vec<Ident> = self.variables.iter().map(|(name, _)| name.clone()).collect();
        let operation = called_by(call, &shadowed).map(|(operation, ..)| operation);
        self.all(&call.args);
        match operation {
            Some(Operation::Argmax) => Kind::Integer,
            Some(Operation::Any | Operation::All) => Kind::Truth,
            Some(_) => Kind::Float,
            None if is_some(&call.func) => Kind::Unknown,
            None => self.may(Effect::Anything),
        }
    }

    fn method(&mut self, call: &ExprMethodCall) -> Kind {
        let is_feature = self.function.names.feature.as_ref().is_some_and(|feature| is_name(&call.receiver, feature));
        let receiver = if is_feature { Kind::Integer } else { self.kind(&call.receiver) };
        let known = self.all(&call.args);
        if !known {
            return self.may(Effect::Anything);
        }
        match kind::of_method(receiver, &call.method) {
            Some(kind) => kind,
            None if matches!(receiver, Kind::Float | Kind::Scalar) && call.method == "clamp" => {
                self.may(Effect::Panic);
                receiver
            }
            None => self.may(Effect::Anything),
        }
    }

    /// Walks arguments. Returns whether something is known of each.
    fn all(&mut self, arguments: &Punctuated<Expr, Token![,]>) -> bool {
        arguments.iter().filter(|argument| self.kind(argument) == Kind::Unknown).count() == 0
    }

    /// What has others in it, and gives nothing new.
    fn structure(&mut self, expression: &Expr) -> Kind {
        match expression {
            Expr::If(choice) => self.choice(choice),
            Expr::Let(condition) => {
                let kind = self.kind(&condition.expr);
                self.bind(&condition.pat, kind);
                Kind::Truth
            }
            Expr::Match(choice) => self.arms(choice),
            Expr::Block(block) => self.block(&block.block),
            Expr::Tuple(tuple) => self.parts(tuple.elems.iter()),
            Expr::Array(array) => self.parts(array.elems.iter()),
            Expr::Struct(whole) => self.parts(whole.fields.iter().map(|field| &field.expr)),
            Expr::Repeat(repeat) => self.parts([&*repeat.expr]),
            Expr::Reference(reference) => self.parts([&*reference.expr]),
            Expr::Field(field) => self.field(field),
            Expr::Return(leave) => {
                self.may_differ = true;
                self.parts(leave.expr.as_deref())
            }
            // Nothing runs before it is called.
            Expr::Closure(_) => Kind::Unknown,
            _ => self.may(Effect::Anything),
        }
    }

    fn parts<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Kind {
        for part in parts {
            self.kind(part);
        }
        Kind::Unknown
    }

    /// Of the edge or the vertex all fields are numbers.
    fn field(&mut self, field: &syn::ExprField) -> Kind {
        let element = &self.function.names.element;
        let is_part = |base: &Expr| is_name(base, element);
        let is_element =
            is_part(&field.base) || matches!(bare(&field.base), Expr::Field(inner) if is_part(&inner.base));
        if is_element { Kind::Integer } else { self.parts([&*field.base]) }
    }

    fn choice(&mut self, choice: &syn::ExprIf) -> Kind {
        let then = self.scope(|walk| {
            walk.kind(&choice.cond);
            walk.branch(|walk| walk.block(&choice.then_branch))
        });
        let otherwise = choice.else_branch.as_ref().map(|(_, otherwise)| self.branch(|walk| walk.kind(otherwise)));
        otherwise.map_or(Kind::Unknown, |otherwise| then.or(otherwise))
    }

    fn arms(&mut self, choice: &syn::ExprMatch) -> Kind {
        let kind = self.kind(&choice.expr);
        let arm = |arm| self.branch(|walk| walk.scope(|walk| walk.arm(arm, kind)));
        let kinds: Vec<Kind> = choice.arms.iter().map(arm).collect();
        kinds.into_iter().reduce(Kind::or).unwrap_or(Kind::Unknown)
    }

    fn arm(&mut self, arm: &syn::Arm, kind: Kind) -> Kind {
        match &arm.pat {
            Pat::Guard(guarded) => {
                self.bind(&guarded.pat, kind);
                self.kind(&guarded.guard);
            }
            pattern => self.bind(pattern, kind),
        }
        self.kind(&arm.body)
    }
}

fn is_some(function: &Expr) -> bool {
    matches!(bare(function), Expr::Path(path) if path.path.is_ident("Some"))
}

/// The names that a pattern binds.
struct Names(Vec<Ident>);

impl<'ast> syn::visit::Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.clone());
        syn::visit::visit_pat_ident(self, pattern);
    }
}
