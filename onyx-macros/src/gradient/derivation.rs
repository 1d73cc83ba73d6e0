//! The gradient of a fold: its stages in reverse, each as functions that gather adjoints where the fold gathered values.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{ExprPath, Ident, ItemStruct, parse2};

use crate::compile::Compiled;
use crate::compile::property::{Element, Number, Properties};
use crate::compile::stage::KEPT;
use crate::errors::Errors;
use crate::expand::function::Lowered;
use crate::gradient::adjoint::{self, Declared};
use crate::gradient::call;
use crate::gradient::derived::Derived;
use crate::gradient::effect::{Effect, Form};
use crate::gradient::late::Late;
use crate::gradient::name::{ident, uses};
use crate::gradient::piece::{Piece, Reach, begins, gathers_apart};
use crate::gradient::run::Run;
use crate::gradient::tape::Tape;
use crate::gradient::value::Cell;
use crate::gradient::writer;
use crate::message;
use crate::parse::access::{Access, Place};
use crate::parse::fold::Listed;
use crate::parse::function::Kind;
use crate::parse::state::Item;

/// A run of the fold.
pub(super) struct Member {
    pub(super) stage: usize,
    pub(super) kind: Kind,
    name: String,
    pub(super) run: Run,
}

/// A gradient that is being derived.
pub(super) struct Derivation<'a> {
    pub(super) compiled: &'a Compiled,
    pub(super) properties: &'a Properties,
    pub(super) declared: Declared<'a>,
    pub(super) members: Vec<Member>,
    /// The properties of whose adjoints there is something by now.
    pub(super) known: u64,
    /// The stages whose totals are computed again.
    again: Vec<usize>,
    /// The tables of whose adjoints there is something, each with the run whose function adds to it.
    pub(super) tables: Vec<(String, usize)>,
    /// What is left to the end of the stage that gathers the rest of the same adjoint.
    pub(super) late: Vec<Late>,
    pieces: Vec<Piece>,
    names: Vec<String>,
    pub(super) errors: &'a mut Errors,
}

/// Derives the gradient that a fold asks for. `items` are its structure and its functions.
pub fn derive(
    compiled: &Compiled,
    structure: &ItemStruct,
    functions: &[Lowered],
    items: &[Item],
    errors: &mut Errors,
) -> Option<Derived> {
    let properties = &compiled.properties;
    let requested = requested(compiled, structure, errors)?;
    let at = compiled.fold.gradient.first().map(Ident::span)?;
    let declared = Declared::new(structure, properties, at);
    let members = members(compiled, functions, requested, errors);
    let given = call::called(&compiled.fold.derivatives, functions, errors);
    let mut derivation = Derivation {
        compiled,
        properties,
        declared,
        members,
        known: 0,
        again: Vec::new(),
        tables: Vec::new(),
        late: Vec::new(),
        pieces: Vec::new(),
        names: Vec::new(),
        errors,
    };
    derivation.check_requested(requested);
    if !derivation.errors.is_empty() {
        return None;
    }
    derivation.seed();
    (0..derivation.members.len()).rev().for_each(|at| derivation.member(at));
    derivation.check_found();
    derivation.finish(items, given)
}

/// The properties that a gradient is asked of.
fn requested(compiled: &Compiled, structure: &ItemStruct, errors: &mut Errors) -> Option<u64> {
    let mut requested = 0;
    for name in &compiled.fold.gradient {
        let property = compiled.properties.0.iter().find(|property| name.unraw() == property.name.as_str());
        match property {
            None => errors.push(name, message::gradient_unknown(name, &structure.ident)),
            Some(property) if property.element == Element::EdgeInputs => {
                errors.push(name, message::gradient_of_edge_row(name));
            }
            Some(property) if !adjoint::is_possible(property) || property.is_scratch => {
                errors.push(name, message::gradient_impossible(name));
            }
            Some(property) if adjoint::is_shared(property, &compiled.properties) => {
                errors.push(name, message::gradient_of_heads(name));
            }
            Some(_) => requested |= compiled.properties.bit(name),
        }
    }
    if compiled.fold.is_active() {
        errors.push(&compiled.fold.gradient[0], message::GRADIENT_ACTIVE);
    }
    errors.is_empty().then_some(requested)
}

/// The runs of a fold, in order.
fn members(compiled: &Compiled, functions: &[Lowered], requested: u64, errors: &mut Errors) -> Vec<Member> {
    let mut varying = requested;
    let mut members = Vec::new();
    for (number, stage) in compiled.stages.iter().enumerate() {
        for (kind, range) in [(Kind::Edge, stage.edges.clone()), (Kind::Vertex, stage.vertices.clone())] {
            let functions: Vec<&Lowered> = functions[range].iter().collect();
            let Some(last) = functions.last() else { continue };
            let name = last.function.name.unraw().to_string();
            let run = Run::of(&functions, &compiled.properties, &compiled.fold, varying, errors);
            varying |= run.varies;
            members.push(Member { stage: number, kind, name, run });
        }
    }
    check_progress(compiled, functions, errors);
    members
}

