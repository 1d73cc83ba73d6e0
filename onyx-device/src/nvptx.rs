//! A lane of an NVIDIA GPU: the only intrinsics and assembly of Onyx.
//!
//! What synchronises lanes is an LLVM intrinsic, since only those are known to the compiler as convergent; assembly is for data, and for what a lane does by itself.
//! Loads and stores name the global address space, which the compiler cannot see through pointers that lie in a structure.

use core::arch::{asm, global_asm};

use crate::block::Block;
use crate::machine::{Machine, multiply_quotient};
use crate::unrolled::{array, each, steps};

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    safe fn thread_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
    safe fn head_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.z"]
    safe fn group_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    safe fn threads_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"]
    safe fn heads_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.z"]
    safe fn groups_in_block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    safe fn lane_in_warp() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    safe fn block() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
    safe fn blocks() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"]
    safe fn tile() -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.f32"]
    safe fn shuffle_xor_f32(members: i32, value: f32, lane_mask: i32, clamp: i32) -> f32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    safe fn shuffle_xor_i32(members: i32, value: i32, lane_mask: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    safe fn shuffle_from_i32(members: i32, value: i32, lane: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    safe fn ballot(members: i32, vote: bool) -> i32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    safe fn synchronize(members: i32);
    #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
    safe fn synchronize_block(barrier: i32);
}

/// What the tensor cores leave in a lane.
#[repr(C)]
struct Tile(f32, f32, f32, f32);

unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.mma.m16n8k8.row.col.tf32"]
    safe fn add_tile(a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: f32, h: f32, i: f32, j: f32) -> Tile;
}

// The shared memory of a block: as much as the launch gives.
global_asm!(".extern .shared .align 16 .b8 onyx_shared[];");

/// A shuffle may reach any lane of the warp.
const WHOLE_WARP: i32 = 0x1f;

/// A lane of a warp. Blocks have a whole number of warps; the second dimension of a grid is tiles.
///
/// What depends on the architecture is a parameter, so that the crate with the folds alone is compiled for each: whether it is `sm_90` or later, where four floats are added to
/// memory at once, by `red.global.add.v4.f32`.
///
/// Where blocks pass rows from stage to stage, accesses to scratch rows name no memory, which takes a little longer.
///
/// A block has one dimension, but for those of folds that have heads, whose groups of lanes may lie side by side: the lanes of a group are its first
/// dimension then, heads the second, and groups the third.
#[derive(Clone, Copy, Debug)]
pub struct Nvptx<const IS_SM_90: bool, const HAS_HEADS: bool, const PASSES_ROWS: bool>;

