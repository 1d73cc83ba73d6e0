//! Any number of features, one tile of the widest compiled width after the other: which folds allow it, and what stands in the way of others.

use core::fmt;

use crate::property::{Descriptor, Element};
use crate::stage::Member;

/// What a function does with more than its own feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Across {
    /// The first collaborative operation that it calls.
    pub operation: Option<&'static str>,
    /// Whether it uses the number of its feature for more than to index with.
    pub number: bool,
    /// Whether it uses the compiled number of features.
    pub width: bool,
    /// Whether it may return false for some features and true for others.
    pub differs: bool,
}

impl Across {
    /// Each feature is on its own.
    pub const NONE: Self = Self { operation: None, number: false, width: false, differs: false };
}

/// Why the features of a fold cannot be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// There is nothing to take apart.
    Scalars,
    /// The property is a matrix.
    Matrix(&'static str),
    /// Edge functions run along the edges of active sources alone.
    ActiveEdges,
    /// A function calls a collaborative operation.
    Operation {
        /// The function.
        function: &'static str,
        /// The operation.
        operation: &'static str,
    },
    /// The function uses the number of its feature.
    Number(&'static str),
    /// The function uses the compiled number of features.
    Width(&'static str),
    /// Whether a function goes on is decided by all features together.
    Progress {
        /// The function that may stop the next one.
        function: &'static str,
        /// The next one.
        next: &'static str,
    },
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalars => write!(f, "no property of its data has features"),
            Self::Matrix(property) => write!(f, "`{property}` is a matrix, each row of which has all features"),
            Self::ActiveEdges => write!(f, "with `edges = active` all features decide together which edges run"),
            Self::Operation { function, operation } => {
                write!(
                    f,
                    "`{function}` calls `{operation}`, which works across all features, while only an `any` that it returns as its last \
                     expression does without them"
                )
            }
            Self::Number(function) => write!(f, "`{function}` uses the number of its feature"),
            Self::Width(function) => write!(f, "`{function}` uses the number of features"),
            Self::Progress { function, next } => write!(
                f,
                "`{function}` may return false for some features and true for others, and all decide together whether `{next}` runs"
            ),
        }
    }
}

/// What stands in the way of tiles, if anything does.
pub const fn obstacle(properties: &[Descriptor], members: &[Member], is_active: bool) -> Option<Obstacle> {
    if let Some(obstacle) = obstacle_of_data(properties) {
        return Some(obstacle);
    }
    if is_active {
        return Some(Obstacle::ActiveEdges);
    }
    let mut index = 0;
    while index < members.len() {
        if let Some(obstacle) = obstacle_of_function(members, index) {
            return Some(obstacle);
        }
        index += 1;
    }
    None
}

const fn obstacle_of_data(properties: &[Descriptor]) -> Option<Obstacle> {
    let (mut has_features, mut index) = (false, 0);
    while index < properties.len() {
        match properties[index].element {
            Element::VertexMatrix | Element::EdgeMatrix | Element::GraphMatrix => {
                return Some(Obstacle::Matrix(properties[index].name));
            }
            Element::VertexFeatures | Element::EdgeFeatures => has_features = true,
            _ => {}
        }
        index += 1;
    }
    if has_features { None } else { Some(Obstacle::Scalars) }
}

const fn obstacle_of_function(members: &[Member], index: usize) -> Option<Obstacle> {
    let Member { name, across, .. } = members[index];
    if let Some(operation) = across.operation {
        return Some(Obstacle::Operation { function: name, operation });
    }
    if across.number {
        return Some(Obstacle::Number(name));
    }
    if across.width {
        return Some(Obstacle::Width(name));
    }
    if across.differs && may_stop_next(members, index) {
        return Some(Obstacle::Progress { function: name, next: members[index + 1].name });
    }
    None
}

/// Whether later functions depend on what this one returns. An edge function stops others of its run alone, a vertex function those of later
/// stages, too.
const fn may_stop_next(members: &[Member], index: usize) -> bool {
    if index + 1 >= members.len() {
        return false;
    }
    let next = members[index + 1];
    !members[index].is_edge || next.is_edge && !next.is_first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{EdgeAccess, VertexAccess};
    use crate::changes::Flow;

    const FEATURES: Descriptor =
        Descriptor { name: "value", element: Element::VertexFeatures, tracked: false, scratch: false };
    const SCALAR: Descriptor = Descriptor { name: "mass", element: Element::VertexScalar, ..FEATURES };
    const MATRIX: Descriptor = Descriptor { name: "gram", element: Element::VertexMatrix, ..FEATURES };
    const EDGE: Member = Member {
        name: "gather",
        is_edge: true,
        edge: EdgeAccess::NONE,
        vertex: VertexAccess::NONE,
        may_stop: true,
        may_make_infinity: false,
        flow: Flow::NONE,
        across: Across { differs: true, ..Across::NONE },
        is_first: false,
        entry: 0,
    };
    const VERTEX: Member = Member { name: "absorb", is_edge: false, ..EDGE };

    fn found(members: &[Member]) -> Option<Obstacle> {
        obstacle(&[SCALAR, FEATURES], members, false)
    }

    #[test]
    fn what_the_last_function_of_a_run_returns_may_differ() {
        assert_eq!(found(&[EDGE, VERTEX]), None);
        assert_eq!(found(&[EDGE, Member { is_first: true, ..EDGE }]), None);
    }

    #[test]
    fn what_stops_others_must_not_differ() {
        let stops = |function, next| Some(Obstacle::Progress { function, next });
        assert_eq!(found(&[EDGE, EDGE]), stops("gather", "gather"));
        assert_eq!(found(&[VERTEX, VERTEX]), stops("absorb", "absorb"));
        assert_eq!(found(&[VERTEX, Member { is_first: true, ..EDGE }]), stops("absorb", "gather"));
        assert_eq!(found(&[Member { across: Across::NONE, ..VERTEX }, VERTEX]), None);
    }

    #[test]
    fn functions_that_need_other_features_are_named() {
        let across = Across { operation: Some("sum"), ..Across::NONE };
        let operation = Some(Obstacle::Operation { function: "absorb", operation: "sum" });
        assert_eq!(found(&[EDGE, Member { across, ..VERTEX }]), operation);
        let across = Across { number: true, ..Across::NONE };
        assert_eq!(found(&[Member { across, ..EDGE }]), Some(Obstacle::Number("gather")));
        let across = Across { width: true, ..Across::NONE };
        assert_eq!(found(&[Member { across, ..EDGE }]), Some(Obstacle::Width("gather")));
    }

    #[test]
    fn matrices_scalars_alone_and_active_edges_are_refused() {
        assert_eq!(obstacle(&[FEATURES, MATRIX], &[EDGE], false), Some(Obstacle::Matrix("gram")));
        assert_eq!(obstacle(&[SCALAR], &[EDGE], false), Some(Obstacle::Scalars));
        assert_eq!(obstacle(&[FEATURES], &[EDGE], true), Some(Obstacle::ActiveEdges));
    }
}
