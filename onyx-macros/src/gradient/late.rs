//! What a vertex adds to an adjoint whose rest its edges gather in the next stage, put off until then: of the adjoint of a total, which both read, a row is read again in
//! place of one that would be stored and read.

use syn::Ident;

use crate::compile::property::Element;
use crate::gradient::adjoint;
use crate::gradient::derivation::Derivation;
use crate::gradient::effect::Effect;
use crate::gradient::run::Contribution;
use crate::gradient::value::{Cell, Id};
use crate::parse::access::{Access, Place};
use crate::parse::function::Kind;

/// What is put off.
pub(super) struct Late {
    /// The run of vertex functions that it is of.
    at: usize,
    effect: Effect,
    /// The adjoint that it is computed of, as it is stored.
    from: (Cell, Id),
}

impl Derivation<'_> {
    /// Puts off what can be of the contributions of run number `at`, and returns all others. The adjoints are known from now on, so that their rest goes to parts of their own.
    pub(super) fn put_off(&mut self, at: usize, contributions: Vec<Contribution>) -> Vec<Contribution> {
        let sources: Vec<(Cell, Id)> =
            contributions.iter().filter_map(|contribution| self.adjoint_of_total(at, contribution)).collect();
        let mut rest = Vec::new();
        for contribution in contributions {
            match sources.iter().find(|from| self.comes_of(at, &contribution, from)) {
                Some(from) => {
                    let effect = self.in_place(&contribution, at);
                    self.late.push(Late { at, effect, from: from.clone() });
                }
                None => rest.push(contribution),
            }
        }
        rest
    }

    /// Does what was put off.
    pub(super) fn make_up(&mut self) {
        for Late { at, effect, from } in std::mem::take(&mut self.late) {
            let stored = [from];
            let tape = self.members[at].run.tape_with(&stored);
            self.piece_of(at, "_rest", &[effect], (&tape, &stored));
        }
    }

    /// The adjoint of a total of the stage's edges, if the contribution is a row of it that is stored, and all of it.
    fn adjoint_of_total(&self, at: usize, contribution: &Contribution) -> Option<(Cell, Id)> {
        let Contribution { access, value, by } = contribution;
        let bit = self.properties.bit(&access.property);
        let reduces = self.compiled.stages[self.members[at].stage].accesses.reduces;
        let is_total = by.is_none() && is_row_of_vertex(access) && reduces & bit != 0 && self.known & bit == 0;
        let property = adjoint::name(&access.property);
        // Edges of the next stage read it, so that it is stored, also as scratch.
        let is_stored = self.properties.bit(&property) != 0;
        (is_total && is_stored).then(|| (Cell::of(&Access { property, ..access.clone() }), *value))
    }

    /// Whether a contribution is computed of that adjoint alone and of numbers, while the edges before gather the rest of what it is a part of.
    fn comes_of(&self, at: usize, contribution: &Contribution, from: &(Cell, Id)) -> bool {
        let Contribution { access, value, by } = contribution;
        let is_part =
            by.is_none() && is_row_of_vertex(access) && self.known & self.properties.bit(&access.property) == 0;
        if !is_part || *value == from.1 || !self.is_gathered(at, &access.property) {
            return false;
        }
        let reads = self.members[at].run.reads_with(std::slice::from_ref(from), &[*value]);
        let is_adjoint = |access: &Access| Cell::of(access) == from.0;
        reads.iter().any(is_adjoint) && reads.iter().all(|access| is_adjoint(access) || self.is_small(access))
    }

    /// Whether edges of the stage read a property at one of their ends.
    fn is_gathered(&self, at: usize, property: &Ident) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.members[before]) else { return false };
        let is_of_stage = before.kind == Kind::Edge && before.stage == self.members[at].stage;
        let is_end = |access: &Access| matches!(access.place, Place::Source | Place::Destination);
        is_of_stage && before.run.accesses().any(|access| is_end(access) && access.property == *property)
    }

    /// Whether what is read is no row of a vertex.
    fn is_small(&self, access: &Access) -> bool {
        let of = self.properties.0.iter().find(|property| access.property == property.name.as_str());
        access.index.is_none()
            && access.matrix.is_none()
            && of.is_some_and(|property| {
                !matches!(property.element, Element::VertexFeatures | Element::VertexMatrix | Element::GraphMatrix)
            })
    }
}

fn is_row_of_vertex(access: &Access) -> bool {
    access.place == Place::Vertex && access.is_row && access.index.is_none()
}