// SAFETY: lanes and blocks are those of the GPU.
unsafe impl<const IS_SM_90: bool, const HAS_HEADS: bool, const PASSES_ROWS: bool> Machine
    for Nvptx<IS_SM_90, HAS_HEADS, PASSES_ROWS>
{
    const LANES: u32 = 32;

    #[inline(always)]
    fn lane(self) -> u32 {
        if HAS_HEADS { lane_in_warp() as u32 } else { thread_in_block() as u32 % 32 }
    }

    #[inline(always)]
    fn thread(self) -> u64 {
        let (mut of_block, mut own) = (threads_in_block() as u32, thread_in_block() as u32);
        if HAS_HEADS {
            own += of_block * group_in_block() as u32;
            of_block *= groups_in_block() as u32;
        }
        u64::from(block() as u32) * u64::from(of_block) + u64::from(own)
    }

    #[inline(always)]
    fn tile(self) -> u32 {
        if HAS_HEADS {
            return tile() as u32 * heads_in_block() as u32 + head_in_block() as u32;
        }
        tile() as u32
    }

    #[inline(always)]
    fn shuffle_xor(self, members: u32, value: f32, lane_mask: u32) -> f32 {
        shuffle_xor_f32(members as i32, value, lane_mask as i32, WHOLE_WARP)
    }

    #[inline(always)]
    fn shuffle_xor_u32(self, members: u32, value: u32, lane_mask: u32) -> u32 {
        shuffle_xor_i32(members as i32, value as i32, lane_mask as i32, WHOLE_WARP) as u32
    }

    #[inline(always)]
    fn shuffle_from(self, members: u32, value: u32, lane: u32) -> u32 {
        shuffle_from_i32(members as i32, value as i32, lane as i32, WHOLE_WARP) as u32
    }

    #[inline(always)]
    fn ballot(self, members: u32, vote: bool) -> u32 {
        ballot(members as i32, vote) as u32
    }

    #[inline(always)]
    fn let_next_begin(self) {
        if IS_SM_90 {
            // SAFETY: no memory is reached.
            unsafe { asm!("griddepcontrol.launch_dependents;", options(nostack, preserves_flags)) };
        }
    }

    #[inline(always)]
    fn wait_for_launch_before(self) {
        if IS_SM_90 {
            // SAFETY: it waits alone. No access comes to the other side of it, since it counts as one to any memory.
            unsafe { asm!("griddepcontrol.wait;", options(nostack, preserves_flags)) };
        }
    }

    #[inline(always)]
    fn synchronize(self, members: u32) {
        synchronize(members as i32);
    }

    #[inline(always)]
    fn add_tile(self, left: [f32; 4], right: [f32; 2], totals: [f32; 4]) -> [f32; 4] {
        let [a, b, c, d] = left.map(|value| value.to_bits() as i32);
        let [e, f] = right.map(|value| value.to_bits() as i32);
        let [g, h, i, j] = totals;
        let Tile(g, h, i, j) = add_tile(a, b, c, d, e, f, g, h, i, j);
        [g, h, i, j]
    }

    #[inline(always)]
    unsafe fn load<const V: usize>(self, from: *const f32) -> [f32; V] {
        let mut values = [0.0; V];
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| put(&mut values, at, unsafe { load_4(from.add(at)) }));
        } else if V.is_multiple_of(2) {
            steps::<V, 2>(|at| put(&mut values, at, unsafe { load_2(from.add(at)) }));
        } else {
            each::<V>(|at| values[at] = unsafe { load_1(from.add(at)) });
        }
        values
    }

    #[inline(always)]
    unsafe fn store<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| unsafe { store_4(to.add(at), taken(&values, at)) });
        } else if V.is_multiple_of(2) {
            steps::<V, 2>(|at| unsafe { store_2(to.add(at), taken(&values, at)) });
        } else {
            each::<V>(|at| unsafe { store_1(to.add(at), values[at]) });
        }
    }

    #[inline(always)]
    unsafe fn load_streamed<const V: usize>(self, from: *const f32) -> [f32; V] {
        if !V.is_multiple_of(4) {
            // SAFETY: the caller's.
            return unsafe { self.load(from) };
        }
        let mut values = [0.0; V];
        // SAFETY: the caller's; `at` stays below `V`.
        steps::<V, 4>(|at| put(&mut values, at, unsafe { load_streamed_4(from.add(at)) }));
        values
    }

    #[inline(always)]
    unsafe fn store_streamed<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        if !V.is_multiple_of(4) {
            // SAFETY: the caller's.
            return unsafe { self.store(to, values) };
        }
        // SAFETY: the caller's; `at` stays below `V`.
        steps::<V, 4>(|at| unsafe { store_streamed_4(to.add(at), taken(&values, at)) });
    }

    #[inline(always)]
    unsafe fn load_anywhere<const V: usize>(self, from: *const f32) -> [f32; V] {
        if !PASSES_ROWS {
            // SAFETY: the caller's; nothing lies in shared memory.
            return unsafe { self.load(from) };
        }
        let mut values = [0.0; V];
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| put(&mut values, at, unsafe { load_anywhere_4(from.add(at)) }));
        } else {
            each::<V>(|at| values[at] = unsafe { load_anywhere_1(from.add(at)) });
        }
        values
    }

    #[inline(always)]
    unsafe fn store_anywhere<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        if !PASSES_ROWS {
            // SAFETY: the caller's; nothing lies in shared memory.
            return unsafe { self.store(to, values) };
        }
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| unsafe { store_anywhere_4(to.add(at), taken(&values, at)) });
        } else {
            each::<V>(|at| unsafe { store_anywhere_1(to.add(at), values[at]) });
        }
    }

    #[inline(always)]
    unsafe fn add<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) && IS_SM_90 {
            steps::<V, 4>(|at| unsafe { add_4(to.add(at), taken(&values, at)) });
        } else {
            each::<V>(|at| unsafe { add_1(to.add(at), values[at]) });
        }
    }

    #[inline(always)]
    unsafe fn multiply<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        each::<V>(|at| unsafe { multiply_1(to.add(at), values[at], |a, b| a * b) });
    }

    #[inline(always)]
    unsafe fn multiply_quotients<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        each::<V>(|at| unsafe { multiply_1(to.add(at), values[at], multiply_quotient) });
    }

    #[inline(always)]
    unsafe fn min<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        each::<V>(|at| unsafe { min_1(to.add(at), values[at]) });
    }

    #[inline(always)]
    unsafe fn max<const V: usize>(self, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        each::<V>(|at| unsafe { max_1(to.add(at), values[at]) });
    }

    #[inline(always)]
    unsafe fn load_u32(self, from: *const u32) -> u32 {
        let value;
        // SAFETY: the caller's; the word does not change during the launch.
        unsafe {
            asm!("ld.global.nc.u32 {}, [{}];", out(reg32) value, in(reg64) from, options(pure, readonly, nostack));
        }
        value
    }

    #[inline(always)]
    unsafe fn load_u64(self, from: *const u64) -> u64 {
        let value;
        // SAFETY: the caller's; the word does not change during the launch.
        unsafe {
            asm!("ld.global.nc.u64 {}, [{}];", out(reg64) value, in(reg64) from, options(pure, readonly, nostack));
        }
        value
    }

    #[inline(always)]
    unsafe fn load_word(self, from: *const u32) -> u32 {
        let value;
        // SAFETY: the caller's.
        unsafe { asm!("ld.global.u32 {}, [{}];", out(reg32) value, in(reg64) from, options(nostack)) }
        value
    }

    #[inline(always)]
    unsafe fn store_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("st.global.u32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn load_mark(self, from: *const u8) -> u8 {
        let value: u32;
        // SAFETY: the caller's.
        unsafe { asm!("ld.global.u8 {}, [{}];", out(reg32) value, in(reg64) from, options(nostack)) }
        value as u8
    }

    #[inline(always)]
    unsafe fn store_mark(self, to: *mut u8, value: u8) {
        // SAFETY: the caller's.
        unsafe { asm!("st.global.u8 [{}], {};", in(reg64) to, in(reg32) u32::from(value), options(nostack)) }
    }

    #[inline(always)]
    unsafe fn load_byte(self, from: *const u8) -> u8 {
        let value: u32;
        // SAFETY: the caller's.
        unsafe { asm!("ld.global.u8 {}, [{}];", out(reg32) value, in(reg64) from, options(pure, readonly, nostack)) }
        value as u8
    }

    #[inline(always)]
    unsafe fn store_byte(self, to: *mut u8, value: u8) {
        // SAFETY: the caller's.
        unsafe { asm!("st.global.u8 [{}], {};", in(reg64) to, in(reg32) u32::from(value), options(nostack)) }
    }

    #[inline(always)]
    unsafe fn load_halves<const V: usize>(self, from: *const u16) -> [u16; V] {
        let mut values = [0; V];
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(8) {
            steps::<V, 8>(|at| put(&mut values, at, unsafe { load_half_8(from.add(at)) }));
        } else if V.is_multiple_of(4) {
            steps::<V, 4>(|at| put(&mut values, at, unsafe { load_half_4(from.add(at)) }));
        } else if V.is_multiple_of(2) {
            steps::<V, 2>(|at| put(&mut values, at, unsafe { load_half_2(from.add(at)) }));
        } else {
            each::<V>(|at| values[at] = unsafe { load_half_1(from.add(at)) });
        }
        values
    }

    #[inline(always)]
    unsafe fn store_halves<const V: usize>(self, to: *mut u16, values: [u16; V]) {
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(8) {
            steps::<V, 8>(|at| unsafe { store_half_8(to.add(at), taken(&values, at)) });
        } else if V.is_multiple_of(4) {
            steps::<V, 4>(|at| unsafe { store_half_4(to.add(at), taken(&values, at)) });
        } else if V.is_multiple_of(2) {
            steps::<V, 2>(|at| unsafe { store_half_2(to.add(at), taken(&values, at)) });
        } else {
            each::<V>(|at| unsafe { store_half_1(to.add(at), values[at]) });
        }
    }

    #[inline(always)]
    unsafe fn add_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("red.global.add.u32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn min_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("red.global.min.u32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn max_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("red.global.max.u32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn or_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("red.global.or.b32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn and_u32(self, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { asm!("red.global.and.b32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
    }

    #[inline(always)]
    unsafe fn compare_and_swap(self, to: *mut u32, old: u32, new: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { compare_and_swap(to, old, new) }
    }

    #[inline(always)]
    unsafe fn add_u64(self, to: *mut u64, value: u64) -> u64 {
        let before;
        // SAFETY: the caller's. Where nothing reads the result, ptxas makes a reduction of it.
        unsafe {
            asm!("atom.global.add.u64 {}, [{}], {};", out(reg64) before, in(reg64) to, in(reg64) value,
                options(nostack));
        }
        before
    }
}

// SAFETY: lanes and blocks are those of the GPU.
unsafe impl<const IS_SM_90: bool, const HAS_HEADS: bool, const PASSES_ROWS: bool> Block
    for Nvptx<IS_SM_90, HAS_HEADS, PASSES_ROWS>
{
    #[inline(always)]
    fn block(self) -> u64 {
        u64::from(block() as u32)
    }

    #[inline(always)]
    fn blocks(self) -> u64 {
        u64::from(blocks() as u32)
    }

    #[inline(always)]
    fn beside(self) -> u32 {
        if HAS_HEADS { heads_in_block() as u32 } else { 1 }
    }

    #[inline(always)]
    fn warp(self) -> u32 {
        let mut thread = thread_in_block() as u32;
        if HAS_HEADS {
            let of_heads = head_in_block() as u32 + heads_in_block() as u32 * group_in_block() as u32;
            thread += threads_in_block() as u32 * of_heads;
        }
        thread / 32
    }

    #[inline(always)]
    fn warps(self) -> u32 {
        let mut threads = threads_in_block() as u32;
        if HAS_HEADS {
            threads *= heads_in_block() as u32 * groups_in_block() as u32;
        }
        threads / 32
    }

    #[inline(always)]
    fn synchronize_block(self) {
        synchronize_block(0);
    }

    #[inline(always)]
    fn shared_place(self, float: u32) -> *mut f32 {
        let place: *mut f32;
        let address = u64::from(shared_address(float));
        // SAFETY: touches registers alone.
        unsafe {
            asm!("cvta.shared.u64 {}, {};", out(reg64) place, in(reg64) address, options(pure, nomem, nostack));
        }
        place
    }

    #[inline(always)]
    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V] {
        let mut values = [0.0; V];
        let from = shared_address(from);
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| put(&mut values, at, unsafe { load_shared_4(from + at as u32 * 4) }));
        } else {
            each::<V>(|at| values[at] = unsafe { load_shared_1(from + at as u32 * 4) });
        }
        values
    }

    #[inline(always)]
    unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]) {
        let to = shared_address(to);
        // SAFETY: the caller's; `at` stays below `V`.
        if V.is_multiple_of(4) {
            steps::<V, 4>(|at| unsafe { store_shared_4(to + at as u32 * 4, taken(&values, at)) });
        } else {
            each::<V>(|at| unsafe { store_shared_1(to + at as u32 * 4, values[at]) });
        }
    }
}

