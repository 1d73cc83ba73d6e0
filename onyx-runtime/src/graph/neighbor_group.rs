//! Rows cut into groups of bounded size, so that long rows are shared out.

use std::cmp::Reverse;
use std::ops::Range;

use onyx_device::span::Span;
use rayon::prelude::*;

use super::FEW;
use super::csr::Adjacency;
use super::group_size::GroupSize;
use super::grouping::split_mut;
use crate::error::RunError;
use crate::memory::{self, OutOfMemory};

/// How many groups lie together in the order of their length: so few that rows which lie side by side are still reached by warps side by side
/// (`docs/performance.md`).
const WINDOW: usize = 128;

/// What needs the memory.
const GROUPS: &str = "the groups of neighbors";

/// The rows of an adjacency, each cut into groups of consecutive edges.
///
/// Groups are in row order, or bin by bin and in row order within each; where they are leveled, each window of 128 has the longest first. An empty row has one
/// empty group. So every position of the adjacency is in exactly one group, and every vertex has one group at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighborGroups {
    /// The vertex of each group.
    pub vertex: Vec<u32>,
    /// The [`Span`] of each group, as it lies in memory.
    pub spans: Vec<u64>,
    /// The vertices whose groups are of more than one block, ascending: of more than one group where nothing takes several together.
    pub cut: Vec<u32>,
    size: GroupSize,
    rows: usize,
}

impl NeighborGroups {
    /// Cuts the rows of `adjacency`.
    ///
    /// # Errors
    /// There is no memory for the groups.
    pub fn of(adjacency: &Adjacency, size: GroupSize) -> Result<Self, OutOfMemory> {
        let cut_rows = CutRows { adjacency, size };
        let shares = cut_rows.shares();
        let in_bin = |bin| shares.iter().map(move |share: &Share| share.counts[bin]);
        let rows = adjacency.vertex_count();
        let counts: Vec<usize> = (0..size.bins(rows)).flat_map(in_bin).collect();
        let group_count = counts.iter().sum();
        let (mut vertex, mut spans) = (memory::zeroed(group_count, GROUPS)?, memory::zeroed(group_count, GROUPS)?);
        let mut places: Vec<Vec<Place<'_>>> = shares.iter().map(|_| Vec::new()).collect();
        let lists = split_mut(&mut vertex, &counts).into_iter().zip(split_mut(&mut spans, &counts));
        for (index, (vertex, spans)) in lists.enumerate() {
            places[index % shares.len()].push(Place { vertex: vertex.iter_mut(), spans: spans.iter_mut() });
        }
        shares.par_iter().zip(places).for_each(|(share, places)| cut_rows.fill(share, places));
        if size.is_leveled() {
            level(&mut vertex, &mut spans);
        }
        let cut = shares.iter().flat_map(|share| cut_rows.cut(share)).map(|(row, _)| row as u32);
        let cut = memory::collect(cut, GROUPS)?;
        Ok(Self { vertex, spans, cut, size, rows })
    }

    /// The edges of a group, and whether its row has others; panics if there is no such group.
    pub fn span(&self, group: usize) -> Span {
        Span::of_bits(self.spans[group])
    }

    /// How many groups the rows of `adjacency` would be cut into.
    pub fn count(adjacency: &Adjacency, size: GroupSize) -> usize {
        let rows = (0..adjacency.vertex_count() as u32).into_par_iter().with_min_len(FEW);
        rows.map(|row| size.groups_of(adjacency.row(row))).sum()
    }

