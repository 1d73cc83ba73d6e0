//! All values of a run of functions, and the steps that are being written.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit};

use crate::gradient::value::{Block, Choice, Id, Operator, Step, Value, index_of, placeholder};
use crate::parse::access::Access;

/// The values of a run of functions.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    values: Vec<Value>,
    /// The names of the properties that are matrices.
    matrices: Vec<String>,
    /// What is read of memory, once each, before everything else.
    pub reads: Vec<Step>,
    /// Where the user has written operations.
    pub spans: HashMap<Id, Span>,
    /// The steps of the block that is being written.
    pub steps: Vec<Step>,
}

impl Tape {
    /// No values yet. `matrices` are the names of the properties that are some.
    pub fn of(matrices: Vec<String>) -> Self {
        Self { matrices, ..Self::default() }
    }

    /// What is known of a value.
    pub fn value(&self, id: Id) -> &Value {
        &self.values[id]
    }

    /// Whether a value depends on what gradients are asked of.
    pub fn varies(&self, id: Id) -> bool {
        self.values[id].varies
    }

    /// Whether a value is the same for all features.
    pub fn is_uniform(&self, id: Id) -> bool {
        self.values[id].is_uniform
    }

    /// Whether a value is the row of a matrix.
    pub fn is_matrix(&self, id: Id) -> bool {
        self.values[id].is_matrix
    }

    /// Gives a value the user's name, if it has none.
    pub fn name(&mut self, id: Id, name: &str) {
        self.values[id].name.get_or_insert_with(|| name.to_owned());
    }

    /// A value that no step computes: a name that a pattern binds.
    pub fn bound(&mut self, is_uniform: bool) -> Id {
        self.values.push(Value { varies: false, is_uniform, is_matrix: false, name: None });
        self.values.len() - 1
    }

    /// Reads a property. One that varies is what a gradient is asked of, or comes of it.
    pub fn read(&mut self, access: &Access, varies: bool) -> Id {
        let is_same = |step: &&Step| match &step.operator {
            Operator::Read(known) => {
                (&known.property, known.place, known.is_row, &known.matrix)
                    == (&access.property, access.place, access.is_row, &access.matrix)
            }
            _ => false,
        };
        if let Some(step) = self.reads.iter().find(is_same) {
            return step.id;
        }
        let (is_uniform, name) = (!access.is_row, access.property.to_string());
        let is_matrix = self.matrices.contains(&access.property.unraw().to_string());
        self.values.push(Value { varies, is_uniform, is_matrix, name: Some(name) });
        let id = self.values.len() - 1;
        self.reads.push(Step { id, operator: Operator::Read(access.clone()), arguments: Vec::new() });
        id
    }

    /// Reads a property at an index that is computed, where it stands.
    pub fn gather(&mut self, access: &Access, index: Id, varies: bool) -> Id {
        let access = Access { index: Some(index_of(index)), ..access.clone() };
        let is_uniform = !access.is_row;
        self.push_as(Operator::Read(access), vec![index], varies, is_uniform)
    }

    /// All that is read of memory, in blocks as well: by the steps before everything else, and by others.
    pub fn all_reads(&self) -> Vec<(&Access, Id)> {
        reads_of(&self.reads).into_iter().chain(reads_of(&self.steps)).collect()
    }

    /// A number, before everything else, so that every block may use it.
    pub fn number(&mut self, number: f32) -> Id {
        let found = self.reads.iter().find(|step| matches!(step.operator, Operator::Number(known) if known == number));
        if let Some(step) = found {
            return step.id;
        }
        self.values.push(Value { varies: false, is_uniform: true, is_matrix: false, name: None });
        let id = self.values.len() - 1;
        self.reads.push(Step { id, operator: Operator::Number(number), arguments: Vec::new() });
        id
    }

