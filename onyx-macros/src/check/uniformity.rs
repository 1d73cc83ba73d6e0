//! Which values are the same for all features. A scalar property may only be given such a value.
//!
//! Values are followed through variables in the order of evaluation, loops until nothing new is found. A variable that may be changed otherwise
//! than by an assignment (see [`crate::check::alias`]) differs from its declaration on if anything that differs comes together with it, or with
//! what may be changed through it, anywhere in the body.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprPath, Ident, Local, Pat, Stmt};

use crate::check::alias::{Aliases, Bound, Mentioned, pairs};
use crate::check::cause::{Cause, Taint, join};
use crate::check::control::{Control, Kind};
use crate::check::operation::{Arguments, Operation};
use crate::check::place::assigned;
use crate::check::scope::Scoped;
use crate::check::usage::Assignment;
use crate::errors::Errors;
use crate::message;
use crate::parse::access::{Access, Place, recognise};
use crate::parse::function::Function;

/// What is the same for all features of a function.
#[derive(Debug, Default)]
pub struct Uniformity {
    /// Whether its own value is.
    pub is_uniform: bool,
    /// The properties whose contributions weigh, or arrive, differently for different features.
    pub apart: Vec<Ident>,
}

/// Checks the scalar writes of a function. Returns what is the same for all features.
pub fn check(function: &Function, errors: &mut Errors) -> Uniformity {
    if function.names.feature.is_none() {
        return Uniformity { is_uniform: true, apart: Vec::new() };
    }
    let scoped = Scoped::new(&function.body);
    let mut walk = Walk::new(function, &scoped, Aliases::of(&scoped));
    let is_uniform = walk.settle();
    walk.mistakes.into_iter().for_each(|mistake| errors.push(mistake.at, mistake.text));
    Uniformity { is_uniform, apart: walk.apart }
}

/// A scalar that is given what differs.
struct Mistake {
    /// Where the expression lies in this process's memory, so that each is reported once.
    address: usize,
    at: TokenStream,
    text: String,
}

/// Follows values through a body whose variables have names of their own.
pub(super) struct Walk<'a> {
    pub(super) function: &'a Function,
    pub(super) scoped: &'a Scoped,
    aliases: Aliases,
    /// The variables that differ.
    taints: HashMap<Ident, Cause>,
    /// The classes that differ, whatever is walked.
    classes: HashMap<usize, Cause>,
    pub(super) control: Control,
    /// What has been read that differs.
    pub(super) seen: Taint,
    mistakes: Vec<Mistake>,
    /// The properties with features whose contributions weigh, or arrive, differently.
    apart: Vec<Ident>,
}

impl<'a> Walk<'a> {
    fn new(function: &'a Function, scoped: &'a Scoped, aliases: Aliases) -> Self {
        let (taints, classes, apart, mistakes) = Default::default();
        Self { function, scoped, aliases, taints, classes, control: Control::new(), seen: None, mistakes, apart }
    }

    /// Walks the body until no class is found to differ any more. Returns whether its value is the same for all features.
    fn settle(&mut self) -> bool {
        loop {
            let before = self.classes.len();
            self.taints.clear();
            self.mistakes.clear();
            self.apart.clear();
            self.control = Control::new();
            let tail = self.block(&self.scoped.body);
            let value = join(tail, self.control.exit());
            if self.classes.len() == before {
                return value.is_none();
            }
        }
    }

    /// Grows with what is known.
    pub(super) fn size(&self) -> usize {
        self.taints.len() + self.classes.len() + self.control.size()
    }

    /// Something is read.
    pub(super) fn see(&mut self, taint: Taint) -> Taint {
        self.seen = join(self.seen.take(), taint.clone());
        taint
    }

    /// The taint of a name.
    pub(super) fn name(&mut self, path: &ExprPath) -> Taint {
        let name = path.path.get_ident()?;
        if self.function.names.feature.as_ref() == Some(name) {
            return self.see(Some(Cause::Differs));
        }
        let original = self.scoped.original(name)?;
        let taint = match self.aliases.class(name) {
            Some(class) => self.classes.get(&class).map(|_| Cause::Through(original.clone())),
            None => self.taints.get(name).cloned(),
        };
        self.see(taint)
    }

    /// A variable is given a value for the first time.
    fn declare(&mut self, name: Ident, taint: Taint) {
        match (self.aliases.class(&name), taint) {
            (Some(class), Some(cause)) => drop(self.classes.insert(class, cause)),
            (None, Some(cause)) => drop(self.taints.insert(name, cause)),
            (None, None) => drop(self.taints.remove(&name)),
            (Some(_), None) => {}
        }
    }

    /// A variable may get a value that differs.
    fn taint(&mut self, name: &Ident, cause: &Cause) {
        match self.aliases.class(name) {
            Some(class) => drop(self.classes.insert(class, cause.clone())),
            None if self.scoped.original(name).is_some() => drop(self.taints.insert(name.clone(), cause.clone())),
            None => {}
        }
    }

    /// Something that differs comes together with the variables of an expression: those that may be changed there differ from now on.
    pub(super) fn touch(&mut self, expression: &Expr, taint: Taint) {
        let Some(cause) = join(taint, self.control.here()) else { return };
        for name in Mentioned::of(expression, self.scoped) {
            if self.aliases.class(&name).is_some() {
                self.taint(&name, &cause);
            }
        }
    }

    /// A pattern takes a value, of which it takes the parts one by one where both are written out.
    pub(super) fn bind(&mut self, pattern: &Pat, taint: &Taint) {
        Bound::by(pattern).names.into_iter().for_each(|name| self.declare(name, taint.clone()));
    }

