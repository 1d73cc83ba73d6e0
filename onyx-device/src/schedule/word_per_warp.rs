//! Pull, a warp for each word of the active set: it owns 32 vertices, and its groups of lanes take their edges side by side.
//!
//! Groups that walked a row each would wait for the longest, and reach edges far from one another's. Here every group takes the next edge of the warp's, whoever's
//! it is, and leaves what the functions reduce in shared memory, from where the group of the vertex takes it. Then that group runs the vertex functions, and the
//! warp writes its word of the active set: no mark is left for `activate`, and no row for `finish`. Rows of more than [`LONG`] edges come by
//! [`long_rows`](crate::schedule::long_rows) before; short ones may be taken while those are still under way.
//!
//! For stages whose totals may be combined atomically, and with vertex functions unless a fold is totals alone. Where a fold has several of them, marks are left for `activate` after all.

use core::ops::Range;

use crate::access::Version;
use crate::block::Block;
use crate::index::{Edge, Vertex};
use crate::launch::{Launch, Owned, Word, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::{Pulled, Sums};
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::long_rows::LONG;
use crate::schedule::numbered::{Numbered, Round, Row, groups};
use crate::schedule::vertex::own_vote;
use crate::schedule::{EDGES_IN_FLIGHT, activate, has_large_edges, prefix_sum};
use crate::unrolled::{array, each};

/// Launches of `word_per_warp`: rows have [`MOST_EDGES`] at most, the incoming edges have offsets, the totals of long rows are in memory, and a block has [`shared_floats`] of shared memory.
#[derive(Debug)]
pub struct WordPerWarp;

/// The most edges of a row: a warp says by 32 bits how far they are from the first edge of its 32 rows.
pub const MOST_EDGES: u64 = 1 << 27;

/// After so many edges a place is left free, so that groups which walk rows of a power of two reach different banks.
const FREE_AFTER: u32 = 16;

/// How many edges a group has under way. Two are enough where it has several lanes, for with fewer registers more warps fit (`docs/performance.md`).
const fn in_flight<const L: usize>() -> usize {
    if L > 1 { EDGES_IN_FLIGHT / 2 } else { EDGES_IN_FLIGHT }
}

/// The edges that a warp takes in one turn.
const fn turn<const L: usize>() -> u32 {
    groups::<L>() * in_flight::<L>() as u32
}

/// The floats of shared memory in which a warp leaves what is reduced.
const fn warp_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> usize {
    group_floats::<D, E, L, V>() * place(turn::<L>()) as usize
}

/// Those of what one edge reduces.
const fn group_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> usize {
    <E::Sums<V> as Accumulator<D, V>>::LANE_FLOATS * L
}

/// The shared memory of a block of `warps` warps, in floats.
pub const fn shared_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warps: u32) -> usize {
    warp_floats::<D, E, L, V>() * warps as usize
}

/// The place of an edge of the turn among those that are left.
const fn place(edge: u32) -> u32 {
    edge + edge / FREE_AFTER
}

/// The body of the kernel `word_per_warp`: a warp for each word of the active set.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, WordPerWarp>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let word = launch.word();
    // The whole warp returns, or none of it.
    if !launch.has_word(&word) {
        return;
    }
    let (machine, worker) = (launch.machine(), launch.worker::<L, V>());
    // SAFETY: `Word`: the word is the warp's alone, and so are its vertices and their rows. `WordPerWarp`: there are offsets and shared memory.
    unsafe {
        let (row, degree) = (launch.row(&word), launch.degree(&word));
        // Asked after these loads were sent off, which then do not wait for the answer.
        if launch.is_over() {
            return;
        }
        let numbered = Numbered::of(machine, row, word.vertex(0) as u32);
        let mut changed = false;
        let mut number = 0;
        while number < L as u32 {
            let round = numbered.round::<M, L>(machine, number);
            let has_changed = worker.take_round(numbered, round);
            if !E::IS_OF_SEVERAL {
                let votes = machine.ballot(u32::MAX, has_changed);
                changed |= own_vote::<L>(machine.lane(), number, votes);
            }
            number += 1;
        }
        if !E::IS_OF_SEVERAL {
            launch.leave_word(word, changed, degree);
        }
    }
}

