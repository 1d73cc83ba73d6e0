//! The orders in which edges arrive to be sorted into rows.

use std::ops::Range;

use bytemuck::Zeroable;

use super::csr::Adjacency;
use super::grouping::Items;

/// Edges in parts, each with `payload(part, place in the part)`.
pub(super) struct ByDestination<'a, W> {
    pub edges: &'a [&'a [(u32, u32)]],
    pub payload: W,
}

impl<P, W> Items for ByDestination<'_, W>
where
    P: Copy + Zeroable + Send + Sync,
    W: Fn(usize, usize) -> P + Sync,
{
    type Payload = P;
    const ASCENDING: bool = false;

    fn parts(&self) -> usize {
        self.edges.len()
    }

    fn size(&self, part: usize) -> usize {
        self.edges[part].len()
    }

    fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, P)) {
        for (edge, &(source, destination)) in self.edges[part].iter().enumerate() {
            place(destination, source, (self.payload)(part, edge));
        }
    }
}

/// Each edge in both directions, a loop once. What the way back carries is `back` of what the way there does.
pub(super) struct BothWays<I, B> {
    pub there: I,
    pub back: B,
}

impl<I, B> Items for BothWays<I, B>
where
    I: Items,
    B: Fn(I::Payload) -> I::Payload + Sync,
{
    type Payload = I::Payload;
    const ASCENDING: bool = false;

    fn parts(&self) -> usize {
        self.there.parts()
    }

    fn size(&self, part: usize) -> usize {
        2 * self.there.size(part)
    }

    fn visit(&self, part: usize, mut place: impl FnMut(u32, u32, I::Payload)) {
        self.there.visit(part, |row, neighbor, payload| {
            place(row, neighbor, payload);
            if row != neighbor {
                place(neighbor, row, (self.back)(payload));
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
    P: Copy + Zeroable + Send + Sync,
    F: Fn(usize) -> P + Sync,
{
    type Payload = P;
    const ASCENDING: bool = true;

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn size(&self, part: usize) -> usize {
        let Range { start, end } = self.parts[part];
        self.incoming.offsets.get(end) - self.incoming.offsets.get(start)
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
