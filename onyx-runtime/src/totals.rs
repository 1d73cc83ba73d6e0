//! What becomes of the totals that a fold's edge functions reduce.

use onyx_device::{FoldFacts, stage};

use crate::total;

/// The totals that a run of the fold leaves in memory; its vertex functions take the others from registers.
pub(crate) fn kept(fold: &'static FoldFacts) -> u64 {
    stored_everywhere(fold) | fold.vertices.writes & fold.edges.reduces
}

/// The totals that the last stage that reduces them stores of every vertex. One that vertex functions write as well is stored where they run and do so.
pub(crate) fn stored_everywhere(fold: &'static FoldFacts) -> u64 {
    fold.stages.iter().fold(0, |stored, stage| {
        let is_stored = !stage.has_vertices || stage.flags & stage::KEPT != 0;
        if is_stored { stored | stage.edges.reduces } else { stored & !stage.edges.reduces }
    })
}

/// The totals of which a run leaves nothing to be read.
pub(crate) fn taken(fold: &'static FoldFacts) -> u64 {
    fold.edges.reduces & !kept(fold)
}

/// The properties that a run of the fold reads before it has computed them.
pub(crate) fn read(fold: &'static FoldFacts) -> u64 {
    let edges = fold.edges;
    let at_edges =
        edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse | edges.reads_graph;
    let others = stage::gathered(fold.stages) | stage::multiplied(fold.stages);
    (at_edges | fold.vertices.reads | others) & !overwritten(fold)
}

/// The properties of which a run of the fold needs the values that are there: what it reads, and what it may write in part.
pub(crate) fn needed(fold: &'static FoldFacts) -> u64 {
    (read(fold) | stage::reached(fold.stages)) & !(overwritten(fold) | total::contributions(fold))
}

/// The properties that a run of the fold leaves written.
pub(crate) fn written(fold: &'static FoldFacts) -> u64 {
    stage::written(fold.stages) & !taken(fold)
}

/// The totals that every iteration of the fold computes before anything reads them.
pub(crate) fn overwritten(fold: &'static FoldFacts) -> u64 {
    let (mut totals, mut reached) = (0, 0);
    for stage in fold.stages {
        let edges = stage.edges;
        let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
        let read = read | edges.gathers | stage.vertices.gathers;
        totals |= edges.reduces & !(reached | read);
        reached |= read | edges.reduces | edges.writes_edge | stage.vertices.reads | stage.vertices.writes;
    }
    totals
}
