//! What runs add to the adjoints of what they read, as functions: in place, at the ends of edges, at the reverse edge, and to the graph.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;
use syn::ext::IdentExt;

use crate::check::usage::Reduction;
use crate::gradient::adjoint;
use crate::gradient::derivation::Derivation;
use crate::gradient::effect::{Effect, Form};
use crate::gradient::name::ident;
use crate::gradient::piece::Reach;
use crate::gradient::reverse;
use crate::gradient::run::Contribution;
use crate::gradient::value::Cell;
use crate::message;
use crate::parse::access::{Access, Place};
use crate::parse::function::Kind;

impl Derivation<'_> {
    /// The function of a run of vertices.
    pub(super) fn vertices(&mut self, at: usize, contributions: Vec<Contribution>) {
        if !contributions.is_empty() {
            self.count(at);
        }
        let rest = self.put_off(at, contributions);
        let effects = rest.iter().map(|contribution| self.in_place(contribution, at)).collect();
        self.piece(at, "", effects);
    }

    /// What is added to the adjoint of what belongs to the run's own vertex or edge, or to the graph.
    pub(super) fn in_place(&mut self, contribution: &Contribution, at: usize) -> Effect {
        let Contribution { access, value, by } = contribution;
        let form = Form::of(self.adds(contribution, at));
        let effect = self.effect(access.place, access, adjoint::name(&access.property), form, *value);
        Effect { by: by.clone(), ..effect }
    }

    /// Notes that there is something of a property's adjoint. Whether there was before.
    fn add_to(&mut self, property: &Ident) -> bool {
        let bit = self.properties.bit(property);
        let adds = self.known & bit != 0;
        self.known |= bit;
        adds
    }

    /// Whether what comes of an access of run number `at` is added to what there is. One function adds to a total of the graph; to a table for as many
    /// rows as it reads.
    fn adds(&mut self, Contribution { access, by, .. }: &Contribution, at: usize) -> bool {
        let adds = self.add_to(&access.property);
        let is_total = by.is_some() || matches!(access.place, Place::Graph | Place::Row);
        let table = (access.property.to_string(), at);
        if by.is_some() && adds {
            self.errors.push(&access.property, message::gradient_of_products(&access.property));
        } else if is_total && adds && !self.tables.contains(&table) {
            self.errors.push(&access.property, message::gradient_shared(&access.property));
        }
        if access.place == Place::Row {
            self.tables.push(table);
        }
        adds || is_total
    }

    fn effect(&mut self, place: Place, access: &Access, name: Ident, form: Form, value: usize) -> Effect {
        self.declared.require(&access.property, &name);
        let Cell { is_row, index, .. } = Cell::of(access);
        Effect { cell: Cell { property: name, place, is_row, index }, form, value, by: None }
    }

    /// Contributions to sources, then those to destinations. Those to the edges themselves and to the graph go with the latter, or with the only ones. Where there are any to the graph, destinations
    /// come first: what the edges add may lie in the memory of what sources get, until that is computed.
    pub(super) fn edges(&mut self, at: usize, contributions: Vec<Contribution>) {
        if !contributions.is_empty() {
            self.multiply(at);
            self.count(at);
        }
        let (reverses, contributions): (Vec<_>, Vec<_>) =
            contributions.into_iter().partition(|contribution| contribution.access.place == Place::Reverse);
        self.ends(at, contributions);
        self.reverses(at, reverses);
        self.make_up();
    }

    fn ends(&mut self, at: usize, contributions: Vec<Contribution>) {
        let (sources, rest): (Vec<_>, Vec<_>) =
            contributions.into_iter().partition(|contribution| contribution.end() == Place::Source);
        let is_edge =
            |contribution: &Contribution| matches!(contribution.end(), Place::Edge | Place::Graph | Place::Row);
        let (edges, destinations): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_edge);
        let (own, with_destinations) = if destinations.is_empty() { (edges, Vec::new()) } else { (Vec::new(), edges) };
        let both = !sources.is_empty() && !destinations.is_empty();
        let (first, second) = if both { ("_source", "_destination") } else { ("", "") };
        if sources.is_empty() && destinations.is_empty() {
            return self.end(at, "", Place::Destination, Vec::new(), own);
        }
        let is_of_graph = |contribution: &Contribution| contribution.end() == Place::Graph;
        let adds_first = with_destinations.iter().any(is_of_graph);
        let sources = (first, Place::Source, sources, own);
        let destinations = (second, Place::Destination, destinations, with_destinations);
        let ends = if adds_first { [destinations, sources] } else { [sources, destinations] };
        for (suffix, end, rows, others) in ends {
            self.end(at, suffix, end, rows, others);
        }
    }

    /// Contributions to the reverse edges: each edge has as its own what its reverse edge, whose reverse it is, has for it.
    fn reverses(&mut self, at: usize, contributions: Vec<Contribution>) {
        if contributions.is_empty() {
            return;
        }
        let mut effects = Vec::new();
        for Contribution { access, value, .. } in contributions {
            if reverse::takes_number(&self.members[at].run.tape, value) {
                self.errors.push(&access.property, message::GRADIENT_REVERSE);
            }
            let form = Form::of(self.add_to(&access.property));
            effects.push(self.effect(Place::Edge, &access, adjoint::name(&access.property), form, value));
        }
        let tape = reverse::turned(&self.members[at].run.tape);
        self.piece_of(at, "_reverse", &effects, (&tape, &[]));
    }

    /// The function of the dot products of totals and their adjoints.
    fn multiply(&mut self, at: usize) {
        let dots = self.members[at].run.dots.clone();
        let Some(first) = dots.first() else { return };
        let name = format!("multiply_{}_gradient", first.property.unraw());
        let (mut body, mut writes) = (TokenStream::new(), Vec::new());
        for cell in &dots {
            let (total, adjoint, dot) = (&cell.property, adjoint::name(&cell.property), adjoint::dot(&cell.property));
            let (d, v, f) = (ident("d"), ident("v"), ident("f"));
            body.extend(quote!(#d.#dot[#v] = dot(#d.#adjoint[#v][#f], #d.#total[#v][#f]);));
            self.read(&Access { place: Place::Vertex, ..cell.access() }, at);
            self.declared.require_dot(total, &dot);
            writes.push(dot);
        }
        let writes = self.properties.set(&writes);
        if self.errors.is_empty() {
            self.push(Kind::Vertex, &name, &body, Reach { writes, ..Reach::default() });
        }
    }

    /// The function that counts what shares an adjoint, and gathers what else it needs.
    fn count(&mut self, at: usize) {
        let counts = self.members[at].run.counts.clone();
        let effects = counts.into_iter().map(|count| {
            let (access, name) = (count.cell.access(), count.property());
            let form = if count.reduction == Reduction::Product { Form::Multiplies } else { Form::Adds };
            self.effect(count.cell.place, &access, name, form, count.value)
        });
        let effects = effects.collect();
        self.piece(at, "_count", effects);
    }

    /// The function that gathers adjoints at one end of the edges, and what adds them to others.
    fn end(&mut self, at: usize, suffix: &str, end: Place, ends: Vec<Contribution>, edges: Vec<Contribution>) {
        let (mut effects, mut parts) = (Vec::new(), Vec::new());
        for contribution in ends {
            if contribution.by.is_some() {
                effects.push(self.in_place(&contribution, at));
                continue;
            }
            let Contribution { access, value, .. } = contribution;
            let property = &access.property;
            let adds = self.add_to(property);
            let name = if adds { adjoint::part(property) } else { adjoint::name(property) };
            if adds {
                parts.push(access.clone());
            }
            effects.push(self.effect(end, &access, name, Form::Adds, value));
        }
        effects.extend(edges.iter().map(|contribution| self.in_place(contribution, at)).collect::<Vec<_>>());
        self.piece(at, suffix, effects);
        if !parts.is_empty() {
            self.make_up();
        }
        self.add_parts(&parts);
    }

    /// Adds what one end of the edges has gathered to what others have before.
    fn add_parts(&mut self, parts: &[Access]) {
        let additions = parts.iter().map(|access| {
            let (to, from) = (adjoint::name(&access.property), adjoint::part(&access.property));
            let (d, v, f) = (ident("d"), ident("v"), ident("f"));
            let feature = access.is_row.then_some(f).into_iter();
            let again = feature.clone();
            quote!(#d.#to[#v] #([#feature])* += #d.#from[#v] #([#again])*;)
        });
        let body: TokenStream = additions.collect();
        let Some(first) = parts.first() else { return };
        let name = format!("add_{}_gradient", first.property.unraw());
        let writes = parts.iter().map(|access| adjoint::name(&access.property)).collect::<Vec<_>>();
        let writes = self.properties.set(&writes);
        if self.errors.is_empty() {
            self.push(Kind::Vertex, &name, &body, Reach { writes, ..Reach::default() });
        }
    }
}
