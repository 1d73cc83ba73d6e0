//! Rows cut into groups of bounded size, so that long rows are shared out.

use std::ops::Range;

use rayon::prelude::*;

use super::csr::Adjacency;
use super::grouping::split_mut;
use crate::memory::{self, OutOfMemory};

/// What needs the memory.
const GROUPS: &str = "the groups of neighbors";

/// How many edges a group has at most, and how many groups are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSize {
    least: usize,
    grows: bool,
    /// The groups of a block.
    block: usize,
}

impl GroupSize {
    /// So many in every row; 0 is taken as 1.
    pub fn new(edges: usize) -> Self {
        Self { least: edges.max(1), grows: false, block: 1 }
    }

    /// More of them in very long rows: the root of the row's edges, so that a row has as many groups as each of them has edges. Who goes through a group, and then
    /// through the groups, one after the other, waits least.
    pub fn growing(self) -> Self {
        Self { grows: true, ..self }
    }

    /// The same where blocks of so many groups combine what these have of a row: a row is cut only where several blocks have groups of it.
    pub fn in_blocks(self, groups: usize) -> Self {
        Self { block: groups.max(1), ..self }
    }

    /// How many blocks take so many groups.
    pub(crate) fn blocks(self, groups: usize) -> usize {
        groups.div_ceil(self.block)
    }

    /// How many blocks have some of these groups.
    fn spanned(self, groups: Range<usize>) -> usize {
        (groups.end - 1) / self.block - groups.start / self.block + 1
    }

    /// How many edges a group of a row of `degree` edges has at most.
    fn of_row(self, degree: usize) -> usize {
        if self.grows { self.least.max(degree.isqrt()) } else { self.least }
    }

    /// How many groups a row of `degree` edges is cut into: none where there is no edge.
    pub(crate) fn groups(self, degree: usize) -> usize {
        degree.div_ceil(self.of_row(degree))
    }
}

/// The rows of an adjacency, each cut into groups of consecutive edges.
///
/// Groups are in row order; an empty row has one empty group. So every position of the adjacency is in exactly one
/// group, and every vertex has one group at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighborGroups {
    /// The vertex of each group, ascending.
    pub vertex: Vec<u32>,
    /// Group `g` covers the positions `begin[g]..begin[g + 1]`; one entry more than there are groups.
    pub begin: Vec<u64>,
    /// The vertices whose groups are of more than one block, ascending: of more than one group where nothing takes several together.
    pub cut: Vec<u32>,
    size: GroupSize,
}

impl NeighborGroups {
    /// Cuts the rows of `adjacency`.
    ///
    /// # Errors
    /// There is no memory for the groups.
    pub fn of(adjacency: &Adjacency, size: GroupSize) -> Result<Self, OutOfMemory> {
        let rows = CutRows { adjacency, size };
        let shares = rows.shares();
        let counts: Vec<usize> = shares.iter().map(|share| share.groups.len()).collect();
        let group_count = counts.iter().sum();
        let (mut vertex, mut begin) = (memory::zeroed(group_count, GROUPS)?, memory::zeroed(group_count + 1, GROUPS)?);
        begin[group_count] = adjacency.edge_count() as u64;
        let places = split_mut(&mut vertex, &counts).into_iter().zip(split_mut(&mut begin, &counts));
        let places: Vec<_> = shares.iter().zip(places).collect();
        places.into_par_iter().for_each(|(share, (vertex, begin))| rows.fill(share.rows.clone(), vertex, begin));
        let cut = shares.iter().flat_map(|share| rows.cut(share)).map(|(row, _)| row as u32);
        Ok(Self { vertex, begin, cut: memory::collect(cut, GROUPS)?, size })
    }

    /// How many groups the rows of `adjacency` would be cut into.
    pub fn count(adjacency: &Adjacency, size: GroupSize) -> usize {
        let rows = (0..adjacency.vertex_count()).into_par_iter();
        rows.map(|row| size.groups(adjacency.offsets().row(row).len()).max(1)).sum()
    }

    /// How many rows of `adjacency` would be cut, and among how many blocks altogether: groups, where nothing takes several together.
    pub fn count_cut(adjacency: &Adjacency, size: GroupSize) -> (usize, usize) {
        let rows = CutRows { adjacency, size };
        let cut = |share| rows.cut(&share).fold((0, 0), |all, (_, blocks)| (all.0 + 1, all.1 + blocks));
        rows.shares().into_par_iter().map(cut).reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1))
    }

    /// A number for each block of groups of a cut row, in order, at each of its groups, and something for the others; then where those of each cut row begin, and the end.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn parts(&self) -> Result<(Vec<u32>, Vec<u32>), OutOfMemory> {
        let mut next = 0;
        let (mut row, mut begin) = (memory::vector(self.len(), GROUPS)?, memory::vector(self.cut.len() + 1, GROUPS)?);
        for run in self.vertex.chunk_by(|one, other| one == other) {
            let groups = row.len()..row.len() + run.len();
            let first = groups.start / self.size.block;
            row.extend(groups.clone().map(|group| next + (group / self.size.block - first) as u32));
            if self.size.spanned(groups.clone()) > 1 {
                begin.push(next);
                next += self.size.spanned(groups) as u32;
            }
        }
        begin.push(next);
        Ok((row, begin))
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