/// Writes some of the values, from number `at` on.
#[inline(always)]
fn put<T: Copy, const V: usize, const N: usize>(values: &mut [T; V], at: usize, part: [T; N]) {
    each::<N>(|offset| values[at + offset] = part[offset]);
}

/// Some of the values, from number `at` on.
#[inline(always)]
fn taken<T: Copy, const V: usize, const N: usize>(values: &[T; V], at: usize) -> [T; N] {
    array(|offset| values[at + offset])
}

/// Where float number `at` of the block's shared memory lies.
#[inline(always)]
fn shared_address(at: u32) -> u32 {
    let begin: u32;
    // SAFETY: touches registers alone.
    unsafe { asm!("mov.u32 {}, onyx_shared;", out(reg32) begin, options(pure, nomem, nostack)) }
    begin + at * 4
}

/// A float, and four of them at a multiple of 16 bytes, in a space of memory whose addresses such registers have.
macro_rules! floats_in {
    ($space:literal, $register:ident, $from:ty, $to:ty: $load_1:ident, $load_4:ident, $store_1:ident, $store_4:ident) => {
        #[inline(always)]
        unsafe fn $load_1(from: $from) -> f32 {
            let a;
            // SAFETY: the caller's.
            unsafe {
                asm!(concat!("ld", $space, ".f32 {}, [{}];"), out(reg32) a, in($register) from,
                    options(pure, readonly, nostack));
            }
            a
        }

        #[inline(always)]
        unsafe fn $load_4(from: $from) -> [f32; 4] {
            let (a, b, c, d);
            // SAFETY: the caller's; the address is a multiple of 16.
            unsafe {
                asm!(concat!("ld", $space, ".v4.f32 {{{}, {}, {}, {}}}, [{}];"), out(reg32) a, out(reg32) b,
                    out(reg32) c, out(reg32) d, in($register) from, options(pure, readonly, nostack));
            }
            [a, b, c, d]
        }

        #[inline(always)]
        unsafe fn $store_1(to: $to, value: f32) {
            // SAFETY: the caller's.
            unsafe {
                asm!(concat!("st", $space, ".f32 [{}], {};"), in($register) to, in(reg32) value, options(nostack));
            }
        }

        #[inline(always)]
        unsafe fn $store_4(to: $to, [a, b, c, d]: [f32; 4]) {
            // SAFETY: the caller's; the address is a multiple of 16.
            unsafe {
                asm!(concat!("st", $space, ".v4.f32 [{}], {{{}, {}, {}, {}}};"), in($register) to, in(reg32) a,
                    in(reg32) b, in(reg32) c, in(reg32) d, options(nostack));
            }
        }
    };
}

