//! The active words: from the marks that a pull has left, or from the votes of a vertex kernel. A vertex is active if it is so in any tile.

use crate::launch::{Launch, Word};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};
use crate::unrolled::{array, each};

/// Launches of `activate`, which are of one tile.
#[derive(Debug)]
pub struct Activate;

/// How many words a warp takes: all of their marks are under way at once, and then all degrees.
pub const WORDS_PER_WARP: usize = 8;

/// The body of the kernel `activate`: a warp for each [`WORDS_PER_WARP`] words. Writes the active words from the marks and clears the marks.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M: Machine, D: GraphData>(launch: Launch<'_, M, D, (), (), Activate>) {
    let words: [Word; WORDS_PER_WARP] = launch.words();
    if launch.is_word_done(&words[0]) {
        return;
    }
    let exists = |word: usize| words[word].own_vertex(launch.machine()) < launch.arguments().vertex_count;
    // SAFETY: `Word`: the vertices are the warp's alone, and each of them one lane's.
    unsafe {
        // Before anybody knows whether they count, so that they are there with the marks.
        let degrees = degrees(&launch, &words, array(exists));
        launch.machine().wait_for_launch_before();
        let changed = take_marks(&launch, &words);
        publish(&launch, words, changed, degrees);
    }
}

/// Whether the lane's own vertices are marked in any tile. Clears their marks.
///
/// # Safety
/// The words are the warp's alone.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn take_marks<M: Machine, D: GraphData, const N: usize>(
    launch: &Launch<'_, M, D, (), (), Activate>,
    words: &[Word; N],
) -> [bool; N] {
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let (mut tile, mut is_marked) = (0, [false; N]);
    while tile < arguments.tiles {
        let own = |word: usize| words[word].own_vertex(machine);
        let exists = |word: usize| own(word) < arguments.vertex_count;
        let place = |word: usize| arguments.mark_of(tile, own(word));
        // No load is behind a condition, so that none has to wait for another: a lane without a vertex loads what nothing writes.
        let from = |word: usize| if exists(word) { place(word).cast_const() } else { arguments.before };
        // SAFETY: the caller's; `Activate`: the tiles are no other thread's.
        let marks: [u8; N] = array(|word| unsafe { machine.load_mark(from(word)) });
        each::<N>(|word| {
            if exists(word) && marks[word] != 0 {
                // SAFETY: as before.
                unsafe { machine.store_mark(place(word), 0) };
                is_marked[word] = true;
            }
        });
        tile += 1;
    }
    is_marked
}

/// How many edges leave the lane's own vertices, of those that count.
///
/// # Safety
/// What counts exists.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn degrees<M, D, E, W, S, const N: usize>(
    launch: &Launch<'_, M, D, E, W, S>,
    words: &[Word; N],
    counts: [bool; N],
) -> [u32; N]
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, out_degree) = (launch.machine(), launch.arguments().out_degree);
    // No load is behind a condition, here as well: there is a first vertex.
    let from = |word: usize| if counts[word] { words[word].own_vertex(machine) as usize } else { 0 };
    // SAFETY: the caller's.
    array(|word| unsafe { machine.load_u32(out_degree.add(from(word))) })
}

/// Writes words of the active set by ballots, and adds to the counters. `changed` is of the lane's own vertices, and so are the `degrees` of those that have.
///
/// All lanes of the warp must arrive.
///
/// # Safety
/// What has changed exists.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn publish<M, D, E, W, S, const N: usize>(
    launch: &Launch<'_, M, D, E, W, S>,
    words: [Word; N],
    changed: [bool; N],
    degrees: [u32; N],
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let bits: [u32; N] = array(|word| machine.ballot(u32::MAX, changed[word]));
    // SAFETY: `Word`: the words are the warp's alone; what has changed exists.
    unsafe {
        let degrees: [u32; N] = array(|word| if changed[word] { degrees[word] } else { 0 });
        let active: u32 = bits.iter().map(|bits| bits.count_ones()).sum();
        let edges = if active == 0 { 0 } else { warp_sum(machine, degrees) };
        if machine.lane() == 0 {
            each::<N>(|word| {
                if launch.has_word(&words[word]) {
                    machine.store_u32(arguments.active.add(words[word].number() as usize), bits[word]);
                }
            });
            if active != 0 {
                arguments.count(machine, words[0].number() / N as u64, active, edges);
            }
        }
    }
}

/// The sum of values over the warp. The halves are summed apart, so that `N` times 32 large values do not overflow.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn warp_sum<M: Machine, const N: usize>(machine: M, values: [u32; N]) -> u64 {
    let (mut low, mut high) = (0, 0);
    each::<N>(|index| (low, high) = (low + (values[index] & 0xffff), high + (values[index] >> 16)));
    let mut distance = 16;
    while distance > 0 {
        low += machine.shuffle_xor_u32(u32::MAX, low, distance);
        high += machine.shuffle_xor_u32(u32::MAX, high, distance);
        distance /= 2;
    }
    (u64::from(high) << 16) + u64::from(low)
}
