//! What becomes of the totals that a fold's edge functions reduce.

use onyx_device::{Fold, stage};

use crate::total;

/// The totals that a run of fold `F` leaves in memory; its vertex functions take the others from registers.
pub(crate) fn kept<F: Fold>() -> u64 {
    stored_everywhere::<F>() | F::VERTICES.writes & F::EDGES.reduces
}

/// The totals that are stored of every vertex. One that vertex functions write as well is stored where they run and do so.
pub(crate) fn stored_everywhere<F: Fold>() -> u64 {
    let kept = F::STAGES.iter().filter(|stage| !stage.has_vertices || stage.flags & stage::KEPT != 0);
    kept.fold(0, |kept, stage| kept | stage.edges.reduces)
}

/// The totals of which a run leaves nothing to be read.
pub(crate) fn taken<F: Fold>() -> u64 {
    F::EDGES.reduces & !kept::<F>()
}

/// The properties that a run of fold `F` reads before it has computed them.
pub(crate) fn read<F: Fold>() -> u64 {
    let edges = F::EDGES;
    let at_edges =
        edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse | edges.reads_graph;
    (at_edges | F::VERTICES.reads | stage::gathered(F::STAGES)) & !overwritten::<F>()
}

/// The properties of which a run of fold `F` needs the values that are there: what it reads, and what it may write in part.
pub(crate) fn needed<F: Fold>() -> u64 {
    (read::<F>() | stage::reached(F::STAGES)) & !(overwritten::<F>() | total::contributions::<F>())
}

/// The properties that a run of fold `F` leaves written.
pub(crate) fn written<F: Fold>() -> u64 {
    stage::written(F::STAGES) & !taken::<F>()
}

/// The totals that every iteration of fold `F` computes before anything reads them.
pub(crate) fn overwritten<F: Fold>() -> u64 {
    let (mut totals, mut reached) = (0, 0);
    for stage in F::STAGES {
        let edges = stage.edges;
        let read = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
        let read = read | edges.gathers | stage.vertices.gathers;
        totals |= edges.reduces & !(reached | read);
        reached |= read | edges.reduces | edges.writes_edge | stage.vertices.reads | stage.vertices.writes;
    }
    totals
}
