//! What an iteration is made of: the steps in their order.

use onyx_device::arguments::Units;
use onyx_device::schedule::activate::WORDS_PER_WARP;
use onyx_device::stage::{SILENT, StageAccess};

use super::{Along, Launch, Outline, Part, Step, Tiles, Work};
use crate::options::Direction;
use crate::schedule::{Job, Kernel, Unit};

/// The steps of an iteration of a fold in one direction, without launches of nothing and exchanges of nothing.
pub(super) fn steps(fold: Outline<'_>, direction: Direction, along: Along, work: &Work) -> Vec<Step> {
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
    planner.steps
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
        // Neither totals nor marks come of a stage whose edges tell nobody.
        if stage.edges.reduces != 0 || stage.flags & SILENT == 0 {
            self.launch_on(Kernel::Clear, number, part);
        }
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
