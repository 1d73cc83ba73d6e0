//! The steps of a plan on the CPU: a loop over rows, sources or words for each kernel.

use std::ops::Range;

use onyx_device::arguments::Arguments;
use onyx_device::cpu::Cpu;
use onyx_device::property::GraphData;
use onyx_device::{Fold, Stages};
use rayon::prelude::*;

use super::CpuEngine;
use super::stage::{Pull, Push, Recompute, Update};
use crate::error::RunError;
use crate::memory::{self, OutOfMemory};
use crate::plan::{Executor, Launch};
use crate::schedule::Job;
use crate::watch::Watch;

/// One iteration, under way.
pub(super) struct Iteration<'e, 'a, F, D, S, const K: usize> {
    pub(super) engine: &'e mut CpuEngine<'a, F, D, S, K>,
    pub(super) keep_sums: bool,
    pub(super) watch: &'e Watch,
}

impl<F: Fold, D: GraphData, S: Stages<D>, const K: usize> Executor for Iteration<'_, '_, F, D, S, K> {
    fn exchange(&mut self, properties: u64) {
        self.engine.store.swap(properties);
    }

    fn launch(&mut self, launch: Launch) -> Result<(), RunError> {
        let tiles = launch.tiles.first..launch.tiles.end;
        match launch.kernel.row().job {
            Job::Pull | Job::UpdateAll => tiles.for_each(|tile| self.pull(launch, tile)),
            Job::Push => self.push(launch.stage, tiles)?,
            Job::Recompute => tiles.for_each(|tile| self.recompute(launch.stage, tile)),
            Job::Update => tiles.for_each(|tile| self.update(launch.stage, tile)),
            Job::Activate => self.activate(),
            Job::Clear | Job::Finish | Job::Look | Job::AddUp => {
                unreachable!("no row is cut, and looks and totals are no launches of an iteration")
            }
        }
        Ok(())
    }

    /// The host looks at the total when the iteration has ended.
    fn stop(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn add_up(&mut self, stage: usize) -> Result<(), RunError> {
        self.engine.store.add_up(&F::STAGES[stage]);
        Ok(())
    }
}

/// What is never launched is not compiled.
impl<F: Fold, D: GraphData, S: Stages<D>, const K: usize> Iteration<'_, '_, F, D, S, K> {
    /// The arguments of a launch of one tile, or head.
    fn arguments(&mut self, tile: u32) -> Arguments<D> {
        Arguments { first_tile: tile, ..self.engine.arguments(self.keep_sums) }.of_head(Cpu)
    }

    fn pull(&mut self, launch: Launch, tile: u32) {
        let arguments = Arguments { units: launch.units, ..self.arguments(tile) };
        let (graph, watch) = (self.engine.graph, self.watch);
        let (arguments, edges, rows) = if F::STAGES[launch.stage].is_reversed() {
            let arguments = Arguments { incoming: arguments.outgoing, ..arguments };
            (arguments, graph.outgoing(), &self.engine.outgoing)
        } else {
            (arguments, graph.incoming(), &self.engine.incoming)
        };
        S::visit(launch.stage, Pull::<D, K> { edges, arguments: &arguments, rows, watch });
    }

    fn push(&mut self, stage: usize, tiles: Range<u32>) -> Result<(), OutOfMemory> {
        if const { F::PUSHES } {
            let sources = memory::collect(self.engine.active.iter(), "the active vertices")?;
            for tile in tiles {
                let arguments = self.arguments(tile);
                let (graph, watch) = (self.engine.graph, self.watch);
                S::visit(stage, Push::<D, K> { graph, arguments: &arguments, sources: &sources, watch });
            }
        }
        Ok(())
    }

    fn recompute(&mut self, stage: usize, tile: u32) {
        if const { F::RECOMPUTES } {
            let arguments = self.arguments(tile);
            let (graph, active, watch) = (self.engine.graph, &self.engine.active, self.watch);
            S::visit(stage, Recompute::<D, K> { graph, arguments: &arguments, active, watch });
        }
    }

    /// Where there are several tiles, the vertex functions leave marks.
    fn update(&mut self, stage: usize, tile: u32) {
        if const { F::STAGES.len() == 1 || F::PUSHES } {
            let arguments = self.arguments(tile);
            let (active, watch) = (&self.engine.active, self.watch);
            let words = S::visit(stage, Update::<D, K> { arguments: &arguments, active, watch });
            if arguments.tiles == 1 {
                self.engine.publish(words.unwrap_or_default());
            }
        }
    }

    /// A vertex is active if it is marked in any tile.
    fn activate(&mut self) {
        let vertices = self.engine.graph.vertex_count();
        let (marks, others) = self.engine.marks.split_at_mut(vertices);
        for tile in others.chunks_mut(vertices.max(1)) {
            marks.par_iter_mut().zip(tile).for_each(|(mark, other)| *mark |= std::mem::take(other));
        }
        let words = marks.par_chunks_mut(32).map(take_word).collect();
        self.engine.publish(words);
    }
}

/// Of 32 marks, one bit each; clears them.
fn take_word(marks: &mut [u8]) -> u32 {
    marks.iter_mut().enumerate().fold(0, |word, (slot, mark)| word | u32::from(std::mem::take(mark) != 0) << slot)
}
