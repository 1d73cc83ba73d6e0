//! What an iteration does, as data: which arrays change places, which totals begin, what is launched and on how much. The order stands here alone; a
//! device executes it step by step.

mod work;

use onyx_device::FoldFacts;
use onyx_device::arguments::Units;
use onyx_device::property;
use onyx_device::schedule::activate::WORDS_PER_WARP;
use onyx_device::stage::{self, StageAccess};

pub(crate) use self::work::{Part, Work};
use crate::engine::EdgeLimits;
use crate::error::RunError;
use crate::options::Direction;
use crate::schedule::rule::BLOCK_THREADS;
use crate::schedule::{Job, Kernel, Team, Unit, WARP_LANES};
use crate::totals;

/// The most groups that a GPU counts in a block where heads lie side by side: the greatest third dimension.
const MOST_GROUPS: u64 = 64;

/// What a plan is made from of a fold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) stages: &'a [StageAccess],
    /// The tracked properties.
    pub(crate) tracked: u64,
    /// Those with a float for each vertex or edge, which all tiles of a row have in common. Heads have none that functions write.
    pub(crate) scalars: u64,
    /// Whether a push may leave totals to be computed again.
    pub(crate) recomputes: bool,
    /// Whether what vertex functions alone add to totals meets in blocks: all vertices are active in the only iteration.
    pub(crate) is_once: bool,
    /// The totals of which an iteration leaves nothing to be read, neither by the next one nor by a user.
    pub(crate) taken: u64,
}

impl Outline<'static> {
    /// That of the fold.
    pub(crate) fn of(fold: &'static FoldFacts) -> Self {
        Self {
            stages: fold.stages,
            tracked: property::tracked(fold.properties),
            scalars: if fold.has_heads { 0 } else { property::scalars(fold.properties) },
            recomputes: fold.recomputes,
            is_once: false,
            taken: if fold.is_active { 0 } else { totals::taken(fold) & totals::overwritten(fold) },
        }
    }
}

impl Outline<'_> {
    /// Whether blocks gather what the vertex functions of a stage add to totals.
    pub(crate) fn gathers(&self, stage: &StageAccess) -> bool {
        stage.gathers_totals() && (self.is_once || stage::kinds(self.stages).0)
    }

    /// Whether the vertex functions of the one stage take all totals of a pull, and leave those of cut rows as they begin: only where these stay in the cache, for elsewhere that was slower
    /// (`docs/performance.md`).
    pub(crate) fn leaves_cleared(&self, work: &Work) -> bool {
        let [stage] = self.stages else { return false };
        let are_taken = stage.has_vertices && stage.edges.reduces & !(self.taken & !self.tracked) == 0;
        are_taken && work.tiles == 1 && work.stays_near && !work.adds_parts
    }

    /// Whether the groups of a pull leave all totals of cut rows apart, so that it takes their marks alone that they are cleared, which `activate` does as well.
    fn leaves_apart(&self, work: &Work) -> bool {
        let [stage] = self.stages else { return false };
        work.tiles == 1 && work.has_partials && !work.adds_parts && !stage.parts.are_atomic()
    }
}

/// The kernels that go along edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    pub(crate) incoming: Kernel,
    pub(crate) outgoing: Kernel,
}

/// What a device does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// The current and the previous arrays of these properties change places.
    Exchange(u64),
    /// The totals of these properties begin: nothing that is in them is read from here on.
    Begin(u64),
    /// A kernel runs. All that was launched before it is done.
    Launch(Launch),
    /// The rows that the edges of this stage read of frequent sources are packed.
    Pack(usize),
    /// The totals of the graph that this stage adds to are added up.
    AddUp(usize),
    /// The run ends if a total is below its bound.
    Stop,
    /// The batch ends if too few or too many edges are active.
    Limit(EdgeLimits),
}

/// Tiles of each row that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tiles {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Tiles {
    /// The first one, which stores what all tiles have in common.
    pub(crate) const FIRST: Self = Self { first: 0, end: 1 };

    /// How many there are.
    pub(crate) const fn count(self) -> u32 {
        self.end - self.first
    }
}

