//! What a run allocates on a device, counted before anything is allocated.

use onyx_device::{FoldFacts, stage};

use crate::backend::adjacency::Needs;
use crate::backend::device::{is_resident, reverse_edges};
use crate::backend::lent::There;
use crate::backend::{counters, partials};
use crate::decider::Decider;
use crate::graph::Graph;
use crate::options::Options;
use crate::packing;
use crate::store::Store;

/// The arrays that a run adds to those that are there, by name, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryPlan {
    arrays: Vec<(String, u64)>,
}

impl MemoryPlan {
    /// The arrays that a fold needs for `graph` and `store`, with the schedules decided on, besides those that are `there`.
    pub(crate) fn new<A>(
        fold: &'static FoldFacts,
        graph: &Graph,
        store: &Store,
        decider: &Decider,
        options: &Options,
        there: Option<&There<'_, A>>,
    ) -> Self {
        let mut plan = Self::default();
        plan.add_edges(fold, graph, decider, there);
        plan.add_properties(fold, store, options, there);
        if decider.stores_parts() {
            let (incoming, outgoing) = stage::rows(fold.stages);
            let sides = [(incoming, graph.incoming(), false), (outgoing, graph.outgoing(), true)];
            sides.into_iter().filter(|(is_taken, ..)| *is_taken).for_each(|(_, rows, is_reversed)| {
                let reduces = partials::reduced(fold, is_reversed);
                plan.add("partial sums of cut rows", partials::bytes(fold, reduces, rows, store, decider))
            });
        }
        let (vertices, counters) = (graph.vertex_count() as u64, counters::bytes(options.batch()) as u64);
        let marks = vertices.saturating_mul(store.tiles() as u64);
        plan.add(
            "active vertices",
            (vertices.div_ceil(32) * 4).saturating_add(marks).saturating_add(counters).saturating_add(1),
        );
        plan
    }

    fn add_properties<A>(
        &mut self,
        fold: &'static FoldFacts,
        store: &Store,
        options: &Options,
        there: Option<&There<'_, A>>,
    ) {
        let properties = store.properties().iter().enumerate();
        for (index, property) in properties.filter(|(index, _)| is_resident(fold, *index)) {
            let known = there.and_then(|there| there.get(index));
            let is_pending = options.may_push(fold) && fold.edges.reduces >> index & 1 == 1;
            let bytes = property.number.bytes() * store.length(index);
            let with_room = bytes + packing::room(store, index);
            let missing = [
                (known.is_none(), with_room),
                (property.tracked && known.is_none_or(|known| known.previous.is_none()), with_room),
                (is_pending && known.is_none_or(|known| known.pending.is_none()), bytes),
            ];
            let bytes = missing.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, bytes)| bytes as u64);
            self.add(format!("property {}", property.name), bytes.sum());
        }
    }

    fn add_edges<A>(
        &mut self,
        fold: &'static FoldFacts,
        graph: &Graph,
        decider: &Decider,
        there: Option<&There<'_, A>>,
    ) {
        let needs = Needs::incoming(decider);
        if stage::rows(fold.stages).0 {
            let bytes = there.map(|there| there.topology.incoming_bytes(graph, there.facing, needs));
            self.add("incoming edges", bytes.unwrap_or_else(|| needs.bytes(graph.incoming())));
        }
        // What is pushed and what reduces into sources are never in one fold.
        if let Some(needs) = Needs::outgoing(decider).or(stage::rows(fold.stages).1.then_some(needs)) {
            let bytes = there.map(|there| there.topology.outgoing_bytes(graph, there.facing, needs));
            self.add("outgoing edges", bytes.unwrap_or_else(|| needs.bytes(graph.outgoing())));
        }
        if let Some(numbers) = reverse_edges(fold, graph) {
            let bytes = there.map(|there| there.topology.reverse_bytes(numbers, there.facing));
            self.add("reverse edges", bytes.unwrap_or(numbers.as_bytes().len() as u64));
        }
        let bytes = there.map(|there| there.topology.out_degree_bytes(graph, there.facing));
        self.add("outgoing degrees", bytes.unwrap_or(4 * graph.vertex_count() as u64));
    }

    /// These arrays.
    pub(crate) fn of(arrays: impl Iterator<Item = (String, u64)>) -> Self {
        Self { arrays: arrays.collect() }
    }

    fn add(&mut self, name: impl Into<String>, bytes: u64) {
        self.arrays.push((name.into(), bytes));
    }

    /// All bytes together.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
    }

    /// The largest array.
    pub(crate) fn largest(&self) -> (String, u64) {
        self.arrays.iter().max_by_key(|(_, bytes)| *bytes).cloned().unwrap_or_default()
    }
}