impl<M: Machine, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>> Launch<'_, M, D, E, W, WordPerWarp> {
    /// Leaves the word of the active set, or where rows are several tiles the mark of the lane's own vertex.
    ///
    /// # Safety
    /// What has changed exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_word(&self, word: Word, changed: bool, degree: u32) {
        let (machine, arguments, vertex) = (self.machine(), self.arguments(), word.own_vertex(self.machine()));
        // SAFETY: `Word`: the word is the warp's alone, and so are its marks.
        unsafe {
            if arguments.tiles == 1 {
                activate::publish(self, [word], [changed], [degree]);
            } else if vertex < arguments.vertex_count {
                machine.store_mark(arguments.mark(machine, vertex), u8::from(changed));
            }
        }
    }

    /// How many edges leave the lane's vertex of a word, if that exists. It is there before anybody knows whether it counts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn degree(&self, word: &Word) -> u32 {
        let (machine, arguments, vertex) = (self.machine(), self.arguments(), word.own_vertex(self.machine()));
        let counts = !E::IS_OF_SEVERAL && arguments.tiles == 1 && vertex < arguments.vertex_count;
        // SAFETY: `Launch`, arrays: there is a degree for each vertex.
        if counts { unsafe { machine.load_u32(arguments.out_degree.add(vertex as usize)) } } else { 0 }
    }

    /// The row of the lane's vertex of a word, if that exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row(&self, word: &Word) -> Row {
        let (machine, arguments, vertex) = (self.machine(), self.arguments(), word.own_vertex(self.machine()));
        if vertex >= arguments.vertex_count {
            return Row::NOTHING;
        }
        // SAFETY: `WordPerWarp`: there are offsets.
        unsafe {
            let begin = arguments.incoming.offset(machine, vertex);
            let count = arguments.incoming.offset(machine, vertex + 1) - begin;
            let is_long = count > u64::from(LONG);
            Row { begin, count: if is_long { 0 } else { count as u32 }, is_long }
        }
    }
}

/// Where a warp leaves what an edge of the turn reduces.
#[cfg_attr(not(debug_assertions), inline(always))]
const fn at<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warp: u32, edge: u32) -> u32 {
    warp_floats::<D, E, L, V>() as u32 * warp + group_floats::<D, E, L, V>() as u32 * place(edge)
}

/// Whether functions ask at which vertex their edge ends, but to reduce into it.
const fn needs_vertex<D: GraphData, E: EdgeRun<D>>() -> bool {
    E::READS_OWN != 0 || E::ACCESS.names_edge || E::ACCESS.gathers | E::ACCESS.adds != 0
}

/// The most bytes that vertex functions read of a vertex for it to be loaded before the edges are taken: more would leave fewer warps (`docs/performance.md`).
const MOST_EARLY: usize = 24;

/// Whether what vertex functions read is loaded before the edges are taken, so that it does not come after all of those. What they read at the current value nobody has stored yet where a
/// later function may not run.
const fn loads_early<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const V: usize>() -> bool {
    let is_stored = PreviousVersion::<D, W>::PREVIOUS & !W::FIRST_WRITES != 0;
    !W::IS_EMPTY && !E::IS_OF_SEVERAL && !W::FOLLOWS && !is_stored && size_of::<W::Loads<V>>() <= MOST_EARLY
}

