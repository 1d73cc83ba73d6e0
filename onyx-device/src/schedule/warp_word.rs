//! Push of changes for sparse active sets: a warp takes one word of the active set and spreads its active edges over its lanes.
//!
//! Figure 5.1 of the thesis. Each lane has one vertex; a prefix sum of the active vertices' degrees numbers their edges. In the *per-edge
//! phase* every lane finds one edge by a search in the sums; in the *per-feature phase* groups of `L` lanes take these edges in turn. As in
//! its section 5.2 the phases are pipelined: the next edges are searched, and the next rows requested, before the current ones are used.
//!
//! Rows of more than [`HUB_DEGREE`] edges take no part in their word: they are cut into pieces of at most as many, and further warps take
//! [`PIECES`] of those each, far from one another, as they take the vertices of a word. So no warp has more than 32 times [`HUB_DEGREE`]
//! edges, and in a sparse set seldom more than that of one vertex.

use crate::access::CurrentVersion;
use crate::index::{Edge, Reverse, Vertex};
use crate::launch::{Known, Launch, Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::{has_large_edges, prefix_sum};
use crate::unrolled::{array, each};

/// Launches of `warp_word`: as of [`Push`](crate::schedule::push::Push), for outgoing edges with offsets. The pieces of rows that are longer than
/// [`HUB_DEGREE`] are listed, and each vertex's outgoing edges are counted.
#[derive(Debug)]
pub struct WarpWord;

/// Longer outgoing rows are shared out among warps.
pub const HUB_DEGREE: u32 = 256;
/// How many pieces of long rows a warp takes.
pub const PIECES: u64 = 4;

const WARP: u32 = 32;

/// How many warps the kernel is launched with.
pub const fn warps(vertices: u64, pieces: u64) -> u64 {
    vertices.div_ceil(WARP as u64) + pieces.div_ceil(PIECES)
}

/// What one lane brings to its warp: some outgoing edges of an active vertex.
#[derive(Clone, Copy)]
struct Share {
    vertex: u32,
    begin: u64,
    count: u32,
}

const NOTHING: Share = Share { vertex: 0, begin: 0, count: 0 };

/// The shares of all lanes, each lane's edges numbered after those of the lanes before it.
#[derive(Clone, Copy)]
struct Numbered {
    vertex: u32,
    /// Where the edge with number zero would be if it were the lane's.
    base: u64,
    inclusive: u32,
    total: u32,
}

/// The body of the kernel `warp_word`: a warp for each word of the active set, then warps for the pieces of long rows.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, WarpWord>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    if launch.is_over() {
        return;
    }
    let machine = launch.machine();
    let warp = machine.thread() / u64::from(WARP);
    let words = launch.arguments().vertex_count.div_ceil(u64::from(WARP));
    // SAFETY: the word exists where it is read.
    let share = unsafe { if warp < words { launch.of_word(warp) } else { launch.of_hubs(warp - words) } };
    if machine.ballot(u32::MAX, share.count > 0) == 0 {
        return;
    }
    let numbered = number(machine, share);
    // SAFETY: there are edges; they are of active vertices, and each of one warp.
    unsafe {
        // A product is multiplied in a loop, which would keep several edges in local memory.
        if const { L == 1 || has_large_edges::<D, E, L, V>() || E::ACCESS.multiplies != 0 } {
            launch.spread::<L, V, 1>(numbered);
        } else {
            launch.spread::<L, V, 2>(numbered);
        }
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn number<M: Machine>(machine: M, share: Share) -> Numbered {
    let inclusive = prefix_sum::inclusive(machine, share.count);
    let exclusive = inclusive - share.count;
    Numbered {
        vertex: share.vertex,
        base: share.begin.wrapping_sub(u64::from(exclusive)),
        inclusive,
        total: machine.shuffle_from(u32::MAX, inclusive, WARP - 1),
    }
}

/// Edge numbers that nobody needs are not exchanged.
#[cfg_attr(not(debug_assertions), inline(always))]
const fn needs_edge<D: GraphData, E: EdgeRun<D>>() -> bool {
    (E::ACCESS.reads_edge | E::ACCESS.reads_reverse | E::ACCESS.writes_edge) != 0 || E::ACCESS.names_edge
}

/// Whether the functions store at an edge what they have loaded there. Groups that have no edge load that of another group.
const fn loads_what_is_stored<D: GraphData, E: EdgeRun<D>>() -> bool {
    E::ACCESS.reads_edge & E::ACCESS.writes_edge != 0
}

/// What a group has requested of `N` edges: the edges, and what the functions read of each, now and before.
struct Requested<D: GraphData, E: EdgeRun<D>, const V: usize, const N: usize> {
    edges: [Known<Edge>; N],
    now: [E::Loads<V>; N],
    before: [E::Loads<V>; N],
}

impl<D: GraphData, E: EdgeRun<D>, const V: usize, const N: usize> Clone for Requested<D, E, V, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: GraphData, E: EdgeRun<D>, const V: usize, const N: usize> Copy for Requested<D, E, V, N> {}

impl<M: Machine, D: GraphData, E: EdgeRun<D>, W: VertexRun<D>> Launch<'_, M, D, E, W, WarpWord> {
    /// The edges of the lane's vertex of a word, if it is active and no hub.
    ///
    /// # Safety
    /// The word exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn of_word(&self, word: u64) -> Share {
        let (machine, arguments) = (self.machine(), self.arguments());
        let vertex = word * u64::from(WARP) + u64::from(machine.lane());
        // SAFETY: the caller's; `Launch`, graph: only existing vertices are active.
        unsafe {
            let active = machine.load_u32(arguments.active.add(word as usize));
            if active >> machine.lane() & 1 == 0 {
                return NOTHING;
            }
            let count = machine.load_u32(arguments.out_degree.add(vertex as usize));
            if count > HUB_DEGREE {
                return NOTHING;
            }
            Share { vertex: vertex as u32, begin: arguments.outgoing.offset(machine, vertex), count }
        }
    }

    /// The edges of the lane's piece of a hub, if that is active. Consecutive pieces are in different warps, as far as there are any.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_hubs(&self, warp: u64) -> Share {
        let (machine, arguments) = (self.machine(), self.arguments());
        let warps = arguments.hubs.count.div_ceil(PIECES);
        let piece = u64::from(machine.lane()) * warps + warp;
        if warp >= warps || u64::from(machine.lane()) >= PIECES || piece >= arguments.hubs.count {
            return NOTHING;
        }
        // SAFETY: `WarpWord`: the piece exists, and so does its vertex.
        unsafe {
            let vertex = machine.load_u32(arguments.hubs.vertex.add(piece as usize));
            if !self.is_active(Known::claim(Vertex(vertex))) {
                return NOTHING;
            }
            let begin = machine.load_u64(arguments.hubs.begin.add(piece as usize));
            let rest = arguments.outgoing.offset(machine, u64::from(vertex) + 1) - begin;
            Share { vertex, begin, count: rest.min(u64::from(HUB_DEGREE)) as u32 }
        }
    }

    /// The per-edge phase: each lane's edge of the 32 from number `first` on; the last edge where there are fewer.
    ///
    /// # Safety
    /// There are edges, and the numbered shares are those of the warp.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn find(&self, numbered: Numbered, first: u32) -> Known<Edge> {
        let (machine, arguments) = (self.machine(), self.arguments());
        let number = (first + machine.lane()).min(numbered.total - 1);
        let owner = prefix_sum::owner(machine, numbered.inclusive, number);
        let source = machine.shuffle_from(u32::MAX, numbered.vertex, owner);
        let base = machine.shuffle_from_u64(u32::MAX, numbered.base, owner);
        let position = base.wrapping_add(u64::from(number));
        // SAFETY: the position belongs to the source.
        unsafe {
            let id = if needs_edge::<D, E>() { arguments.outgoing.edge_id(machine, position) } else { 0 };
            Known::claim(Edge {
                id,
                src: Vertex(source),
                dst: arguments.outgoing.neighbor(machine, position),
                rev: arguments.reverse_edge::<M, E>(machine, id),
            })
        }
    }

    /// [`Launch::find`], or `otherwise` where no edge has the number `first`.
    ///
    /// # Safety
    /// As [`Launch::find`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn find_if_any(&self, numbered: Numbered, first: u32, otherwise: Known<Edge>) -> Known<Edge> {
        // SAFETY: the caller's.
        if first < numbered.total { unsafe { self.find(numbered, first) } } else { otherwise }
    }

    /// Both phases, over all edges of the warp, `N` edges a group at once.
    ///
    /// # Safety
    /// As [`Launch::find`], and no other warp has the edges.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn spread<const L: usize, const V: usize, const N: usize>(&self, numbered: Numbered) {
        let worker = self.worker::<L, V>();
        let stride = WARP / L as u32 * N as u32;
        // SAFETY: the caller's; whether there is a next edge is the same in all lanes.
        unsafe {
            let mut found = self.find(numbered, 0);
            let mut following = self.find_if_any(numbered, WARP, found);
            let mut current = worker.request::<N>(found, 0);
            let mut first = 0;
            while first < numbered.total {
                let next = first + stride;
                if next.is_multiple_of(WARP) && next < numbered.total {
                    found = following;
                    following = self.find_if_any(numbered, next + WARP, found);
                }
                let upcoming = if next < numbered.total { worker.request::<N>(found, next % WARP) } else { current };
                if const { loads_what_is_stored::<D, E>() } {
                    self.machine().synchronize(u32::MAX);
                }
                worker.apply::<N>(current, numbered.total - first);
                current = upcoming;
                first = next;
            }
        }
    }
}