floats_in!(".global", reg64, *const f32, *mut f32: load_1, load_4, store_1, store_4);

/// Four floats that the caches may let go first.
#[inline(always)]
unsafe fn load_streamed_4(from: *const f32) -> [f32; 4] {
    let (a, b, c, d);
    // SAFETY: the caller's; the address is a multiple of 16.
    unsafe {
        asm!("ld.global.cs.v4.f32 {{{}, {}, {}, {}}}, [{}];", out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d,
            in(reg64) from, options(pure, readonly, nostack));
    }
    [a, b, c, d]
}

/// The same, stored.
#[inline(always)]
unsafe fn store_streamed_4(to: *mut f32, [a, b, c, d]: [f32; 4]) {
    // SAFETY: the caller's; the address is a multiple of 16.
    unsafe {
        asm!("st.global.cs.v4.f32 [{}], {{{}, {}, {}, {}}};", in(reg64) to, in(reg32) a, in(reg32) b, in(reg32) c,
            in(reg32) d, options(nostack));
    }
}
floats_in!(".shared", reg32, u32, u32: load_shared_1, load_shared_4, store_shared_1, store_shared_4);
floats_in!("", reg64, *const f32, *mut f32: load_anywhere_1, load_anywhere_4, store_anywhere_1, store_anywhere_4);