    /// How many rows of `adjacency` would be cut, and among how many blocks altogether: groups, where nothing takes several together.
    pub fn count_cut(adjacency: &Adjacency, size: GroupSize) -> (usize, usize) {
        let rows = CutRows { adjacency, size };
        let cut = |share| rows.cut(&share).fold((0, 0), |all, (_, blocks)| (all.0 + 1, all.1 + blocks));
        rows.shares().into_par_iter().map(cut).reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1))
    }

    /// How many rows of `adjacency` would be cut among more than so many blocks.
    pub(crate) fn count_long(adjacency: &Adjacency, size: GroupSize, most: u32) -> usize {
        let rows = CutRows { adjacency, size };
        let long = |share| rows.cut(&share).filter(|(_, blocks)| *blocks > most as usize).count();
        rows.shares().into_par_iter().map(long).sum()
    }

    /// A number for each block of groups of a cut row, in order, at each of its groups, and something for the others; then where those of each cut row begin, and the end.
    ///
    /// # Errors
    /// [`RunError::Memory`] if there is no memory for them, [`RunError::Parts`] if 32 bits do not number them.
    pub fn parts(&self) -> Result<(Vec<u32>, Vec<u32>), RunError> {
        let mut next = self.blocks_of_rows()?;
        let (mut row, mut begin) = (memory::vector(self.len(), GROUPS)?, memory::vector(self.cut.len() + 1, GROUPS)?);
        begin.push(0);
        for vertex in &self.cut {
            let first = begin[begin.len() - 1];
            begin.push(added(first, next[*vertex as usize])?);
            next[*vertex as usize] = first;
        }
        for (group, vertex) in self.vertex.iter().enumerate() {
            let next = &mut next[*vertex as usize];
            *next += u32::from(self.begins_part(group));
            row.push(*next - 1);
        }
        Ok((row, begin))
    }

    /// The number of the cut row that each group is of, and something for the groups of other rows.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn cut_rows(&self) -> Result<Vec<u32>, OutOfMemory> {
        let mut numbers = memory::zeroed(self.rows, GROUPS)?;
        for (number, vertex) in (0..).zip(&self.cut) {
            numbers[*vertex as usize] = number;
        }
        memory::collect(self.vertex.iter().map(|vertex| numbers[*vertex as usize]), GROUPS)
    }

    /// How many blocks have groups of each row.
    fn blocks_of_rows(&self) -> Result<Vec<u32>, RunError> {
        let mut blocks = memory::zeroed(self.rows, GROUPS)?;
        for group in (0..self.len()).filter(|group| self.begins_part(*group)) {
            let count = &mut blocks[self.vertex[group] as usize];
            *count = added(*count, 1)?;
        }
        Ok(blocks)
    }

    /// Whether a group is the first of its row in its block.
    fn begins_part(&self, group: usize) -> bool {
        self.size.begins(group) || self.vertex[group - 1] != self.vertex[group]
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.vertex.len()
    }

    /// Whether there is no group, as in a graph without vertices.
    pub fn is_empty(&self) -> bool {
        self.vertex.is_empty()
    }
}

/// Puts the groups of each window in order of their length, the longest first, so that those of a warp end together.
fn level(vertex: &mut [u32], spans: &mut [u64]) {
    let windows = vertex.par_chunks_mut(WINDOW).zip(spans.par_chunks_mut(WINDOW)).with_min_len(FEW / WINDOW);
    windows.for_each(|(vertex, spans)| {
        let mut groups: [(u64, u32); WINDOW] = [(0, 0); WINDOW];
        let groups = &mut groups[..vertex.len()];
        groups.iter_mut().zip(spans.iter().zip(&*vertex)).for_each(|(group, (span, vertex))| *group = (*span, *vertex));
        groups.sort_by_key(|(span, _)| Reverse(length(*span)));
        vertex.iter_mut().zip(spans).zip(groups).for_each(|((vertex, span), group)| (*span, *vertex) = *group);
    });
}

/// How many edges a group has.
fn length(span: u64) -> u64 {
    let edges = Span::of_bits(span).edges();
    edges.end - edges.start
}

/// The number of the part after so many more.
fn added(parts: u32, more: u32) -> Result<u32, RunError> {
    parts.checked_add(more).ok_or(RunError::Parts)
}

/// Rows and the size of the groups they are cut into.
struct CutRows<'a> {
    adjacency: &'a Adjacency,
    size: GroupSize,
}

/// Rows, and their groups.
struct Share {
    rows: Range<usize>,
    /// By bin.
    counts: Vec<usize>,
    /// The number of the first group, where there is one bin.
    first: usize,
}

/// Where the groups go that some rows have in a bin.
struct Place<'a> {
    vertex: std::slice::IterMut<'a, u32>,
    spans: std::slice::IterMut<'a, u64>,
}