/// A kernel of a stage, and how much it takes of what its work is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// The number of the stage.
    pub(crate) stage: usize,
    pub(crate) units: Units,
    pub(crate) tiles: Tiles,
}

impl Launch {
    /// How many of its heads lie side by side in a block, where a row of a head has so many lanes: what they read of an edge and of its ends is
    /// then asked for together.
    pub(crate) fn heads_beside(&self, fold: &FoldFacts, lanes: u64) -> u32 {
        let are_beside = fold.has_heads && matches!(self.kernel.row().team, Team::Lanes | Team::Gathering);
        if are_beside { heads_beside(self.tiles.count(), lanes) } else { 1 }
    }
}

/// How many of so many heads lie side by side in a warp, where each has so many lanes.
pub(crate) fn heads_beside(heads: u32, lanes: u64) -> u32 {
    let most = WARP_LANES.div_euclid(lanes).max(1) as u32;
    let beside = 1 << heads.trailing_zeros().min(most.ilog2());
    // One after the other where a block would have more groups of theirs than it counts.
    if BLOCK_THREADS / (lanes * u64::from(beside)) > MOST_GROUPS { 1 } else { beside }
}

/// An iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    steps: Vec<Step>,
}

/// What executes plans.
pub(crate) trait Executor {
    /// Exchanges the current and the previous arrays of these properties.
    fn exchange(&mut self, properties: u64);
    /// Takes note that the totals of these properties begin.
    fn begin(&mut self, _totals: u64) {}
    /// Runs a kernel.
    fn launch(&mut self, launch: Launch) -> Result<(), RunError>;
    /// Packs the rows that the edges of this stage read of frequent sources.
    fn pack(&mut self, _stage: usize) -> Result<(), RunError> {
        Ok(())
    }
    /// Adds up the totals of the graph that this stage adds to.
    fn add_up(&mut self, stage: usize) -> Result<(), RunError>;
    /// Ends the run where the total that it was asked for is below its bound.
    fn stop(&mut self) -> Result<(), RunError>;
    /// Ends the batch where the number of active edges is not within the limits.
    fn limit(&mut self, _limits: EdgeLimits) -> Result<(), RunError> {
        Ok(())
    }
}

impl Plan {
    /// An iteration of a fold in one direction. Launches of nothing are left out, and so are exchanges of nothing.
    pub(crate) fn new(fold: Outline<'_>, direction: Direction, along: Along, work: &Work) -> Self {
        let mut planner = Planner { fold, along, work, steps: Vec::new() };
        let takes_graphs = direction == Direction::Pull && along.incoming.row().unit == Unit::Graphs;
        if takes_graphs {
            planner.pull_graphs();
        }
        for (number, stage) in fold.stages.iter().enumerate() {
            match direction {
                Direction::Pull if takes_graphs => {}
                Direction::Pull => planner.pull(number, stage),
                Direction::Push => planner.push(number, stage),
                Direction::Vertex => planner.update(number),
            }
            if !stage.totals.is_empty() {
                planner.steps.push(Step::AddUp(number));
            }
        }
        if direction == Direction::Pull && !planner.pulls_words() {
            planner.launch(Kernel::Activate, 0);
        }
        // What is active has been counted.
        if planner.work.has_bound {
            planner.steps.push(Step::Stop);
        }
        Self { steps: planner.steps }
    }

    /// Does everything, in order.
    pub(crate) fn execute(&self, executor: &mut impl Executor) -> Result<(), RunError> {
        self.steps.iter().try_for_each(|step| {
            match *step {
                Step::Exchange(properties) => executor.exchange(properties),
                Step::Begin(totals) => executor.begin(totals),
                Step::Launch(launch) => executor.launch(launch)?,
                Step::Pack(stage) => executor.pack(stage)?,
                Step::AddUp(stage) => executor.add_up(stage)?,
                Step::Stop => executor.stop()?,
                Step::Limit(limits) => executor.limit(limits)?,
            }
            Ok(())
        })
    }

    /// The same in a batch that ends where the number of active edges is not within the limits, if it has any.
    pub(crate) fn within(mut self, limits: Option<EdgeLimits>) -> Self {
        self.steps.extend(limits.map(Step::Limit));
        self
    }

