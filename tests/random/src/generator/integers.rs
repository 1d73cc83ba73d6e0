//! Which scalars of a program are integers.

use crate::dice::Dice;
use crate::generator::draft::{Draft, Planned, Role};
use crate::name::Style;
use crate::property::{Element, Precision, Start};
use crate::statement::Reduction;

impl Draft {
    /// Makes integers of most scalars of vertices and edges.
    pub(super) fn plan_integers(&mut self, dice: &mut Dice) {
        let is_propagation = self.is_propagation();
        for planned in self.properties.iter_mut().filter(|planned| may_be_whole(planned.property.element)) {
            let precision = precision(planned.role, dice);
            if precision.is_whole() {
                planned.property.precision = precision;
                planned.is_rough = false;
                planned.role = whole_role(planned.role, is_propagation, dice);
            }
        }
        if self.style == Style::Gathers {
            self.plan_numbers(dice);
        }
    }

    /// Has some properties hold numbers of vertices, and the graph how many there are.
    fn plan_numbers(&mut self, dice: &mut Dice) {
        let may = |planned: &&mut Planned| {
            let is_lasting = matches!(planned.role, Role::Constant | Role::Label | Role::Kept | Role::Message);
            is_lasting && planned.property.precision == Precision::Word
        };
        for planned in self.properties.iter_mut().filter(may) {
            planned.property.start = if dice.chance(55) { Start::Vertices } else { planned.property.start };
        }
        self.add_constant(Element::VertexScalar, Start::Vertices);
        self.add_constant(Element::Parameter, Start::Vertices);
        if dice.chance(45) {
            self.plan_halves(dice);
        }
    }
}

fn may_be_whole(element: Element) -> bool {
    matches!(element, Element::VertexScalar | Element::EdgeScalar) || element.is_of_heads()
}

/// A byte is too narrow for a total, and for what grows.
fn precision(role: Role, dice: &mut Dice) -> Precision {
    let bytes = if matches!(role, Role::Total(_) | Role::Growing) { 0 } else { 3 };
    dice.weighted(&[(5, Precision::Word), (bytes, Precision::Byte), (1, Precision::Single)])
}

/// The same, but a total is one of whole numbers.
fn whole_role(role: Role, is_propagation: bool, dice: &mut Dice) -> Role {
    let Role::Total(_) = role else { return role };
    // Of these sums alone are corrected by changes.
    let others = if is_propagation { 0 } else { 2 };
    Role::Total(dice.weighted(&[
        (3, Reduction::Sum),
        (others, Reduction::Min),
        (others, Reduction::Max),
        (others, Reduction::Or),
        (others, Reduction::And),
    ]))
}
