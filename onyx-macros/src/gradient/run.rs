//! The functions of one stage that run together over edges or over vertices, as one list of steps, and its gradient.

use crate::check::usage::Reduction;
use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::expand::function::Lowered;
use crate::gradient::adjoint;
use crate::gradient::product;
use crate::gradient::reader::{Reader, strays};
use crate::gradient::shared::{self, Count};
use crate::gradient::state;
use crate::gradient::sweep::{Adjoints, Part, sweep};
use crate::gradient::tape::{Tape, needed, reads_of};
use crate::gradient::value::{Brought, Cell, Id, Operator, Step};
use crate::lower::total::{Added, total_of};
use crate::message;
use crate::parse::access::{Access, Place};
use crate::parse::fold::Fold;

/// What a run leaves of a property, and how it is reduced if it is.
type Output = (Cell, Id, Option<Reduction>);

/// What a run computes.
#[derive(Debug)]
pub struct Run {
    /// The steps, with those of the gradient after them.
    pub tape: Tape,
    /// What the run leaves, and how it is reduced if it is.
    outputs: Vec<Output>,
    /// What it brings to totals that are states.
    brought: Vec<Brought>,
    /// The properties that depend on what gradients are asked of.
    varying: u64,
    /// The sums of products with rows of another width that it adds to.
    products: u64,
    /// The properties that it leaves.
    pub leaves: u64,
    /// Those that vary of them.
    pub varies: u64,
    /// The properties that it reads of memory.
    pub reads: u64,
    /// Those that one of its functions has written and a later one has read.
    pub passed_on: u64,
    /// The totals that are states, minima or maxima, which the gradient reads as the run has left them.
    pub states: u64,
    /// What is counted before the gradient is computed.
    pub counts: Vec<Count>,
    /// The totals whose dot products with their adjoints are computed before.
    pub dots: Vec<Cell>,
    /// Those of them that are log-sums.
    pub log_sums: u64,
}

/// What a run adds to the adjoint of a property.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The property, and whose.
    pub access: Access,
    /// What is added.
    pub value: Id,
    /// What that is multiplied by, where it is a product with a row of another width: the row, or the matrix.
    pub by: Option<Access>,
}

impl Contribution {
    /// Whose value is added to, or whose row is taken.
    pub fn end(&self) -> Place {
        self.by.as_ref().filter(|by| by.place != Place::Graph).map_or(self.access.place, |by| by.place)
    }
}

impl Run {
    /// Reads the functions of a run. `varying` are the properties that depend on what gradients are asked of.
    pub fn of(functions: &[&Lowered], properties: &Properties, fold: &Fold, varying: u64, errors: &mut Errors) -> Self {
        let mut reader = Reader::new(properties, fold, varying);
        for Lowered { function, .. } in functions {
            if let Some(statement) = strays(function) {
                reader.errors.push(statement, message::GRADIENT_RETURN);
            }
            reader.function(function);
        }
        let Reader { tape, cells, reductions, passed_on, brought, errors: own, .. } = reader;
        errors.append(own);
        let added: Vec<&Added> = functions.iter().flat_map(|lowered| &lowered.totals).collect();
        let outputs: Vec<_> = cells.into_iter().map(|output| of_graph(output, &reductions, &added)).collect();
        let states = properties.set(brought.iter().map(|brought| &brought.cell.property));
        let extremes = outputs.iter().filter(|(cell, _, reduction)| shared::is_extreme(cell, *reduction));
        let read_again = states | properties.set(extremes.map(|(cell, ..)| &cell.property));
        let leaves = properties.set(outputs.iter().map(|(cell, ..)| &cell.property)) | states;
        let log_sums = brought.iter().filter(|brought| brought.reduction == Reduction::LogSum);
        let log_sums = properties.set(log_sums.map(|brought| &brought.cell.property));
        let varies = varying_outputs(&tape, &outputs, &brought, properties);
        let read = accesses(&tape).flat_map(|access| [&access.property].into_iter().chain(&access.matrix));
        let reads = properties.set(read);
        let products = properties.set(added.iter().filter(|added| added.by.is_some()).map(|added| &added.total));
        let passed_on = properties.set(passed_on.iter().map(|cell| &cell.property));
        let (states, counts, dots) = (read_again, Vec::new(), Vec::new());
        Self {
            tape,
            outputs,
            brought,
            varying,
            products,
            leaves,
            varies,
            reads,
            passed_on,
            states,
            counts,
            dots,
            log_sums,
        }
    }