    /// The same after another iteration of the batch, where that has left nothing of cut rows to be cleared.
    pub(crate) fn again(&self, fold: Outline<'_>, work: &Work) -> Self {
        let (begin_again, nothing_to_clear) = (fold.leaves_cleared(work), fold.leaves_apart(work));
        let is_dropped = |step: &Step| match step {
            Step::Begin(_) => begin_again,
            Step::Launch(launch) => launch.kernel == Kernel::Clear && (begin_again || nothing_to_clear),
            _ => false,
        };
        Self { steps: self.steps.iter().filter(|step| !is_dropped(step)).copied().collect() }
    }

    /// The same where nobody asks what the iteration leaves active, and the next one begins with all. Marks may stay as the last iteration has left them: a stage that reads those of
    /// vertices follows another one of vertex functions, which has stored all of them.
    pub(crate) fn once(self) -> Self {
        let is_kept = |step: &Step| !matches!(step, Step::Launch(launch) if launch.kernel == Kernel::Activate);
        Self { steps: self.steps.into_iter().filter(is_kept).collect() }
    }

    /// Whether it writes what is active.
    pub(crate) fn activates(&self) -> bool {
        let activates = |launch: &Launch| {
            let row = launch.kernel.row();
            matches!(row.job, Job::Activate | Job::Update) || row.job == Job::Pull && row.unit == Unit::Word
        };
        self.steps.iter().any(|step| matches!(step, Step::Launch(launch) if activates(launch)))
    }

    /// The properties whose arrays are in each other's place after so many iterations.
    pub(crate) fn exchanged(&self, iterations: usize) -> u64 {
        let once = self.steps.iter().fold(0, |exchanged, step| match step {
            Step::Exchange(properties) => exchanged ^ properties,
            _ => exchanged,
        });
        if iterations % 2 == 1 { once } else { 0 }
    }
}

/// A plan in the making.
struct Planner<'a> {
    fold: Outline<'a>,
    along: Along,
    work: &'a Work,
    steps: Vec<Step>,
}

