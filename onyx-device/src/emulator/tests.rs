//! Planted mistakes, and what is said of them.

use super::*;
use crate::block::Block;
use crate::group::Group;
use crate::machine::Machine;
use std::sync::Mutex;

fn collect(body: impl Fn(EmulatedLane) -> f32) -> Vec<f32> {
    let results = Mutex::new(vec![f32::NAN; 32]);
    launch(32, &|lane| {
        let value = body(lane);
        results.lock().unwrap()[lane.lane() as usize] = value;
    })
    .unwrap();
    results.into_inner().unwrap()
}

#[test]
fn groups_sum_over_their_own_lanes() {
    let sums = collect(|lane| Group::<_, 8, 1>::of(lane, 8).sum([lane.lane() as f32]));
    for (lane, sum) in sums.iter().enumerate() {
        let first = lane / 8 * 8;
        assert_eq!(*sum, (first..first + 8).sum::<usize>() as f32);
    }
}

#[test]
fn padding_takes_no_part() {
    let sums = collect(|lane| Group::<_, 2, 4>::of(lane, 5).sum([1.0; 4]));
    assert_eq!(sums, vec![5.0; 32]);
}

#[test]
fn groups_diverge_without_harm() {
    let sums = collect(|lane| {
        let group = Group::<_, 4, 1>::of(lane, 4);
        let rounds = lane.lane() / 4 + 1;
        (0..rounds).map(|_| group.sum([1.0])).sum()
    });
    assert_eq!(sums[31], 32.0);
    assert_eq!(sums[0], 4.0);
}

#[test]
fn each_lane_may_look_at_another() {
    let values = collect(|lane| {
        let (own, partner) = (lane.lane(), 31 - lane.lane());
        (lane.shuffle_from_u64(u32::MAX, u64::from(own) << 32 | 7, partner) >> 32) as f32
    });
    assert_eq!(values, (0..32).rev().map(|lane| lane as f32).collect::<Vec<_>>());
}

#[test]
fn sums_grow_from_lane_to_lane() {
    let sums = collect(|lane| crate::schedule::prefix_sum::inclusive(lane, lane.lane() + 1) as f32);
    assert_eq!(sums, (1..33).map(|lane| (lane * (lane + 1) / 2) as f32).collect::<Vec<_>>());
}

#[test]
fn a_ballot_has_a_bit_for_each_lane() {
    let votes = collect(|lane| lane.ballot(u32::MAX, lane.lane() < 3) as f32);
    assert_eq!(votes, vec![7.0; 32]);
}

