//! The table of kernels, a row each.

use super::Schedule;
use super::rule::{self, Facts};

/// What a kernel does to a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// Sets the totals of cut rows to zero.
    Clear,
    /// The edge functions along incoming edges; the vertex functions too, where a row is whole.
    Pull,
    /// The edge functions along those incoming edges that a pull of whole words leaves out.
    PullLong,
    /// The vertex functions of cut rows.
    Finish,
    /// The vertex functions of cut rows of very many parts.
    FinishLong,
    /// The edge functions along the outgoing edges of active vertices.
    Push,
    /// The totals that a push could not correct.
    Recompute,
    /// The vertex functions where a vertex is active or was reached; leaves the active words.
    Update,
    /// The vertex functions of every vertex.
    UpdateAll,
    /// The active words, from the marks.
    Activate,
    /// A look at values, apart from iterations.
    Look,
    /// Copies of the rows of frequent sources, side by side.
    Pack,
    /// A total of the graph, from contributions.
    AddUp,
    /// The end of a batch where the direction is to change.
    Limit,
}

/// What the work of a kernel is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Vertices, with all of their incoming edges.
    Row,
    /// Rows that several groups share.
    CutRow,
    /// Those of them that very many groups share.
    LongCutRow,
    /// Groups of incoming edges.
    Group,
    /// Groups of incoming edges, as many as a block takes.
    GroupBlock,
    /// Incoming edges, each a group of its own.
    Edge,
    /// Groups of outgoing edges.
    OutgoingGroup,
    /// Words of 32 vertices.
    Word,
    /// Some words of 32 vertices.
    Words,
    /// Some whole graphs of a batch.
    Graphs,
    /// Words of 32 vertices, then pieces of long outgoing rows.
    WordAndPieces,
}

/// The threads that take a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Team {
    /// As many lanes as a row of features has.
    Lanes,
    /// A warp.
    Warp,
    /// A warp, with shared memory for what its lanes leave each other.
    SharingWarp,
    /// A block, with shared memory for its warps' totals.
    Block,
    /// A block of groups of as many lanes as a row of features has, with shared memory for the groups' totals.
    Groups,
    /// A block of groups of as many lanes as a row of features has, each with several rows, and shared memory for what they add to totals of the graph.
    Gathering,
    /// A block of as many lanes as a row of features has, with shared memory for what they need of each other.
    Joined,
    /// A block that has some whole graphs of a batch.
    GraphBlock,
}

/// An array of edges that a kernel reads besides neighbors and edge numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// Neighbor groups, and which rows are cut.
    Groups,
    /// Where each row starts.
    Offsets,
    /// The row of each edge, and a list of all rows.
    EdgeRows,
    /// The pieces of long rows.
    Pieces,
    /// The rows that are too long for a warp of 32 vertices, and the pieces of them.
    LongRows,
}

/// When a kernel is taken where none is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// Where a rule has a reason.
    Rule(fn(&Facts) -> Option<String>),
    /// Below this fraction of active edges.
    ActiveBelow(f64),
    /// Nowhere: only where it is asked for.
    Never,
}

/// How a kernel comes to be chosen among those of its job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// What a user asks for it by.
    pub(crate) asked: Schedule,
    /// When it is taken otherwise. Those of one job are asked in the order of the table.
    pub(crate) when: When,
    /// It in words, given the size of groups and the lanes of each.
    pub(crate) words: fn(usize, &str) -> String,
}

/// The most lanes of a row for which a warp takes a word of vertices; `compile/schedule.rs` of `onyx-macros` knows it as well.
pub(crate) const WORD_LANES: u64 = 4;
/// The least lanes of a row for which a block takes neighbor groups; known there as well.
const GROUPS_LANES: u64 = 4;
/// The most lanes of a row that a warp holds, and that a block does.
pub(crate) const WARP_LANES: u64 = 32;
const MOST_LANES: u64 = 128;

/// What is known of a kernel besides its code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The name of its schedule, as the macros and the manifest have it.
    pub(crate) name: &'static str,
    pub(crate) job: Job,
    pub(crate) unit: Unit,
    pub(crate) team: Team,
    /// Of incoming edges, or of outgoing ones where it pushes.
    pub(crate) reads: &'static [Reads],
    /// None where nothing else has its job.
    pub(crate) choice: Option<Choice>,
    /// The least and the most lanes that a row may have.
    pub(crate) least_lanes: u64,
    pub(crate) most_lanes: u64,
}

impl Row {
    const fn new(name: &'static str, job: Job, unit: Unit, team: Team) -> Self {
        Self { name, job, unit, team, reads: &[], choice: None, least_lanes: 1, most_lanes: WARP_LANES }
    }

