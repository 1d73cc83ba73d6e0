//! What the launches of a fold read and write.

use std::ops::Range;

use onyx_device::FoldFacts;
use onyx_device::property::Element;
use onyx_device::stage::{self, GraphTotal, StageAccess};

use super::effects::Effects;
use super::{ArrayOf, Device, DeviceEngine};
use crate::backend::memory::Memory;
use crate::backend::partials::Partials;

/// Sets of properties, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Footprint {
    reads: u64,
    writes: u64,
}

impl Footprint {
    /// That of the kernels of some stages of a fold, but for those that add up totals.
    fn of(fold: &'static FoldFacts, stages: &[StageAccess]) -> Self {
        let (edges, vertices) = (stage::edges(stages), stage::vertices(stages));
        let contributions = stages.iter().flat_map(|stage| stage.totals).fold(0, |all, of| all | 1 << of.contributions);
        let writes = edges.writes_edge | edges.reduces | vertices.writes | stage::added(stages) | contributions;
        let at_edges = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
        let of_graph = stages.iter().fold(edges.reads_graph, |all, stage| all | stage.reads_graph);
        let reads = at_edges | of_graph | stage::gathered(stages) | vertices.reads | given(fold);
        Self { reads, writes }
    }

    /// That of the launches that add up a total.
    fn of_total(of: &GraphTotal) -> Self {
        // Those of a table begin again.
        Self { reads: 0, writes: 1 << of.total | 1 << of.contributions }
    }
}

/// What the fold finds of the whole graph and does not compute itself.
fn given(fold: &'static FoldFacts) -> u64 {
    let is_given = |element: Element| element.is_of_graph() || element == Element::Table;
    let all = fold.properties.iter().enumerate().filter(|(_, property)| is_given(property.element));
    all.fold(0, |all, (index, _)| all | 1 << index) & !stage::totals(fold.stages)
}

impl<Q: Device> DeviceEngine<'_, Q> {
    /// Says what the next launch reads and writes, of the functions of these stages. Edges lead all over the graph, unless it takes whole graphs of a batch.
    pub(super) fn expect_stages(&mut self, stages: Range<usize>, takes_graphs: bool) {
        if !self.run.device.collects() {
            return;
        }
        let stages = self.run.fold.stages.get(stages).unwrap_or_default();
        let own = self.range(&self.run.active);
        let gathers = !takes_graphs && stages.iter().any(|stage| stage.has_edges);
        let effects = self.effects(Footprint::of(self.run.fold, stages)).writing(own).gathering(gathers);
        // Others may have had the arrays before, and have them again.
        let partials = self.run.partials().filter(|_| gathers);
        let effects = partials.flat_map(Partials::sums).map(|sums| self.range(sums)).fold(effects, Effects::writing);
        self.run.device.expect(effects);
    }

    /// The same of one that adds up a total.
    pub(super) fn expect_total(&mut self, of: &GraphTotal) {
        if !self.run.device.collects() {
            return;
        }
        let between = self.run.partial_totals.iter().map(|array| self.range(array));
        let effects = between.fold(self.effects(Footprint::of_total(of)), Effects::writing);
        self.run.device.expect(effects);
    }

    /// The arrays of properties, current values and previous ones, and the room after them where rows are packed.
    fn effects(&self, footprint: Footprint) -> Effects {
        let packs = self.run.work.packs_sources;
        let mut effects = Effects::default();
        for (index, property) in self.run.fold.properties.iter().enumerate() {
            let (bit, Some(arrays)) = (1 << index, self.arrays(index)) else { continue };
            let is_read = (footprint.reads | footprint.writes) & bit != 0;
            let is_written = footprint.writes & bit != 0 || packs || property.tracked;
            let all = [Some(&arrays.current), arrays.previous.as_ref(), arrays.pending.as_ref()];
            for range in all.into_iter().flatten().filter(|_| is_read).map(|array| self.range(array)) {
                effects = if is_written { effects.writing(range) } else { effects.reading(range) };
            }
        }
        effects
    }

    fn range(&self, array: &ArrayOf<Q>) -> Range<u64> {
        let memory = self.run.device.memory();
        let first = memory.address(array).addr() as u64;
        first..first.saturating_add(memory.bytes(array) as u64).saturating_add(memory.room(array) as u64)
    }
}