#[test]
fn a_lane_that_skips_a_ballot_is_reported() {
    let error = launch(32, &|lane| {
        if lane.lane() != 5 {
            lane.ballot(u32::MAX, true);
        }
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "warp 0: lanes 0-4, 6-31 wait at a ballot of lanes 0-31, but lane 5 has returned");
}

#[test]
fn a_lane_at_another_operation_is_reported() {
    let error = launch(32, &|lane| {
        if lane.lane() == 0 {
            lane.shuffle_xor(u32::MAX, 0.0, 1);
        } else {
            lane.ballot(u32::MAX, true);
        }
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "warp 0: lane 0 waits at a shuffle of lanes 0-31, but lanes 1-31 are at another operation"
    );
}

#[test]
fn a_lane_that_names_no_part_in_its_own_operation_is_reported() {
    let error = launch(32, &|lane| {
        lane.ballot(1, true);
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "warp 0: lane 1 calls a ballot of lane 0, in which it takes no part");
}

#[test]
fn a_shuffle_that_reads_a_lane_outside_of_its_members_is_reported() {
    let error = launch(32, &|lane| {
        if lane.lane() < 8 {
            lane.shuffle_xor(0xff, 0.0, 16);
        }
    })
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "warp 0: lane 0 reads lane 16 in a shuffle of lanes 0-7, in which that takes no part"
    );
}

/// An array that begins at a multiple of 16 bytes, by its name and its length in floats.
fn array(length: usize) -> (Vec<[u128; 1]>, Memory, *mut f32) {
    let mut values = vec![[0_u128]; length.div_ceil(4)];
    let pointer = values.as_mut_ptr().cast::<f32>();
    let mut memory = Memory::default();
    memory.add("label", pointer.addr(), length * 4);
    (values, memory, pointer)
}

/// What one warp does wrong with 64 floats.
fn mistake(threads: u64, body: impl Fn(EmulatedLane, *mut f32)) -> String {
    let (_values, memory, pointer) = array(64);
    launch_in(&memory, threads, &|lane| body(lane, pointer)).unwrap_err().to_string()
}

#[test]
fn an_out_of_bounds_row_is_reported() {
    // SAFETY: the emulator stops the lane before it reads.
    let error = mistake(64, |lane, label| unsafe {
        lane.load::<4>(label.add(lane.thread() as usize * 4));
    });
    assert_eq!(
        error,
        "warp 0: lane 16 loads 16 bytes at offset 256 of label, which has 256 bytes: an out-of-bounds row"
    );
    // SAFETY: as above.
    let error = mistake(32, |lane, label| unsafe { lane.store(label.wrapping_sub(4), [0.0; 4]) });
    assert!(error.contains("stores 16 bytes at offset -16 of label"), "{error}");
}

#[test]
fn a_misaligned_row_is_reported() {
    // SAFETY: the emulator stops the lane before it reads.
    let error = mistake(32, |lane, label| unsafe {
        lane.load::<4>(label.add(1));
    });
    assert_eq!(
        error,
        "warp 0: lane 0 loads 16 bytes at offset 4 of label, which is no multiple of 16: a misaligned row"
    );
}

#[test]
fn two_lanes_that_write_one_address_in_one_step_are_reported() {
    // SAFETY: the emulator stops the second lane.
    let error = mistake(32, |lane, label| unsafe { lane.store(label.add(lane.lane() as usize % 16), [1.0]) });
    let expected = "warp 0: lane 16 stores at offset 0 of label, where lane 0 of warp 0 has stored without meeting it";
    assert_eq!(error, expected);
}

#[test]
fn two_warps_that_write_one_address_are_reported() {
    // SAFETY: the emulator stops the second warp.
    let error = mistake(64, |lane, label| unsafe {
        lane.store(label.add(lane.lane() as usize), [1.0]);
    });
    assert!(error.contains("warp 1: lane 0 stores at offset 0 of label, where lane 0 of warp 0"), "{error}");
}

#[test]
fn a_store_where_another_lane_adds_is_reported() {
    // SAFETY: the emulator stops the second lane.
    let stores_last = mistake(32, |lane, label| unsafe {
        if lane.lane() < 31 { lane.add(label, [1.0]) } else { lane.store(label, [1.0]) }
    });
    assert!(
        stores_last.contains("lane 31 stores at offset 0 of label, where lane 30 of warp 0 has added"),
        "{stores_last}"
    );
    // SAFETY: the emulator stops the second lane.
    let stores_first = mistake(32, |lane, label| unsafe {
        if lane.lane() > 0 { lane.add(label, [1.0]) } else { lane.store(label, [1.0]) }
    });
    assert!(
        stores_first.contains("lane 1 adds at offset 0 of label, where lane 0 of warp 0 has stored"),
        "{stores_first}"
    );
}

#[test]
fn lanes_that_meet_may_write_one_address_in_turn() {
    let (_values, memory, label) = array(64);
    // SAFETY: the lanes write in turn.
    let body = |lane: EmulatedLane| unsafe {
        for turn in 0..4 {
            if lane.lane() == turn {
                lane.store(label, [turn as f32]);
            }
            lane.synchronize(u32::MAX);
        }
    };
    launch_in(&memory, 32, &body).unwrap();
}

#[test]
fn lanes_may_leave_the_same_mark_and_add_to_one_address() {
    let (_values, memory, label) = array(64);
    // SAFETY: marks are alike and the rest is atomic.
    let body = |lane: EmulatedLane| unsafe {
        lane.store_mark(label.add(8).cast(), 1);
        lane.add(label, [1.0; 4]);
    };
    launch_in(&memory, 64, &body).unwrap();
    // SAFETY: the emulator stops the second lane.
    let error = mistake(32, |lane, label| unsafe { lane.store_mark(label.cast(), lane.lane() as u8) });
    assert!(error.contains("lane 1 marks at offset 0 of label"), "{error}");
}

/// What one block of two warps does wrong with 64 floats of shared memory.
fn block_mistake(body: impl Fn(EmulatedLane)) -> String {
    let (_values, memory, _) = array(64);
    let blocks = Blocks { count: 1, warps: 2, shared_floats: 64 };
    launch_blocks(&memory, blocks, &body).unwrap_err().to_string()
}

/// This lane's number in its block.
fn number(lane: EmulatedLane) -> u32 {
    lane.warp() * WARP + lane.lane()
}

#[test]
fn warps_share_memory_behind_a_barrier() {
    let (_values, memory, label) = array(3 * 64);
    let blocks = Blocks { count: 3, warps: 2, shared_floats: 64 };
    // SAFETY: the block meets between its stores and its loads.
    let body = |lane: EmulatedLane| unsafe {
        for round in 0..2 {
            lane.store_shared(number(lane), [lane.thread() as f32 + round as f32]);
            lane.synchronize_block();
            let [value] = lane.load_shared(63 - number(lane));
            lane.store(label.add(lane.thread() as usize), [value]);
            lane.synchronize_block();
        }
    };
    launch_blocks(&memory, blocks, &body).unwrap();
    for thread in 0..3 * 64 {
        // SAFETY: the launch is over.
        let value = unsafe { label.add(thread).read() };
        assert_eq!(value, (thread / 64 * 64 + 63 - thread % 64 + 1) as f32);
    }
}

#[test]
fn a_lane_that_skips_the_barrier_is_reported() {
    let error = block_mistake(|lane| {
        if number(lane) != 37 {
            lane.synchronize_block();
        }
    });
    assert_eq!(error, "block 0: 63 lanes wait at its barrier, but lane 5 of warp 1 has returned");
    let error = block_mistake(|lane| {
        if number(lane) == 3 {
            lane.ballot(u32::MAX, true);
        } else {
            lane.synchronize_block();
        }
    });
    assert_eq!(error, "warp 0: lane 3 waits at a ballot of lanes 0-31, but lanes 0-2, 4-31 are at another operation");
}

#[test]
fn shared_memory_that_is_read_before_the_block_has_met_is_reported() {
    // SAFETY: the emulator stops the lane before it reads.
    let error = block_mistake(|lane| unsafe {
        lane.store_shared(number(lane), [1.0]);
        lane.synchronize(u32::MAX);
        if lane.warp() == 1 {
            lane.load_shared::<1>(0);
        }
    });
    let stored = "loads at offset 0 of the shared memory, where lane 0 of warp 0 has stored without meeting it";
    assert!(error.ends_with(stored), "{error}");
    // SAFETY: as above.
    let error = block_mistake(|lane| unsafe {
        lane.store_shared(number(lane), [1.0]);
        lane.synchronize_block();
        if lane.warp() == 0 {
            lane.load_shared::<1>(63 - number(lane));
        } else {
            lane.store_shared(number(lane), [2.0]);
        }
    });
    assert!(error.ends_with("has loaded without meeting it"), "{error}");
}

#[test]
fn shared_memory_that_is_not_there_is_reported() {
    // SAFETY: the emulator stops the lane before it reads.
    let error = block_mistake(|lane| unsafe {
        lane.load_shared::<1>(7);
    });
    assert_eq!(error, "warp 0: lane 0 loads at offset 28 of the shared memory, where no lane has stored");
    // SAFETY: as above.
    let error = block_mistake(|lane| unsafe { lane.store_shared(number(lane) * 4, [0.0; 4]) });
    assert!(error.contains("lane 16 stores 16 bytes at offset 256 of the shared memory"), "{error}");
    // SAFETY: as above.
    let error = block_mistake(|lane| unsafe { lane.store_shared(number(lane) / 2, [0.0]) });
    assert!(error.contains("lane 1 stores at offset 0 of the shared memory"), "{error}");
}

#[test]
fn products_and_bounds_are_checked_as_sums_are() {
    type Combine = unsafe fn(EmulatedLane, *mut f32, [f32; 4]);
    for combine in [EmulatedLane::multiply::<4> as Combine, EmulatedLane::min::<4>, EmulatedLane::max::<4>] {
        // SAFETY: the emulator stops the lane before it writes.
        let error = mistake(32, |lane, label| unsafe { combine(lane, label.add(64), [1.0; 4]) });
        assert!(error.contains("lane 0 adds 16 bytes at offset 256 of label"), "{error}");
    }
}
