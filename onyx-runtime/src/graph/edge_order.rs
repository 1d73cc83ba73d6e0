//! The orders in which edges arrive to be sorted into rows.

use std::ops::Range;

use super::csr::Adjacency;
use super::grouping::Items;

/// Edges in parts, each with `payload(part, place in the part)`.
pub(super) struct ByDestination<'a, W> {
    pub edges: &'a [&'a [(u32, u32)]],
    pub payload: W,
}

impl<P, W> Items for ByDestination<'_, W>
where
    P: Copy + Default + Send + Sync,
    W: Fn(usize, usize) -> P + Sync,
{
    type Payload = P;
    const ASCENDING: bool = false;

    fn most(&self) -> usize {
        self.edges.iter().map(|part| part.len()).sum()
    }

    fn parts(&self) -> usize {
        self.edges.len()
    }

    fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, P)) {
        for (edge, &(source, destination)) in self.edges[part].iter().enumerate() {
            place(destination, source, (self.payload)(part, edge));
        }
    }
}

/// Each edge in both directions, a loop once.
pub(super) struct BothWays<I>(pub I);

impl<I: Items> Items for BothWays<I> {
    type Payload = I::Payload;
    const ASCENDING: bool = false;

    fn most(&self) -> usize {
        2 * self.0.most()
    }

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, I::Payload)) {
        self.0.visit(part, |row, neighbor, payload| {
            place(row, neighbor, payload);
            if row != neighbor {
                place(neighbor, row, payload);
            }
        });
    }
}

/// The edges of `incoming` with their ids, in id order, cut into ranges of destinations.
pub(super) struct BySource<'a, F> {
    pub incoming: &'a Adjacency,
    pub parts: Vec<Range<usize>>,
    pub id: F,
}

impl<P, F> Items for BySource<'_, F>
where
    P: Copy + Default + Send + Sync,
    F: Fn(usize) -> P + Sync,
{
    type Payload = P;
    const ASCENDING: bool = true;

    fn most(&self) -> usize {
        self.incoming.edge_count()
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, P)) {
        let neighbors = self.incoming.neighbors();
        for destination in self.parts[part].clone() {
            let row = self.incoming.offsets.row(destination);
            for (id, &source) in row.clone().zip(&neighbors[row]) {
                place(source, destination as u32, (self.id)(id));
            }
        }
    }
}
