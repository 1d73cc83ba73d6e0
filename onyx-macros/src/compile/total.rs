//! The totals of the graph that a fold adds up, and when they may be read: after the stage that adds to them.

use crate::check::usage::Reduction;
use crate::compile::Compiled;
use crate::compile::function::FoldFunction;
use crate::compile::property::{Element, Properties};
use crate::compile::stage::{self, Stage};
use crate::errors::Errors;
use crate::expand::function::Lowered;
use crate::expand::written::outers;
use crate::lower;
use crate::lower::total::Added;
use crate::message;
use crate::parse::fold::Fold;

/// The most floats of a matrix that a lane keeps from vertex to vertex: few of its registers.
const MOST_HELD: usize = 32;

/// A total that a function, or a stage, adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    /// The position of the property.
    pub total: usize,
    /// The position of the property that has its contributions.
    pub contributions: usize,
    /// How contributions are combined.
    pub reduction: Reduction,
    /// The position of the property that they are multiplied by before.
    pub by: Option<usize>,
    /// Whether the function adds an outer product of a vertex's rows, and nothing else.
    pub is_outer: bool,
}

impl Total {
    /// The totals among what a function adds to. What is no total is reported by the compiler.
    pub fn of(lowered: &Lowered, properties: &Properties) -> Vec<Self> {
        let total = |added: &Added| {
            let position = properties.bit(&added.total).trailing_zeros() as usize;
            let (contributions, total) = properties.totals().find(|(_, total)| *total == position)?;
            let by = added.by.as_ref().map(|by| properties.bit(&by.property).trailing_zeros() as usize);
            let is_outer = outers(lowered).any(|(_, property)| *property == lower::total::contributions(&added.total));
            Some(Self { total, contributions, reduction: added.reduction, by, is_outer })
        };
        lowered.totals.iter().filter_map(total).collect()
    }

    /// The operator's name in the device crate.
    pub fn operator(self) -> &'static str {
        self.reduction.operator()
    }
}

/// The totals that a stage of these functions adds to.
pub fn of_stage(members: &[FoldFunction], stage: &Stage) -> Vec<Total> {
    let own = members.iter().enumerate().filter(|(index, _)| stage.contains(*index));
    own.flat_map(|(_, member)| member.totals.iter().copied()).collect()
}

/// Has stages gather what their vertex functions add to totals, in place of a contribution of each vertex, where all of them run on every vertex in each iteration, or
/// would if all vertices were active.
pub fn gather(stages: &mut [Stage], members: &[FoldFunction], properties: &Properties, rows: &Rows<'_>) {
    let is_gathered = |total: &Total| match properties.0.get(total.total).map(|property| property.element) {
        Some(Element::GraphScalar | Element::GraphFeatures) => true,
        Some(Element::GraphMatrix) => rows.widths.iter().all(|width| rows.hold_matrix(*width, total)),
        _ => false,
    };
    let gathering: Vec<usize> =
        (0..stages.len()).filter(|index| gathers(stages, *index, members, is_gathered)).collect();
    gathering.into_iter().for_each(|index| stages[index].flags |= stage::GATHERS_TOTALS);
}

/// The rows that a fold is compiled for.
pub struct Rows<'a> {
    /// The fold.
    pub fold: &'a Fold,
    /// The widths.
    pub widths: &'a [usize],
    /// Whether they are heads.
    pub are_heads: bool,
}

impl Rows<'_> {
    /// Whether groups hold a total that is a matrix in registers: a warp together, as `tile_sum.rs` of `onyx-device`, or each of them.
    fn hold_matrix(&self, width: usize, total: &Total) -> bool {
        let (lanes, of_lane) = self.fold.lanes(width);
        let in_tiles = total.is_outer && !self.are_heads && lanes == 4 && (of_lane == 4 || of_lane == 8);
        in_tiles || width * of_lane <= MOST_HELD
    }
}

fn gathers(stages: &[Stage], index: usize, members: &[FoldFunction], is_gathered: impl Fn(&Total) -> bool) -> bool {
    let stage = &stages[index];
    let earlier = stages[..index].iter().flat_map(|stage| stage.vertices.clone());
    // What the last function returns stops nothing that adds.
    let mut before = earlier.chain(stage.vertices.clone()).take_while(|member| member + 1 < stage.vertices.end);
    let mut plain = stage.totals.iter().filter(|total| total.by.is_none()).peekable();
    !stage.has_edges()
        && before.all(|member| !members[member].may_stop)
        && plain.peek().is_some()
        && plain.all(is_gathered)
}

/// Adds an error for each total that two functions add to, that is read before it is there, or that is not of all vertices.
pub fn check(compiled: &Compiled, errors: &mut Errors) {
    for (index, member) in compiled.members.iter().enumerate() {
        for total in &member.totals {
            check_operators(compiled, member, *total, errors);
            check_product(compiled, member, *total, errors);
            check_others(compiled, index, *total, errors);
            if compiled.fold.is_active() {
                let name = compiled.properties.shown(total.total);
                errors.push_at(member.span, message::total_of_active(&member.name, name));
            }
        }
    }
}

fn check_operators(compiled: &Compiled, member: &FoldFunction, total: Total, errors: &mut Errors) {
    let first = member.totals.iter().find(|other| other.total == total.total).filter(|first| **first != total);
    if let Some(first) = first.filter(|first| first.reduction != total.reduction) {
        let name = compiled.properties.shown(total.total);
        errors.push_at(member.span, message::two_operators(name, first.reduction.written(), total.reduction.written()));
    }
}

/// What has rows or columns of another width is a sum of products, all with one property.
fn check_product(compiled: &Compiled, member: &FoldFunction, total: Total, errors: &mut Errors) {
    let is_of_inputs = compiled.properties.0.get(total.total).is_some_and(|property| property.element.is_of_inputs());
    let name = compiled.properties.shown(total.total);
    if is_of_inputs && total.by.is_none() {
        errors.push_at(member.span, message::no_product(&member.name, name));
    }
    let first = member.totals.iter().find(|other| other.total == total.total).and_then(|first| first.by);
    if let (Some(first), Some(second)) = (first, total.by.filter(|by| Some(*by) != first)) {
        let [first, second] = [first, second].map(|by| compiled.properties.shown(by));
        errors.push_at(member.span, message::two_products(name, first, second));
    }
}

/// Other functions of the fold must not add to the total, nor others of the stage read it.
fn check_others(compiled: &Compiled, index: usize, total: Total, errors: &mut Errors) {
    let (own, name) = (&compiled.members[index], compiled.properties.shown(total.total));
    for (position, other) in compiled.members.iter().enumerate() {
        let adds = other.totals.iter().any(|other| other.total == total.total);
        if position > index && adds {
            errors.push_at(other.span, message::shared_total(&own.name, &other.name, name));
        }
        let is_near = compiled.stages.iter().any(|stage| stage.contains(index) && stage.contains(position));
        if is_near && other.accesses.reads_totals() >> total.total & 1 == 1 {
            errors.push_at(other.span, message::unfinished_total(&other.name, &own.name, name));
        }
    }
}
