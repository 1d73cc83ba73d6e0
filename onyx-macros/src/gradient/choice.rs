//! Branches: `if`, `if let` and `match`.

use std::collections::BTreeMap;

use syn::{Expr, ExprIf, ExprMatch, Ident, Pat};

use crate::gradient::pattern::{bound_names, computes};
use crate::gradient::reader::Reading;
use crate::gradient::value::{Arm, Block, Cell, Choice, Id, Step};
use crate::message;
use crate::parse::access::bare;

/// What a branch has computed.
pub(super) struct Branch {
    steps: Vec<Step>,
    result: Option<Id>,
    variables: BTreeMap<Ident, Id>,
    cells: Vec<(Cell, Id)>,
}

/// What is matched: a value, or the parts of a tuple.
enum Matched {
    Whole(Id),
    Parts(Vec<Matched>),
}

impl Reading<'_, '_> {
    /// Reads an `if`, which may have a chain of conditions, as in `c && let x = d.x[v][f]`.
    pub(super) fn choose_if(&mut self, choice: &ExprIf) -> Option<Id> {
        self.choose_chain(&conditions(&choice.cond), choice)
    }

    /// An `if` inside of another for each condition. What is otherwise is that of each.
    fn choose_chain(&mut self, conditions: &[&Expr], choice: &ExprIf) -> Option<Id> {
        let Some((first, rest)) = conditions.split_first() else { return self.body(&choice.then_branch) };
        let Expr::Let(binding) = bare(first) else {
            let which = self.expression(first);
            let yes = self.branch(|reading| reading.choose_chain(rest, choice));
            let no = self.branch(|reading| reading.otherwise(choice));
            return self.join(which, None, vec![yes, no]);
        };
        let value = &binding.expr;
        let (matched, which) = (self.matched(value), self.code(value, Some(message::GRADIENT_PATTERN.to_owned())));
        let (arm, yes) = self.arm(which, &matched, &binding.pat, |reading| reading.choose_chain(rest, choice));
        let no = self.branch(|reading| reading.otherwise(choice));
        self.join(which, Some(vec![arm, Arm { pattern: syn::parse_quote!(_), bound: Vec::new() }]), vec![yes, no])
    }

    fn otherwise(&mut self, choice: &ExprIf) -> Option<Id> {
        choice.else_branch.as_ref().and_then(|(_, otherwise)| self.evaluated(otherwise))
    }

    /// Reads a `match`. Where a pattern has a condition, which arm is taken is computed first, and the arms are chosen by its number.
    pub(super) fn choose_match(&mut self, choice: &ExprMatch) -> Option<Id> {
        let (matched, by_number) = (self.matched(&choice.expr), choice.arms.iter().any(|arm| condition(&arm.pat)));
        let which = if by_number {
            self.code(&numbered(choice), None)
        } else {
            self.code(&choice.expr, Some(message::GRADIENT_PATTERN.to_owned()))
        };
        let read = |arm: &syn::Arm| self.arm(which, &matched, &arm.pat, |reading| reading.evaluated(&arm.body));
        let (mut arms, branches): (Vec<Arm>, Vec<Branch>) = choice.arms.iter().map(read).collect();
        if by_number {
            self.choose_by_number(choice, &mut arms);
        }
        self.join(which, Some(arms), branches)
    }

