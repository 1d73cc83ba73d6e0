//! A launch whose arguments hold what they promise: where schedules get memory from.
//!
//! [`Launch::new`] is the one way from addresses to a launch, and unsafe; its contract is what the rest relies on. A schedule takes its launch by value, so
//! that a thread runs one, and says what its kernel needs besides at a type of its own, [`Pull`](crate::schedule::pull::Pull) for `pull`. A [`Worker`] is a group
//! of lanes of a launch. What it reaches is named by tokens ([`Known`], [`Owned`], [`Shared`]), which a schedule claims where it deals out its work; what takes
//! tokens alone is safe.

use core::marker::PhantomData;

use crate::access::Version;
use crate::arguments::Arguments;
use crate::block::Block;
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::joined::Joined;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::Registers;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::unrolled::array;

/// The vertices of a word of the active set, and the lanes of the warp that takes it.
pub const WORD: u64 = u32::BITS as u64;

/// What a launch is of.
type Of<E, W, S> = fn() -> (E, W, S);

/// One thread of a launch of schedule `S`, for edge functions `E` and vertex functions `W` of data `D`.
#[derive(Debug)]
pub struct Launch<'a, M, D, E, W, S> {
    machine: M,
    arguments: &'a Arguments<D>,
    of: PhantomData<Of<E, W, S>>,
}

impl<'a, M: Machine, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, S> Launch<'a, M, D, E, W, S> {
    /// The launch that the calling thread belongs to.
    ///
    /// # Safety
    /// Unsafe code names these clauses:
    /// 1. **Arrays.** What the functions and the schedule take of the arguments is there until the launch ends, aligned to 16 bytes, and as long as its field says for the
    ///    vertices, edges, groups and tiles of one graph. What they do not take may be null.
    /// 2. **Graph.** Neighbors, vertices of groups and vertices that are active are below the vertex count, numbers of edges below the edge count; begins and
    ///    offsets do not descend, and end with the edge count. Neighbors of words of vertices and of long rows may be numbers after those of the vertices instead, if
    ///    functions read nothing there but what has rows for them, and do not ask which vertex it is.
    /// 3. **Functions.** `E` and `W` are of one stage of a fold of `D`, and what edge functions read at another vertex is nothing that `W` writes, or read at its
    ///    [`PreviousVersion`].
    /// 4. **Alone.** Nothing else reaches the arrays while the launch runs, but to read what it does not write.
    /// 5. **Threads.** The machine's threads are numbered from 0, all lanes of each warp are there, and each thread makes one launch, for each tile.
    /// 6. **Schedule.** What is said at `S` holds.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn new(machine: M, arguments: &'a Arguments<D>) -> Self {
        Self { machine, arguments, of: PhantomData }
    }

    /// The calling lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn machine(&self) -> M {
        self.machine
    }

    /// What the kernel was launched with.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn arguments(&self) -> &'a Arguments<D> {
        self.arguments
    }

    /// The same launch for groups that are whole blocks, of `N` lanes each.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn joined<const N: usize>(self) -> Launch<'a, Joined<M, N>, D, E, W, S>
    where
        M: Block,
    {
        Launch { machine: Joined(self.machine), arguments: self.arguments, of: PhantomData }
    }

    /// The group of `L` lanes that the calling lane belongs to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn worker<const L: usize, const V: usize>(&self) -> Worker<'a, M, D, E, W, L, V> {
        Worker { group: self.arguments.group(self.machine), arguments: self.arguments, of: PhantomData }
    }

    /// Whether the iteration before has left nothing active, so that this one must leave everything as it is.
    ///
    /// The host launches several iterations before it looks, and each kernel asks this first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_over(&self) -> bool {
        // SAFETY: `Launch`, arrays: the flag is there; alone: nothing writes it.
        unsafe { self.machine.load_mark(self.arguments.before) == 0 }
    }

    /// The unit of the calling lane, of which every `lanes` lanes have one. It exists unless [`Launch::is_done`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn unit(&self, lanes: usize) -> u64 {
        self.arguments.units.first + self.machine.thread() / lanes as u64
    }

    /// Whether the unit is past the last, or the run is over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_done(&self, unit: u64) -> bool {
        unit >= self.arguments.units.end || self.is_over()
    }

    /// The word of the active set that the calling warp has. It exists unless [`Launch::is_word_done`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn word(&self) -> Word {
        Word(self.machine.thread() / WORD)
    }

    /// The words of a warp that has `N` of them. The first one exists unless [`Launch::is_word_done`], the others if [`Launch::has_word`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn words<const N: usize>(&self) -> [Word; N] {
        let first = self.word().0 * N as u64;
        array(|word| Word(first + word as u64))
    }

    /// Whether there is such a word.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_word(&self, word: &Word) -> bool {
        word.0 < self.arguments.vertex_count.div_ceil(WORD)
    }

    /// Whether the word is past the last, or the run is over.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_word_done(&self, word: &Word) -> bool {
        !self.has_word(word) || self.is_over()
    }

    /// Whether a vertex is active, in a launch that does not write the active set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_active(&self, vertex: Known<Vertex>) -> bool {
        // SAFETY: `Known`: there is a bit for the vertex.
        unsafe { self.arguments.is_active(self.machine, vertex.0) }
    }
}

