//! The rules by which schedules are chosen: facts about a graph and a processor, and what speaks for a schedule.

use onyx_device::cholesky::shared_floats;

use super::table::WARP_LANES;
use crate::bins::Bins;
use crate::graph::Statistics;

/// Below this fraction of active edges a push goes by words of the active set instead of visiting every neighbor group. To be measured.
pub(crate) const WORDS_BELOW: f64 = 0.01;
/// A warp for each row pays from this many edges a row on for each of its groups: as many as a group has in flight.
const EDGES_A_GROUP: f64 = onyx_device::schedule::EDGES_IN_FLIGHT as f64;
/// A block for each row pays from this many edges a row on for each of its groups: several rounds of what a group has in flight.
///
/// A guess, to be measured.
const EDGES_A_GROUP_OF_A_BLOCK: f64 = 4.0 * EDGES_A_GROUP;
/// The warps of a block that takes a row, and the most such blocks at once on a multiprocessor.
const BLOCK_WARPS: u64 = 8;
/// The threads of one, unless its sums need more shared memory than there is.
pub(crate) const BLOCK_THREADS: u64 = BLOCK_WARPS * 32;
const BLOCKS_AT_ONCE: u64 = 8;
/// As many rounds of what a warp or a block has in flight take as long as launching `clear` and `finish`, which rows that are not cut do without
/// (`docs/measurements/small-h200.csv`).
const ROUNDS_A_LAUNCH: f64 = 16.0;
/// With so many rounds a row by a warp, a block is as fast.
const ROUNDS_OF_A_WARP: f64 = 4.0;
/// The most warps at once on a multiprocessor, twice.
const WARPS_IN_TWO_TURNS: u64 = 128;
/// Rows count as alike if the longest has at most this many times the mean.
const ALIKE: f64 = 8.0;
/// Fewer warps a multiprocessor than this, of 32 rows each, leave a GPU idle. On ego-Twitter, with 19, words were slower than neighbor groups; on cnr-2000, with 77,
/// faster (`docs/measurements/pull-ahead-h200.csv`).
const WORDS_TO_FILL: u64 = 32;

/// The most bytes that an edge reads of a source whose row is packed: rows of 16 bytes gained nothing.
const MOST_PACKED_BYTES: u64 = 8;
/// The fewest edges for which packing pays: with 2 million it takes as long as it brings, with 4 million runs of PageRank take 0.82 to 0.86 of the time (`docs/performance.md`).
const LEAST_EDGES_TO_PACK: usize = 3 << 20;
/// The fewest vertices: the rows of fewer are in the caches anyway.
const LEAST_VERTICES_TO_PACK: usize = 1 << 17;
/// The least share of the edges that the packed sources have.
const LEAST_SHARE_TO_PACK: f64 = 0.25;

/// The threads of a block that owns whole graphs: few, since all of them wait for the longest row of each stage.
pub(crate) const GRAPH_THREADS: u64 = 128;
/// The rows that each group of such a block has in a stage, about: what a stage has written is still in the caches when the next one reads it (`docs/performance.md`).
const ROWS_A_GROUP: u64 = 4;
/// The most, for a graph that has so many: see [`graphs_fit_blocks`].
const MOST_ROWS_A_GROUP: u64 = 24;
/// The fewest vertices of such a block, if there are so many.
const LEAST_OF_GRAPHS: u64 = 64;
/// As many of them run at once at most, on any GPU.
const MOST_GRAPH_BLOCKS_AT_ONCE: u64 = 4096;
/// How many blocks of graphs a multiprocessor has at once, where the device does not say so.
const GRAPH_BLOCKS_A_MULTIPROCESSOR: u64 = 4;

/// What is known of the processor that runs the kernels; zero where it is not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Processor {
    pub(crate) multiprocessors: u64,
    /// The second-level cache, in bytes.
    pub(crate) cache: u64,
}

/// What the rules look at.
pub(crate) struct Facts {
    pub(crate) statistics: Statistics,
    /// The most edges of a row that pulls take: of those into a vertex, or out of it where a stage reduces into sources.
    pub(crate) longest_row: usize,
    pub(crate) processor: Processor,
    pub(crate) group_size: usize,
    pub(crate) lanes: u64,
    /// Whether the fold can be pulled by words of vertices.
    pub(crate) takes_words: bool,
    /// Whether the fold can be pulled by blocks that hold a matrix.
    pub(crate) takes_blocks: bool,
    /// The vertices of the largest graph of the batch, where the graph is one and the fold can be pulled graph by graph.
    pub(crate) largest_graph: Option<usize>,
    /// The bytes that an edge reads of its neighbor, in one tile.
    pub(crate) neighbor: u64,
}

impl Facts {
    /// How many times the mean the longest row has.
    fn skew(&self) -> f64 {
        self.longest_row as f64 / self.statistics.mean_degree.max(f64::MIN_POSITIVE)
    }