/// No function stops another one: what would run or not is no part of the steps.
fn check_progress(compiled: &Compiled, functions: &[Lowered], errors: &mut Errors) {
    let last_vertex = compiled.members.iter().rposition(|member| !member.is_edge());
    for stage in &compiled.stages {
        let edges = stage.edges.clone().take(stage.edges.len().saturating_sub(1));
        let vertices = stage.vertices.clone().filter(|at| Some(*at) != last_vertex);
        for at in edges.chain(vertices) {
            if functions[at].function.may_stop() {
                let member = &compiled.members[at];
                errors.push_at(member.span, message::gradient_stops(&member.name));
            }
        }
    }
}

impl Derivation<'_> {
    /// The numbers of the runs that leave a property.
    fn writers(&self, property: &Ident) -> impl Iterator<Item = usize> {
        let bit = self.properties.bit(property);
        let writers = self.members.iter().enumerate().filter(move |(_, member)| member.run.leaves & bit != 0);
        writers.map(|(at, _)| at).collect::<Vec<_>>().into_iter()
    }

    fn check_requested(&mut self, requested: u64) {
        let leaves = self.members.iter().fold(0, |leaves, member| leaves | member.run.leaves);
        for name in &self.compiled.fold.gradient {
            if leaves & requested & self.properties.bit(name) != 0 {
                self.errors.push(name, message::gradient_written(name));
            }
        }
    }

    /// The user gives the adjoints of what the fold leaves and no later function of it reads.
    fn seed(&mut self) {
        for (at, member) in self.members.iter().enumerate() {
            let read = self.members[at + 1..].iter().fold(0, |read, later| read | later.run.reads | later.run.leaves);
            // A log-sum may be there for the sake of the weights alone.
            let unasked = member.run.log_sums & !self.declared.adjoints();
            self.known |= member.run.varies & !(read | member.run.passed_on | self.properties.scratch() | unasked);
        }
    }

    /// Every gradient that was asked for has come to something that lasts.
    fn check_found(&mut self) {
        for name in &self.compiled.fold.gradient {
            let adjoint = adjoint::name(name);
            if self.properties.scratch() & self.properties.bit(&adjoint) != 0 {
                self.errors.push(name, message::gradient_scratch(&adjoint));
            }
            if self.errors.is_empty() && self.known & self.properties.bit(name) == 0 {
                self.errors.push(name, message::gradient_independent(name));
            }
        }
    }

    /// Derives the functions of run number `at`.
    fn member(&mut self, at: usize) {
        let (known, properties) = (self.known, self.properties);
        let run = &mut self.members[at].run;
        let contributions = run.contributions(properties, known, self.errors);
        for contribution in &contributions {
            self.check_kept(&contribution.access, at);
            contribution.by.iter().for_each(|by| self.check_kept(by, at));
        }
        match self.members[at].kind {
            Kind::Vertex => self.vertices(at, contributions),
            Kind::Edge => self.edges(at, contributions),
        }
    }

    /// What a run reads must be there when its gradient is computed, as it was.
    fn check_kept(&mut self, access: &Access, at: usize) {
        let is_changed = self.writers(&access.property).any(|writer| writer >= at);
        if is_changed {
            self.errors.push(&access.property, message::gradient_overwritten(&access.property));
        }
    }

    /// The function of run number `at` with these effects, if there are any.
    pub(super) fn piece(&mut self, at: usize, suffix: &str, effects: Vec<Effect>) {
        let stored = self.stored(at, &effects);
        let tape = self.members[at].run.tape_with(&stored);
        self.piece_of(at, suffix, &effects, (&tape, &stored));
    }

    /// The same, where these are the steps, and these values are read where the run has stored them.
    pub(super) fn piece_of(
        &mut self,
        at: usize,
        suffix: &str,
        effects: &[Effect],
        (tape, stored): (&Tape, &[(Cell, usize)]),
    ) {
        if effects.is_empty() || !self.errors.is_empty() {
            return;
        }
        let (body, reads) = writer::body(tape, effects);
        for access in &reads {
            // A value that the run has stored is read as the run has left it.
            let is_stored = stored.iter().any(|(cell, _)| *cell == Cell::of(access));
            self.read(access, if is_stored { at + 1 } else { at });
        }
        let (kind, name) = (self.members[at].kind, format!("{}_gradient{suffix}", self.members[at].name));
        let is_far =
            |access: &&Access| matches!(access.place, Place::Source | Place::Destination | Place::Graph | Place::Row);
        let factors = effects.iter().filter_map(|effect| effect.by.as_ref()).map(|by| &by.property);
        let added = effects.iter().filter(|effect| effect.form != Form::Stores).map(|effect| &effect.cell.property);
        let reach = Reach {
            takes: self.properties.set(reads.iter().map(|access| &access.property).chain(added)),
            reads: self.properties.set(reads.iter().filter(is_far).map(|access| &access.property).chain(factors)),
            writes: self.properties.set(effects.iter().map(|effect| &effect.cell.property)),
        };
        self.push(kind, &name, &body, reach);
    }

    /// The values of a run of vertex functions that are read where it has stored them: those that come of totals which are in registers alone, and those of which the user's
    /// derivatives are computed.
    fn stored(&self, at: usize, effects: &[Effect]) -> Vec<(Cell, usize)> {
        let Member { kind, stage, run, .. } = &self.members[at];
        let of = &self.compiled.stages[*stage];
        if *kind == Kind::Edge {
            return Vec::new();
        }
        let taken = if of.flags & KEPT != 0 { 0 } else { of.accesses.reduces };
        let results: Vec<usize> = effects.iter().map(|effect| effect.value).collect();
        let is_kept = |cell: &Cell| {
            let property = self.properties.0.iter().find(|property| cell.property.unraw() == property.name.as_str());
            let is_plain = property.is_some_and(|property| !property.is_scratch && property.number == Number::F32);
            is_plain && self.writers(&cell.property).all(|writer| writer <= at)
        };
        let depends = |id| run.reads_of(&[id]).any(|access| self.properties.bit(&access.property) & taken != 0);
        let is_needed = results.iter().any(|id| depends(*id));
        let is_read = |id| run.is_taken(id) || is_needed && depends(id);
        run.stored().filter(|(cell, id)| is_kept(cell) && is_read(*id)).collect()
    }

    /// What a derived function reads of memory: what the fold has left there, or what is computed again.
    pub(super) fn read(&mut self, access: &Access, at: usize) {
        let of = self.adjoined(&access.property);
        if let Some(of) = of {
            self.declared.require(&of, &access.property);
            return;
        }
        let bit = self.properties.bit(&access.property);
        // A total that is a state is read as the run has left it.
        let is_left = self.members.get(at).is_some_and(|member| member.run.states & bit != 0);
        let from = if is_left { at + 1 } else { at };
        self.check_kept(access, from);
        for (number, stage) in self.compiled.stages.iter().enumerate() {
            let is_taken = stage.has_vertices() && stage.flags & KEPT == 0 && stage.accesses.reduces & bit != 0;
            if is_taken && !self.again.contains(&number) {
                self.again.push(number);
                self.compute_again(number);
            }
        }
    }

    /// The property whose adjoint has this name, if its adjoint is used.
    fn adjoined(&self, name: &Ident) -> Option<Ident> {
        let text = name.unraw().to_string();
        let of = text.strip_suffix("_gradient")?;
        let is_left = self.properties.0.iter().any(|property| property.name == of);
        is_left.then(|| Ident::new(of, name.span()))
    }

    /// What the edge functions of a stage read must be there as it was.
    fn compute_again(&mut self, stage: usize) {
        let found = self.members.iter().position(|member| member.stage == stage && member.kind == Kind::Edge);
        let Some(at) = found else { return };
        let reads: Vec<Access> = self.members[at].run.accesses().cloned().collect();
        reads.iter().for_each(|access| self.check_kept(access, at));
    }

    pub(super) fn push(&mut self, kind: Kind, name: &str, body: &TokenStream, reach: Reach) {
        let fold = &self.compiled.fold;
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let name = std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.names.contains(name));
        let name = name.unwrap_or_default();
        self.names.push(name.clone());
        let takes_feature = uses(body, "f");
        let head = (&fold.generics.to_token_stream(), &fold.data.to_token_stream());
        let item = writer::function(&ident(&name), kind == Kind::Edge, takes_feature, head, body);
        match parse2(item) {
            Ok(item) => self.pieces.push(Piece { kind, item, reach }),
            Err(error) => self.errors.push_error(error),
        }
    }

    /// The fold of all derived functions, after what is computed again.
    fn finish(mut self, items: &[Item], given: Vec<(ExprPath, usize)>) -> Option<Derived> {
        if self.errors.is_empty() {
            self.declared.report(self.errors);
        }
        if !self.errors.is_empty() {
            return None;
        }
        self.again.sort_unstable();
        let (mut parts, mut functions) = (Vec::new(), Vec::new());
        for stage in &self.again {
            let edges = self.compiled.stages[*stage].edges.clone();
            parts.push(self.compiled.fold.functions().skip(edges.start).take(edges.len()).cloned().collect());
            functions.extend(items[1..][edges].iter().cloned());
        }
        let mut first = 0;
        for (at, piece) in self.pieces.iter().enumerate() {
            let part = &self.pieces[first..at];
            if at == 0 || begins(part, piece) || gathers_apart(part, piece, self.properties) {
                parts.push(Vec::new());
                first = at;
            }
            let name = piece.item.sig.ident.clone();
            let listed = Listed { path: name.clone().into(), switches: Vec::new(), alias: name };
            parts.last_mut().into_iter().for_each(|part: &mut Vec<Listed>| part.push(listed.clone()));
            functions.push(Item::Function(piece.kind, piece.item.clone()));
        }
        let fold = self.compiled.fold.gradient_of(parts);
        let written = self.pieces.into_iter().map(|piece| (piece.kind, piece.item)).collect();
        Some(Derived { fold, functions, written, given })
    }
}