/// A word of the active set, which the calling warp alone has.
#[derive(Debug)]
pub struct Word(u64);

impl Word {
    /// A word.
    ///
    /// # Safety
    /// It is one of the launch that it is used in, and no other warp claims it, nor a group any of its vertices.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn number(&self) -> u64 {
        self.0
    }

    /// The vertex of the lane's own bit, if there are so many.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn own_vertex<M: Machine>(&self, machine: M) -> u64 {
        self.0 * WORD + u64::from(machine.lane())
    }

    /// The vertex of its bit `slot`, if there are so many.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn vertex(&self, slot: u32) -> u64 {
        self.0 * WORD + u64::from(slot)
    }
}

/// A vertex or an edge of the launch's graph.
#[derive(Clone, Copy, Debug)]
pub struct Known<T>(T);

impl<T: Copy> Known<T> {
    /// A vertex or an edge.
    ///
    /// # Safety
    /// It is one of the graph of the launch that it is used in.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim(element: T) -> Self {
        Self(element)
    }

    /// Which one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(self) -> T {
        self.0
    }
}

impl Known<Edge> {
    /// Where it starts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn source(&self) -> Known<Vertex> {
        Known(self.0.src)
    }
}

/// A vertex or an edge of the launch's graph that the calling group alone has: no other reaches its values, but to read the previous ones, nor its mark.
#[derive(Clone, Copy, Debug)]
pub struct Owned<T>(Known<T>);

impl<T: Copy> Owned<T> {
    /// A vertex or an edge.
    ///
    /// # Safety
    /// It is one of the graph of the launch that it is used in, and no other group claims it, or what belongs to it, before it has met this one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim(element: T) -> Self {
        Self(Known(element))
    }

    /// Which one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn get(&self) -> T {
        self.0.0
    }

    /// The same, of which others may know.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn known(&self) -> &Known<T> {
        &self.0
    }
}

/// A vertex of the launch's graph whose totals all groups combine into, and whose mark they may set: nobody stores, clears or reads either.
#[derive(Clone, Copy, Debug)]
pub struct Shared(Vertex);

impl Shared {
    /// A vertex.
    ///
    /// # Safety
    /// It is one of the graph of the launch that it is used in, and no group claims to own it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn claim(vertex: Vertex) -> Self {
        Self(vertex)
    }
}

/// A group of lanes of a launch.
#[derive(Debug)]
pub struct Worker<'a, M, D, E, W, const L: usize, const V: usize> {
    pub(crate) group: Group<M, L, V>,
    pub(crate) arguments: &'a Arguments<D>,
    of: PhantomData<Of<E, W, ()>>,
}