#[inline(always)]
unsafe fn load_2(from: *const f32) -> [f32; 2] {
    let (a, b);
    // SAFETY: the caller's; the address is a multiple of 8.
    unsafe {
        asm!("ld.global.v2.f32 {{{}, {}}}, [{}];", out(reg32) a, out(reg32) b, in(reg64) from,
            options(pure, readonly, nostack));
    }
    [a, b]
}

#[inline(always)]
unsafe fn store_2(to: *mut f32, [a, b]: [f32; 2]) {
    // SAFETY: the caller's; the address is a multiple of 8.
    unsafe { asm!("st.global.v2.f32 [{}], {{{}, {}}};", in(reg64) to, in(reg32) a, in(reg32) b, options(nostack)) }
}

#[inline(always)]
unsafe fn load_half_1(from: *const u16) -> u16 {
    let a;
    // SAFETY: the caller's.
    unsafe { asm!("ld.global.b16 {}, [{}];", out(reg16) a, in(reg64) from, options(pure, readonly, nostack)) }
    a
}

#[inline(always)]
unsafe fn load_half_2(from: *const u16) -> [u16; 2] {
    let (a, b);
    // SAFETY: the caller's; the address is a multiple of 4.
    unsafe {
        asm!("ld.global.v2.b16 {{{}, {}}}, [{}];", out(reg16) a, out(reg16) b, in(reg64) from,
            options(pure, readonly, nostack));
    }
    [a, b]
}