impl CutRows<'_> {
    /// All rows, cut into ranges of about equally many edges.
    fn shares(&self) -> Vec<Share> {
        let most = (self.adjacency.vertex_count() + self.adjacency.edge_count()).div_ceil(FEW).max(1);
        let ranges = self.adjacency.balanced_rows(most.min(rayon::current_num_threads() * 4));
        let counts: Vec<Vec<usize>> = ranges.par_iter().cloned().map(|rows| self.counts(rows)).collect();
        let share = |next: &mut usize, (rows, counts): (Range<usize>, Vec<usize>)| {
            let first = *next;
            *next += counts.iter().sum::<usize>();
            Some(Share { rows, counts, first })
        };
        ranges.into_iter().zip(counts).scan(0, share).collect()
    }

    /// How many groups `rows` have in each bin.
    fn counts(&self, rows: Range<usize>) -> Vec<usize> {
        let mut counts = vec![0; self.size.bins(self.adjacency.vertex_count())];
        if let [all] = &mut counts[..] {
            *all = rows.map(|row| self.groups(row)).sum();
            return counts;
        }
        rows.for_each(|row| self.size.cut(self.adjacency.row(row as u32)).for_each(|(bin, _)| counts[bin] += 1));
        counts
    }

    /// The number of groups of `row`.
    fn groups(&self, row: usize) -> usize {
        self.size.groups_of(self.adjacency.row(row as u32))
    }

    /// Writes the vertex and the span of each group of a share, whose places are by bin.
    fn fill(&self, share: &Share, mut places: Vec<Place<'_>>) {
        let mut next = share.first;
        for row in share.rows.clone() {
            let (start, groups) = (self.adjacency.offsets().row(row).start, next..next + self.groups(row));
            next = groups.end;
            let is_cut = self.size.spanned(groups) > 1;
            for (bin, edges) in self.size.cut(self.adjacency.row(row as u32)) {
                let span = Span::new((start + edges.start) as u64..(start + edges.end) as u64, is_cut);
                let Place { vertex, spans } = &mut places[bin];
                vertex.next().into_iter().for_each(|place| *place = row as u32);
                spans.next().into_iter().for_each(|place| *place = span.bits());
            }
        }
    }

    /// The rows of a share that have groups in several blocks, and in how many.
    fn cut(&self, share: &Share) -> impl Iterator<Item = (usize, usize)> {
        let mut end = share.first;
        let spanned = move |row| {
            let first = end;
            end += self.groups(row);
            (row, self.size.spanned(first..end))
        };
        share.rows.clone().map(spanned).filter(|(_, blocks)| *blocks > 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::graph::GraphBuilder;

    fn edges_of(groups: &NeighborGroups) -> Vec<Range<u64>> {
        (0..groups.len()).map(|group| groups.span(group).edges()).collect()
    }

    #[test]
    fn rows_are_cut_and_empty_rows_kept() {
        let edges = (0..5).map(|source| (source, 1)).chain([(0, 4)]).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let groups = NeighborGroups::of(graph.incoming(), GroupSize::new(2)).unwrap();
        assert_eq!(groups.vertex, [0, 1, 1, 1, 2, 3, 4]);
        assert_eq!(edges_of(&groups), [0..0, 0..2, 2..4, 4..5, 5..5, 5..5, 5..6]);
        assert_eq!((0..7).map(|group| groups.span(group).is_cut()).position(|is_cut| is_cut), Some(1));
        assert_eq!(groups.cut, [1]);
        let (row, begin) = groups.parts().unwrap();
        assert_eq!((&row[1..4], &begin[..]), (&[0, 1, 2][..], &[0, 3][..]));
        assert_eq!(NeighborGroups::count_cut(graph.incoming(), GroupSize::new(2)), (1, 3));
        assert_eq!(groups.cut_rows().unwrap()[1..4], [0, 0, 0]);
        let long = [2, 3].map(|most| NeighborGroups::count_long(graph.incoming(), GroupSize::new(2), most));
        assert_eq!(long, [1, 0]);
    }

    #[test]
    fn rows_within_a_block_are_not_cut() {
        let rows = [(0, 1), (1, 5), (2, 1), (3, 2), (4, 20)];
        let edges = rows.into_iter().flat_map(|(row, count)| (0..count).map(move |source| (source, row))).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let size = GroupSize::new(2).in_blocks(4);
        let groups = NeighborGroups::of(graph.incoming(), size).unwrap();
        assert_eq!(groups.vertex[..16], [0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert_eq!((&groups.cut[..], NeighborGroups::count_cut(graph.incoming(), size)), (&[4][..], (1, 3)));
        assert_eq!(
            NeighborGroups::of(graph.incoming(), GroupSize::new(2)).unwrap().cut_rows().unwrap()[1..8],
            [0, 0, 0, 0, 0, 1, 1]
        );
        let (row, begin) = groups.parts().unwrap();
        assert_eq!((&row[6..16], &begin[..]), (&[0, 0, 1, 1, 1, 1, 2, 2, 2, 2][..], &[0, 3][..]));
        assert_eq!(size.blocks(groups.len()), 8);
    }

    #[test]
    fn parts_beyond_32_bits_are_refused() {
        assert!(matches!(added(u32::MAX - 2, 2), Ok(u32::MAX)));
        assert!(matches!(added(u32::MAX - 2, 3), Err(RunError::Parts)));
    }

    #[test]
    fn windows_have_the_longest_groups_first_and_all_groups_once() {
        let degrees: Vec<u32> = (0..1000).map(|row| row * 7 % 23).collect();
        let row = |(row, count): (usize, &u32)| (0..*count).map(move |source| (source, row as u32));
        let graph = GraphBuilder::new().edges(degrees.iter().enumerate().flat_map(row).collect()).build().unwrap();
        let size = GroupSize::new(8).leveled();
        let groups = NeighborGroups::of(graph.incoming(), size).unwrap();
        let lengths: Vec<u64> = groups.spans.iter().map(|span| length(*span)).collect();
        assert!(lengths.chunks(WINDOW).all(|window| window.is_sorted_by(|one, other| one >= other)));
        let mut all: Vec<_> = groups.vertex.iter().copied().zip(edges_of(&groups)).collect();
        all.sort_by_key(|(vertex, edges)| (*vertex, edges.start));
        let in_order = |rows: &[(u32, Range<u64>)]| rows[0].1.end == rows[1].1.start;
        assert!(all.windows(2).all(in_order) && all.last().unwrap().1.end == graph.edge_count() as u64);
        let (row, begin) = groups.parts().unwrap();
        let cut = |group: &usize| groups.span(*group).is_cut();
        let rows: HashSet<u32> = (0..groups.len()).filter(cut).map(|group| row[group]).collect();
        assert_eq!(rows.len() as u32, *begin.last().unwrap());
        let in_blocks = NeighborGroups::of(graph.incoming(), size.in_blocks(4)).unwrap();
        assert!(in_blocks.vertex.is_sorted());
    }

    #[test]
    fn a_graph_without_vertices_has_no_groups() {
        let graph = GraphBuilder::new().build().unwrap();
        let groups = NeighborGroups::of(graph.incoming(), GroupSize::new(0)).unwrap();
        assert_eq!((groups.len(), groups.parts().unwrap()), (0, (vec![], vec![0])));
    }

    #[test]
    fn groups_grow_with_rows_that_are_longer_than_the_square_of_their_size() {
        let row = |(row, count): (u32, u32)| (0..count).map(move |source| (source, row));
        let rows = [(0, 10), (1, 4), (2, 17)].into_iter().flat_map(row).collect();
        let graph = GraphBuilder::new().edges(rows).build().unwrap();
        let size = GroupSize::new(2).growing(1);
        let groups = NeighborGroups::of(graph.incoming(), size).unwrap();
        assert_eq!(groups.vertex[..11], [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2]);
        let begins: Vec<u64> = edges_of(&groups).iter().map(|edges| edges.start).collect();
        assert_eq!(begins[..11], [0, 3, 6, 9, 10, 12, 14, 18, 22, 26, 30]);
        assert_eq!(NeighborGroups::count(graph.incoming(), size), groups.len());
        assert_eq!(NeighborGroups::count_cut(graph.incoming(), size), (3, 11));
        assert_eq!(NeighborGroups::count_cut(graph.incoming(), GroupSize::new(2).growing(4)), (3, 16));
    }

    #[test]
    fn bins_come_one_after_the_other() {
        let edges = [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (5, 1), (0, 2), (1, 2), (4, 3)].to_vec();
        let graph = GraphBuilder::new().vertices(6).edges(edges).build().unwrap();
        let size = GroupSize::new(2).in_bins(3);
        let groups = NeighborGroups::of(graph.incoming(), size).unwrap();
        let found: Vec<_> = groups.vertex.iter().copied().zip(edges_of(&groups)).collect();
        let first = [(0, 0..0), (1, 0..2), (1, 2..3), (2, 7..9), (4, 10..10), (5, 10..10)];
        let second = [(1, 3..5), (1, 5..7), (3, 9..10)];
        assert_eq!(found, [&first[..], &second].concat());
        assert_eq!((&groups.cut[..], NeighborGroups::count_cut(graph.incoming(), size)), (&[1][..], (1, 4)));
        let (row, begin) = groups.parts().unwrap();
        assert_eq!(([row[1], row[2], row[6], row[7]], &begin[..]), ([0, 1, 2, 3], &[0, 4][..]));
        let rows = groups.cut_rows().unwrap();
        assert!((0..groups.len()).filter(|group| groups.vertex[*group] == 1).all(|group| rows[group] == 0));
        assert!((0..groups.len()).all(|group| groups.span(group).is_cut() == (groups.vertex[group] == 1)));
    }
}
