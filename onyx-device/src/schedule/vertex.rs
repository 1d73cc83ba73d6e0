//! Vertex functions over the active set: a warp owns the 32 vertices of one word and writes the next word by ballot. Where rows are several tiles, it
//! has one of them, leaves a mark for each vertex, and `activate` writes the words.

use crate::access::{CurrentVersion, Version};
use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::Sums;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::activate;

const WORD: u32 = u32::BITS;

/// The body of the kernel `vertex`: a warp for each word of the active set.
///
/// The vertex functions run on every vertex that is active or marked; on the marked ones alone where edges are those of active sources, and
/// sums therefore those of this iteration. Marks are cleared, or say what has changed where there are several tiles.
///
/// # Safety
/// As [`crate::schedule::pull::run`].
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let word = machine.thread() / u64::from(WORD);
    // SAFETY: the caller's.
    if word >= arguments.vertex_count.div_ceil(u64::from(WORD)) || unsafe { arguments.is_over(machine) } {
        return;
    }
    // SAFETY: the warp owns the word and its vertices.
    unsafe {
        let active = machine.load_word(arguments.active.add(word as usize));
        let mut changed = false;
        let mut round = 0;
        while round < L as u32 {
            let votes = machine.ballot(u32::MAX, vote::<M, D, E, W, L, V>(machine, arguments, word, active, round));
            changed |= own_vote::<L>(machine.lane(), round, votes);
            round += 1;
        }
        // What follows writes the word and the marks that all lanes have read.
        machine.synchronize(u32::MAX);
        let (vertex, is_whole) = (word * u64::from(WORD) + u64::from(machine.lane()), arguments.tiles == 1);
        if vertex < arguments.vertex_count {
            machine.store_mark(arguments.mark(machine, vertex), u8::from(changed && !is_whole));
        }
        if is_whole {
            activate::publish(machine, arguments, word, changed);
        }
    }
}

/// Runs the functions on the vertex that the lane's group has in `round`. Returns whether it has changed.
#[inline(always)]
unsafe fn vote<M, D, E, W, const L: usize, const V: usize>(
    machine: M,
    arguments: &Arguments<D>,
    word: u64,
    active: u32,
    round: u32,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let slot = round * (WORD / L as u32) + machine.lane() / L as u32;
    let index = word * u64::from(WORD) + u64::from(slot);
    if index >= arguments.vertex_count {
        return false;
    }
    // SAFETY: the vertex exists and this group alone has it.
    unsafe {
        let is_active = active >> slot & 1 == 1;
        if (!is_active || E::IS_ACTIVE) && machine.load_mark(arguments.mark(machine, index)) == 0 {
            return false;
        }
        let group = arguments.group::<M, L, V>(machine);
        update::<M, D, E, W, L, V>(group, arguments, Vertex(index as u32), is_active)
    }
}

/// Runs the vertex functions on one vertex, on its sums with the changes that were pushed to it.
///
/// An active vertex has just been propagated: what its neighbors have seen becomes its previous value.
///
/// # Safety
/// The calling group is the only one that reaches the vertex.
#[inline(always)]
pub unsafe fn update<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    is_active: bool,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the caller's.
    unsafe {
        if is_active && !E::IS_ACTIVE {
            arguments.data.keep_as_previous(group, vertex, PreviousVersion::<D, W>::PREVIOUS);
        }
        let sums = settle::<M, D, E, L, V>(group, arguments, vertex);
        W::run::<M, CurrentVersion, _, L, V>(group, vertex, &arguments.data, Sums(&sums))
    }
}

/// Adds the changes that a push has left for the vertex to its sums, which are then complete.
#[inline(always)]
unsafe fn settle<M, D, E, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
) -> E::Sums<V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    // SAFETY: the group owns the vertex, and no push is under way.
    unsafe {
        let changes = E::Sums::<V>::load(group, &arguments.pending, vertex);
        E::Sums::<V>::zero().store(group, &arguments.pending, vertex);
        if E::IS_ACTIVE {
            return changes;
        }
        let sums = E::Sums::<V>::load(group, &arguments.data, vertex).combined_with(changes);
        sums.store(group, &arguments.data, vertex);
        sums
    }
}

/// Picks the vote for the lane's own vertex, the lane's number in the word, out of a round's votes.
#[inline(always)]
pub(super) fn own_vote<const L: usize>(lane: u32, round: u32, votes: u32) -> bool {
    let groups = WORD / L as u32;
    lane / groups == round && votes >> (lane % groups * L as u32) & 1 == 1
}