/// Rows and the size of the groups they are cut into.
struct CutRows<'a> {
    adjacency: &'a Adjacency,
    size: GroupSize,
}

/// Rows, and their groups by number.
struct Share {
    rows: Range<usize>,
    groups: Range<usize>,
}

impl CutRows<'_> {
    /// All rows, cut into ranges of about equally many edges.
    fn shares(&self) -> Vec<Share> {
        let ranges = self.adjacency.balanced_rows(rayon::current_num_threads() * 4);
        let count = |rows: Range<usize>| rows.map(|row| self.groups(row)).sum();
        let counts: Vec<usize> = ranges.par_iter().cloned().map(count).collect();
        let share = |first: &mut usize, (rows, count): (Range<usize>, usize)| {
            let groups = *first..*first + count;
            *first = groups.end;
            Some(Share { rows, groups })
        };
        ranges.into_iter().zip(counts).scan(0, share).collect()
    }

    /// The number of groups of `row`.
    fn groups(&self, row: usize) -> usize {
        self.size.groups(self.adjacency.offsets().row(row).len()).max(1)
    }

    /// Writes the vertex and the first position of each group of `rows`.
    fn fill(&self, rows: Range<usize>, vertex: &mut [u32], begin: &mut [u64]) {
        let mut places = vertex.iter_mut().zip(begin);
        for row in rows {
            let edges = self.adjacency.offsets().row(row);
            let (first, size) = (edges.start, self.size.of_row(edges.len()));
            for (group, (vertex, begin)) in places.by_ref().take(self.groups(row)).enumerate() {
                (*vertex, *begin) = (row as u32, (first + group * size) as u64);
            }
        }
    }

    /// The rows of a share that have groups in several blocks, and in how many.
    fn cut(&self, share: &Share) -> impl Iterator<Item = (usize, usize)> {
        let mut end = share.groups.start;
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
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn rows_are_cut_and_empty_rows_kept() {
        let edges = (0..5).map(|source| (source, 1)).chain([(0, 4)]).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let groups = NeighborGroups::of(graph.incoming(), GroupSize::new(2)).unwrap();
        assert_eq!(groups.vertex, [0, 1, 1, 1, 2, 3, 4]);
        assert_eq!(groups.begin, [0, 0, 2, 4, 5, 5, 5, 6]);
        assert_eq!(groups.cut, [1]);
        let (row, begin) = groups.parts().unwrap();
        assert_eq!((&row[1..4], &begin[..]), (&[0, 1, 2][..], &[0, 3][..]));
        assert_eq!(NeighborGroups::count_cut(graph.incoming(), GroupSize::new(2)), (1, 3));
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
        let (row, begin) = groups.parts().unwrap();
        assert_eq!((&row[6..16], &begin[..]), (&[0, 0, 1, 1, 1, 1, 2, 2, 2, 2][..], &[0, 3][..]));
        assert_eq!(size.blocks(groups.len()), 8);
    }

    #[test]
    fn a_graph_without_vertices_has_no_groups() {
        let graph = GraphBuilder::new().build().unwrap();
        let groups = NeighborGroups::of(graph.incoming(), GroupSize::new(0)).unwrap();
        assert_eq!((groups.len(), groups.begin), (0, vec![0]));
    }

    #[test]
    fn groups_grow_with_rows_that_are_longer_than_the_square_of_their_size() {
        let edges = |(row, count): (u32, u32)| (0..count).map(move |source| (source, row));
        let edges = [(0, 10), (1, 4), (2, 17)].into_iter().flat_map(edges).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let size = GroupSize::new(2).growing();
        let groups = NeighborGroups::of(graph.incoming(), size).unwrap();
        assert_eq!(groups.vertex[..11], [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2]);
        assert_eq!(groups.begin[..12], [0, 3, 6, 9, 10, 12, 14, 18, 22, 26, 30, 31]);
        assert_eq!(NeighborGroups::count(graph.incoming(), size), groups.len());
        assert_eq!(NeighborGroups::count_cut(graph.incoming(), size), (3, 11));
    }
}