impl Planner<'_> {
    /// Neighbors are read at the previous value of what the stage writes, so that no part of the rows waits for another.
    fn pull(&mut self, number: usize, stage: &StageAccess) {
        let exchanged = self.fold.tracked & stage.vertices.writes;
        if exchanged != 0 {
            self.steps.push(Step::Exchange(exchanged));
        }
        // The arrays of tracked totals have just changed places.
        let begun = stage.edges.reduces & !self.fold.tracked;
        if begun != 0 {
            self.steps.push(Step::Begin(begun));
        }
        if self.fold.gathers(stage) {
            return self.launch_on(Kernel::GatherTotals, number, &Part::of_rows(self.work.vertices));
        }
        for part in &self.work.parts[usize::from(stage.is_reversed())] {
            self.pull_part(number, stage, part);
        }
    }

    /// All stages are one launch, of the first one. The arrays are where the last stage writes them: the kernel knows where they lay before.
    fn pull_graphs(&mut self) {
        let stages = self.fold.stages;
        let exchanged = stages.iter().fold(0, |exchanged, stage| exchanged ^ self.fold.tracked & stage.vertices.writes);
        if exchanged != 0 {
            self.steps.push(Step::Exchange(exchanged));
        }
        // What an earlier stage reads is of the iteration before.
        let (mut begun, mut read) = (0, self.fold.tracked);
        for stage in stages {
            begun |= stage.edges.reduces & !read;
            read |= stage.vertices.reads | stage.edges.reads_source | stage.edges.reads_destination;
        }
        if begun != 0 {
            self.steps.push(Step::Begin(begun));
        }
        self.launch(self.along.incoming, 0);
    }

    fn pull_part(&mut self, number: usize, stage: &StageAccess, part: &Part) {
        if !stage.has_edges {
            return self.launch_on(Kernel::EveryVertex, number, part);
        }
        self.launch_on(Kernel::Clear, number, part);
        if self.along.incoming.row().unit == Unit::Word {
            if self.work.packs_sources {
                self.steps.push(Step::Pack(number));
            }
            self.launch_on(Kernel::LongRows, number, part);
            return self.launch_on(self.along.incoming, number, part);
        }
        self.launch_on(self.along.incoming, number, part);
        if stage.has_vertices || self.work.has_partials {
            self.launch_on(Kernel::Finish, number, part);
            self.launch_on(Kernel::FinishLong, number, part);
        }
    }

    /// Whether a pull writes whole words of what is active, so that it leaves no marks.
    fn pulls_words(&self) -> bool {
        self.along.incoming.row().unit == Unit::Word && self.work.tiles == 1 && self.fold.stages.len() == 1
    }

    /// Changes reach all rows before any vertex function runs.
    fn push(&mut self, number: usize, stage: &StageAccess) {
        self.launch(self.along.outgoing, number);
        if stage.has_vertices {
            if self.fold.recomputes {
                self.launch(Kernel::Recompute, number);
            }
            self.update(number);
        }
    }

    /// What is active is written by the kernel of the vertex functions, but for several tiles, in any of which a vertex may be active.
    fn update(&mut self, number: usize) {
        self.launch(Kernel::Vertex, number);
        if self.work.tiles > 1 {
            self.launch(Kernel::Activate, 0);
        }
    }

    /// On what is not cut into parts.
    fn launch(&mut self, kernel: Kernel, stage: usize) {
        self.launch_on(kernel, stage, &Part::default());
    }

    fn launch_on(&mut self, kernel: Kernel, stage: usize, part: &Part) {
        let units = match kernel.row().unit {
            Unit::Row => part.rows,
            Unit::CutRow => part.cut_rows,
            Unit::LongCutRow => part.long_cut_rows,
            Unit::Group | Unit::GroupBlock | Unit::Edge => part.groups,
            Unit::OutgoingGroup => Units::all(self.work.outgoing_groups),
            Unit::Word => Units::all(self.work.words()),
            Unit::Words => Units::all(self.work.words().div_ceil(WORDS_PER_WARP as u64)),
            Unit::Graphs => Units::all(self.work.graph_blocks),
            Unit::WordAndPieces => Units::all(self.work.words_and_pieces()),
        };
        if units.count() > 0 {
            let launches = self.tiles(kernel, stage).map(|tiles| Step::Launch(Launch { kernel, stage, units, tiles }));
            self.steps.extend(launches);
        }
    }

    /// The tiles that a kernel takes: all at once, but for scalars that it reads and stores. Those are stored with the first tile, which then comes
    /// after all others.
    fn tiles(&self, kernel: Kernel, stage: usize) -> impl Iterator<Item = Tiles> + use<> {
        let all = Tiles { first: 0, end: self.work.tiles };
        let is_apart = all.end > 1 && self.fold.stages.get(stage).is_some_and(|of| self.rereads(kernel, of));
        let tiles = match kernel.row().job {
            Job::Activate => (Tiles::FIRST, None),
            _ if is_apart => (Tiles { first: 1, ..all }, Some(Tiles::FIRST)),
            _ => (all, None),
        };
        [Some(tiles.0), tiles.1].into_iter().flatten()
    }

    /// Whether a kernel of a stage may read a scalar of a vertex or edge and store it as well. A pull reads tracked ones where it does not write.
    fn rereads(&self, kernel: Kernel, stage: &StageAccess) -> bool {
        let (edges, vertices) = (stage.edges, stage.vertices);
        let at_edges = edges.reads_source | edges.reads_destination | edges.reads_edge | edges.reads_reverse;
        let both = match kernel.row().job {
            Job::Pull | Job::PullLong | Job::UpdateAll => {
                // The totals of long rows are in memory.
                let totals = if kernel.row().unit == Unit::Word { edges.reduces } else { 0 };
                (at_edges | vertices.reads) & (edges.writes_edge | vertices.writes) & !self.fold.tracked | totals
            }
            Job::Finish | Job::FinishLong => vertices.reads & vertices.writes & !self.fold.tracked | edges.reduces,
            Job::Push => at_edges & edges.writes_edge,
            Job::Recompute | Job::Update => (at_edges | vertices.reads) & vertices.writes | edges.reduces,
            Job::Clear | Job::Activate | Job::Look | Job::Pack | Job::AddUp | Job::Limit => 0,
        };
        both & self.fold.scalars != 0
    }
}

#[cfg(test)]
mod tests;
