//! Reads at vertices, and of rows of tables, whose numbers are computed. Every number is one of a vertex or a row that is there.

use crate::expression::{Access, Expression, Numbered, Unary, Whole};
use crate::generator::draft::Role;
use crate::generator::range::{Drawn, Range};
use crate::generator::scope::{Scope, Type, Wish};
use crate::limits::TABLE_ROWS;
use crate::name::Style;
use crate::property::{Element, Precision, Property, Start};

impl Scope<'_> {
    /// Whether functions read at vertices that they compute.
    pub(super) fn gathers(&self) -> bool {
        self.draft.style == Style::Gathers
    }

    /// Whether a property may be read at any vertex, or in any row.
    fn may_gather(&self, property: usize) -> bool {
        let planned = &self.draft.properties[property];
        if planned.property.element.is_row() && !self.has_feature {
            return false;
        }
        let element = planned.property.element;
        let is_written = planned.writers.contains(&self.position.stage);
        match planned.role {
            Role::Constant if element == Element::Table => true,
            _ if !matches!(element, Element::VertexFeatures | Element::VertexScalar | Element::VertexHeads) => false,
            Role::Constant => true,
            Role::Label => self.draft.has_previous() || !is_written,
            Role::Scratch => false,
            _ => !is_written,
        }
    }

    /// A read of a property that fulfils a condition, if there is one, at a number that is `depth` expressions deep at most.
    pub(super) fn gathered(
        &mut self,
        wish: Wish,
        depth: usize,
        holds: impl Fn(&Property, Range) -> bool,
    ) -> Option<Drawn> {
        let may = |property: &usize| {
            let (descriptor, range) = (&self.draft.properties[*property].property, self.draft.range(*property));
            let is_uniform = !descriptor.element.is_row() || !wish.uniform;
            is_uniform && holds(descriptor, range) && self.may_gather(*property)
        };
        let properties: Vec<usize> = (0..self.draft.properties.len()).filter(may).collect();
        if properties.is_empty() {
            return None;
        }
        let is_label = |property: &usize| self.draft.properties[*property].role == Role::Label;
        let labels: Vec<usize> = properties.iter().copied().filter(is_label).collect();
        // What is written in the same stage shows whether its previous value is read.
        let some = if !labels.is_empty() && self.dice.chance(40) { labels } else { properties };
        let property = *self.dice.pick(&some);
        let element = self.draft.properties[property].property.element;
        let number =
            if element == Element::Table { self.row_number(wish, depth) } else { self.vertex_number(wish, depth) };
        let expression = Expression::Gather(property, Box::new(number.expression));
        let is_uniform = !element.is_row() || !self.has_feature;
        Some(Drawn::new(expression, self.draft.range(property), is_uniform))
    }

    /// A float at a computed vertex, if there is one.
    pub(super) fn gathered_float(&mut self, wish: Wish) -> Option<Drawn> {
        let depth = self.dice.below(3);
        let found =
            self.gathered(wish, depth, |property, range| !property.precision.is_whole() && range != Range::Rough)?;
        Some(if found.range == Range::Wild { found.tamed() } else { found })
    }

    /// The number of a row of a table.
    fn row_number(&mut self, wish: Wish, depth: usize) -> Drawn {
        let value = self.whole(Wish { uniform: true, ..wish }, depth);
        let rows = Expression::Count(TABLE_ROWS as u32);
        Drawn { expression: Expression::whole(Whole::Rest, value.expression, rows), ..value }
    }

    /// The number of a vertex that is there, the same for all features.
    pub(super) fn vertex_number(&mut self, wish: Wish, depth: usize) -> Drawn {
        let wish = Wish { uniform: true, ..wish };
        let (deeper, below) = (usize::from(depth > 0), depth.saturating_sub(1));
        match self.dice.weighted(&[(3, 0), (4, 1), (3 * deeper, 2), (4 * deeper, 3), (2 * deeper, 4), (deeper, 5)]) {
            1 => self.kept_vertex(wish),
            2 => self.next_vertex(wish, below),
            3 => self.any_vertex(wish, below),
            4 => self.chosen_vertex(wish, below),
            5 => self.bounded_vertex(wish, below),
            _ => self.own_vertex(),
        }
    }

    /// The number of the function's own vertex or of an end of its edge.
    fn own_vertex(&mut self) -> Drawn {
        let ends = [Numbered::Source, Numbered::Destination];
        let of = if self.position.is_edge { *self.dice.pick(&ends) } else { Numbered::Vertex };
        Drawn::new(Expression::Own(of), Range::VERTEX, true)
    }

    /// A number that a property or a variable holds.
    fn kept_vertex(&mut self, wish: Wish) -> Drawn {
        let known = self.known(Type::Count, wish).into_iter().filter(|known| known.range == Range::VERTEX);
        let mut found: Vec<Drawn> = known.collect();
        for (property, planned) in self.draft.properties.iter().enumerate() {
            let is_number = planned.property.start == Start::Vertices && planned.property.element != Element::Parameter;
            let places = if is_number { self.places(property) } else { Vec::new() };
            let read = |place| Expression::Read(Access { property, place });
            found.extend(places.into_iter().map(|place| as_vertex(read(place), planned.property.precision)));
        }
        self.any(&found).unwrap_or_else(|| self.own_vertex())
    }

    /// The number that another vertex holds.
    fn next_vertex(&mut self, wish: Wish, depth: usize) -> Drawn {
        let precision = *self.dice.pick(&[Precision::Word, Precision::Word, Precision::Single]);
        let found = self
            .gathered(wish, depth, |property, _| property.precision == precision && property.start == Start::Vertices);
        found.map_or_else(|| self.own_vertex(), |found| as_vertex(found.expression, precision))
    }

    /// What is left of any number after a division by the number of vertices.
    fn any_vertex(&mut self, wish: Wish, depth: usize) -> Drawn {
        let properties = self.draft.properties.iter();
        let is_count =
            |property: &Property| property.element == Element::Parameter && property.start == Start::Vertices;
        let count = properties.map(|planned| &planned.property).position(is_count).expect("one was planned");
        let place = crate::expression::Place::Graph;
        let count = Expression::unary(Unary::Whole, Expression::Read(Access { property: count, place }));
        let value = self.whole(wish, depth);
        Drawn::new(Expression::whole(Whole::Rest, value.expression, count), Range::VERTEX, true)
    }

    fn chosen_vertex(&mut self, wish: Wish, depth: usize) -> Drawn {
        let holds = self.flag(wish, depth);
        let inside = Wish { operates: false, ..wish };
        let [yes, no] = [(); 2].map(|()| self.vertex_number(inside, depth).expression);
        Drawn::new(Expression::Choose(Box::new([holds.expression, yes, no])), Range::VERTEX, true)
    }

    fn bounded_vertex(&mut self, wish: Wish, depth: usize) -> Drawn {
        let [left, right] = [(); 2].map(|()| self.vertex_number(wish, depth).expression);
        let of = *self.dice.pick(&[Whole::Least, Whole::Greatest]);
        Drawn::new(Expression::whole(of, left, right), Range::VERTEX, true)
    }

    /// The next value of a label that is the number of a vertex: often one that settles.
    pub(super) fn vertex_label(&mut self, access: Access, wish: Wish) -> Expression {
        let form = self.dice.below(3);
        let inside = Wish { operates: wish.operates && form < 2, ..wish };
        let (value, old) = (self.vertex_number(inside, 2).expression, Expression::Read(access));
        match form {
            0 => value,
            1 => Expression::whole(*self.dice.pick(&[Whole::Least, Whole::Greatest]), old, value),
            _ => Expression::Choose(Box::new([self.flag(wish, 1).expression, value, old])),
        }
    }
}

/// The number of a vertex, as a `u32`.
fn as_vertex(expression: Expression, precision: Precision) -> Drawn {
    let is_whole = precision == Precision::Word;
    let number = if is_whole { expression } else { Expression::unary(Unary::Whole, expression) };
    Drawn::new(number, Range::VERTEX, true)
}