    pub(super) fn assign(&mut self, Assignment { left, score, right, .. }: Assignment<'_>) {
        let weight = score.and_then(|score| self.value(score));
        let taint = self.value(right);
        match recognise(left, self.function.kind, &self.function.names) {
            Some(Ok(access)) => {
                self.index_of(access.index.as_deref());
                score.into_iter().for_each(|score| self.write(&access, left, score, weight.clone()));
                self.write(&access, left, right, taint);
                self.weigh(access, weight);
            }
            Some(Err(_)) => {}
            None => {
                let taint = join(join(taint, self.index(left)), self.control.here());
                assigned(left).into_iter().for_each(|place| self.change(place, &taint));
            }
        }
    }

    /// The taint of what says which place is assigned.
    fn index(&mut self, left: &Expr) -> Taint {
        match left {
            Expr::Index(index) => join(self.value(&index.index), self.index(&index.expr)),
            Expr::Field(field) => self.index(&field.base),
            Expr::Paren(inner) => self.index(&inner.expr),
            Expr::Group(inner) => self.index(&inner.expr),
            Expr::Path(_) | Expr::Infer(_) => None,
            Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_) => {
                assigned(left).into_iter().filter(|place| !std::ptr::eq(*place, left)).fold(None, |taint, place| {
                    let index = self.index(place);
                    join(taint, index)
                })
            }
            _ => self.value(left),
        }
    }

    /// A place other than a property is assigned.
    fn change(&mut self, place: &Expr, taint: &Taint) {
        let Some(cause) = taint else { return };
        match crate::check::place::root(place) {
            Some(name) => self.taint(name, cause),
            None => self.touch(place, taint.clone()),
        }
    }

    /// A property is assigned or reduced into.
    fn write(&mut self, access: &Access, left: &Expr, right: &Expr, taint: Taint) {
        let is_scalar = !access.is_row && access.place != Place::Graph;
        match (taint, self.control.here()) {
            _ if !is_scalar => {}
            (Some(Cause::Differs), _) => self.refuse(right, message::differs(&access.property)),
            (Some(Cause::Through(name)), _) => self.refuse(right, message::differs_through(&access.property, name)),
            (None, Some(_)) => self.refuse(left, message::differs_by_branch(&access.property)),
            (None, None) => {}
        }
    }

    /// A property gets a contribution of this weight, if it is reduced into.
    fn weigh(&mut self, access: Access, weight: Taint) {
        if access.is_row && join(weight, self.control.here()).is_some() {
            self.apart.push(access.property);
        }
    }

    pub(super) fn refuse(&mut self, at: &Expr, text: String) {
        let address = std::ptr::from_ref(at).addr();
        if !self.mistakes.iter().any(|known| known.address == address) {
            self.mistakes.push(Mistake { address, at: at.to_token_stream(), text });
        }
    }

    /// Walks the arguments of an operation. Which feature is broadcast must be the same for all.
    pub(super) fn operate(&mut self, operation: Operation, arguments: &Arguments) -> Taint {
        for (position, argument) in arguments.iter().enumerate() {
            let differs = self.value(argument).is_some();
            if differs && operation == Operation::Broadcast && position == 1 {
                self.refuse(argument, message::BROADCAST_DIFFERS.to_owned());
            }
        }
        let taint = (!operation.is_uniform()).then_some(Cause::Differs);
        self.see(taint)
    }

    /// Walks statements. The taint of their value.
    pub(super) fn block(&mut self, block: &Block) -> Taint {
        let mut value = None;
        for statement in &block.stmts {
            value = match statement {
                Stmt::Local(local) => self.local(local),
                Stmt::Expr(expression, end) => self.value(expression).filter(|_| end.is_none()),
                Stmt::Item(_) => None,
                Stmt::Macro(_) => Some(Cause::Differs),
            };
        }
        value
    }

    fn local(&mut self, local: &Local) -> Taint {
        let Some(init) = &local.init else {
            self.bind(&local.pat, &None);
            return None;
        };
        if let Some(pairs) = pairs(&local.pat, &init.expr) {
            let taints: Vec<Taint> = pairs.iter().map(|(_, value)| self.value(value)).collect();
            pairs.iter().zip(taints).for_each(|((pattern, _), taint)| self.bind(pattern, &taint));
            return None;
        }
        let taint = self.value(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            self.under(taint.clone(), |walk| walk.value(otherwise));
        }
        self.bind(&local.pat, &taint);
        None
    }

    /// Walks what only features come to for which a condition of this taint holds.
    pub(super) fn under<T>(&mut self, condition: Taint, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.control.around.clone();
        self.control.around = join(before.clone(), condition);
        let value = walk(self);
        self.control.around = before;
        value
    }

    /// Walks a loop until a round finds nothing new. The taint of its value.
    pub(super) fn repeat(&mut self, label: Option<&syn::Label>, mut round: impl FnMut(&mut Self)) -> Taint {
        let before = self.control.around.clone();
        self.control.enter(label.map(|label| label.name.clone()), Kind::Loop);
        loop {
            let size = self.size();
            round(self);
            if self.size() == size {
                break;
            }
        }
        self.control.around = before;
        self.control.exit()
    }

    /// Walks the conditions inside of a pattern.
    pub(super) fn guards(&mut self, pattern: &Pat) -> Taint {
        let mut guards = Guards(Vec::new());
        guards.visit_pat(pattern);
        guards.0.into_iter().fold(None, |taint, guard| {
            let guard = self.value(guard);
            join(taint, guard)
        })
    }
}

struct Guards<'ast>(Vec<&'ast Expr>);

impl<'ast> Visit<'ast> for Guards<'ast> {
    fn visit_pat_guard(&mut self, pattern: &'ast syn::PatGuard) {
        self.0.push(&pattern.guard);
        visit::visit_pat(self, &pattern.pat);
    }
}