/// The safety of its methods: the launch is as said at [`WordPerWarp`], what is numbered are the edges of the warp's word, and a round is one of the word.
impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The sums of the group's row, whose edges all groups of the warp have a share of.
    ///
    /// # Safety
    /// As said at the methods.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_turns(&self, numbered: Numbered, round: Round) -> E::Sums<V> {
        let machine = self.machine();
        let mut sums = E::Sums::<V>::zero();
        let mut first = round.first;
        while first < round.end {
            // SAFETY: between one meeting of the warp and the next its shared memory is only written, or only read.
            unsafe {
                self.leave_turn(numbered, first..round.end);
                machine.synchronize(u32::MAX);
                sums = self.take_turn(round, first, sums);
                machine.synchronize(u32::MAX);
            }
            first += turn::<L>();
        }
        sums
    }

    /// Runs the edge functions on the first edges of a range, those of one turn, and leaves what they reduce.
    ///
    /// # Safety
    /// As said at the methods, and nobody reads what is left before the warp meets.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_turn(&self, numbered: Numbered, edges: Range<u32>) {
        // SAFETY: the caller's.
        unsafe {
            // An edge that is loaded once more by a group that has none must not be stored by another group.
            if const { has_large_edges::<D, E, L, V>() || E::ACCESS.writes_edge != 0 } {
                let mut ahead = 0;
                while ahead < in_flight::<L>() as u32 {
                    self.leave_some::<1>(numbered, edges.clone(), ahead);
                    ahead += 1;
                }
            } else if const { in_flight::<L>() == EDGES_IN_FLIGHT } {
                self.leave_some::<EDGES_IN_FLIGHT>(numbered, edges, 0);
            } else {
                self.leave_some::<{ EDGES_IN_FLIGHT / 2 }>(numbered, edges, 0);
            }
        }
    }

    /// The same for `N` edges a group, after `ahead` edges a group. All are loaded before the first of them is computed.
    ///
    /// # Safety
    /// As [`Worker::leave_turn`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_some<const N: usize>(&self, numbered: Numbered, edges: Range<u32>, ahead: u32) {
        let machine = self.machine();
        let slot = |index: usize| (ahead + index as u32) * groups::<L>() + machine.lane() / L as u32;
        let exists = |index: usize| edges.start + slot(index) < edges.end;
        let number = |index: usize| (edges.start + slot(index)).min(edges.end - 1);
        // SAFETY: every number of the range is an edge of the warp's; one that `exists` is this group's alone.
        unsafe {
            let found: [_; N] = array(|index| self.find_numbered(numbered, number(index)));
            if N == 1 && !exists(0) {
                return;
            }
            let loads: [_; N] = array(|index| self.load_previous(found[index].known()));
            each::<N>(|index| {
                if exists(index) {
                    let mut sums = E::Sums::<V>::zero();
                    self.compute(&found[index], loads[index], &mut sums);
                    sums.store_shared(self.group, at::<D, E, L, V>(machine.warp(), slot(index)));
                }
            });
        }
    }

    /// The edge with a number. All lanes of the warp must arrive.
    ///
    /// # Safety
    /// As said at the methods. The caller computes only what is its group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn find_numbered(&self, numbered: Numbered, number: u32) -> Owned<Edge> {
        let machine = self.machine();
        let (mut base, mut vertex) = (0, numbered.first_vertex);
        if const { needs_vertex::<D, E>() } || numbered.long != 0 {
            let owner = prefix_sum::owner(machine, numbered.inclusive, number);
            base = machine.shuffle_from(u32::MAX, numbered.base, owner);
            vertex += owner;
        }
        // SAFETY: the position belongs to the vertex, or the functions do not ask for that.
        unsafe { self.incoming_edge(Vertex(vertex), numbered.begin + u64::from(number.wrapping_add(base))) }
    }

    /// Takes what the warp has left of the group's edges in the turn from number `first` on, in their order.
    ///
    /// # Safety
    /// As said at the methods, and the warp has met since it left them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_turn(&self, round: Round, first: u32, sums: E::Sums<V>) -> E::Sums<V> {
        let warp = self.machine().warp();
        let mut sums = sums;
        let mut edge = round.own_first.max(first);
        let end = round.own_end.min(first + turn::<L>());
        // SAFETY: the caller's.
        let left = |edge: u32| unsafe { E::Sums::<V>::load_shared(self.group, at::<D, E, L, V>(warp, edge - first)) };
        while edge + (EDGES_IN_FLIGHT as u32) <= end {
            let some: [_; EDGES_IN_FLIGHT] = array(|ahead| left(edge + ahead as u32));
            each::<EDGES_IN_FLIGHT>(|ahead| sums = sums.combined_with(some[ahead]));
            edge += EDGES_IN_FLIGHT as u32;
        }
        while edge < end {
            sums = sums.combined_with(left(edge));
            edge += 1;
        }
        sums
    }

    /// Takes the edges of a round, and runs the vertex functions on the group's vertex, if that exists. Returns whether it has changed, or where other stages follow leaves a mark.
    ///
    /// # Safety
    /// As said at the methods, once a round.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_round(&self, numbered: Numbered, round: Round) -> bool {
        // SAFETY: the caller's.
        unsafe {
            let vertex = self.claim(numbered, round);
            if const { loads_early::<D, E, W, V>() } {
                let nothing = E::Sums::<V>::zero();
                let load = |vertex| {
                    (vertex, self.load_own::<PreviousVersion<D, W>>(vertex, (Pulled::<E, W>::BY_THEM, Sums(&nothing))))
                };
                let own = vertex.map(load);
                let sums = self.gather_turns(numbered, round);
                self.machine().wait_for_launch_before();
                return own.is_some_and(|(vertex, loads)| {
                    let sums = self.whole_sums(numbered, round, vertex, sums);
                    self.keep_sums(vertex, sums);
                    // What was loaded of totals gives way to these.
                    self.compute_own(vertex, loads, (Pulled::<E, W>::BY_THEM, Sums(&sums)))
                });
            }
            let sums = self.gather_turns(numbered, round);
            self.machine().wait_for_launch_before();
            vertex.is_some_and(|vertex| self.end_round(numbered, round, vertex, sums))
        }
    }

    /// The vertex of the group, if it exists.
    ///
    /// # Safety
    /// As said at the methods, once a round.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn claim(&self, numbered: Numbered, round: Round) -> Option<Owned<Vertex>> {
        let vertex = u64::from(numbered.first_vertex) + u64::from(round.slot);
        // SAFETY: `Word`: the vertex is the warp's alone, and of one group in one round.
        (vertex < self.arguments.vertex_count).then(|| unsafe { Owned::claim(Vertex(vertex as u32)) })
    }

    /// The sums of the whole row: those of a long one are in memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn whole_sums(&self, numbered: Numbered, round: Round, vertex: Owned<Vertex>, sums: E::Sums<V>) -> E::Sums<V> {
        if numbered.is_long(round) { self.take_totals(vertex) } else { sums }
    }

    /// Runs the vertex functions on a vertex. Returns whether it has changed, or where other stages follow leaves a mark.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end_round(&self, numbered: Numbered, round: Round, vertex: Owned<Vertex>, sums: E::Sums<V>) -> bool {
        let sums = self.whole_sums(numbered, round, vertex, sums);
        if E::IS_OF_SEVERAL {
            self.finish(vertex, sums, true);
            return false;
        }
        let ran = self.update_pulled(vertex, sums);
        // Where no vertex function says what has changed, no edge function stops, either.
        if W::IS_EMPTY { numbered.is_long(round) || round.own_first < round.own_end } else { ran }
    }
}
