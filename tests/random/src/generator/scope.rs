//! A function under way: what it may read and write where the next expression or statement will stand.

use crate::dice::Dice;
use crate::expression::{Access, Expression, Place};
use crate::generator::draft::{Draft, Planned, Position, Role};
use crate::generator::range::{Drawn, Range};
use crate::property::Element;

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Float,
    Flag,
    Count,
    Row,
    Byte,
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) range: Range,
    pub(super) is_uniform: bool,
    pub(super) is_mutable: bool,
}

/// What is asked of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// It must be the same for all features.
    pub(super) uniform: bool,
    /// It may call collaborative operations.
    pub(super) operates: bool,
}

/// A function under way.
pub(super) struct Scope<'a> {
    pub(super) draft: &'a Draft,
    pub(super) dice: &'a mut Dice,
    pub(super) position: Position,
    pub(super) has_feature: bool,
    pub(super) variables: Vec<Variable>,
    /// The own properties that are written on every path before what comes next.
    pub(super) written: Vec<usize>,
    /// How many statements are around.
    pub(super) depth: usize,
    /// Whether a loop is around.
    pub(super) in_loop: bool,
    /// Whether not all features may be here.
    pub(super) is_diverged: bool,
    /// Whether a `return` may have left.
    pub(super) has_left: bool,
    names: usize,
}

impl<'a> Scope<'a> {
    /// A function before its first statement; earlier functions of the run have left `written`.
    pub(super) fn new(
        draft: &'a Draft,
        position: Position,
        has_feature: bool,
        written: Vec<usize>,
        dice: &'a mut Dice,
    ) -> Self {
        Self {
            draft,
            dice,
            position,
            has_feature,
            variables: Vec::new(),
            written,
            depth: 0,
            in_loop: false,
            is_diverged: false,
            has_left: false,
            names: 0,
        }
    }

    /// What may stand in a statement here.
    pub(super) fn wish(&self) -> Wish {
        Wish { uniform: false, operates: self.may_operate() }
    }

    /// The same, for what must be the same for all features.
    pub(super) fn uniform(&self) -> Wish {
        Wish { uniform: true, ..self.wish() }
    }

    pub(super) fn may_operate(&self) -> bool {
        self.has_feature && !self.draft.shape.is_featurewise && self.depth == 0 && !self.has_left
    }