/// The edge that `lane` has found.
#[cfg_attr(not(debug_assertions), inline(always))]
fn exchange<M: Machine, D: GraphData, E: EdgeRun<D>>(machine: M, found: Known<Edge>, lane: u32) -> Known<Edge> {
    let found = found.get();
    let edge = Edge {
        id: if needs_edge::<D, E>() { machine.shuffle_from_u64(u32::MAX, found.id, lane) } else { 0 },
        src: Vertex(machine.shuffle_from(u32::MAX, found.src.0, lane)),
        dst: Vertex(machine.shuffle_from(u32::MAX, found.dst.0, lane)),
        rev: if E::ACCESS.reads_reverse != 0 {
            Reverse::numbered(machine.shuffle_from_u64(u32::MAX, found.rev.id(), lane))
        } else {
            Reverse::UNKNOWN
        },
    };
    // SAFETY: `Known`: the other lane's edge exists.
    unsafe { Known::claim(edge) }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The number, among those that the warp takes in one step, of the group's edge `ahead`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slot(&self, ahead: usize) -> u32 {
        (ahead as u32 * WARP + self.machine().lane()) / L as u32
    }

    /// The begin of the per-feature phase: `N` of the edges that lanes have found, from lane `first` on, and loads of their rows.
    ///
    /// # Safety
    /// The launch is as said at [`WarpWord`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn request<const N: usize>(&self, found: Known<Edge>, first: u32) -> Requested<D, E, V, N> {
        let edges: [_; N] = array(|ahead| exchange::<M, D, E>(self.machine(), found, first + self.slot(ahead)));
        // SAFETY: `WarpWord`: nothing that edge functions read is written, but what the warp meets for.
        let now: [_; N] = array(|ahead| unsafe { self.load::<CurrentVersion>(&edges[ahead]) });
        Requested { edges, now, before: self.load_before::<N>(edges, now) }
    }

    /// The end of the per-feature phase: adds the changes of those edges that are among the `rest`.
    ///
    /// # Safety
    /// As [`Worker::request`], and those edges are this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<const N: usize>(&self, requested: Requested<D, E, V, N>, rest: u32) {
        each::<N>(|ahead| {
            if self.slot(ahead) < rest {
                let (edge, now, before) = (requested.edges[ahead], requested.now[ahead], requested.before[ahead]);
                // SAFETY: the caller's; the edge is of an active source.
                unsafe { self.add_change(Owned::claim(edge.get()), now, before) }
            }
        });
    }
}