#[inline(always)]
unsafe fn load_half_4(from: *const u16) -> [u16; 4] {
    let (a, b, c, d);
    // SAFETY: the caller's; the address is a multiple of 8.
    unsafe {
        asm!("ld.global.v4.b16 {{{}, {}, {}, {}}}, [{}];", out(reg16) a, out(reg16) b, out(reg16) c, out(reg16) d,
            in(reg64) from, options(pure, readonly, nostack));
    }
    [a, b, c, d]
}

#[inline(always)]
unsafe fn load_half_8(from: *const u16) -> [u16; 8] {
    let (a, b, c, d, e, f, g, h);
    // SAFETY: the caller's; the address is a multiple of 16.
    unsafe {
        asm!("{{", ".reg .b32 %pair<4>;", "ld.global.v4.b32 {{%pair0, %pair1, %pair2, %pair3}}, [{}];",
            "mov.b32 {{{}, {}}}, %pair0;", "mov.b32 {{{}, {}}}, %pair1;", "mov.b32 {{{}, {}}}, %pair2;",
            "mov.b32 {{{}, {}}}, %pair3;", "}}",
            in(reg64) from, out(reg16) a, out(reg16) b, out(reg16) c, out(reg16) d, out(reg16) e, out(reg16) f,
            out(reg16) g, out(reg16) h, options(pure, readonly, nostack));
    }
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
unsafe fn store_half_1(to: *mut u16, value: u16) {
    // SAFETY: the caller's.
    unsafe { asm!("st.global.b16 [{}], {};", in(reg64) to, in(reg16) value, options(nostack)) }
}

#[inline(always)]
unsafe fn store_half_2(to: *mut u16, [a, b]: [u16; 2]) {
    // SAFETY: the caller's; the address is a multiple of 4.
    unsafe { asm!("st.global.v2.b16 [{}], {{{}, {}}};", in(reg64) to, in(reg16) a, in(reg16) b, options(nostack)) }
}

#[inline(always)]
unsafe fn store_half_4(to: *mut u16, [a, b, c, d]: [u16; 4]) {
    // SAFETY: the caller's; the address is a multiple of 8.
    unsafe {
        asm!("st.global.v4.b16 [{}], {{{}, {}, {}, {}}};", in(reg64) to, in(reg16) a, in(reg16) b, in(reg16) c,
            in(reg16) d, options(nostack));
    }
}

#[inline(always)]
unsafe fn store_half_8(to: *mut u16, [a, b, c, d, e, f, g, h]: [u16; 8]) {
    // SAFETY: the caller's; the address is a multiple of 16.
    unsafe {
        asm!("{{", ".reg .b32 %pair<4>;", "mov.b32 %pair0, {{{}, {}}};", "mov.b32 %pair1, {{{}, {}}};",
            "mov.b32 %pair2, {{{}, {}}};", "mov.b32 %pair3, {{{}, {}}};",
            "st.global.v4.b32 [{}], {{%pair0, %pair1, %pair2, %pair3}};", "}}",
            in(reg16) a, in(reg16) b, in(reg16) c, in(reg16) d, in(reg16) e, in(reg16) f, in(reg16) g, in(reg16) h,
            in(reg64) to, options(nostack));
    }
}

/// The bits of the nearest float of binary16.
#[inline(always)]
pub fn f16_of(value: f32) -> u16 {
    let half;
    // SAFETY: touches registers alone.
    unsafe { asm!("cvt.rn.f16.f32 {}, {};", out(reg16) half, in(reg32) value, options(pure, nomem, nostack)) }
    half
}

/// The value of the bits of a float of binary16.
#[inline(always)]
pub fn f32_of(half: u16) -> f32 {
    let value;
    // SAFETY: touches registers alone.
    unsafe { asm!("cvt.f32.f16 {}, {};", out(reg32) value, in(reg16) half, options(pure, nomem, nostack)) }
    value
}

#[inline(always)]
unsafe fn add_1(to: *mut f32, value: f32) {
    // SAFETY: the caller's.
    unsafe { asm!("red.global.add.f32 [{}], {};", in(reg64) to, in(reg32) value, options(nostack)) }
}

/// One 16-byte reduction: `sm_90` and later.
#[inline(always)]
unsafe fn add_4(to: *mut f32, [a, b, c, d]: [f32; 4]) {
    // SAFETY: the caller's; the address is a multiple of 16.
    unsafe {
        asm!("red.global.add.v4.f32 [{}], {{{}, {}, {}, {}}};", in(reg64) to, in(reg32) a, in(reg32) b, in(reg32) c,
            in(reg32) d, options(nostack));
    }
}

/// Tries until no other thread has come between: there is no reduction that multiplies.
#[inline(always)]
unsafe fn multiply_1(to: *mut f32, value: f32, multiply: impl Fn(f32, f32) -> f32) {
    // SAFETY: the caller's.
    let mut old = unsafe { load_1_now(to) };
    loop {
        let new = multiply(f32::from_bits(old), value).to_bits();
        // SAFETY: the caller's.
        let found = unsafe { compare_and_swap(to.cast(), old, new) };
        if found == old {
            return;
        }
        old = found;
    }
}

/// Floats are ordered as signed integers if positive, and against unsigned integers if negative.
#[inline(always)]
unsafe fn min_1(to: *mut f32, value: f32) {
    // SAFETY: the caller's.
    unsafe {
        if value.is_nan() {
        } else if value.is_sign_positive() {
            asm!("red.global.min.s32 [{}], {};", in(reg64) to, in(reg32) value.to_bits(), options(nostack));
        } else {
            asm!("red.global.max.u32 [{}], {};", in(reg64) to, in(reg32) value.to_bits(), options(nostack));
        }
    }
}

/// As [`min_1`].
#[inline(always)]
unsafe fn max_1(to: *mut f32, value: f32) {
    // SAFETY: the caller's.
    unsafe {
        if value.is_nan() {
        } else if value.is_sign_positive() {
            asm!("red.global.max.s32 [{}], {};", in(reg64) to, in(reg32) value.to_bits(), options(nostack));
        } else {
            asm!("red.global.min.u32 [{}], {};", in(reg64) to, in(reg32) value.to_bits(), options(nostack));
        }
    }
}

/// The bits that are there now, which other threads may change.
#[inline(always)]
unsafe fn load_1_now(from: *const f32) -> u32 {
    let value;
    // SAFETY: the caller's.
    unsafe { asm!("ld.relaxed.gpu.global.u32 {}, [{}];", out(reg32) value, in(reg64) from, options(nostack)) }
    value
}

/// Writes `new` if `old` is there; what was there.
#[inline(always)]
unsafe fn compare_and_swap(to: *mut u32, old: u32, new: u32) -> u32 {
    let found;
    // SAFETY: the caller's.
    unsafe {
        asm!("atom.relaxed.gpu.global.cas.b32 {}, [{}], {}, {};", out(reg32) found, in(reg64) to, in(reg32) old,
            in(reg32) new, options(nostack));
    }
    found
}

/// The square root, rounded to nearest.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    let root;
    // SAFETY: touches registers alone.
    unsafe { asm!("sqrt.rn.f32 {}, {};", out(reg32) root, in(reg32) x, options(pure, nomem, nostack)) }
    root
}

