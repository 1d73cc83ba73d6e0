//! The steps of a plan on the CPU: a loop over rows, sources or words for each kernel.

use std::ops::Range;

use onyx_device::arguments::Units;
use rayon::prelude::*;

use super::CpuEngine;
use super::stage::{self, Dealing, Work};
use crate::backend::arguments::Unbound;
use crate::error::RunError;
use crate::memory::{self, OutOfMemory};
use crate::plan::{Executor, Launch};
use crate::schedule::{Job, Unit};
use crate::watch::Watch;

/// One iteration, under way.
pub(super) struct Iteration<'e, 'a> {
    pub(super) engine: &'e mut CpuEngine<'a>,
    pub(super) keep_sums: bool,
    pub(super) watch: &'e Watch,
}

impl Executor for Iteration<'_, '_> {
    fn exchange(&mut self, properties: u64) {
        self.engine.store.swap(properties);
    }

    fn launch(&mut self, launch: Launch) -> Result<(), RunError> {
        let tiles = launch.tiles.first..launch.tiles.end;
        match launch.kernel.row().job {
            Job::Pull if launch.kernel.row().unit == Unit::Graphs => tiles.for_each(|tile| self.pull_graphs(tile)),
            Job::Pull | Job::UpdateAll => self.pull(launch, tiles),
            Job::Push => self.push(launch.stage, tiles)?,
            Job::Recompute => tiles.for_each(|tile| self.recompute(launch.stage, tile)),
            Job::Update => tiles.for_each(|tile| self.update(launch.stage, tile)),
            Job::Activate => self.activate(),
            Job::Clear
            | Job::PullLong
            | Job::Finish
            | Job::FinishLong
            | Job::Look
            | Job::Pack
            | Job::AddUp
            | Job::Limit => {
                unreachable!("no row is cut, and looks, totals and limits are no launches of an iteration")
            }
        }
        Ok(())
    }

    /// The host looks at the total when the iteration has ended.
    fn stop(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn add_up(&mut self, stage: usize) -> Result<(), RunError> {
        self.engine.store.add_up(&self.engine.fold.stages[stage]);
        Ok(())
    }
}

impl Iteration<'_, '_> {
    /// The arguments of a launch of a tile, or head.
    fn arguments(&mut self, tile: u32) -> Unbound {
        let mut arguments = self.engine.arguments(self.keep_sums);
        arguments.rest.first_tile = tile;
        arguments
    }

    /// Runs the code of a stage.
    fn run(&self, stage: usize, arguments: &Unbound, work: Work<'_>) -> Vec<u32> {
        (self.engine.code.on_cpu)(stage::Launch {
            stage,
            arguments,
            work,
            dealing: Dealing {
                watch: self.watch,
                vectors: self.engine.vectors,
                features: 0,
                is_small: self.engine.is_small,
            },
        })
    }

    fn pull(&mut self, launch: Launch, tiles: Range<u32>) {
        let mut arguments = self.arguments(tiles.start);
        arguments.rest.units = launch.units;
        let engine = &self.engine;
        let (edges, rows) = if engine.fold.stages[launch.stage].is_reversed() {
            arguments.rest.incoming = arguments.rest.outgoing;
            (engine.graph.outgoing(), &engine.outgoing)
        } else {
            (engine.graph.incoming(), &engine.incoming)
        };
        self.run(launch.stage, &arguments, Work::Pull { edges, rows, tiles });
    }

    /// All stages, graph by graph.
    fn pull_graphs(&mut self, tile: u32) {
        let mut arguments = self.arguments(tile);
        arguments.rest.units = Units::all(self.engine.graph.vertex_count() as u64);
        let (graph, blocks) = (self.engine.graph, &self.engine.graphs);
        self.run(0, &arguments, Work::Graphs { graph, blocks });
    }

    fn push(&mut self, stage: usize, tiles: Range<u32>) -> Result<(), OutOfMemory> {
        let sources = memory::collect(self.engine.active.iter(), "the active vertices")?;
        for tile in tiles {
            let arguments = self.arguments(tile);
            self.run(stage, &arguments, Work::Push { graph: self.engine.graph, sources: &sources });
        }
        Ok(())
    }

    fn recompute(&mut self, stage: usize, tile: u32) {
        let arguments = self.arguments(tile);
        let (graph, active) = (self.engine.graph, &self.engine.active);
        self.run(stage, &arguments, Work::Recompute { graph, active });
    }

    /// Where there are several tiles, the vertex functions leave marks.
    fn update(&mut self, stage: usize, tile: u32) {
        let arguments = self.arguments(tile);
        let words = self.run(stage, &arguments, Work::Update { active: &self.engine.active });
        if arguments.rest.tiles == 1 {
            self.engine.publish(words);
        }
    }

    /// A vertex is active if it is marked in any tile.
    fn activate(&mut self) {
        let vertices = self.engine.graph.vertex_count();
        let (marks, others) = self.engine.marks.split_at_mut(vertices);
        let others = others.chunks_mut(vertices.max(1));
        let words = if self.engine.is_small {
            // Other threads would wake up for longer than this takes.
            others.for_each(|tile| marks.iter_mut().zip(tile).for_each(unite));
            marks.chunks_mut(32).map(take_word).collect()
        } else {
            others.for_each(|tile| marks.par_iter_mut().zip(tile).for_each(unite));
            marks.par_chunks_mut(32).map(take_word).collect()
        };
        self.engine.publish(words);
    }
}

/// Adds the mark of another tile, which is cleared.
fn unite((mark, other): (&mut u8, &mut u8)) {
    *mark |= std::mem::take(other);
}

/// Of 32 marks, one bit each; clears them.
fn take_word(marks: &mut [u8]) -> u32 {
    marks.iter_mut().enumerate().fold(0, |word, (slot, mark)| word | u32::from(std::mem::take(mark) != 0) << slot)
}
