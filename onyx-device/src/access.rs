//! What functions read, write and reduce: sets of properties, one bit each, compared at compile time.

/// The accesses of an edge function, or of a run of them. Bit `i` stands for the data's property `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAccess {
    /// Read at the edge's source.
    pub reads_source: u64,
    /// Read at the edge's destination.
    pub reads_destination: u64,
    /// Read at the edge itself.
    pub reads_edge: u64,
    /// Read at the edge that runs the other way.
    pub reads_reverse: u64,
    /// Read of the whole graph.
    pub reads_graph: u64,
    /// Read at an index that a function computes.
    pub gathers: u64,
    /// The contributions to tables of the graph that are added to at such an index.
    pub adds: u64,
    /// Written at the edge itself.
    pub writes_edge: u64,
    /// Reduced into an end of the edge, by whatever operator.
    pub reduces: u64,
    /// Those of them that are reduced by a product.
    pub multiplies: u64,
    /// Those of them that are reduced by a minimum or by `&=`.
    pub lowers: u64,
    /// Those of them that are reduced by a maximum or by `|=`.
    pub raises: u64,
    /// Whether a function uses its edge other than to index properties, so that it may ask for its number.
    pub names_edge: bool,
}

/// The accesses of a vertex function, or of a run of them, at its own vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexAccess {
    /// Read at the vertex.
    pub reads: u64,
    /// Read at an index that a function computes.
    pub gathers: u64,
    /// The contributions to tables of the graph that are added to at such an index.
    pub adds: u64,
    /// Written at the vertex.
    pub writes: u64,
}

impl EdgeAccess {
    /// No access at all.
    pub const NONE: Self = Self {
        reads_source: 0,
        reads_destination: 0,
        reads_edge: 0,
        reads_reverse: 0,
        reads_graph: 0,
        gathers: 0,
        adds: 0,
        writes_edge: 0,
        reduces: 0,
        multiplies: 0,
        lowers: 0,
        raises: 0,
        names_edge: false,
    };

    /// The accesses of both.
    pub const fn union(self, other: Self) -> Self {
        Self {
            reads_source: self.reads_source | other.reads_source,
            reads_destination: self.reads_destination | other.reads_destination,
            reads_edge: self.reads_edge | other.reads_edge,
            reads_reverse: self.reads_reverse | other.reads_reverse,
            reads_graph: self.reads_graph | other.reads_graph,
            gathers: self.gathers | other.gathers,
            adds: self.adds | other.adds,
            writes_edge: self.writes_edge | other.writes_edge,
            reduces: self.reduces | other.reduces,
            multiplies: self.multiplies | other.multiplies,
            lowers: self.lowers | other.lowers,
            raises: self.raises | other.raises,
            names_edge: self.names_edge || other.names_edge,
        }
    }
}

impl VertexAccess {
    /// No access at all.
    pub const NONE: Self = Self { reads: 0, gathers: 0, adds: 0, writes: 0 };

    /// The accesses of both.
    pub const fn union(self, other: Self) -> Self {
        Self {
            reads: self.reads | other.reads,
            gathers: self.gathers | other.gathers,
            adds: self.adds | other.adds,
            writes: self.writes | other.writes,
        }
    }
}

/// Which tracked properties a function reads at their previous value.
pub trait Version: Copy {
    /// Bit `i` is set if property `i` is read at its previous value.
    const PREVIOUS: u64;
    /// Bit `i` is set if property `i` of the own edge or vertex is in registers by the time that the function runs.
    const WRITTEN: u64 = 0;
    /// Bit `i` is set if property `i` is read at its previous value at an index that the function computes: what the stage writes, whatever of its own the
    /// function reads.
    const GATHERED: u64 = Self::PREVIOUS;
}

/// Everything is read at its current value.
#[derive(Clone, Copy, Debug)]
pub struct CurrentVersion;

impl Version for CurrentVersion {
    const PREVIOUS: u64 = 0;
}
