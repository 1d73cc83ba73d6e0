//! Warps of one block.

use super::*;

#[test]
fn warps_share_memory_after_a_barrier() {
    let (_values, memory, label) = array(3 * 64);
    let blocks = Blocks::of_tiles(3, 1, 2, 64);
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

/// Groups of two lanes: eight lanes of a warp have the same group of four tiles, and the next eight the next group.
#[test]
fn tiles_lie_side_by_side() {
    let (_values, memory, label) = array(2 * 2 * 64);
    let blocks = Blocks { beside: 4, lanes: 2, ..Blocks::of_tiles(2, 8, 2, 0) };
    // SAFETY: each lane has a float of its own.
    let body = |lane: EmulatedLane| unsafe {
        assert_eq!(lane.tile() % 4, lane.lane() / 2 % 4);
        assert_eq!(lane.thread() % 8, u64::from(lane.lane() / 8 * 2 + lane.lane() % 2));
        lane.store(label.add(lane.tile() as usize * 32 + lane.thread() as usize), [1.0]);
    };
    launch_blocks(&memory, blocks, &body).unwrap();
    // SAFETY: the launch is over.
    assert!((0..256).all(|at| unsafe { label.add(at).read() } == 1.0));
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
