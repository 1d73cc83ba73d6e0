//! A fold: what `foldmap!` expands to.

use crate::access::{EdgeAccess, VertexAccess};
use crate::parts::Parts;
use crate::property::{Descriptor, Element, GraphData, has_heads, lane_bytes};
use crate::stage::{self, GraphTotal, StageAccess, Stages};

/// A sequence of edge and vertex functions over one data structure, compiled for several feature widths.
///
/// # Safety
/// The constants say what the functions that [`Fold::visit`] gives do, on the data that it gives.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a fold", label = "a fold is written with `foldmap!`")]
pub unsafe trait Fold: Copy + 'static {
    /// The fold's name, as `{data}__{fold}`.
    const NAME: &'static str;
    /// The fold's name, as its declaration has it.
    const DECLARED_NAME: &'static str = Self::NAME;
    /// The path of the module that the fold stands in: there may be another fold of the same name in another one.
    const MODULE: &'static str = "";
    /// The cargo package the fold is compiled in: its PTX is named after it.
    const PACKAGE: &'static str;
    /// A fingerprint of the source that the fold was compiled from.
    const FINGERPRINT: u64;
    /// The compiled feature widths, ascending.
    const WIDTHS: &'static [usize];
    /// How many lanes of a GPU hold a row, by width, in the order of [`Fold::WIDTHS`].
    const LANES: &'static [usize];
    /// The data's [`GraphData::PATH`].
    const DATA: &'static str;
    /// The properties of the data.
    const PROPERTIES: &'static [Descriptor];
    /// The names of the data's widths, [`GraphData::WIDTHS`].
    const WIDTH_NAMES: &'static [&'static str] = &["K"];
    /// The names of the functions, in order.
    const FUNCTIONS: &'static [&'static str] = &[];
    /// The stages that have functions, in order.
    const STAGES: &'static [StageAccess];
    /// Whether edge functions run along the edges of active sources alone.
    const IS_ACTIVE: bool;
    /// Whether one thread has all features of a row, and reaches them one by one.
    const IS_SCALAR: bool = false;
    /// What keeps a row of more features than the widest compiled width from being taken as tiles of it.
    const WHY_NOT_TILED: Option<&'static str>;
    /// The scratch properties that have memory, because functions of several kernels or stages share them, which run as [`ScratchInMemory`](crate::run::ScratchInMemory).
    const SCRATCH_IN_MEMORY: u64 = 0;
    /// What keeps vertices from being left out, if anything does.
    const WHY_NOT_CHANGE_DRIVEN: Option<&'static str>;
    /// Whether a person has asked for changes, though it was not shown that vertices may be left out.
    const IS_OVERRULED: bool = false;
    /// The untracked properties that a fold which was asked for changes must not store a new value of where it returns false.
    const WATCHED: u64 = 0;
    /// The properties in which an infinity is a sum or product that has left the range of floats.
    const SUMMED: u64 = 0;
    /// Whether a push may leave a total to be computed again: see [`crate::schedule::recompute`].
    const RECOMPUTES: bool = false;
    /// Whether active vertices may push along their outgoing edges.
    const PUSHES: bool;
    /// All of this as plain data, with what follows from it: what needs no more of a fold is compiled once for all folds.
    const FACTS: &'static FoldFacts = &FoldFacts {
        name: Self::NAME,
        declared_name: Self::DECLARED_NAME,
        module: Self::MODULE,
        package: Self::PACKAGE,
        fingerprint: Self::FINGERPRINT,
        widths: Self::WIDTHS,
        lanes: Self::LANES,
        data: Self::DATA,
        properties: Self::PROPERTIES,
        width_names: Self::WIDTH_NAMES,
        functions: Self::FUNCTIONS,
        stages: Self::STAGES,
        is_active: Self::IS_ACTIVE,
        is_scalar: Self::IS_SCALAR,
        why_not_tiled: Self::WHY_NOT_TILED,
        has_heads: has_heads(Self::PROPERTIES),
        edges: stage::edges(Self::STAGES),
        vertices: stage::vertices(Self::STAGES),
        has_edges: stage::kinds(Self::STAGES).0,
        has_vertices: stage::kinds(Self::STAGES).1,
        parts: stage::parts(Self::STAGES),
        is_atomic: stage::parts(Self::STAGES).are_atomic(),
        scratch_in_memory: Self::SCRATCH_IN_MEMORY,
        why_not_change_driven: Self::WHY_NOT_CHANGE_DRIVEN,
        is_change_driven: !Self::IS_ACTIVE && (Self::WHY_NOT_CHANGE_DRIVEN.is_none() || Self::IS_OVERRULED),
        watched: Self::WATCHED,
        summed: Self::SUMMED,
        recomputes: Self::RECOMPUTES,
        pushes: Self::PUSHES,
    };

    /// Calls `visitor` with the data and the functions at the compiled width `width`, one of [`Fold::WIDTHS`].
    fn visit<N: WidthVisitor>(width: usize, visitor: N) -> Option<N::Output>;
}