impl<M: Copy, D, E, W, const L: usize, const V: usize> Clone for Worker<'_, M, D, E, W, L, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Copy, D, E, W, const L: usize, const V: usize> Copy for Worker<'_, M, D, E, W, L, V> {}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The calling lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn machine(&self) -> M {
        self.group.machine()
    }

    /// The same group, which runs the vertex functions along with those of its peers that run them as well. All of them must arrive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn along(&self, peers: u32, runs: bool) -> Self {
        if const { !W::JOINS || Group::<M, L, V>::SHARING == 1 } {
            return *self;
        }
        let group = self.group.along(self.machine().ballot(peers, runs));
        Self { group: if const { W::NEVER_STOPS } { group.with_tiles() } else { group }, ..*self }
    }

    /// [`Worker::along`] of those that it has come along with so far.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn still_along(&self, runs: bool) -> Self {
        self.along(self.group.peers(), runs)
    }

    /// Whether a vertex is active, in a launch that does not write the active set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_active(&self, vertex: Known<Vertex>) -> bool {
        // SAFETY: `Known`: there is a bit for the vertex.
        unsafe { self.arguments.is_active(self.machine(), vertex.0) }
    }

    /// Loads what edge functions read of an edge, at the value that no vertex function of the launch writes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn load_previous(&self, edge: &Known<Edge>) -> E::Loads<V> {
        // SAFETY: `Launch`, functions: what others write is another value.
        unsafe { self.load::<PreviousVersion<D, W>>(edge) }
    }

    /// Loads what edge functions read of an edge.
    ///
    /// # Safety
    /// The launch does not write what is read at `T` at another vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn load<T: Version>(&self, edge: &Known<Edge>) -> E::Loads<V> {
        // SAFETY: `Known`: the edge exists; `Launch`, arrays: so does what the functions read. The rest is the caller's.
        unsafe { E::load::<M, T, L, V>(self.group, edge.0, &self.arguments.data) }
    }

    /// Runs the edge functions on what was loaded of an edge. Returns whether all returned true.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn compute(&self, edge: &Owned<Edge>, loads: E::Loads<V>, sums: &mut E::Sums<V>) -> bool {
        // SAFETY: `Owned`: the edge exists, and no other group writes it.
        unsafe { E::compute(self.group, edge.0.0, &self.arguments.data, loads, sums) }
    }

    /// Runs the vertex functions of a vertex. Returns whether all returned true.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn run<T: Version>(&self, vertex: Owned<Vertex>, registers: impl Registers<D, V>) -> bool {
        // SAFETY: `Owned`: the vertex exists, and no other group writes it.
        unsafe { W::run::<M, T, _, L, V>(self.group, vertex.get(), &self.arguments.data, registers) }
    }

    /// Loads what the vertex functions read of a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn load_own<T: Version>(&self, vertex: Owned<Vertex>, registers: impl Registers<D, V>) -> W::Loads<V> {
        // SAFETY: `Owned`: the vertex exists, and no other group writes it.
        unsafe { W::load::<M, T, _, L, V>(self.group, vertex.get(), &self.arguments.data, registers) }
    }

    /// Runs the vertex functions on what was loaded of a vertex. Returns whether all returned true.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn compute_own(
        &self,
        vertex: Owned<Vertex>,
        loads: W::Loads<V>,
        registers: impl Registers<D, V>,
    ) -> bool {
        // SAFETY: `Owned`: the vertex exists, and no other group reaches it.
        unsafe { W::compute_after(self.group, vertex.get(), &self.arguments.data, loads, registers) }
    }

    /// The totals in memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn totals(&self, vertex: Owned<Vertex>) -> E::Sums<V> {
        // SAFETY: `Owned`: the vertex exists, and no other group writes it.
        unsafe { E::Sums::<V>::load(self.group, &self.arguments.data, vertex.get()) }
    }

    /// The totals in memory, which begin again where the next iteration of the batch expects that.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn take_totals(&self, vertex: Owned<Vertex>) -> E::Sums<V> {
        let totals = self.totals(vertex);
        if self.arguments.leave_cleared != 0 {
            self.store_totals(vertex, E::Sums::<V>::zero());
        }
        totals
    }

    /// Stores totals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn store_totals(&self, vertex: Owned<Vertex>, totals: E::Sums<V>) {
        // SAFETY: `Owned`: the vertex exists, and no other group reaches it.
        unsafe { totals.store(self.group, &self.arguments.data, vertex.get()) }
    }

    /// The same, which no other group reads in this stage.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn stream_totals(&self, vertex: Owned<Vertex>, totals: E::Sums<V>) {
        // SAFETY: `Owned`: the vertex exists, and no other group reaches it.
        unsafe { totals.stream(self.group, &self.arguments.data, vertex.get()) }
    }

    /// The changes of the totals that a push has left.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn changes(&self, vertex: Owned<Vertex>) -> E::Sums<V> {
        // SAFETY: `Owned`: the vertex exists, and no other group writes it.
        unsafe { E::Sums::<V>::load(self.group, &self.arguments.pending, vertex.get()) }
    }

    /// Leaves no changes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn clear_changes(&self, vertex: Owned<Vertex>) {
        // SAFETY: `Owned`: the vertex exists, and no other group reaches it.
        unsafe { E::Sums::<V>::zero().store(self.group, &self.arguments.pending, vertex.get()) }
    }

    /// Combines into totals atomically.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn add_totals(&self, vertex: Shared, totals: E::Sums<V>) {
        // SAFETY: `Shared`: the vertex exists, and all groups combine.
        unsafe { totals.add(self.group, &self.arguments.data, vertex.0) }
    }

    /// Copies the previous value of some properties to the current one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn restore_previous(&self, vertex: Owned<Vertex>, properties: u64) {
        // SAFETY: `Owned`: the vertex exists, and no other group writes it.
        unsafe { self.arguments.data.restore_previous(self.group, vertex.get(), properties) }
    }

    /// Copies the current value of some properties to the previous one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn keep_as_previous(&self, vertex: Owned<Vertex>, properties: u64) {
        // SAFETY: `Owned`: the vertex exists, and no other group reaches it; the launch has no edge functions that read the previous value.
        unsafe { self.arguments.data.keep_as_previous(self.group, vertex.get(), properties) }
    }

    /// Where the mark of a vertex lies, in the tile of the group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mark_of(&self, vertex: Vertex) -> *mut u8 {
        self.arguments.mark(self.machine(), u64::from(vertex.0))
    }

    /// Whether a vertex is marked.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn is_marked(&self, vertex: Owned<Vertex>) -> bool {
        // SAFETY: `Owned`: there is a mark for the vertex, which no other group writes.
        unsafe { self.group.load_mark(self.mark_of(vertex.get())) != 0 }
    }

    /// Marks whether a vertex has changed.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn mark(&self, vertex: Owned<Vertex>, changed: bool) {
        if self.group.is_leader() {
            // SAFETY: `Owned`: there is a mark for the vertex, which no other group reaches.
            unsafe { self.machine().store_mark(self.mark_of(vertex.get()), u8::from(changed)) }
        }
    }

    /// Marks a vertex that other groups may mark as well.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn mark_shared(&self, vertex: Shared) {
        if self.group.is_leader() {
            // SAFETY: `Shared`: there is a mark for the vertex, and all groups store the same.
            unsafe { self.machine().store_mark(self.mark_of(vertex.0), 1) }
        }
    }
}