    /// All that it reads of memory.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        accesses(&self.tape)
    }

    /// What memory has when the run has ended: each property of its own vertex that it has written and not read before, with the value.
    pub fn stored(&self) -> impl Iterator<Item = (Cell, Id)> {
        let is_read_before = |cell: &Cell| self.accesses().any(|access| Cell::of(access) == *cell);
        let of_vertex =
            self.outputs.iter().filter(move |(cell, ..)| cell.place == Place::Vertex && !is_read_before(cell));
        of_vertex.map(|(cell, id, _)| (cell.clone(), *id))
    }

    /// Whether a derivative that the user gives is computed of this value.
    pub fn is_taken(&self, id: Id) -> bool {
        let is_taken = |step: &Step| matches!(&step.operator, Operator::Call(_, given) if given.takes_value);
        self.tape.steps.iter().any(|step| step.id == id && is_taken(step))
    }

    /// What is read of memory for values.
    pub fn reads_of(&self, results: &[Id]) -> impl Iterator<Item = Access> {
        reads_in(&self.tape, results).into_iter()
    }

    /// The same, where these values are read in place of being computed.
    pub fn reads_with(&self, stored: &[(Cell, Id)], results: &[Id]) -> Vec<Access> {
        reads_in(&self.tape_with(stored), results)
    }

    /// The steps, where these values are read of memory in place of being computed.
    pub fn tape_with(&self, stored: &[(Cell, Id)]) -> Tape {
        let mut tape = self.tape.clone();
        for step in tape.reads.iter_mut().chain(&mut tape.steps) {
            if let Some((cell, _)) = stored.iter().find(|(_, id)| *id == step.id) {
                *step = Step { id: step.id, operator: Operator::Read(cell.access()), arguments: Vec::new() };
            }
        }
        tape
    }

    /// Sweeps back from the adjoints of what the run leaves, of which those in `known` are there. The contributions to the adjoints of what it reads.
    pub fn contributions(&mut self, properties: &Properties, known: u64, errors: &mut Errors) -> Vec<Contribution> {
        let tape = &mut self.tape;
        let forward = tape.steps.clone();
        let reads: Vec<(Access, Id)> = varying_reads(tape);
        let mut adjoints = Adjoints::default();
        for (cell, id, reduction) in &self.outputs {
            if known & properties.bit(&cell.property) == 0 || !tape.varies(*id) {
                continue;
            }
            if self.products & properties.bit(&cell.property) != 0 {
                errors.push(&cell.property, message::gradient_of_product(&cell.property));
            }
            let is_extreme = shared::is_extreme(cell, *reduction);
            let is_product = shared::is_product(cell, *reduction);
            if !is_extreme && !is_product && reduction.is_some_and(|reduction| reduction != Reduction::Sum) {
                errors.push(&cell.property, message::GRADIENT_REDUCTION);
            }
            let seed = shared::read(tape, cell, adjoint::name(&cell.property));
            let seed = if is_extreme {
                let (share, count) = shared::of_extreme(tape, cell, *id, seed);
                self.counts.push(count);
                share
            } else if is_product {
                let (share, counts) = shared::of_product(tape, cell, *id, seed);
                self.counts.extend(counts);
                share
            } else {
                seed
            };
            let part = if cell.is_row { Part::Each } else { Part::Whole };
            adjoints.add(tape, *id, part, seed);
        }
        let of_states = self.brought.iter().filter(|brought| known & properties.bit(&brought.cell.property) != 0);
        for brought in of_states {
            let gathered = (&mut self.counts, &mut self.dots);
            state::share_out(tape, (brought, &self.brought), gathered, properties, &mut adjoints, errors);
        }
        sweep(tape, &forward, &mut adjoints, true, errors);
        let mut contributions = Vec::new();
        for (access, id) in reads {
            if let Some(value) = adjoints.whole(tape, id) {
                contributions.extend(product::contributions((access, value), self.varying, properties, errors));
            }
        }
        contributions
    }
}

/// An output and how it is reduced; a contribution to a total of the graph is that total.
fn of_graph((cell, id): (Cell, Id), reductions: &[(Cell, Reduction)], added: &[&Added]) -> Output {
    if let Some(property) = total_of(&cell.property) {
        let place = if cell.index.is_some() { cell.place } else { Place::Graph };
        let reduction = of_total(&cell, added);
        return (Cell { property, place, is_row: cell.is_row, index: cell.index }, id, reduction);
    }
    let reduction = reductions.iter().find(|(known, _)| *known == cell).map(|(_, reduction)| *reduction);
    (cell, id, reduction)
}

/// The properties that a run leaves, and that vary. What becomes an integer has no gradient.
fn varying_outputs(tape: &Tape, outputs: &[Output], brought: &[Brought], properties: &Properties) -> u64 {
    let varied = outputs.iter().filter(|(_, id, _)| tape.varies(*id)).map(|(cell, ..)| &cell.property);
    let brings = brought.iter().filter(|brought| brought.arguments.iter().any(|id| tape.varies(*id)));
    let brings = brings.map(|brought| &brought.cell.property);
    (properties.set(varied) | properties.set(brings)) & !properties.integers()
}

/// How what a run adds to a total of the graph is combined.
fn of_total(cell: &Cell, added: &[&Added]) -> Option<Reduction> {
    let total = total_of(&cell.property)?;
    added.iter().find(|added| added.total == total).map(|added| added.reduction)
}

/// What steps read of memory for values.
fn reads_in(tape: &Tape, results: &[Id]) -> Vec<Access> {
    let steps: Vec<Step> = tape.reads.iter().chain(&tape.steps).cloned().collect();
    reads_of(&needed(&steps, results)).into_iter().map(|(access, _)| access.clone()).collect()
}

/// All that is read of memory.
fn accesses(tape: &Tape) -> impl Iterator<Item = &Access> {
    tape.all_reads().into_iter().map(|(access, _)| access)
}

fn varying_reads(tape: &Tape) -> Vec<(Access, Id)> {
    let varying = tape.all_reads().into_iter().filter(|(_, id)| tape.varies(*id));
    varying.map(|(access, id)| (access.clone(), id)).collect()
}
