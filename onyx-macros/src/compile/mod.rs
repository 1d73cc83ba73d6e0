//! What follows from a whole fold: its stages, whether it is legal, whether changes alone may travel, whether features may be taken apart.
//!
//! `foldmap!` sees the structure and every function as the user wrote them, so all of this is ordinary code over sets of properties.

pub mod accesses;
pub mod changes;
pub mod description;
pub mod divergence;
pub mod flow;
pub mod function;
pub mod legality;
pub mod property;
pub mod schedule;
pub mod scratch;
pub mod stage;
#[cfg(test)]
mod tests;
pub mod tiles;
pub mod total;

use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;
use crate::compile::stage::Stage;
use crate::parse::fold::Fold;
use crate::parse::option::Edges;

/// The lanes of a warp.
pub const WARP: usize = 32;

/// A fold, and all that is known of it.
#[derive(Debug)]
pub struct Compiled {
    /// What the user wrote.
    pub fold: Fold,
    /// The compiled widths.
    pub widths: Vec<usize>,
    /// The properties of its structure.
    pub properties: Properties,
    /// Its functions, in order.
    pub members: Vec<FoldFunction>,
    /// Its stages, in order.
    pub stages: Vec<Stage>,
    /// The scratch properties that a stage leaves for a later one.
    pub passed: u64,
    /// What keeps vertices from being left out, if anything does.
    pub why_not_change_driven: Option<changes::Reason>,
    /// What keeps features from being taken apart, if anything does.
    pub why_not_tiled: Option<String>,
    /// The source of its functions, if no user has written them.
    pub source: Option<String>,
}

impl Compiled {
    /// Whether any stage pulls long rows apart, for which the rows of frequent sources may be packed.
    pub fn packs_sources(&self) -> bool {
        self.stages.iter().any(|stage| schedule::of(self, stage).any(|schedule| schedule.name == "long_rows"))
    }

    /// Finds out all that follows from the functions.
    pub fn new(fold: Fold, widths: Vec<usize>, properties: Properties, members: Vec<FoldFunction>) -> Self {
        let mut members = members;
        stage::part_by_ends(&mut members);
        let mut stages = stage::stages(&members, fold.is_active());
        let rows = total::Rows { fold: &fold, widths: &widths, are_heads: properties.have_heads() };
        total::gather(&mut stages, &members, &properties, &rows);
        let passed = scratch::passed(&fold, &properties, &members, &stages);
        let scratch_in_memory = if fold.is_unfolded { properties.scratch() } else { passed };
        let why_not_change_driven = changes::obstacle(&properties, &members, stages.len(), scratch_in_memory);
        let why_not_tiled = tiles::obstacle(&properties, &members, fold.is_active());
        Self { fold, widths, properties, members, stages, passed, why_not_change_driven, why_not_tiled, source: None }
    }

    /// The scratch properties that have memory, because functions of several kernels or stages share them.
    pub fn scratch_in_memory(&self) -> u64 {
        if self.fold.is_unfolded { self.properties.scratch() } else { self.passed }
    }

    /// The other scratch properties.
    pub fn in_registers(&self) -> u64 {
        self.properties.scratch() & !self.passed
    }

    /// Whether a person has asked for changes.
    pub fn is_overruled(&self) -> bool {
        matches!(self.fold.edges, Edges::Changed(_))
    }

    /// Whether changes alone may be propagated.
    pub fn is_change_driven(&self) -> bool {
        !self.fold.is_active() && (self.why_not_change_driven.is_none() || self.is_overruled())
    }

    /// How many lanes hold a row of `width` features, and how many features each has: where edges add up a matrix that fills a warp's registers, those of a
    /// block have one each.
    pub fn lanes(&self, width: usize) -> (usize, usize) {
        if width > WARP && !self.is_scalar() && self.adds_up_matrices() { (width, 1) } else { self.fold.lanes(width) }
    }

    /// Whether edge functions reduce into a matrix, and blocks can take all stages: vertices with their edges.
    pub fn adds_up_matrices(&self) -> bool {
        let matrices = self.properties.all_matrices();
        let adds_up = self.stages.iter().any(|stage| stage.accesses.reduces & matrices != 0);
        adds_up && self.stages.iter().all(Stage::has_edges)
    }

    /// Whether a block holds the rows of any width.
    pub fn has_blocks(&self) -> bool {
        self.widths.iter().any(|width| self.lanes(*width).0 > WARP)
    }

    /// Whether active vertices may push along their outgoing edges. A push combines what single warps have.
    pub fn pushes(&self) -> bool {
        !self.has_blocks() && self.could_push()
    }

    fn could_push(&self) -> bool {
        self.is_change_driven() || self.fold.is_active() && stage::pushes_active(&self.stages)
    }

    /// Whether a push may leave a total to be computed again.
    pub fn recomputes(&self) -> bool {
        self.is_change_driven() && self.stages.iter().any(|stage| stage.accesses.multiplies != 0)
    }

    /// Whether it has nothing but vertex functions that share one kernel, which runs on the active vertices alone.
    pub fn is_of_vertices(&self) -> bool {
        matches!(self.stages.as_slice(), [stage] if !stage.has_edges())
    }

    /// Whether one thread has all features of a row.
    pub fn is_scalar(&self) -> bool {
        self.fold.features_per_lane() == Some(0)
    }
}