/// The exponential function, to about 2 units in the last place near zero.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    exp2(x * core::f32::consts::LOG2_E)
}

/// The reciprocal, within 1 unit in the last place.
#[inline(always)]
pub fn reciprocal(x: f32) -> f32 {
    let reciprocal;
    // SAFETY: touches registers alone.
    unsafe { asm!("rcp.approx.ftz.f32 {}, {};", out(reg32) reciprocal, in(reg32) x, options(pure, nomem, nostack)) }
    reciprocal
}

/// Has the assembler leave the loop that begins here as it is: [`keep_turns_apart`](crate::unrolled::keep_turns_apart).
#[inline(always)]
pub fn keep_turns_apart() {
    // SAFETY: tells the assembler alone.
    unsafe { asm!(".pragma \"nounroll\";", options(nomem, nostack, preserves_flags)) }
}

/// The exponential function as [`exp`], but 0 where that is less than the least normal number: one instruction for the power in place of four.
#[inline(always)]
pub fn exp_flushed(x: f32) -> f32 {
    let exponent = x * core::f32::consts::LOG2_E;
    let power;
    // SAFETY: touches registers alone.
    unsafe { asm!("ex2.approx.ftz.f32 {}, {};", out(reg32) power, in(reg32) exponent, options(pure, nomem, nostack)) }
    power
}

