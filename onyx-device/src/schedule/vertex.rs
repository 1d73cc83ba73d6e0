//! Vertex functions over the active set: a warp owns the 32 vertices of one word and writes the next word by ballot. Where rows are several tiles, it
//! has one of them, leaves a mark for each vertex, and `activate` writes the words.

use crate::access::{CurrentVersion, Version};
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Word, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::Sums;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::activate::publish;

const WORD: u32 = u32::BITS;

/// Launches of `vertex`: there are changes beside the totals, and there is no push under way.
#[derive(Debug)]
pub struct Update;

/// The body of the kernel `vertex`: a warp for each word of the active set.
///
/// The vertex functions run on every vertex that is active or marked; on the marked ones alone where edges are those of active sources, and
/// sums therefore those of this iteration. Marks are cleared, or say what has changed where there are several tiles.
#[inline(always)]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, Update>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let word = launch.word();
    if launch.is_word_done(&word) {
        return;
    }
    let (machine, arguments) = (launch.machine(), launch.arguments());
    // SAFETY: `Word`: the word is the warp's alone, and so are the marks of its vertices.
    unsafe {
        let active = machine.load_word(arguments.active.add(word.number() as usize));
        let mut changed = false;
        let mut round = 0;
        while round < L as u32 {
            let votes = machine.ballot(u32::MAX, vote::<M, D, E, W, L, V>(&launch, &word, active, round));
            changed |= own_vote::<L>(machine.lane(), round, votes);
            round += 1;
        }
        // What follows writes the word and the marks that all lanes have read.
        machine.synchronize(u32::MAX);
        let (vertex, is_whole) = (word.own_vertex(machine), arguments.tiles == 1);
        if vertex < arguments.vertex_count {
            machine.store_mark(arguments.mark(machine, vertex), u8::from(changed && !is_whole));
        }
        if is_whole {
            publish(&launch, word, changed);
        }
    }
}

/// Runs the functions on the vertex of the word that the lane's group has in `round`. Returns whether it has changed.
#[inline(always)]
fn vote<M, D, E, W, const L: usize, const V: usize>(
    launch: &Launch<'_, M, D, E, W, Update>,
    word: &Word,
    active: u32,
    round: u32,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let slot = round * (WORD / L as u32) + machine.lane() / L as u32;
    let index = word.vertex(slot);
    if index >= arguments.vertex_count {
        return false;
    }
    // SAFETY: `Word`: the vertex is the warp's alone, of which one group has it, in one round.
    unsafe {
        let is_active = active >> slot & 1 == 1;
        if (!is_active || E::IS_ACTIVE) && machine.load_mark(arguments.mark(machine, index)) == 0 {
            return false;
        }
        launch.worker::<L, V>().update(Owned::claim(Vertex(index as u32)), is_active)
    }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the vertex functions on one vertex, on its sums with the changes that were pushed to it. Returns whether all returned true.
    ///
    /// An active vertex has just been propagated: what its neighbors have seen becomes its previous value.
    #[inline(always)]
    pub fn update(&self, vertex: Owned<Vertex>, is_active: bool) -> bool {
        if is_active && !E::IS_ACTIVE {
            self.keep_as_previous(vertex, PreviousVersion::<D, W>::PREVIOUS);
        }
        let sums = self.settle(vertex);
        self.run::<CurrentVersion>(vertex, Sums(&sums))
    }

    /// Adds the changes that a push has left for the vertex to its sums, which are then complete.
    #[inline(always)]
    fn settle(&self, vertex: Owned<Vertex>) -> E::Sums<V> {
        let changes = self.changes(vertex);
        self.clear_changes(vertex);
        if E::IS_ACTIVE {
            return changes;
        }
        let sums = self.totals(vertex).combined_with(changes);
        self.store_totals(vertex, sums);
        sums
    }
}

/// Picks the vote for the lane's own vertex, the lane's number in the word, out of a round's votes.
#[inline(always)]
pub(super) fn own_vote<const L: usize>(lane: u32, round: u32, votes: u32) -> bool {
    let groups = WORD / L as u32;
    lane / groups == round && votes >> (lane % groups * L as u32) & 1 == 1
}
