//! The rows of the sources that most edges have, packed: they lie side by side after the rows of all vertices, where edges then find them, so that the first-level cache of a
//! multiprocessor holds all of them. One of four bytes has a sector of 32 to itself otherwise.

use crate::machine::Machine;

/// What the kernel `pack` is launched with: the rows of all vertices, and where some of them go.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Pack {
    /// The rows, of `row` words each.
    pub from: *const u32,
    /// Where the packed ones go, one after the other.
    pub to: *mut u32,
    /// The vertices that they are of.
    pub vertices: *const u32,
    /// How many there are.
    pub count: u32,
    /// How many words a row has.
    pub row: u32,
    /// Whether the iteration before has left anything active: [`Arguments::before`](crate::arguments::Arguments::before).
    pub before: *const u8,
}

// SAFETY: what is read is not written, and each word is written by one thread.
unsafe impl Send for Pack {}
// SAFETY: as above.
unsafe impl Sync for Pack {}

impl Pack {
    /// How many threads there are to be: one for each word.
    pub fn threads(&self) -> u64 {
        u64::from(self.count) * u64::from(self.row)
    }
}

/// The body of the kernel `pack`: a thread for each word.
///
/// # Safety
/// The arguments are as said at [`Pack`]: there are rows of the vertices, and room for as many as there are packed ones. Nothing else writes either during the launch.
#[cfg_attr(not(debug_assertions), inline(always))]
pub unsafe fn run<M: Machine>(machine: M, pack: &Pack) {
    let thread = machine.thread();
    // SAFETY: the caller's.
    unsafe {
        if thread >= pack.threads() || machine.load_mark(pack.before) == 0 {
            return;
        }
        // A row has a word at least, which the compiler cannot see.
        let row = pack.row.max(1);
        let (number, word) = (thread as u32 / row, thread as u32 % row);
        let vertex = u64::from(machine.load_u32(pack.vertices.add(number as usize)));
        let value = machine.load_word(pack.from.add((vertex * u64::from(row) + u64::from(word)) as usize));
        machine.store_u32(pack.to.add(thread as usize), value);
        machine.wait_for_launch_before();
    }
}
