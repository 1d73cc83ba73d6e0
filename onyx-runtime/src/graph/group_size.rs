//! How rows are cut into groups of bounded size.

use std::ops::Range;

use onyx_device::span::Span;

/// How many edges a group has at most, and which of them are taken together: those of a block, or those of a bin of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSize {
    least: usize,
    /// How many parts of a long row are combined side by side, where groups grow.
    side_by_side: Option<usize>,
    /// The groups of a block.
    block: usize,
    /// The neighbors of a bin, where there are several.
    bin: Option<usize>,
    /// Whether groups come by their length.
    is_leveled: bool,
}

impl GroupSize {
    /// So many in every row; 0 is taken as 1, and more than a [`Span`] has as that.
    pub fn new(edges: usize) -> Self {
        Self { least: edges.clamp(1, Span::MOST), side_by_side: None, block: 1, bin: None, is_leveled: false }
    }

    /// More of them in very long rows, where what the groups have of one is combined afterwards, so many parts side by side: the root of the row's edges over that number, so that
    /// a group has as many edges as there are rounds of parts. Who goes through a group, and then through the rounds, waits least.
    pub fn growing(self, side_by_side: usize) -> Self {
        Self { side_by_side: Some(side_by_side.max(1)), ..self }
    }

    /// The same where blocks of so many groups combine what these have of a row: a row is cut only where several blocks have groups of it. There are no bins then.
    pub fn in_blocks(self, groups: usize) -> Self {
        Self { block: groups.max(1), bin: None, ..self }
    }

    /// The same with rows cut wherever their neighbors enter another bin of so many vertices, and all groups of a bin before those of the next. There are no blocks then.
    pub fn in_bins(self, vertices: usize) -> Self {
        Self { block: 1, bin: Some(vertices.max(1)), ..self }
    }

    /// How many bins so many vertices are.
    pub(super) fn bins(self, vertices: usize) -> usize {
        self.bin.map_or(1, |bin| vertices.div_ceil(bin).max(1))
    }

    /// How many blocks take so many groups.
    pub(crate) fn blocks(self, groups: usize) -> usize {
        groups.div_ceil(self.block)
    }

    /// How many blocks have some of these groups.
    pub(super) fn spanned(self, groups: Range<usize>) -> usize {
        (groups.end - 1) / self.block - groups.start / self.block + 1
    }

    /// Whether a block begins with this group.
    pub(super) fn begins(self, group: usize) -> bool {
        group.is_multiple_of(self.block)
    }

    /// The same where groups that lie near each other come by their length, unless blocks or bins have some of them together.
    pub fn leveled(self) -> Self {
        Self { is_leveled: true, ..self }
    }

    /// Whether groups come in another order than that of their rows.
    pub(crate) fn is_leveled(self) -> bool {
        self.is_leveled && self.block == 1 && self.bin.is_none()
    }

    /// How many edges a group of a row of `degree` edges has at most.
    fn of_degree(self, degree: usize) -> usize {
        self.side_by_side.map_or(self.least, |parts| self.least.max((degree / parts).isqrt()))
    }

    /// How many groups a row of `degree` edges is cut into where there are no bins: none where there is no edge.
    pub(crate) fn groups(self, degree: usize) -> usize {
        degree.div_ceil(self.of_degree(degree))
    }

    /// How many groups the row of these neighbors is cut into, which are ascending: one where there is none.
    pub(super) fn groups_of(self, neighbors: &[u32]) -> usize {
        if self.bin.is_none() { self.groups(neighbors.len()).max(1) } else { self.cut(neighbors).count() }
    }

    /// The groups of the row of these neighbors, which are ascending: the bin of each, and its place in the row.
    pub(super) fn cut(self, neighbors: &[u32]) -> impl Iterator<Item = (usize, Range<usize>)> {
        let size = self.of_degree(neighbors.len());
        let mut next = Some(0);
        std::iter::from_fn(move || {
            let begin = next?;
            let (bin, length) = self.first_of(&neighbors[begin..neighbors.len().min(begin + size)]);
            next = Some(begin + length).filter(|end| *end < neighbors.len());
            Some((bin, begin..begin + length))
        })
    }

    /// The bin of the first of these neighbors, and how many of them are in it.
    fn first_of(self, neighbors: &[u32]) -> (usize, usize) {
        let (Some(bin), Some(first)) = (self.bin, neighbors.first()) else { return (0, neighbors.len()) };
        let number = *first as usize / bin;
        let end = (number + 1).saturating_mul(bin);
        (number, neighbors.partition_point(|neighbor| (*neighbor as usize) < end))
    }
}
