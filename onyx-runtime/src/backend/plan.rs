//! What a run keeps on a device, counted before anything is allocated.

use onyx_device::Fold;

use crate::backend::adjacency::Needs;
use crate::backend::device::is_resident;
use crate::backend::device::reverse_edges;
use crate::backend::{counters, partials};
use crate::decider::Decider;
use crate::graph::{Graph, NeighborGroups};
use crate::options::Options;
use crate::store::Store;

/// The arrays of a run, by name, in bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The arrays of each tile.
    arrays: Vec<(String, u64)>,
    /// How many tiles there are: each has arrays of its own.
    tiles: u64,
}

impl Plan {
    /// The arrays that fold `F` needs for `graph` and `store`, with the schedules decided on.
    pub(crate) fn new<F: Fold>(graph: &Graph, store: &Store, decider: &Decider, options: &Options) -> Self {
        let mut plan = Self { arrays: Vec::new(), tiles: store.tiles() as u64 };
        let vertices = graph.vertex_count();
        let properties = store.properties().iter().enumerate();
        for (index, property) in properties.filter(|(index, _)| is_resident::<F>(*index)) {
            let bytes = 4 * store.tile_length(index) as u64;
            let is_pending = options.may_push::<F>() && F::EDGES.reduces >> index & 1 == 1;
            plan.add(format!("property {}", property.name), bytes << u32::from(property.tracked || is_pending));
        }
        if F::HAS_EDGES {
            plan.add("incoming edges", Needs::incoming(decider).bytes(graph.incoming()));
        }
        if let Some(needs) = Needs::outgoing(decider) {
            plan.add("outgoing edges", needs.bytes(graph.outgoing()));
        }
        if let Some(numbers) = reverse_edges::<F>(graph) {
            plan.add("reverse edges", numbers.as_bytes().len() as u64);
        }
        if F::HAS_EDGES && options.deterministic {
            let group_size = decider.group_size();
            let groups = NeighborGroups::count(graph.incoming(), group_size);
            let (cut, parts) = NeighborGroups::count_cut(graph.incoming(), group_size);
            plan.add("partial sums of cut rows", partials::bytes::<F>(store, groups, cut, parts));
        }
        let counters = counters::bytes(options.batch()).saturating_add(1);
        plan.add("active vertices", (vertices * 9).saturating_add(counters) as u64);
        plan
    }

    fn add(&mut self, name: impl Into<String>, bytes: u64) {
        self.arrays.push((name.into(), bytes));
    }

    /// All bytes together.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.arrays.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        self.tiles.saturating_mul(bytes)
    }

    /// The largest array.
    pub(crate) fn largest(&self) -> (String, u64) {
        self.arrays.iter().max_by_key(|(_, bytes)| *bytes).cloned().unwrap_or_default()
    }
}