/// 2 to a float, within 2 units in the last place.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let power;
    // SAFETY: touches registers alone.
    unsafe { asm!("ex2.approx.f32 {}, {};", out(reg32) power, in(reg32) x, options(pure, nomem, nostack)) }
    power
}

/// The natural logarithm, to an absolute error of about 2^-21 near one.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    log2(x) * core::f32::consts::LN_2
}

/// The logarithm to base 2, to an absolute error of about 2^-22 near one.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let logarithm;
    // SAFETY: touches registers alone.
    unsafe { asm!("lg2.approx.f32 {}, {};", out(reg32) logarithm, in(reg32) x, options(pure, nomem, nostack)) }
    logarithm
}

/// The greatest integer that is not greater.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    let integer;
    // SAFETY: touches registers alone.
    unsafe { asm!("cvt.rmi.f32.f32 {}, {};", out(reg32) integer, in(reg32) x, options(pure, nomem, nostack)) }
    integer
}

/// The least integer that is not less.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    let integer;
    // SAFETY: touches registers alone.
    unsafe { asm!("cvt.rpi.f32.f32 {}, {};", out(reg32) integer, in(reg32) x, options(pure, nomem, nostack)) }
    integer
}

/// The integer part.
#[inline(always)]
pub fn trunc(x: f32) -> f32 {
    let integer;
    // SAFETY: touches registers alone.
    unsafe { asm!("cvt.rzi.f32.f32 {}, {};", out(reg32) integer, in(reg32) x, options(pure, nomem, nostack)) }
    integer
}

/// The nearest integer, away from zero if there are two: what is added is the greatest float below a half, so that nothing less is rounded up.
#[inline(always)]
pub fn round(x: f32) -> f32 {
    trunc(x + 0.499_999_97_f32.copysign(x))
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub fn mul_add(a: f32, b: f32, c: f32) -> f32 {
    let result;
    // SAFETY: touches registers alone.
    unsafe {
        asm!("fma.rn.f32 {}, {}, {}, {};", out(reg32) result, in(reg32) a, in(reg32) b, in(reg32) c,
            options(pure, nomem, nostack));
    }
    result
}

/// A kernel has nobody to tell: it stops. The comment keeps the place in the PTX, where `check-ptx` finds it.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let place = info.location().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: the launch ends with an error that the host reports.
    unsafe { asm!("// panicked at {}", "trap;", in(reg64) place, options(noreturn)) }
}