    /// Zero: a row of zeros, if that is what it stands in place of.
    pub fn zero(&mut self, of: Id) -> Id {
        if !self.is_matrix(of) {
            return self.number(0.0);
        }
        let is_zero = |step: &&Step| matches!(step.operator, Operator::Code(_)) && step.arguments.is_empty();
        if let Some(step) = self.reads.iter().find(is_zero) {
            return step.id;
        }
        self.values.push(Value { varies: false, is_uniform: false, is_matrix: true, name: None });
        let id = self.values.len() - 1;
        let code = syn::parse_quote!(::onyx_device::Row::ZERO);
        self.reads.push(Step { id, operator: Operator::Code(Box::new(code)), arguments: Vec::new() });
        id
    }

    /// Whether a value is this number.
    pub fn is_number(&self, id: Id, number: f32) -> bool {
        self.reads
            .iter()
            .any(|step| step.id == id && matches!(step.operator, Operator::Number(known) if known == number))
    }

    /// The number that a value is written as, if it is.
    pub fn literal(&self, id: Id) -> Option<f64> {
        let step = self.steps.iter().find(|step| step.id == id)?;
        let Operator::Code(code) = &step.operator else { return None };
        match &**code {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
            Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
            _ => None,
        }
    }

    /// A step whose value varies if an argument does, and is uniform if all are.
    pub fn push(&mut self, operator: Operator, arguments: Vec<Id>) -> Id {
        let varies = arguments.iter().any(|argument| self.varies(*argument));
        let is_uniform = arguments.iter().all(|argument| self.is_uniform(*argument));
        self.push_as(operator, arguments, varies, is_uniform)
    }

    /// A step of which everything is known.
    pub fn push_as(&mut self, operator: Operator, arguments: Vec<Id>, varies: bool, is_uniform: bool) -> Id {
        let is_matrix = self.gives_matrix(&operator, &arguments);
        self.values.push(Value { varies, is_uniform, is_matrix, name: None });
        let id = self.values.len() - 1;
        self.steps.push(Step { id, operator, arguments });
        id
    }

    /// Whether an operator gives the row of a matrix: arithmetic of some, and operations that make one.
    fn gives_matrix(&self, operator: &Operator, arguments: &[Id]) -> bool {
        match operator {
            Operator::Operation(name) => ["outer", "diagonal", "inverse"].contains(&name.as_str()),
            Operator::Choice(choice) => choice.blocks.iter().any(|block| self.is_matrix(block.result)),
            Operator::Read(_) | Operator::Number(_) | Operator::Call(..) => false,
            _ => arguments.iter().any(|argument| self.is_matrix(*argument)),
        }
    }

    /// One of several blocks, by a condition or what is matched.
    pub fn choose(&mut self, which: Id, choice: Choice) -> Id {
        let results = || choice.blocks.iter().map(|block| block.result);
        if results().all(|result| result == choice.blocks[0].result) && choice.blocks.iter().all(Block::leaves_outside)
        {
            return choice.blocks[0].result;
        }
        let varies = results().any(|result| self.varies(result));
        let is_uniform = self.is_uniform(which) && results().all(|result| self.is_uniform(result));
        self.push_as(Operator::Choice(choice), vec![which], varies, is_uniform)
    }

