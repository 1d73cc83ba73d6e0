//! A graph that is a batch: small graphs side by side, with no edge between them.

use std::ops::Range;

use super::Graph;
use super::buffer::Buffer;
use super::error::GraphError;
use crate::memory::{self, OutOfMemory};

/// What needs the memory.
const MEMBERS: &str = "the graphs of a batch";

impl Graph {
    /// The same graph as a batch of small graphs, of which graph `g` has the vertices `offsets[g]..offsets[g + 1]`; one may have none. A fold of several stages
    /// then runs them graph by graph, all stages of one after the other. What [`Graph::excerpt`] makes is such a batch already.
    ///
    /// # Errors
    /// [`GraphError::NoMember`] without a graph, [`GraphError::MembersEnd`] if the offsets do not begin at 0 or end at the number of vertices,
    /// [`GraphError::NotARange`] if they fall, and [`GraphError::OpenRange`] with the first edge that leads from one graph into another.
    pub fn with_members(self, offsets: Vec<u32>) -> Result<Self, GraphError> {
        let (Some(&first), Some(&last), true) = (offsets.first(), offsets.last(), offsets.len() > 1) else {
            return Err(GraphError::NoMember);
        };
        if (first, last as usize) != (0, self.vertex_count()) {
            return Err(GraphError::MembersEnd { first, last, vertices: self.vertex_count() });
        }
        offsets.windows(2).try_for_each(|ends| self.check_closed(&(ends[0]..ends[1])))?;
        Ok(Self { members: Some(offsets.into()), ..self })
    }

    /// The first vertex of each graph of a batch, and the number of vertices as the last; none where the graph is no batch.
    pub fn members(&self) -> Option<&[u32]> {
        self.members.as_deref()
    }

    /// The vertices of the largest graph of a batch.
    pub(crate) fn largest_member(&self) -> Option<usize> {
        self.members().map(|offsets| offsets.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0))
    }

    /// The first vertex of each block of whole graphs, and the number of vertices as the last: as many graphs as have `most` vertices together, and one at
    /// least. Blocks of no vertices are left out, and so is everything where the graph is no batch.
    pub(crate) fn member_blocks(&self, most: usize) -> Result<Vec<u32>, OutOfMemory> {
        let offsets = self.members().unwrap_or(&[0]);
        let mut blocks = memory::vector(offsets.len(), MEMBERS)?;
        blocks.push(0);
        let mut begin = 0;
        for ends in offsets.windows(2).filter(|ends| ends[0] < ends[1]) {
            if ends[1] - begin > most as u32 && ends[0] > begin {
                blocks.push(ends[0]);
                begin = ends[0];
            }
        }
        blocks.extend(offsets.last().filter(|end| **end > begin));
        Ok(blocks)
    }
}

/// The members of the graph of these ranges, one after the other.
pub(super) fn of_ranges(ranges: &[Range<u32>]) -> Result<Option<Buffer<u32>>, OutOfMemory> {
    if ranges.is_empty() {
        return Ok(None);
    }
    let mut offsets = memory::vector(ranges.len() + 1, MEMBERS)?;
    offsets.push(0);
    let mut end = 0;
    offsets.extend(ranges.iter().map(|range| {
        end += range.len() as u32;
        end
    }));
    Ok(Some(offsets.into()))
}

