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
use crate::schedule::activate::{degrees, publish};

const WORD: u32 = u32::BITS;

/// Launches of `vertex`: there are changes beside the totals, and there is no push under way.
#[derive(Debug)]
pub struct Update;

/// The body of the kernel `vertex`: a warp for each word of the active set.
///
/// The vertex functions run on every vertex that is active or marked; on the marked ones alone where edges are those of active sources, and
/// sums therefore those of this iteration. Marks are cleared, or say what has changed where there are several tiles.
#[cfg_attr(not(debug_assertions), inline(always))]
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
    let (vertex, is_whole) = (word.own_vertex(machine), arguments.tiles == 1);
    let exists = vertex < arguments.vertex_count;
    // SAFETY: `Word`: the word is the warp's alone, and so are the marks of its vertices.
    unsafe {
        let active = machine.load_word(arguments.active.add(word.number() as usize));
        let is_marked = exists && machine.load_mark(arguments.mark(machine, vertex)) != 0;
        let is_due = exists && (is_marked || !E::IS_ACTIVE && active >> machine.lane() & 1 == 1);
        let changed = update_due::<M, D, E, W, L, V>(&launch, &word, active, is_due);
        // What follows writes the word and the marks that all lanes have read.
        machine.synchronize(u32::MAX);
        if exists {
            machine.store_mark(arguments.mark(machine, vertex), u8::from(changed && !is_whole));
        }
        if is_whole {
            let words = [word];
            let degrees = degrees(&launch, &words, [changed]);
            publish(&launch, words, [changed], degrees);
        }
    }
}

/// Runs the functions on those vertices of the word that are due, which the groups of the warp take in turn. Returns whether the lane's own vertex has
/// changed.
///
/// # Safety
/// What is due exists.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn update_due<M, D, E, W, const L: usize, const V: usize>(
    launch: &Launch<'_, M, D, E, W, Update>,
    word: &Word,
    active: u32,
    is_due: bool,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, worker) = (launch.machine(), launch.worker::<L, V>());
    let due = machine.ballot(u32::MAX, is_due);
    let rank = if L == 1 { machine.lane() } else { (due & !(u32::MAX << machine.lane())).count_ones() };
    let (mut rest, mut round, mut changed) = (due, 0, false);
    while rest != 0 {
        let slot = deal::<L>(machine.lane(), &mut rest);
        let worker = worker.along(u32::MAX, slot < WORD);
        // SAFETY: `Word`: the vertex is the warp's alone, of which one group has it, in one round; the caller's: it exists.
        let vote = slot < WORD
            && unsafe { worker.update(Owned::claim(Vertex(word.vertex(slot) as u32)), active >> slot & 1 == 1) };
        let votes = machine.ballot(u32::MAX, vote);
        changed |= is_due && own_vote::<L>(rank, round, votes);
        round += 1;
    }
    changed
}

/// Takes a bit of `rest` for each group of `L` lanes, from the lowest on; where each lane is a group, its own. Returns that of the lane's own group, or [`WORD`]
/// where there is none for it.
#[cfg_attr(not(debug_assertions), inline(always))]
fn deal<const L: usize>(lane: u32, rest: &mut u32) -> u32 {
    if L == 1 {
        let slot = if *rest >> lane & 1 == 1 { lane } else { WORD };
        *rest = 0;
        return slot;
    }
    let (mut own, mut group) = (0, 0);
    while group < WORD / L as u32 {
        own = if group == lane / L as u32 { *rest } else { own };
        *rest &= rest.wrapping_sub(1);
        group += 1;
    }
    own.trailing_zeros()
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn update(&self, vertex: Owned<Vertex>, is_active: bool) -> bool {
        let changes = self.changes(vertex);
        let sums = if E::IS_ACTIVE { changes } else { self.totals(vertex).combined_with(changes) };
        // What is loaded comes before what is stored, so that nothing loaded waits for something else.
        let loads = self.load_own::<CurrentVersion>(vertex, Sums(&sums));
        if !E::IS_ACTIVE {
            if is_active {
                self.keep_as_previous(vertex, PreviousVersion::<D, W>::PREVIOUS);
            }
            self.store_totals(vertex, sums);
        }
        self.clear_changes(vertex);
        self.compute_own(vertex, loads, Sums(&sums))
    }
}

/// Picks the vote for vertex number `number` out of a round's votes, where each round takes as many vertices as there are groups, in order.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn own_vote<const L: usize>(number: u32, round: u32, votes: u32) -> bool {
    let groups = WORD / L as u32;
    number / groups == round && votes >> (number % groups * L as u32) & 1 == 1
}