    const fn reading(self, reads: &'static [Reads]) -> Self {
        Self { reads, ..self }
    }

    const fn up_to(self, most_lanes: u64) -> Self {
        Self { most_lanes, ..self }
    }

    const fn from(self, least_lanes: u64) -> Self {
        Self { least_lanes, ..self }
    }

    const fn of_blocks(self) -> Self {
        Self { least_lanes: WARP_LANES, most_lanes: MOST_LANES, ..self }
    }

    /// Whether rows may have so many lanes.
    pub(crate) const fn takes(&self, lanes: u64) -> bool {
        self.least_lanes <= lanes && lanes <= self.most_lanes
    }

    const fn chosen(self, asked: Schedule, when: When, words: fn(usize, &str) -> String) -> Self {
        Self { choice: Some(Choice { asked, when, words }), ..self }
    }
}

fn groups(size: usize, lanes: &str) -> String {
    format!("neighbor groups of {size}, {lanes} each")
}

/// All kernels of a fold: the name, the body for data `D`, edge functions `E` and vertex functions `W` by `L` lanes of `V` features, and the row. Handed to
/// another macro.
macro_rules! kernels {
    ($then:ident) => {
        $then! {
            /// Sets the totals of cut rows to zero.
            Clear runs schedule::cut_rows::clear::<_, D, E, L, V>
                as Row::new("clear", Job::Clear, Unit::CutRow, Team::Lanes);
            /// All functions for every vertex, a block each that is one group.
            MatrixPerBlock runs schedule::matrix_per_block::run::<_, D, E, W, L, V>
                as Row::new("matrix_per_block", Job::Pull, Unit::Row, Team::Joined)
                    .of_blocks()
                    .reading(&[Reads::Offsets])
                    .chosen(Schedule::MatrixPerBlock, When::Rule(rule::matrices_fill_warps), |_, lanes| {
                        format!("matrix_per_block, blocks of {lanes}")
                    });
            /// All stages of the fold, for some whole graphs of a batch. It is among the kernels of the first stage.
            GraphPerBlock
                as Row::new("graph_per_block", Job::Pull, Unit::Graphs, Team::GraphBlock)
                    .reading(&[Reads::Offsets])
                    .chosen(Schedule::GraphPerBlock, When::Rule(rule::graphs_fit_blocks), |_, lanes| {
                        format!("graph_per_block, all stages at once, {lanes} for each row")
                    });
            /// All functions for every vertex, a block each.
            VertexPerBlock runs schedule::vertex_per_block::run::<_, D, E, W, L, V>
                as Row::new("vertex_per_block", Job::Pull, Unit::Row, Team::Block)
                    .reading(&[Reads::Offsets])
                    .chosen(Schedule::VertexPerBlock, When::Rule(rule::rows_are_few_and_very_long), |_, lanes| {
                        format!("vertex_per_block, groups of {lanes}")
                    });
            /// All functions for every vertex, a warp each.
            VertexPerWarp runs schedule::vertex_per_warp::run::<_, D, E, W, L, V>
                as Row::new("vertex_per_warp", Job::Pull, Unit::Row, Team::Warp)
                    .reading(&[Reads::Offsets])
                    .chosen(Schedule::VertexPerWarp, When::Rule(rule::rows_are_long_and_alike), |_, lanes| {
                        format!("vertex_per_warp, groups of {lanes}")
                    });
            /// The edge functions for every edge. Never chosen: another schedule was faster wherever it was measured (`docs/measurements/small-h200.csv`).
            EdgeFlat runs schedule::edge_flat::run::<_, D, E, W, L, V>
                as Row::new("edge_flat", Job::Pull, Unit::Edge, Team::Lanes)
                    .reading(&[Reads::EdgeRows])
                    .chosen(Schedule::EdgeFlat, When::Never, |_, lanes| {
                        format!("edge_flat, {lanes} for each edge")
                    });
            /// All functions for every vertex, whose edges a warp takes together.
            WordPerWarp runs schedule::word_per_warp::run::<_, D, E, W, L, V>
                as Row::new("word_per_warp", Job::Pull, Unit::Word, Team::SharingWarp)
                    .up_to(WORD_LANES)
                    .reading(&[Reads::Offsets, Reads::LongRows])
                    .chosen(Schedule::WordPerWarp, When::Rule(rule::words_fill_the_gpu), |_, _| {
                        "word_per_warp".to_owned()
                    });
            /// The edge functions for the edges of long rows, before that.
            LongRows runs schedule::long_rows::run::<_, D, E, W, L, V>
                as Row::new("long_rows", Job::PullLong, Unit::Group, Team::Warp)
                    .up_to(WORD_LANES)
                    .reading(&[Reads::LongRows]);
            /// All functions for every neighbor group.
            Pull runs schedule::pull::run::<_, D, E, W, L, V>
                as Row::new("pull", Job::Pull, Unit::Group, Team::Lanes)
                    .reading(&[Reads::Groups])
                    .chosen(Schedule::NeighborGroup, When::Rule(rule::rows_are_of_any_length), groups);
            /// All functions for neighbor groups, as many as a block takes. Never chosen: it was slower than neighbor groups by themselves wherever it was measured.
            GroupsPerBlock runs schedule::groups_per_block::run::<_, D, E, W, L, V>
                as Row::new("groups_per_block", Job::Pull, Unit::GroupBlock, Team::Groups)
                    .from(GROUPS_LANES)
                    .reading(&[Reads::Groups])
                    .chosen(Schedule::GroupsPerBlock, When::Never, |size, lanes| {
                        format!("groups_per_block, {}", groups(size, lanes))
                    });
            /// The vertex functions of cut rows.
            Finish runs schedule::cut_rows::finish::<_, D, E, W, L, V>
                as Row::new("finish", Job::Finish, Unit::CutRow, Team::Lanes);
            /// The vertex functions of cut rows of very many parts, a block each.
            FinishLong runs schedule::finish_long::run::<_, D, E, W, L, V>
                as Row::new("finish_long", Job::FinishLong, Unit::LongCutRow, Team::Block);
            /// The changes of active sources, by words of the active set.
            WarpWord runs schedule::warp_word::run::<_, D, E, W, L, V>
                as Row::new("warp_word", Job::Push, Unit::WordAndPieces, Team::Warp)
                    .reading(&[Reads::Offsets, Reads::Pieces])
                    .chosen(Schedule::WarpWord, When::ActiveBelow(rule::WORDS_BELOW), |_, _| "warp_word".to_owned());
            /// The changes of active sources.
            Push runs schedule::push::run::<_, D, E, W, L, V>
                as Row::new("push", Job::Push, Unit::OutgoingGroup, Team::Lanes)
                    .reading(&[Reads::Groups])
                    .chosen(Schedule::NeighborGroup, When::ActiveBelow(f64::INFINITY), groups);
            /// The totals that a push could not correct.
            Recompute runs schedule::recompute::run::<_, D, E, W, L, V>
                as Row::new("recompute", Job::Recompute, Unit::Word, Team::Warp).reading(&[Reads::Offsets]);
            /// The vertex functions of active vertices.
            Vertex runs schedule::vertex::run::<_, D, E, W, L, V>
                as Row::new("vertex", Job::Update, Unit::Word, Team::Warp);
            /// The vertex functions of every vertex.
            EveryVertex runs schedule::every_vertex::run::<_, D, E, W, L, V>
                as Row::new("every_vertex", Job::UpdateAll, Unit::Row, Team::Lanes);
            /// The same, where blocks join what is added to totals of the graph.
            GatherTotals runs schedule::gather_totals::run::<_, D, E, W, L, V>
                as Row::new("gather_totals", Job::UpdateAll, Unit::Row, Team::Gathering);
            /// The active words, from the marks. One for all stages and widths.
            Activate runs schedule::activate::run::<_, D>
                as Row::new("activate", Job::Activate, Unit::Words, Team::Warp);
            /// A look for values that are not finite. One for all stages and widths, with arguments of its own.
            Look as Row::new("look", Job::Look, Unit::Row, Team::Lanes);
            /// Copies of the rows of frequent sources. One for all stages and widths, with arguments of its own.
            Pack as Row::new("pack", Job::Pack, Unit::Row, Team::Lanes);
            /// A total of the graph. One for all stages and widths, with arguments of its own.
            Total as Row::new("total", Job::AddUp, Unit::Row, Team::Lanes);
            /// The end of a batch where too few or too many edges are active. One for all stages and widths, with arguments of its own.
            Limit as Row::new("limit", Job::Limit, Unit::Row, Team::Lanes);
        }
    };
}

#[cfg(feature = "emulator")]
pub(crate) use kernels;

/// The kernels by name.
macro_rules! list {
    ($($(#[$about:meta])* $kernel:ident $(runs $body:path)? as $row:expr;)*) => {
        /// The kernels of a fold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kernel {
            $($(#[$about])* $kernel,)*
        }

        impl Kernel {
            /// Every kernel.
            pub(crate) const ALL: &[Self] = &[$(Self::$kernel),*];

            /// What is known of it.
            pub(crate) const fn row(self) -> &'static Row {
                match self {
                    $(Self::$kernel => const { &$row },)*
                }
            }
        }
    };
}

kernels!(list);
