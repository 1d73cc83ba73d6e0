//! Stages: a fold is cut where an edge function follows a vertex function, where edge functions begin to reduce into the other end of their edges,
//! and where its writer put a `;`. Each stage is a run of edge
//! functions, then one of vertex functions, with kernels of its own; a stage sees all that the stages before it wrote.

mod list;

pub use self::list::{EachStage, Passing, Stage, StageVisitor, Staged, Stages};
use crate::access::{EdgeAccess, VertexAccess};
use crate::parts::Parts;
use crate::property::is_same;

/// Edge functions run only along edges whose source is active, vertex functions only where one of them returned true.
pub const ACTIVE: u32 = 1;
/// Nothing is marked: a later stage says what is active.
pub const SILENT: u32 = 2;
/// Vertex functions run only where those of an earlier stage returned true, which the marks say: some of those may return false, or not run.
pub const FOLLOWS: u32 = 4;

/// Another stage reads what the edge functions have reduced, or no function does, so that it must be in memory.
pub const KEPT: u32 = 8;
/// Edge functions reduce into the sources of their edges: a row is of the edges out of a vertex, whose functions run on its totals.
pub const REVERSED: u32 = 16;
/// The fold has other stages, too.
pub const OF_SEVERAL: u32 = 32;
/// Where all vertices are active, the vertex functions run on every vertex, so that what they add to numbers and rows of the graph meets in blocks, which leave one contribution each.
pub const GATHERS_TOTALS: u32 = 64;
/// No function of the fold may return false: whether a vertex has changed depends on no bits.
pub const NEVER_STOPS: u32 = 128;

/// How many groups of lanes share a neighbor group where they can.
const SHARERS: usize = 4;

/// What one stage accesses, and how it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageAccess {
    /// What the edge functions access.
    pub edges: EdgeAccess,
    /// What the vertex functions access.
    pub vertices: VertexAccess,
    /// What all of its functions read of the whole graph, matrices that they multiply rows by as well.
    pub reads_graph: u64,
    /// Whether there are edge functions.
    pub has_edges: bool,
    /// Whether there are vertex functions.
    pub has_vertices: bool,
    /// Whether an edge function may return false, so that a vertex gets sums without being reached.
    pub may_stop: bool,
    /// [`ACTIVE`], [`SILENT`], [`FOLLOWS`], [`KEPT`], [`REVERSED`], [`OF_SEVERAL`], [`GATHERS_TOTALS`], [`NEVER_STOPS`].
    pub flags: u32,
    /// What the groups of a cut row leave for its `finish` where they combine nothing atomically.
    pub parts: Parts,
    /// The kernels that it needs, by the names of their schedules.
    pub kernels: &'static [&'static str],
    /// The totals of the graph that are added up after it.
    pub totals: &'static [GraphTotal],
}

impl StageAccess {
    /// How many groups of so many lanes take the edges of a neighbor group side by side in a pull: several where nothing comes of the edges together, so that none waits
    /// for the one before it. Groups of several lanes are slower so, and those that first ask which sources are active
    /// (`docs/measurements/edges-side-by-side-h200.csv`).
    pub const fn sharers(&self, lanes: usize) -> usize {
        sharers(self.flags, self.edges, self.has_vertices, lanes)
    }
}

/// [`StageAccess::sharers`] of a stage with these flags and accesses.
pub(crate) const fn sharers(flags: u32, edges: EdgeAccess, has_vertices: bool, lanes: usize) -> usize {
    let comes_together = edges.reduces | edges.adds != 0 || has_vertices || flags & SILENT == 0;
    if comes_together || lanes > 1 || flags & ACTIVE != 0 { 1 } else { SHARERS }
}

/// A total of the graph, which a stage adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphTotal {
    /// The position of the property that it is.
    pub total: usize,
    /// The position of the property that its contributions are.
    pub contributions: usize,
    /// How they are combined.
    pub operator: TotalOperator,
    /// The position of the property that they are multiplied by before, where the total has another width: rows of it, or its matrix.
    pub by: Option<usize>,
}

/// How the contributions to a total of the graph are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TotalOperator {
    /// `+=` and `-=`
    Sum,
    /// `.min_with(x)`
    Min,
    /// `.max_with(x)`
    Max,
}

impl TotalOperator {
    /// The total of no contribution.
    pub const fn identity(self) -> f32 {
        match self {
            Self::Sum => 0.0,
            Self::Min => f32::INFINITY,
            Self::Max => f32::NEG_INFINITY,
        }
    }
}

/// The totals of the graph that stages add up.
pub const fn totals(stages: &[StageAccess]) -> u64 {
    let (mut all, mut stage) = (0, 0);
    while stage < stages.len() {
        let mut index = 0;
        while index < stages[stage].totals.len() {
            all |= 1 << stages[stage].totals[index].total;
            index += 1;
        }
        stage += 1;
    }
    all
}