/// All that is known of a fold but its code.
#[derive(Debug)]
pub struct FoldFacts {
    /// [`Fold::NAME`]
    pub name: &'static str,
    /// [`Fold::DECLARED_NAME`]
    pub declared_name: &'static str,
    /// [`Fold::MODULE`]
    pub module: &'static str,
    /// [`Fold::PACKAGE`]
    pub package: &'static str,
    /// [`Fold::FINGERPRINT`]
    pub fingerprint: u64,
    /// [`Fold::WIDTHS`]
    pub widths: &'static [usize],
    /// [`Fold::LANES`]
    pub lanes: &'static [usize],
    /// [`Fold::DATA`]
    pub data: &'static str,
    /// [`Fold::PROPERTIES`]
    pub properties: &'static [Descriptor],
    /// [`Fold::WIDTH_NAMES`]
    pub width_names: &'static [&'static str],
    /// [`Fold::FUNCTIONS`]
    pub functions: &'static [&'static str],
    /// [`Fold::STAGES`]
    pub stages: &'static [StageAccess],
    /// [`Fold::IS_ACTIVE`]
    pub is_active: bool,
    /// [`Fold::IS_SCALAR`]
    pub is_scalar: bool,
    /// [`Fold::WHY_NOT_TILED`]
    pub why_not_tiled: Option<&'static str>,
    /// Whether rows are heads, each of which runs by itself.
    pub has_heads: bool,
    /// What the edge functions access.
    pub edges: EdgeAccess,
    /// What the vertex functions access.
    pub vertices: VertexAccess,
    /// Whether there are edge functions.
    pub has_edges: bool,
    /// Whether there are vertex functions.
    pub has_vertices: bool,
    /// What the groups of a cut row leave for its `finish` where they combine nothing atomically.
    pub parts: Parts,
    /// Whether all totals may be combined into memory atomically.
    pub is_atomic: bool,
    /// [`Fold::SCRATCH_IN_MEMORY`]
    pub scratch_in_memory: u64,
    /// [`Fold::WHY_NOT_CHANGE_DRIVEN`]
    pub why_not_change_driven: Option<&'static str>,
    /// Whether changes alone may be propagated.
    pub is_change_driven: bool,
    /// [`Fold::WATCHED`]
    pub watched: u64,
    /// [`Fold::SUMMED`]
    pub summed: u64,
    /// [`Fold::RECOMPUTES`]
    pub recomputes: bool,
    /// [`Fold::PUSHES`]
    pub pushes: bool,
}

impl FoldFacts {
    /// How many lanes of a GPU hold a row of this compiled width; none where it is not compiled.
    pub fn lanes_of(&self, width: usize) -> Option<u64> {
        let at = self.widths.iter().position(|compiled| *compiled == width)?;
        self.lanes.get(at).map(|lanes| *lanes as u64)
    }

    /// The most bytes of memory that the functions of an edge read and write in a stage, where rows have so many features; those of the destination are near.
    pub fn edge_bytes(&self, features: usize) -> usize {
        let bytes = |set| lane_bytes(self.properties, set, 1, features);
        let of_stage = |StageAccess { edges, .. }: &StageAccess| {
            bytes(edges.reads_source) + bytes(edges.reads_reverse) + bytes(edges.reads_edge) + bytes(edges.writes_edge)
        };
        self.stages.iter().map(of_stage).max().unwrap_or_default()
    }

    /// Whether a stage adds up a total that is a matrix.
    pub fn leaves_matrix(&self, stage: &StageAccess) -> bool {
        let is_matrix = |total: &GraphTotal| self.properties[total.total].element == Element::GraphMatrix;
        stage.totals.iter().filter(|total| total.by.is_none()).any(is_matrix)
    }
}

/// A fold that works on the structure `D`, at the width 0, which stands for every width.
///
/// # Safety
/// It does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not work on data of `{D}`",
    label = "make the data with `session.data` for this fold, or for another one of its structure"
)]
pub unsafe trait FoldOf<D>: Fold {}

/// The bytes of a text, which is `N` long.
pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let (mut bytes, mut at) = ([0; N], 0);
    while at < N {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
}

/// The fingerprint of a fold, from that of its own source.
pub const fn fingerprint(source: u64) -> u64 {
    source.rotate_left(17) ^ crate::FINGERPRINT
}

/// What is done with one compiled width of a fold.
pub trait WidthVisitor {
    /// What it results in.
    type Output;

    /// Does it, for data `D` and stages `S`, on a GPU with `L` lanes of `V` features; `K` is `L * V`.
    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Self::Output
    where
        D: GraphData,
        S: Stages<D>;
}