/// The members of a batch whose vertices get other numbers, in the order of those; none where the vertices of one do not stay together.
pub(super) fn renumbered(offsets: &[u32], new_ids: &[u32]) -> Result<Option<Buffer<u32>>, OutOfMemory> {
    let mut members = memory::vector(offsets.len(), MEMBERS)?;
    // A member without vertices stays before the one that follows it.
    let mut begin = new_ids.len() as u32;
    for (member, ends) in offsets.windows(2).enumerate().rev() {
        let ids = &new_ids[ends[0] as usize..ends[1] as usize];
        if let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) {
            if (last - first) as usize >= ids.len() {
                return Ok(None);
            }
            begin = *first;
        }
        members.push((begin, member, ids.len() as u32));
    }
    members.sort_unstable();
    let ends = members.iter().scan(0, |end, (_, _, count)| {
        *end += count;
        Some(*end)
    });
    Ok(Some(memory::collect(std::iter::once(0).chain(ends), MEMBERS)?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;
    use crate::graph::order::VertexOrder;

    /// Graphs of 3, 0, 2, 1 and 5 vertices.
    fn batch() -> Graph {
        let edges = vec![(0, 1), (1, 2), (3, 4), (6, 7), (10, 6)];
        GraphBuilder::new().vertices(11).edges(edges).undirected(true).build().unwrap()
    }

    const OFFSETS: [u32; 6] = [0, 3, 3, 5, 6, 11];

    #[test]
    fn blocks_have_whole_graphs() {
        let batch = batch().with_members(OFFSETS.to_vec()).unwrap();
        assert_eq!(batch.largest_member(), Some(5));
        let blocks = |most| batch.member_blocks(most).unwrap();
        assert_eq!(blocks(1), [0, 3, 5, 6, 11]);
        assert_eq!(blocks(5), [0, 5, 6, 11]);
        assert_eq!(blocks(6), [0, 6, 11]);
        assert_eq!(blocks(100), [0, 11]);
        let empty = GraphBuilder::new().build().unwrap().with_members(vec![0, 0]).unwrap();
        assert_eq!(empty.member_blocks(4).unwrap(), [0]);
    }

    #[test]
    fn what_is_no_batch_is_refused() {
        let refused = |offsets: &[u32]| batch().with_members(offsets.to_vec()).unwrap_err();
        assert!(matches!(refused(&[]), GraphError::NoMember));
        assert!(matches!(refused(&[0]), GraphError::NoMember));
        assert!(matches!(refused(&[0, 3, 10]), GraphError::MembersEnd { first: 0, last: 10, vertices: 11 }));
        assert!(matches!(refused(&[3, 11]), GraphError::MembersEnd { first: 3, .. }));
        assert!(matches!(refused(&[0, 5, 3, 11]), GraphError::NotARange { begin: 5, end: 3, .. }));
        let open = refused(&[0, 3, 4, 11]);
        assert!(matches!(open, GraphError::OpenRange { begin: 3, end: 4, origin: 3, destination: 4 }), "{open}");
    }

    #[test]
    fn members_that_stay_together_are_members_of_a_renumbered_batch() {
        let batch = batch().with_members(OFFSETS.to_vec()).unwrap();
        let renumbered = |old_ids: [u32; 11]| {
            let order = VertexOrder::of_sequence(old_ids.to_vec()).unwrap();
            let there = batch.renumbered(&order).unwrap().graph;
            // The members are those of the same graph made from the list, which checks them.
            let offsets = there.members().map(<[u32]>::to_vec);
            let again = offsets.clone().map(|offsets| there.clone().with_members(offsets).unwrap());
            assert!(again.is_none_or(|again| again == there));
            let back = there.renumbered(&order.inverse()).unwrap().graph;
            (offsets, back.members() == batch.members())
        };
        assert_eq!(renumbered([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), (Some(OFFSETS.to_vec()), true));
        assert_eq!(renumbered([2, 0, 1, 4, 3, 5, 10, 9, 8, 7, 6]), (Some(OFFSETS.to_vec()), true));
        assert_eq!(renumbered([5, 10, 9, 8, 7, 6, 4, 3, 0, 1, 2]), (Some(vec![0, 1, 6, 6, 8, 11]), true));
        assert_eq!(renumbered([0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10]), (None, false));
        let alone = GraphBuilder::new().build().unwrap().with_members(vec![0, 0, 0]).unwrap();
        let order = VertexOrder::unchanged(0).unwrap();
        assert_eq!(alone.renumbered(&order).unwrap().graph.members(), Some(&[0, 0, 0][..]));
    }

    #[test]
    fn an_excerpt_and_the_reverse_are_batches() {
        let batch = batch().with_members(OFFSETS.to_vec()).unwrap();
        assert_eq!(batch.reversed().unwrap().members(), Some(&OFFSETS[..]));
        assert_eq!(batch.excerpt(&[3..5, 0..3, 5..5]).unwrap().members(), Some(&[0, 2, 5, 5][..]));
    }
}
