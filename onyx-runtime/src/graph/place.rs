//! Which of the edges given to a builder each edge of its graph is.

/// One of the edges given, and which way it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The edge's place in the list given.
    pub edge: usize,
    /// Whether it is taken back, from its second end to its first.
    pub is_back: bool,
}

/// The place of each edge of a graph, by edge id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places(pub(super) Vec<u64>);

/// The bit that says that an edge is taken back.
const BACK: u64 = 1;

impl Place {
    /// The place as edges carry it while they are sorted.
    pub(super) fn packed(edge: usize) -> u64 {
        (edge as u64) << 1
    }

    /// The same edge, taken back.
    pub(super) fn back(packed: u64) -> u64 {
        packed | BACK
    }

    pub(super) fn unpacked(packed: u64) -> Self {
        Self { edge: (packed >> 1) as usize, is_back: packed & BACK != 0 }
    }
}

impl Places {
    /// The place of the edge with the id `edge`; panics if there is none.
    pub fn get(&self, edge: usize) -> Place {
        Place::unpacked(self.0[edge])
    }

    /// The places of all edges, by edge id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Place> {
        self.0.iter().map(|&packed| Place::unpacked(packed))
    }
}