    /// `if condition > 0 { .. }` of a condition on floats that is written as code.
    pub fn compare(&mut self, left: Id, comparison: &str, right: Id) -> Id {
        let (a, b) = (placeholder(left), placeholder(right));
        let code = match comparison {
            ">" => syn::parse_quote!(#a > #b),
            "<" => syn::parse_quote!(#a < #b),
            "<=" => syn::parse_quote!(#a <= #b),
            _ => syn::parse_quote!(#a == #b),
        };
        let is_uniform = self.is_uniform(left) && self.is_uniform(right);
        self.push_as(Operator::Code(Box::new(code)), vec![left, right], false, is_uniform)
    }

    /// `if condition { yes } else { no }` of two values that are there.
    pub fn select(&mut self, condition: Id, yes: Id, no: Id) -> Id {
        let block = |result| Block { steps: Vec::new(), result };
        self.choose(condition, Choice { patterns: None, blocks: vec![block(yes), block(no)] })
    }

    /// `a + b`
    pub fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.is_number(a, 0.0), self.is_number(b, 0.0)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.push(Operator::Add, vec![a, b]),
        }
    }

    /// `a - b`
    pub fn subtract(&mut self, a: Id, b: Id) -> Id {
        if self.is_number(a, 0.0) { self.negate(b) } else { self.push(Operator::Subtract, vec![a, b]) }
    }

    /// `-a`
    pub fn negate(&mut self, a: Id) -> Id {
        self.push(Operator::Negate, vec![a])
    }

    /// `a * b`
    pub fn multiply(&mut self, a: Id, b: Id) -> Id {
        match (self.is_number(a, 1.0), self.is_number(b, 1.0)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.push(Operator::Multiply, vec![a, b]),
        }
    }

    /// `a / b`
    pub fn divide(&mut self, a: Id, b: Id) -> Id {
        self.push(Operator::Divide, vec![a, b])
    }

    /// `a.method(..)`
    pub fn method(&mut self, name: &str, arguments: Vec<Id>) -> Id {
        self.push(Operator::Method(name.to_owned()), arguments)
    }

    /// A collaborative operation, whose value is the same for all features unless `differs`.
    pub fn operation(&mut self, name: &str, arguments: Vec<Id>, differs: bool) -> Id {
        let varies = arguments.iter().any(|argument| self.varies(*argument));
        self.push_as(Operator::Operation(name.to_owned()), arguments, varies, !differs)
    }

    /// Writes the steps of a block apart.
    pub fn block<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Vec<Step>, T) {
        let before = std::mem::take(&mut self.steps);
        let written = write(self);
        (std::mem::replace(&mut self.steps, before), written)
    }
}

/// What steps read of memory, in blocks as well.
pub fn reads_of(steps: &[Step]) -> Vec<(&Access, Id)> {
    let mut found = Vec::new();
    for step in steps {
        match &step.operator {
            Operator::Read(access) => found.push((access, step.id)),
            Operator::Choice(choice) => {
                found.extend(choice.blocks.iter().flat_map(|block| reads_of(&block.steps)));
            }
            _ => {}
        }
    }
    found
}

impl Block {
    /// Whether its value is one from outside.
    fn leaves_outside(&self) -> bool {
        self.steps.iter().all(|step| step.id != self.result)
    }
}

/// How often each value is used in a block, and whether inside of a block of its own.
pub fn uses(steps: &[Step], results: impl IntoIterator<Item = Id>) -> HashMap<Id, (usize, bool)> {
    let mut uses = HashMap::new();
    results.into_iter().for_each(|id| count(&mut uses, id, false));
    count_all(&mut uses, steps, false);
    uses
}

fn count_all(uses: &mut HashMap<Id, (usize, bool)>, steps: &[Step], is_inside: bool) {
    for step in steps {
        step.arguments.iter().for_each(|argument| count(uses, *argument, is_inside));
        let Operator::Choice(choice) = &step.operator else { continue };
        for block in &choice.blocks {
            count(uses, block.result, true);
            count_all(uses, &block.steps, true);
        }
    }
}

fn count(uses: &mut HashMap<Id, (usize, bool)>, id: Id, is_inside: bool) {
    let (number, inside) = uses.entry(id).or_insert((0, false));
    *number += 1;
    *inside |= is_inside;
}

/// The steps that `results` come of, in order; the same in every block of theirs.
pub fn needed(steps: &[Step], results: &[Id]) -> Vec<Step> {
    let mut wanted: Vec<Id> = results.to_vec();
    let mut kept = Vec::new();
    for step in steps.iter().rev() {
        if wanted.contains(&step.id) {
            let step = pruned(step);
            wanted.extend(mentions(&step));
            kept.push(step);
        }
    }
    kept.reverse();
    kept
}

fn pruned(step: &Step) -> Step {
    let mut step = step.clone();
    if let Operator::Choice(choice) = &mut step.operator {
        for block in &mut choice.blocks {
            block.steps = needed(&block.steps, &[block.result]);
        }
    }
    step
}

/// The values that a step takes, also inside of its blocks.
pub fn mentions(step: &Step) -> Vec<Id> {
    let mut found = step.arguments.clone();
    if let Operator::Choice(choice) = &step.operator {
        for block in &choice.blocks {
            found.push(block.result);
            found.extend(block.steps.iter().flat_map(mentions));
        }
    }
    found
}
