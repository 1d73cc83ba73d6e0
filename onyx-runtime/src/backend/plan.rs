//! What a run keeps on a device, counted before anything is allocated.

use onyx_device::Fold;
use onyx_device::arguments::COUNTER_SLOTS;

use super::adjacency::Needs;
use crate::decider::Decider;
use crate::graph::Graph;
use crate::store::{Store, length};

/// The arrays of a run, by name, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    arrays: Vec<(String, u64)>,
}

impl Plan {
    /// The arrays that fold `F` needs for `graph` and `store`, with the schedules decided on.
    pub(crate) fn new<F: Fold>(graph: &Graph, store: &Store, decider: &Decider) -> Self {
        let mut plan = Self::default();
        let vertices = graph.vertex_count();
        for property in store.properties() {
            let bytes = 4 * length(property, vertices, graph.edge_count(), store.width()) as u64;
            plan.add(format!("property {}", property.name), bytes << u32::from(property.tracked));
        }
        if F::HAS_EDGES {
            plan.add("incoming edges", Needs::incoming(decider).bytes(graph.incoming()));
        }
        if let Some(needs) = Needs::outgoing(decider) {
            plan.add("outgoing edges", needs.bytes(graph.outgoing()));
        }
        plan.add("active vertices", vertices as u64 * 9 + (COUNTER_SLOTS * 16) as u64);
        plan
    }

    fn add(&mut self, name: impl Into<String>, bytes: u64) {
        self.arrays.push((name.into(), bytes));
    }

    /// All bytes together.
    pub(crate) fn bytes(&self) -> u64 {
        self.arrays.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The largest array.
    pub(crate) fn largest(&self) -> (String, u64) {
        self.arrays.iter().max_by_key(|(_, bytes)| *bytes).cloned().unwrap_or_default()
    }
}
