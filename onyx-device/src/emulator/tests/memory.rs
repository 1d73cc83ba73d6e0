//! Arrays: where they end, how they are aligned, and what is in them.

use super::*;

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
fn products_and_bounds_are_checked_as_sums_are() {
    type Combine = unsafe fn(EmulatedLane, *mut f32, [f32; 4]);
    let combines: [(Combine, _); 3] =
        [(EmulatedLane::multiply, "multiplies"), (EmulatedLane::min, "lowers"), (EmulatedLane::max, "raises")];
    for (combine, verb) in combines {
        // SAFETY: the emulator stops the lane before it writes.
        let error = mistake(32, |lane, label| unsafe { combine(lane, label.add(64), [1.0; 4]) });
        assert!(error.contains(&format!("lane 0 {verb} 16 bytes at offset 256 of label")), "{error}");
    }
    type CombineBits = unsafe fn(EmulatedLane, *mut u32, u32);
    let combines: [(CombineBits, _); 2] = [(EmulatedLane::or_u32, "ors"), (EmulatedLane::and_u32, "ands")];
    for (combine, verb) in combines {
        // SAFETY: as above.
        let error = mistake(32, |lane, label| unsafe { combine(lane, label.add(64).cast(), 1) });
        assert!(error.contains(&format!("lane 0 {verb} 4 bytes at offset 256 of label")), "{error}");
    }
}

#[test]
fn one_lane_alone_swaps_what_all_compare_with() {
    let (_values, memory, label) = array(64);
    // SAFETY: all lanes compare and swap.
    let body = |lane: EmulatedLane| unsafe {
        let found = lane.compare_and_swap(label.add(2).cast(), 0, lane.lane() + 1);
        assert_eq!(found == 0, lane.lane() == 0);
    };
    launch_in(&memory, 32, &body).unwrap();
    // SAFETY: the emulator stops the lane before it writes.
    let error = mistake(32, |lane, label| _ = unsafe { lane.compare_and_swap(label.add(64).cast(), 0, 1) });
    assert!(error.contains("lane 0 swaps 4 bytes at offset 256 of label"), "{error}");
}

#[test]
fn what_was_forgotten_is_stored_before_it_is_read() {
    let (_values, memory, label) = array(64);
    memory.forget("label");
    // SAFETY: the emulator stops the lane that goes wrong.
    let body = |lane: EmulatedLane| unsafe {
        lane.store(label.add(lane.thread() as usize), [1.0]);
        lane.add(label.add(lane.thread() as usize), [1.0]);
        if lane.thread() == 31 {
            lane.add(label.add(32), [1.0]);
        }
    };
    let error = launch_in(&memory, 32, &body).unwrap_err().mistake.to_string();
    assert_eq!(error, "warp 0: lane 31 adds at offset 128 of label, where no lane has stored");
}

#[test]
fn nothing_is_written_once_the_run_is_over() {
    let (_values, memory, label) = array(64);
    let (blocks, order) = (Blocks::of_threads(32), Order::Forward);
    let launch = Launch { memory: Some(&memory), blocks, order, is_over: true, begins_early: false };
    // SAFETY: the lanes read.
    launch.run(&|lane| _ = unsafe { lane.load::<1>(label) }).unwrap();
    // SAFETY: the emulator stops the lane before it stores.
    let error = launch.run(&|lane| unsafe { lane.store_mark(label.cast(), 1) }).unwrap_err();
    assert_eq!(error.mistake.to_string(), "warp 0: lane 0 marks at offset 0 of label, although the run is over");
}