/// The properties that contributions to totals of another width are multiplied by.
pub const fn multiplied(stages: &[StageAccess]) -> u64 {
    let (mut all, mut stage) = (0, 0);
    while stage < stages.len() {
        let mut index = 0;
        while index < stages[stage].totals.len() {
            if let Some(by) = stages[stage].totals[index].by {
                all |= 1 << by;
            }
            index += 1;
        }
        stage += 1;
    }
    all
}

impl StageAccess {
    /// Whether it needs the kernel of the schedule with this name.
    pub const fn has_kernel(&self, name: &str) -> bool {
        let mut index = 0;
        while index < self.kernels.len() {
            if is_same(self.kernels[index].as_bytes(), name.as_bytes()) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Whether what its vertex functions add to totals meets in blocks where all vertices are active, as they are for any fold with edges.
    pub const fn gathers_totals(&self) -> bool {
        self.flags & GATHERS_TOTALS != 0
    }

    /// Whether what they add to this total does: what is multiplied by something before stays apart.
    pub const fn gathers(&self, total: &GraphTotal) -> bool {
        self.gathers_totals() && total.by.is_none()
    }

    /// Whether its rows are of outgoing edges.
    pub const fn is_reversed(&self) -> bool {
        self.flags & REVERSED != 0
    }
}

/// Whether any of the stages takes rows of incoming edges, and whether any takes rows of outgoing ones.
pub const fn rows(stages: &[StageAccess]) -> (bool, bool) {
    let (mut rows, mut index) = ((false, false), 0);
    while index < stages.len() {
        let (has_edges, is_reversed) = (stages[index].has_edges, stages[index].is_reversed());
        rows = (rows.0 || has_edges && !is_reversed, rows.1 || has_edges && is_reversed);
        index += 1;
    }
    rows
}

/// What the edge functions of all stages access.
pub const fn edges(stages: &[StageAccess]) -> EdgeAccess {
    let (mut all, mut index) = (EdgeAccess::NONE, 0);
    while index < stages.len() {
        all = all.union(stages[index].edges);
        index += 1;
    }
    all
}

/// What the vertex functions of all stages access.
pub const fn vertices(stages: &[StageAccess]) -> VertexAccess {
    let (mut all, mut index) = (VertexAccess::NONE, 0);
    while index < stages.len() {
        all = all.union(stages[index].vertices);
        index += 1;
    }
    all
}

/// The properties that functions of a stage write or reduce into, totals of the graph as well.
pub const fn written(stages: &[StageAccess]) -> u64 {
    let (edges, vertices) = (edges(stages), vertices(stages));
    edges.writes_edge | edges.reduces | vertices.writes | totals(stages) | added(stages)
}

/// The properties of vertices and edges that functions of a stage reach in any way, or sums of products.
pub const fn reached(stages: &[StageAccess]) -> u64 {
    let (edges, vertices) = (edges(stages), vertices(stages));
    let reads = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse | vertices.reads;
    written(stages) | reads | gathered(stages) | multiplied(stages)
}

/// The properties that functions of a stage read at an index that they compute.
pub const fn gathered(stages: &[StageAccess]) -> u64 {
    edges(stages).gathers | vertices(stages).gathers
}

/// The contributions to tables of the graph that functions of a stage add to.
pub const fn added(stages: &[StageAccess]) -> u64 {
    edges(stages).adds | vertices(stages).adds
}

/// What the groups of a cut row leave for its `finish` in any stage.
pub const fn parts(stages: &[StageAccess]) -> Parts {
    let (mut all, mut index) = (Parts::NONE, 0);
    while index < stages.len() {
        all = all.union(stages[index].parts);
        index += 1;
    }
    all
}

/// Whether any stage has edge functions, and whether any has vertex functions.
pub const fn kinds(stages: &[StageAccess]) -> (bool, bool) {
    let (mut kinds, mut index) = ((false, false), 0);
    while index < stages.len() {
        kinds = (kinds.0 || stages[index].has_edges, kinds.1 || stages[index].has_vertices);
        index += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbor_group_is_shared_where_nothing_comes_of_its_edges_together() {
        let writes = EdgeAccess { writes_edge: 1, reads_source: 2, ..EdgeAccess::NONE };
        assert_eq!([1, 2].map(|lanes| sharers(SILENT, writes, false, lanes)), [4, 1]);
        assert_eq!(sharers(SILENT | ACTIVE, writes, false, 1), 1);
        let (reduces, adds) = (EdgeAccess { reduces: 4, ..writes }, EdgeAccess { adds: 4, ..writes });
        assert_eq!([reduces, adds].map(|edges| sharers(SILENT, edges, false, 1)), [1, 1]);
        assert_eq!([sharers(SILENT, writes, true, 1), sharers(OF_SEVERAL, writes, false, 1)], [1, 1]);
    }
}
