//! What a run keeps on a device, counted before anything is allocated.

use onyx_device::Fold;
use onyx_device::arguments::COUNTER_SLOTS;

use crate::graph::{Adjacency, Graph, NeighborGroups};
use crate::store::{Store, length};

/// The arrays of a run, by name, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    arrays: Vec<(String, u64)>,
}

impl Plan {
    /// The arrays that fold `F` needs for `graph` and `store`, with groups of `group_size` neighbors.
    pub(crate) fn new<F: Fold>(graph: &Graph, store: &Store, group_size: usize) -> Self {
        let mut plan = Self::default();
        let vertices = graph.vertex_count();
        for (index, property) in store.properties().iter().enumerate() {
            let bytes = 4 * length(property, vertices, graph.edge_count(), store.width()) as u64;
            let is_pending = F::IS_CHANGE_DRIVEN && F::EDGES.reduces >> index & 1 == 1;
            plan.add(format!("property {}", property.name), bytes << u32::from(property.tracked || is_pending));
        }
        if F::HAS_EDGES {
            plan.add_adjacency("incoming edges", graph.incoming(), group_size);
        }
        if F::IS_CHANGE_DRIVEN {
            plan.add_adjacency("outgoing edges", graph.outgoing(), group_size);
        }
        plan.add("active vertices", vertices as u64 * 9 + (COUNTER_SLOTS * 16) as u64);
        plan
    }

    fn add(&mut self, name: impl Into<String>, bytes: u64) {
        self.arrays.push((name.into(), bytes));
    }

    fn add_adjacency(&mut self, name: &str, adjacency: &Adjacency, group_size: usize) {
        let ids = adjacency.edge_ids().map_or(0, |ids| ids.as_bytes().len());
        let groups = NeighborGroups::count(adjacency, group_size);
        self.add(name, (adjacency.neighbors().len() * 4 + ids + groups * 12 + 8) as u64);
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
