//! The code of a fold, for those that do not know its type: all else is compiled once for all folds.

use std::marker::PhantomData;

use onyx_device::arguments::PassedRows;
#[cfg(feature = "emulator")]
use onyx_device::emulator::EmulatorError;
use onyx_device::property::GraphData;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{gather_totals, groups_per_block, row_block, word_per_warp};
use onyx_device::{Fold, FoldFacts, StageVisitor, Stages, WidthVisitor, cholesky};

use crate::backend::arguments::{ArgumentBytes, Unbound};
use crate::backend::cpu;
#[cfg(feature = "emulator")]
use crate::backend::emulator;
use crate::error::RunError;
use crate::schedule::Team;
use crate::store::Store;

/// A fold without its type.
#[derive(Clone, Copy)]
pub(crate) struct AnyFold {
    pub(crate) facts: &'static FoldFacts,
    /// Its code at a compiled width.
    code: fn(usize) -> Option<Code>,
}

impl AnyFold {
    /// The fold of the type `F`.
    pub(crate) fn of<F: Fold>() -> Self {
        Self { facts: F::FACTS, code: |width| F::visit(width, CodeOf::<F>(PhantomData)) }
    }

    /// Its code for the rows of a store.
    pub(crate) fn code(self, store: &Store) -> Result<Code, RunError> {
        let (features, widest) = (store.features(), store.tile_width());
        (self.code)(widest).ok_or(RunError::Features { fold: self.facts.declared_name, features, widest })
    }
}

/// A function where it is needed, for a `const` block: where it is not, the compiler does not go through all that it may call, as it would for a call that is never reached.
pub(crate) const fn needed<F: Copy>(is_needed: bool, function: F) -> Option<F> {
    if is_needed { Some(function) } else { None }
}

/// What is compiled of a fold for one width: all that knows its functions and the type of its data.
#[derive(Clone, Copy)]
pub(crate) struct Code {
    /// The arguments of a kernel, as a GPU gets them.
    pub(crate) bytes: fn(&Unbound) -> ArgumentBytes,
    /// The block of a team that has shared memory, by the number of the stage and the most warps that it may have.
    pub(crate) block: fn(usize, Team, u32) -> SharingBlock,
    /// The floats that a vertex has in rows that stages leave for later ones in a block's shared memory.
    pub(crate) passed: usize,
    /// Runs a kernel on the CPU.
    pub(crate) on_cpu: for<'a> fn(cpu::Launch<'a>) -> Vec<u32>,
    /// Runs a kernel in the emulator.
    #[cfg(feature = "emulator")]
    pub(crate) emulated: for<'a> fn(emulator::Launch<'a>) -> Result<(), EmulatorError>,
}

impl Code {
    /// Where a block that has so many floats of shared memory besides has those rows of so many vertices.
    pub(crate) fn passed_after(&self, floats: usize, vertices: u32) -> PassedRows {
        if self.passed == 0 {
            return PassedRows::NONE;
        }
        PassedRows { begin: floats.next_multiple_of(4) as u32, count: vertices }
    }

    /// How many floats of shared memory it has then.
    pub(crate) fn floats_with(&self, floats: usize, rows: PassedRows) -> usize {
        if rows.count == 0 { floats } else { rows.begin as usize + rows.count as usize * self.passed }
    }
}

/// A block that has shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharingBlock {
    pub(crate) warps: u32,
    /// Its shared memory.
    pub(crate) floats: usize,
}

impl SharingBlock {
    /// A block that can do what either can.
    fn for_both(self, other: Self) -> Self {
        Self { warps: self.warps.min(other.warps), floats: self.floats.max(other.floats) }
    }
}

/// Finds the code of fold `F` at a width.
struct CodeOf<F>(PhantomData<F>);

impl<F: Fold> WidthVisitor for CodeOf<F> {
    type Output = Code;

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self) -> Code
    where
        D: GraphData,
        S: Stages<D>,
    {
        Code {
            bytes: |arguments| ArgumentBytes::of(arguments.bind::<D>()),
            block: |stage, team, most| {
                let of = |stage| S::visit(stage, BlockOf::<D, L, V> { team, most, data: PhantomData });
                // One that has whole graphs goes through all stages.
                let goes_on = team == Team::GraphBlock;
                let block = if goes_on { (0..).map_while(of).reduce(SharingBlock::for_both) } else { of(stage) };
                block.unwrap_or(SharingBlock { warps: 1, floats: 0 })
            },
            passed: S::PASSED.count_ones() as usize * L * V,
            on_cpu: cpu::launch::<F, D, S, K>,
            #[cfg(feature = "emulator")]
            emulated: emulator::launch::<F, D, S, L, V>,
        }
    }
}

/// Finds the block of a team.
struct BlockOf<D, const L: usize, const V: usize> {
    team: Team,
    most: u32,
    data: PhantomData<D>,
}

impl<D: GraphData, const L: usize, const V: usize> StageVisitor<D> for BlockOf<D, L, V> {
    type Output = SharingBlock;

    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> SharingBlock {
        if self.team == Team::Joined {
            return SharingBlock { warps: (L as u32).div_ceil(32), floats: cholesky::shared_floats(L) };
        }
        let floats: fn(u32) -> usize = match self.team {
            Team::Block => row_block::shared_floats::<D, E, L, V>,
            Team::Groups => groups_per_block::shared_floats::<D, E, L, V>,
            Team::SharingWarp => word_per_warp::shared_floats::<D, E, L, V>,
            Team::GraphBlock if !W::GATHERS_TOTALS => |_| 0,
            Team::Gathering | Team::GraphBlock => gather_totals::shared_floats::<D, W, V>,
            Team::Lanes | Team::Warp | Team::Joined => |_| 0,
        };
        let most = match self.team {
            Team::Gathering => gather_totals::most_warps::<D, W, V>(self.most),
            _ => self.most,
        };
        let warps = row_block::warps(most, floats);
        SharingBlock { warps, floats: floats(warps) }
    }
}
