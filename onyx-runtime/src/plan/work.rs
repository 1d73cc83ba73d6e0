//! How much there is to do in an iteration, in what kernels count their work in.

use std::ops::Range;

use onyx_device::arguments::Units;
use onyx_device::schedule::warp_word;

use crate::graph::{Adjacency, GroupSize};
use crate::schedule::{Kernel, Unit};

/// Rows that a pull takes together, and what they are to its kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub(crate) rows: Units,
    /// Their neighbor groups; their edges where each is a group of its own, and blocks of groups where blocks take those.
    pub(crate) groups: Units,
    /// Those that several groups share, by their place in the list of all such rows.
    pub(crate) cut_rows: Units,
    /// Those of these that very many groups share, by their place in the list of all such rows; none where nothing is left apart.
    pub(crate) long_cut_rows: Units,
}

/// All that there is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Work {
    pub(crate) vertices: u64,
    /// What pulls take, one part after the other: all rows, or pieces of them. First those of incoming edges, then those of outgoing ones, which stages
    /// take that reduce into sources.
    pub(crate) parts: [Vec<Part>; 2],
    pub(crate) outgoing_groups: u64,
    /// The pieces of long outgoing rows.
    pub(crate) pieces: u64,
    /// The blocks of whole graphs, where pulls take those.
    pub(crate) graph_blocks: u64,
    /// Whether the groups of cut rows leave their totals apart, to be added in order.
    pub(crate) has_partials: bool,
    /// Whether they add them to one part of the row instead.
    pub(crate) adds_parts: bool,
    /// Whether the rows of frequent sources are packed for pulls.
    pub(crate) packs_sources: bool,
    /// Whether all that an iteration reaches stays in the cache of the device, so that what it has written last is near in the next.
    pub(crate) stays_near: bool,
    /// Whether a total of the graph may end the run.
    pub(crate) has_bound: bool,
    /// How many tiles a row is.
    pub(crate) tiles: u32,
}

impl Work {
    /// That of a device that takes rows as they are, `tiles` tiles each: each is one group, and none is cut.
    pub(crate) fn of_whole_rows(vertices: u64, tiles: u32) -> Self {
        let part = Part { groups: Units::all(vertices), ..Part::of_rows(vertices) };
        Self {
            vertices,
            parts: [vec![part], vec![part]],
            outgoing_groups: vertices,
            pieces: 0,
            graph_blocks: 0,
            has_partials: false,
            adds_parts: false,
            packs_sources: false,
            stays_near: true,
            has_bound: false,
            tiles,
        }
    }

    /// The words of 32 vertices.
    pub(super) fn words(&self) -> u64 {
        self.vertices.div_ceil(32)
    }

    /// The same, and what takes the pieces of long rows.
    pub(super) fn words_and_pieces(&self) -> u64 {
        warp_word::warps(self.vertices, self.pieces)
    }
}

impl Part {
    /// All rows, without edges.
    pub(super) fn of_rows(vertices: u64) -> Self {
        Self { rows: Units::all(vertices), ..Self::default() }
    }

    #[cfg_attr(not(test), expect(dead_code, reason = "a device takes all rows, until there are several of them"))]
    /// The `rows` of incoming edges, to a device where `pull` takes them in groups of this size, and where blocks finish rows of more than so many parts.
    pub(crate) fn of(
        incoming: &Adjacency,
        (pull, group_size): (Kernel, GroupSize),
        most_parts: Option<u32>,
        rows: Range<usize>,
    ) -> Self {
        assert!(!group_size.is_leveled(), "groups that come by their length are not those of a part of the rows");
        let is_long = |parts: u64| u64::from(most_parts.is_some_and(|most| parts > u64::from(most)));
        let of_row = |row: usize| {
            let degree = incoming.offsets().row(row).len();
            let groups = group_size.groups(degree).max(1) as u64;
            match pull.row().unit {
                Unit::Edge => [degree as u64, 1, is_long(degree as u64)],
                Unit::Group => [groups, u64::from(groups > 1), is_long(groups)],
                _ => [0; 3],
            }
        };
        let add = |all: [u64; 3], row: [u64; 3]| std::array::from_fn(|at| all[at] + row[at]);
        let count = |rows: Range<usize>| rows.map(of_row).fold([0; 3], add);
        let (before, own) = (count(0..rows.start), count(rows.clone()));
        let [groups, cut_rows, long_cut_rows] =
            std::array::from_fn(|at| Units { first: before[at], end: before[at] + own[at] });
        let rows = Units { first: rows.start as u64, end: rows.end as u64 };
        Self { rows, groups, cut_rows, long_cut_rows }
    }
}
