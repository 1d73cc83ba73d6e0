//! A program under way: which properties there are, what each is for, and who may write it.

use crate::dice::Dice;
use crate::expression::Place;
use crate::generator::range::Range;
use crate::generator::shape::{Kind, Shape};
use crate::name::Style;
use crate::program::Stage;
use crate::property::{Element, Precision, Property, Start};
use crate::statement::Reduction;

/// What a property is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nobody writes it.
    Constant,
    /// Vertex functions write it, and neighbors see its previous value.
    Label,
    /// Vertex functions write it.
    Kept,
    /// Vertex functions add to it.
    Growing,
    /// Edge functions write it.
    Message,
    /// Edge functions reduce into it.
    Total(Reduction),
    /// Functions add to it, of the whole graph.
    Whole(Reduction),
    /// A function hands it on to the next ones of its run.
    Scratch,
}

/// A property and what it is for.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) property: Property,
    pub(super) role: Role,
    /// Whether its values round.
    pub(super) is_rough: bool,
    /// The stages in which it may be written or is reduced; of scratch, the functions.
    pub(super) writers: Vec<usize>,
    /// The functions that reduce into it, or add to it.
    pub(super) reducers: Vec<usize>,
}

/// Where a function stands in the fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) number: usize,
    pub(super) stage: usize,
    pub(super) is_edge: bool,
    /// The end of its edge that it reduces into, as an edge function.
    pub(super) end: Place,
    /// Whether the next function of the fold is of the same kind and in the same stage, or would be if the fold were not unfolded.
    pub(super) is_last: bool,
    /// The run in which scratch is handed on.
    pub(super) run: usize,
}

/// A program under way.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) style: Style,
    pub(super) shape: Shape,
    pub(super) positions: Vec<Position>,
    pub(super) properties: Vec<Planned>,
    /// In a fold that may be pushed: whether vertex functions are written so that leaving a vertex out changes nothing.
    pub(super) is_settling: bool,
}

impl Draft {
    /// Plans the properties of a program of this shape.
    pub(super) fn new(style: Style, shape: Shape, dice: &mut Dice) -> Self {
        let positions = positions(&shape);
        let is_settling =
            shape.kind == Kind::Propagation && (style == Style::Near || style != Style::History && dice.chance(88));
        let mut draft = Self { style, shape, positions, properties: Vec::new(), is_settling };
        draft.plan_constants(dice);
        draft.plan_of_vertices(dice);
        draft.plan_messages(dice);
        draft.plan_totals(dice);
        if style == Style::Totals {
            draft.plan_wholes(dice);
        }
        draft.plan_scratch(dice);
        if style == Style::Halves || style == Style::Heads && dice.chance(30) {
            draft.plan_halves(dice);
        }
        if draft.has_integers() {
            draft.plan_integers(dice);
        }
        draft
    }

    /// Whether scalars may be integers.
    pub(super) fn has_integers(&self) -> bool {
        matches!(self.style, Style::Integers | Style::Gathers)
    }

    /// Whether what is tracked is exchanged between iterations: not in a single stage of vertex functions.
    pub(super) fn has_previous(&self) -> bool {
        self.has(true) || self.shape.stages.len() > 1
    }

    /// Whether the fold is to be one that may be pushed by changes.
    pub(super) fn is_propagation(&self) -> bool {
        self.shape.kind == Kind::Propagation
    }

    /// The stages that the fold is to have.
    pub(super) fn stages(&self) -> Vec<Stage> {
        let mut stages = vec![Stage::default(); self.shape.stages.len()];
        for position in &self.positions {
            let stage = &mut stages[position.stage];
            if position.is_edge { &mut stage.edges } else { &mut stage.vertices }.push(position.number);
        }
        stages
    }

    fn may_be_outward(&self) -> bool {
        matches!(self.style, Style::Outward | Style::States | Style::Totals)
    }

    /// The range of what a property holds.
    pub(super) fn range(&self, property: usize) -> Range {
        let planned = &self.properties[property];
        match planned.role {
            _ if planned.is_rough => Range::Rough,
            _ if planned.property.start == Start::Vertices => Range::VERTEX,
            _ if planned.property.precision.is_whole() => Range::Wild,
            Role::Total(Reduction::Sum | Reduction::Difference) if self.may_be_outward() => Range::OUTWARD_TOTAL,
            Role::Total(Reduction::Sum | Reduction::Difference) => Range::TOTAL,
            Role::Whole(Reduction::Sum | Reduction::Difference) => Range::WHOLE,
            Role::Total(_) | Role::Whole(_) => Range::Wild,
            Role::Growing => Range::GROWN,
            _ if planned.property.element == Element::Iteration => Range::COUNTED,
            _ if planned.property.element.is_inputs() => Range::LIFTED,
            Role::Constant if planned.property.start == Start::Units => Range::UNIT,
            _ if planned.property.element.is_matrix() => Range::PRODUCT,
            Role::Kept | Role::Message if planned.property.precision != Precision::Single => Range::FINE,
            _ => Range::SMALL,
        }
    }
}

fn positions(shape: &Shape) -> Vec<Position> {
    let kinds: Vec<(usize, bool)> = shape
        .stages
        .iter()
        .enumerate()
        .flat_map(|(number, stage)| {
            std::iter::repeat_n((number, true), stage.edges).chain(std::iter::repeat_n((number, false), stage.vertices))
        })
        .collect();
    let goes_on = |one: (usize, bool), next: (usize, bool)| one.1 == next.1 && (one.0 == next.0 || shape.is_unfolded);
    let mut run = 0;
    let mut positions = Vec::new();
    for (number, (stage, is_edge)) in kinds.iter().copied().enumerate() {
        let is_last = kinds.get(number + 1).is_none_or(|next| !goes_on((stage, is_edge), *next));
        positions.push(Position { number, stage, is_edge, end: shape.stages[stage].end, is_last, run });
        run += usize::from(is_last);
    }
    positions
}