    /// Has numbers stand for the patterns of arms. What these take apart has no name then.
    fn choose_by_number(&mut self, choice: &ExprMatch, arms: &mut [Arm]) {
        let last = arms.len().saturating_sub(1);
        for (number, (arm, source)) in arms.iter_mut().zip(&choice.arms).enumerate() {
            if !arm.bound.is_empty() {
                self.reader.errors.push(&source.pat, message::GRADIENT_BOUND);
            }
            let number = number as u32;
            arm.pattern = if number as usize == last { syn::parse_quote!(_) } else { syn::parse_quote!(#number) };
        }
    }

    fn matched(&mut self, value: &Expr) -> Matched {
        match bare(value) {
            Expr::Tuple(tuple) => Matched::Parts(tuple.elems.iter().map(|part| self.matched(part)).collect()),
            whole => Matched::Whole(self.expression(whole)),
        }
    }

    /// One arm of a `match` on `which`.
    fn arm(
        &mut self,
        which: Id,
        matched: &Matched,
        pattern: &Pat,
        read: impl FnOnce(&mut Self) -> Option<Id>,
    ) -> (Arm, Branch) {
        if !condition(pattern) && computes(pattern) {
            self.reader.errors.push(pattern, message::GRADIENT_PATTERN);
        }
        let mut bound = Vec::new();
        self.bind_matched(which, matched, pattern, &mut bound);
        let branch = self.branch(read);
        (Arm { pattern: pattern.clone(), bound }, branch)
    }

    /// Binds the names of a pattern: to whole values as variables are, and `bound` to what is taken apart, which has no gradient.
    fn bind_matched(&mut self, which: Id, matched: &Matched, pattern: &Pat, bound: &mut Vec<(Ident, Id)>) {
        match (pattern, matched) {
            (Pat::Guard(guarded), _) => self.bind_matched(which, matched, &guarded.pat, bound),
            (Pat::Paren(inner), _) => self.bind_matched(which, matched, &inner.pat, bound),
            (Pat::Ident(name), Matched::Whole(id)) if name.by_ref.is_none() && bound_names(pattern).len() == 1 => {
                self.bind(&name.ident, *id);
            }
            (Pat::Tuple(tuple), Matched::Parts(parts)) if tuple.elems.len() == parts.len() => {
                for (pattern, part) in tuple.elems.iter().zip(parts) {
                    self.bind_matched(which, part, pattern, bound);
                }
            }
            _ => self.take_from(which, matched, pattern, bound),
        }
    }

    fn take_from(&mut self, which: Id, matched: &Matched, pattern: &Pat, bound: &mut Vec<(Ident, Id)>) {
        let is_uniform = self.reader.tape.is_uniform(which);
        for name in bound_names(pattern) {
            if self.varies(matched) {
                self.reader.errors.push(pattern, message::GRADIENT_BOUND);
            }
            let id = self.reader.tape.bound(is_uniform);
            self.bind(&name, id);
            bound.push((name, id));
        }
    }

    fn varies(&self, matched: &Matched) -> bool {
        match matched {
            Matched::Whole(id) => self.reader.tape.varies(*id),
            Matched::Parts(parts) => parts.iter().any(|part| self.varies(part)),
        }
    }

    /// Reads what is in a branch.
    pub(super) fn branch(&mut self, read: impl FnOnce(&mut Self) -> Option<Id>) -> Branch {
        let (variables, cells) = (self.variables.clone(), self.reader.cells.clone());
        let before = std::mem::take(&mut self.reader.tape.steps);
        self.branches += 1;
        let result = read(self);
        self.branches -= 1;
        let steps = std::mem::replace(&mut self.reader.tape.steps, before);
        let variables = std::mem::replace(&mut self.variables, variables);
        let cells = std::mem::replace(&mut self.reader.cells, cells);
        Branch { steps, result, variables, cells }
    }

    /// The variables that are there before a choice, and those that all branches give their first value.
    fn names(&self, branches: &[Branch]) -> Vec<Ident> {
        let in_all = |name: &&Ident| branches.iter().all(|branch| branch.variables.contains_key(*name));
        let later = branches.first().into_iter().flat_map(|first| first.variables.keys()).filter(in_all);
        let later = later.filter(|name| !self.variables.contains_key(*name));
        self.variables.keys().chain(later).cloned().collect()
    }

    /// What holds after one of several branches: a choice for each variable and property that one of them has changed, and for the value.
    pub(super) fn join(&mut self, which: Id, patterns: Option<Vec<Arm>>, branches: Vec<Branch>) -> Option<Id> {
        let choose = |reading: &mut Self, results: Vec<Id>| {
            let steps = branches.iter().map(|branch| branch.steps.clone());
            let blocks = steps.zip(results).map(|(steps, result)| Block { steps, result }).collect();
            reading.reader.tape.choose(which, Choice { patterns: patterns.clone(), blocks })
        };
        for name in self.names(&branches) {
            let results: Option<Vec<Id>> = branches.iter().map(|branch| branch.variables.get(&name).copied()).collect();
            let Some(results) =
                results.filter(|results| results.iter().any(|id| Some(id) != self.variables.get(&name)))
            else {
                continue;
            };
            let id = choose(self, results);
            self.bind(&name, id);
        }
        let mut cells: Vec<Cell> = Vec::new();
        for (cell, _) in branches.iter().flat_map(|branch| &branch.cells) {
            if !cells.contains(cell) {
                cells.push(cell.clone());
            }
        }
        for cell in cells {
            let before = self.reader.cell(&cell);
            let of =
                |branch: &Branch| branch.cells.iter().find(|(known, _)| *known == cell).map_or(before, |(_, id)| *id);
            let results: Vec<Id> = branches.iter().map(of).collect();
            if results.iter().any(|id| *id != before) {
                let id = choose(self, results);
                self.reader.set(cell, id);
            }
        }
        let results: Option<Vec<Id>> = branches.iter().map(|branch| branch.result).collect();
        results.map(|results| choose(self, results))
    }
}

/// The conditions of a chain that binds names; any other condition is one by itself.
fn conditions(condition: &Expr) -> Vec<&Expr> {
    match bare(condition) {
        Expr::Binary(both) if binds(condition) => {
            conditions(&both.left).into_iter().chain(conditions(&both.right)).collect()
        }
        one => vec![one],
    }
}

/// Whether a condition has a `let` in it.
fn binds(condition: &Expr) -> bool {
    match bare(condition) {
        Expr::Let(_) => true,
        Expr::Binary(both) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

/// Whether a pattern has a condition.
fn condition(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Guard(_))
}

/// The number of the arm that a `match` takes.
fn numbered(choice: &ExprMatch) -> Expr {
    let mut numbered = choice.clone();
    for (number, arm) in numbered.arms.iter_mut().enumerate() {
        let number = number as u32;
        *arm.body = syn::parse_quote!(#number);
    }
    Expr::Match(numbered)
}