    /// A name that no variable has had.
    pub(super) fn fresh(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}{}", self.names - 1)
    }

    /// Walks what stands inside of a statement.
    pub(super) fn nested<T>(&mut self, diverges: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        let (depth, before) = (self.variables.len(), self.is_diverged);
        let written = self.written.len();
        self.depth += 1;
        self.is_diverged |= diverges;
        let walked = walk(self);
        self.depth -= 1;
        self.is_diverged = before;
        self.variables.truncate(depth);
        self.written.truncate(written);
        walked
    }

    /// Where the function's own properties are.
    pub(super) fn own(&self) -> Place {
        if self.position.is_edge { Place::Edge } else { Place::Vertex }
    }

    /// Where a property may be read, if anywhere.
    pub(super) fn places(&self, property: usize) -> Vec<Place> {
        let planned = &self.draft.properties[property];
        let element = planned.property.element;
        if element.is_row() && !self.has_feature || element == Element::Lift {
            return Vec::new();
        }
        if element == Element::Table {
            let ends = [Place::Edge, Place::Source, Place::Destination];
            return if self.position.is_edge { ends.to_vec() } else { vec![Place::Vertex] };
        }
        if !element.is_of_vertex() && !element.is_of_edge() {
            // Contributions that depend on it are not corrected by changes.
            let may = element != Element::Iteration || !self.position.is_edge || !self.draft.is_propagation();
            let is_added_up =
                !matches!(planned.role, Role::Whole(_)) || !planned.writers.contains(&self.position.stage);
            return (may && is_added_up).then_some(Place::Graph).into_iter().collect();
        }
        let own = (element.is_of_vertex() != self.position.is_edge && self.may_read_own(property, planned))
            .then_some(self.own());
        let away = self.position.is_edge && planned.role != Role::Scratch;
        own.into_iter().chain(self.places_away(planned).into_iter().filter(|_| away)).collect()
    }

    /// Where an edge function may read a property other than at its own edge.
    fn places_away(&self, planned: &Planned) -> Vec<Place> {
        let stage = self.position.stage;
        let is_written_here = planned.writers.contains(&stage);
        let is_reduced_here = matches!(planned.role, Role::Total(_)) && is_written_here;
        if planned.property.element.is_of_edge() {
            let may = self.draft.shape.reads_reverse && !is_written_here && !planned.property.element.is_matrix();
            return may.then_some(Place::Reverse).into_iter().collect();
        }
        let far = !is_reduced_here && (!is_written_here || planned.property.is_tracked());
        let near = !is_reduced_here && (!self.draft.is_propagation() || planned.role == Role::Constant);
        let (source, destination) = if self.position.end == Place::Source { (near, far) } else { (far, near) };
        [(source, Place::Source), (destination, Place::Destination)]
            .into_iter()
            .filter(|(may, _)| *may)
            .map(|(_, place)| place)
            .collect()
    }

    fn may_read_own(&self, property: usize, planned: &Planned) -> bool {
        let is_written = self.written.contains(&property);
        match planned.role {
            Role::Scratch => is_written,
            // In a fold that may be pushed, what a vertex keeps for itself would say how often it ran.
            Role::Kept | Role::Growing if self.draft.is_settling => is_written,
            _ => true,
        }
    }

    /// The reads that are possible here, of those whose property fulfils a condition.
    pub(super) fn reads(&self, wish: Wish, holds: impl Fn(&Planned, Range) -> bool) -> Vec<Drawn> {
        let mut reads = Vec::new();
        for (property, planned) in self.draft.properties.iter().enumerate() {
            let range = self.draft.range(property);
            let is_uniform = !planned.property.element.is_row() || !self.has_feature;
            let is_float = !planned.property.precision.is_whole();
            if is_float && holds(planned, range) && (is_uniform || !wish.uniform) {
                let places = self.places(property).into_iter();
                reads.extend(
                    places.map(|place| Drawn::new(Expression::Read(Access { property, place }), range, is_uniform)),
                );
            }
        }
        reads
    }

    /// The variables of a type that are fit for a wish.
    pub(super) fn known(&self, of: Type, wish: Wish) -> Vec<Drawn> {
        let fits = |variable: &&Variable| variable.of == of && (variable.is_uniform || !wish.uniform);
        let variables = self.variables.iter().filter(fits);
        variables
            .map(|known| Drawn::new(Expression::Variable(known.name.clone()), known.range, known.is_uniform))
            .collect()
    }

    /// One of several, if there are any.
    pub(super) fn any(&mut self, items: &[Drawn]) -> Option<Drawn> {
        if items.is_empty() { None } else { Some(self.dice.pick(items).clone()) }
    }

    /// The properties of its own edge or vertex that the function may write.
    pub(super) fn writable(&self) -> Vec<usize> {
        let position = self.position;
        let is_own = |element: Element| if position.is_edge { element.is_of_edge() } else { element.is_of_vertex() };
        let may = |planned: &Planned| match planned.role {
            Role::Constant | Role::Whole(_) => false,
            Role::Scratch => planned.writers.contains(&position.number),
            Role::Total(_) => !position.is_edge && !self.draft.is_propagation(),
            _ => planned.writers.contains(&position.stage),
        };
        let fits = |planned: &Planned| {
            is_own(planned.property.element) && may(planned) && (self.has_feature || !planned.property.element.is_row())
        };
        let properties = self.draft.properties.iter().enumerate();
        properties.filter(|(_, planned)| fits(planned)).map(|(property, _)| property).collect()
    }
}
