//! The indices that user functions receive.

/// A vertex of the graph, `0..vertex_count`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex(pub u32);

/// A directed edge of the graph with both of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The edge's number, `0..edge_count`, in the order of incoming edges: those of vertex 0 first.
    pub id: u64,
    /// Where the edge starts.
    pub src: Vertex,
    /// Where the edge ends.
    pub dst: Vertex,
    /// The edge that runs the other way: in a user function it only indexes properties, `d.message[e.rev][f]`.
    pub rev: Reverse,
}

/// The edge from `dst` to `src` of an edge; of several, the one of the same rank among its like. A loop is its own reverse.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reverse(u64);

impl Reverse {
    /// Where no function asks for it.
    pub(crate) const UNKNOWN: Self = Self(0);

    /// The edge numbered `id`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) const fn numbered(id: u64) -> Self {
        Self(id)
    }

    /// The number of the edge, for lowered functions.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn id(self) -> u64 {
        self.0
    }
}

/// The feature that a user function computes, `0..K`.
///
/// In a user function it only indexes properties, `d.label[v][f]`; [`Feature::index`] gives its number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature(pub u32);

impl Feature {
    /// The number of this feature, `0..K`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn index(self) -> u32 {
        self.0
    }
}
