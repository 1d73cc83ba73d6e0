//! The shape of a program: its stages and the options of its fold.

use crate::dice::Dice;
use crate::expression::Place;
use crate::limits::MOST_FEATURES_OF_MATRICES;
use crate::name::Style;
use crate::program::PerLane;

/// What a program is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Edges hand on what vertex functions of the same stage write: such a fold may be pushed.
    Propagation,
    /// Several stages of whatever functions.
    Stages,
    /// Edges of active sources alone.
    Active,
    /// Edges of active sources alone, in stages that may be pushed.
    Pushed,
    /// Vertex functions alone.
    Vertices,
    /// Edge functions alone.
    Edges,
}

/// How many functions of each kind a stage has.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageShape {
    pub(super) edges: usize,
    pub(super) vertices: usize,
    /// The end that its edge functions reduce into.
    pub(super) end: Place,
}

/// The shape of a program.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) stages: Vec<StageShape>,
    pub(super) has_features: bool,
    pub(super) has_matrices: bool,
    /// Whether rows are heads.
    pub(super) has_heads: bool,
    /// Whether functions look at one feature alone: then there may be more than the widest width.
    pub(super) is_featurewise: bool,
    pub(super) is_unfolded: bool,
    pub(super) reads_reverse: bool,
    pub(super) widths: Vec<usize>,
    pub(super) per_lane: PerLane,
}

impl Shape {
    /// Draws a shape.
    pub(super) fn draw(style: Style, dice: &mut Dice) -> Self {
        let kind = match style {
            Style::History | Style::Near => Kind::Propagation,
            Style::Totals => {
                dice.weighted(&[(20, Kind::Propagation), (60, Kind::Stages), (10, Kind::Vertices), (10, Kind::Edges)])
            }
            Style::Outward | Style::States => {
                dice.weighted(&[(60, Kind::Stages), (20, Kind::Active), (20, Kind::Edges)])
            }
            // Who reads at a computed vertex is never pushed.
            Style::Gathers => dice.weighted(&[
                (60, Kind::Stages),
                (15, Kind::Active),
                (5, Kind::Pushed),
                (10, Kind::Vertices),
                (10, Kind::Edges),
            ]),
            _ => dice.weighted(&[
                (45, Kind::Propagation),
                (28, Kind::Stages),
                (10, Kind::Active),
                (7, Kind::Pushed),
                (5, Kind::Vertices),
                (5, Kind::Edges),
            ]),
        };
        let needs_features =
            matches!(style, Style::Width | Style::Tables | Style::Halves | Style::Inputs | Style::Heads);
        let has_features = needs_features || dice.chance(88);
        let may_have_heads = has_features && matches!(style, Style::Integers | Style::Gathers);
        let has_heads = style == Style::Heads || may_have_heads && dice.chance(20);
        let is_featurewise = has_features && style != Style::Width && dice.chance(15);
        let has_matrices = has_features && !is_featurewise && !has_heads && dice.chance(15);
        let is_unfolded = matches!(kind, Kind::Stages | Kind::Active | Kind::Vertices) && dice.chance(25);
        let reads_reverse = matches!(kind, Kind::Stages | Kind::Active) && dice.chance(25);
        let mut stages = if is_unfolded { singles(kind, dice) } else { stages(kind, dice) };
        let outward = match style {
            Style::Outward => 60,
            Style::States => 25,
            Style::Totals if kind != Kind::Propagation => 20,
            _ => 0,
        };
        if outward > 0 {
            stages.iter_mut().filter(|_| dice.chance(outward)).for_each(|stage| stage.end = Place::Source);
        }
        let (widths, per_lane) = widths(has_features, has_matrices, dice);
        Self {
            kind,
            stages,
            has_features,
            has_matrices,
            has_heads,
            is_featurewise,
            is_unfolded,
            reads_reverse,
            widths,
            per_lane,
        }
    }
}

fn stage(edges: usize, vertices: usize) -> StageShape {
    StageShape { edges, vertices, end: Place::Destination }
}

fn stages(kind: Kind, dice: &mut Dice) -> Vec<StageShape> {
    let few = |dice: &mut Dice| dice.weighted(&[(5, 1), (4, 2), (1, 3)]);
    match kind {
        Kind::Propagation => vec![stage(few(dice), few(dice))],
        Kind::Stages | Kind::Active => (0..dice.between(1, 3)).map(|_| any_stage(dice)).collect(),
        Kind::Pushed => {
            let before = dice.below(2);
            (0..before).map(|_| stage(1, 0)).chain([stage(dice.between(1, 2), few(dice))]).collect()
        }
        Kind::Vertices => (0..dice.between(1, 2)).map(|_| stage(0, few(dice))).collect(),
        Kind::Edges => (0..dice.between(1, 2)).map(|_| stage(few(dice), 0)).collect(),
    }
}

fn any_stage(dice: &mut Dice) -> StageShape {
    let (edges, vertices) =
        dice.weighted(&[(4, (1, 1)), (2, (2, 1)), (2, (1, 2)), (2, (2, 2)), (2, (0, 1)), (2, (1, 0))]);
    stage(edges, vertices)
}

/// A stage for each function.
fn singles(kind: Kind, dice: &mut Dice) -> Vec<StageShape> {
    let single = |dice: &mut Dice| {
        if kind != Kind::Vertices && dice.chance(50) { stage(1, 0) } else { stage(0, 1) }
    };
    (0..dice.between(2, 4)).map(|_| single(dice)).collect()
}

fn widths(has_features: bool, has_matrices: bool, dice: &mut Dice) -> (Vec<usize>, PerLane) {
    if !has_features {
        return (vec![1], PerLane::Default);
    }
    let per_lane = dice.weighted(&[
        (40, PerLane::Default),
        (30, PerLane::Number(1)),
        (15, PerLane::Number(2)),
        (5, PerLane::Number(4)),
        (10, PerLane::All),
    ]);
    let widths: &[&[usize]] = &[&[4], &[4], &[4], &[2], &[8], &[8], &[1], &[16], &[2, 4], &[1, 8]];
    let fits = |widths: &[usize]| !has_matrices || widths.iter().all(|width| *width <= MOST_FEATURES_OF_MATRICES);
    let fitting: Vec<&[usize]> = widths.iter().copied().filter(|widths| fits(widths)).collect();
    (dice.pick(&fitting).to_vec(), per_lane)
}