    /// Whether no row has many times the edges of the others.
    pub(crate) fn rows_are_alike(&self) -> bool {
        self.skew() <= ALIKE
    }

    /// The blocks that own whole graphs.
    pub(crate) fn graph_blocks(&self) -> GraphBlocks {
        GraphBlocks {
            vertices: self.statistics.vertices as u64,
            largest: self.largest_graph.unwrap_or(0) as u64,
            groups: self.block_groups(),
            rows: ROWS_A_GROUP,
            multiprocessors: self.processor.multiprocessors,
            at_once: GRAPH_BLOCKS_A_MULTIPROCESSOR,
        }
    }

    /// The groups of a block that owns whole graphs.
    fn block_groups(&self) -> u64 {
        (GRAPH_THREADS / self.lanes).max(1)
    }

    /// The rounds in which a warp takes the longest row.
    fn rounds(&self) -> f64 {
        let groups = (WARP_LANES / self.lanes).max(1);
        self.longest_row as f64 / (groups as f64 * EDGES_A_GROUP)
    }

    /// Whether there are no more rows than so many for each multiprocessor.
    fn has_few_rows(&self, most: u64) -> bool {
        self.processor.multiprocessors > 0 && self.statistics.vertices as u64 <= self.processor.multiprocessors * most
    }

    fn degrees(&self) -> String {
        format!("{:.1} edges a row, {} at most", self.statistics.mean_degree, self.longest_row)
    }
}

/// Blocks that own whole graphs of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphBlocks {
    /// Of all graphs.
    vertices: u64,
    /// Of the largest one.
    largest: u64,
    /// How many groups of lanes a block has.
    groups: u64,
    /// How many rows each of them has at most, about.
    rows: u64,
    multiprocessors: u64,
    /// How many blocks a multiprocessor has at once.
    at_once: u64,
}

impl GraphBlocks {
    /// No graph has more such blocks, which have [`GraphBlocks::vertices`] each: any two that follow each other have more than that together.
    pub(crate) fn most(vertices: usize) -> usize {
        (2 * vertices / LEAST_OF_GRAPHS as usize).max(2 * MOST_GRAPH_BLOCKS_AT_ONCE as usize) + 1
    }

    /// The same where a multiprocessor has so many blocks at once.
    pub(crate) fn with(self, at_once: u64) -> Self {
        Self { at_once, ..self }
    }

    /// How many vertices the graphs of a block have together, unless one graph has more: where all blocks run at once, no more than keeps all multiprocessors busy.
    /// A block is full when the next graph does not fit, so that there is room for one more; else some blocks were left over, and ran alone after all others.
    pub(crate) fn vertices(self) -> usize {
        let most = (self.groups * self.rows).max(LEAST_OF_GRAPHS);
        let at_once = (self.multiprocessors * self.at_once).clamp(1, MOST_GRAPH_BLOCKS_AT_ONCE);
        let share = self.vertices.div_ceil(at_once);
        let vertices = if share > most { most } else { share + self.largest.saturating_sub(1) };
        vertices.max(self.groups) as usize
    }
}

/// A matrix of more rows than a warp has lanes fills its registers; those of a block hold it, and its shared memory what lanes need of each other. One of as many
/// rows takes half of the time of neighbor groups by blocks (`docs/measurements/als-solvers-h200.csv`), unless a long row holds its block up.
pub(crate) fn matrices_fill_warps(facts: &Facts) -> Option<String> {
    let (lanes, floats) = (facts.lanes, shared_floats(facts.lanes as usize));
    let share = facts.statistics.edges as u64 / facts.processor.multiprocessors.max(1);
    let is_even = facts.processor.multiprocessors > 0 && facts.longest_row as u64 <= share;
    let applies = lanes > WARP_LANES || lanes == WARP_LANES && facts.takes_blocks && is_even;
    applies.then(|| {
        format!(
            "a matrix of {lanes} rows fills a warp's registers, so that a block has a row in each lane, and {} KiB of shared memory",
            floats * 4 / 1024
        )
    })
}

/// A batch of small graphs: all stages of a fold are one launch. A larger graph would hold its block up while others have ended.
pub(crate) fn graphs_fit_blocks(facts: &Facts) -> Option<String> {
    let most = facts.block_groups() * MOST_ROWS_A_GROUP;
    let largest = facts.largest_graph.filter(|vertices| *vertices as u64 <= most)?;
    Some(format!(
        "the graph is a batch, whose largest graph has {largest} vertices, and no stage sees more than a graph"
    ))
}

/// How many bins the sources of edges are cut into, so that those of one are as much as the cache has, and why. `docs/measurements/ablation-h200.csv`: where bins pay at all, bins of
/// 64 MiB were better than ones of half as much, with a cache of 60.
pub(crate) fn bins(facts: &Facts) -> (usize, String) {
    let (all, cache) = (facts.statistics.vertices as u64 * facts.neighbor, facts.processor.cache);
    if cache == 0 {
        return (1, "the second-level cache of the device is not known".to_owned());
    }
    let count = all.div_ceil(cache).clamp(1, Bins::MOST as u64) as usize;
    let (neighbor, mib) = (facts.neighbor, |bytes: u64| bytes as f64 / f64::from(1 << 20));
    let (all, cache) = (mib(all), mib(cache));
    (
        count,
        format!(
            "an edge reads {neighbor} bytes of its neighbor, {all:.1} MiB of all, and a bin fills the {cache:.1} MiB of cache"
        ),
    )
}

/// Rows of frequent sources are packed where each takes a sector of the cache of which it fills a quarter at most, and where so many edges have them that what is saved of a pull is more
/// than packing takes, a launch of few microseconds (`docs/measurements/packing-h200.csv`).
pub(crate) fn sources_are_few(facts: &Facts, share: impl FnOnce() -> f64) -> Result<String, String> {
    let Statistics { vertices, edges, .. } = facts.statistics;
    if facts.neighbor > MOST_PACKED_BYTES {
        return Err(format!(
            "an edge reads {} bytes of its source, of which a sector of the cache has few",
            facts.neighbor
        ));
    }
    if edges < LEAST_EDGES_TO_PACK || vertices < LEAST_VERTICES_TO_PACK {
        return Err(format!("{vertices} vertices and {edges} edges are few"));
    }
    let share = share();
    let shown = format!("the most frequent sources have {:.0} % of the edges", share * 100.0);
    if share >= LEAST_SHARE_TO_PACK { Ok(shown) } else { Err(shown) }
}

/// A warp for each row would leave the GPU idle, and a block for each has work for all of its groups. A guess, to be measured.
pub(crate) fn rows_are_few_and_very_long(facts: &Facts) -> Option<String> {
    let groups = (BLOCK_WARPS * 32 / facts.lanes) as f64;
    let at_once = facts.processor.multiprocessors * BLOCKS_AT_ONCE * BLOCK_WARPS;
    let are_few = (facts.statistics.vertices as u64) < at_once;
    let are_long = facts.statistics.mean_degree >= groups * EDGES_A_GROUP_OF_A_BLOCK && facts.rows_are_alike();
    let why = (are_few && are_long).then(|| format!("rows are few and very long: {}", facts.degrees()));
    why.or_else(|| rows_fit_blocks(facts))
}

/// A block for each row, all at once: no row is cut, so that one launch does what neighbor groups need three for.
pub(crate) fn rows_fit_blocks(facts: &Facts) -> Option<String> {
    let rounds = facts.rounds();
    let applies = facts.has_few_rows(BLOCKS_AT_ONCE)
        && rounds > ROUNDS_OF_A_WARP
        && rounds <= ROUNDS_A_LAUNCH * BLOCK_WARPS as f64;
    applies.then(|| format!("each row has a block, all at once, and none has to be cut: {}", facts.degrees()))
}

/// The same by warps.
pub(crate) fn rows_fit_warps(facts: &Facts) -> Option<String> {
    let applies = facts.has_few_rows(WARPS_IN_TWO_TURNS) && facts.rounds() <= ROUNDS_A_LAUNCH;
    applies.then(|| format!("each row has a warp, nearly all at once, and none has to be cut: {}", facts.degrees()))
}

/// No row stalls a warp, and none has to be cut.
pub(crate) fn rows_are_long_and_alike(facts: &Facts) -> Option<String> {
    let groups = (32 / facts.lanes) as f64;
    let mean = facts.statistics.mean_degree;
    let is_long = mean >= groups * EDGES_A_GROUP && mean > facts.group_size as f64;
    let why = (is_long && facts.rows_are_alike()).then(|| format!("rows are long and alike: {}", facts.degrees()));
    why.or_else(|| rows_fit_warps(facts))
}

/// A warp for each word of vertices has enough to do for all multiprocessors. Where several lanes hold a row, neighbor groups are as fast on R-MAT, and faster on a grid
/// (`docs/measurements/ablation-h200.csv`).
pub(crate) fn words_fill_the_gpu(facts: &Facts) -> Option<String> {
    let words = (facts.statistics.vertices as u64).div_ceil(32);
    let needed = facts.processor.multiprocessors * WORDS_TO_FILL;
    let applies = facts.takes_words && facts.lanes == 1 && needed > 0 && words >= needed;
    applies.then(|| format!("{words} warps of 32 rows each fill the GPU, whatever the rows' lengths"))
}

/// What is left.
pub(crate) fn rows_are_of_any_length(facts: &Facts) -> Option<String> {
    Some(format!("rows of any length are shared out; {}", facts.degrees()))
}
