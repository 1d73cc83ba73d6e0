//! Launches that begin before the one before has ended.

use super::*;

/// What is said of a second launch that begins early, after one that stores the first 32 floats and loads the next 32.
fn said(second: impl Fn(EmulatedLane, *mut f32)) -> Option<String> {
    let (_values, memory, label) = array(128);
    // SAFETY: there are so many floats.
    let first = |lane: EmulatedLane| unsafe {
        let own = label.add(lane.thread() as usize);
        lane.store(own, lane.load::<1>(own.add(32)));
    };
    launch_in(&memory, 32, &first).unwrap();
    early(&memory, &|lane| second(lane, label))
}

fn early(memory: &Memory, body: &dyn Fn(EmulatedLane)) -> Option<String> {
    let (blocks, order) = (Blocks::of_threads(32), Order::Forward);
    let launch = Launch { memory: Some(memory), blocks, order, is_over: false, begins_early: true };
    launch.run(body).err().map(|error| error.mistake.to_string())
}

#[test]
fn what_the_launch_before_writes_is_waited_for() {
    // SAFETY: there are so many floats, and the emulator stops what goes wrong.
    let found = said(|lane, label| _ = unsafe { lane.load::<1>(label.add(lane.thread() as usize)) });
    let expected =
        "warp 0: lane 0 loads at offset 0 of label, which the launch before writes, without waiting for that";
    assert_eq!(found.unwrap(), expected);
    let waiting = said(|lane, label| {
        lane.wait_for_launch_before();
        // SAFETY: there are so many floats.
        unsafe { lane.load::<1>(label.add(lane.thread() as usize)) };
    });
    assert_eq!(waiting, None);
}

#[test]
fn what_the_launch_before_loads_is_not_written_before_that_has_ended() {
    // SAFETY: there are so many floats, and the emulator stops what goes wrong.
    let found = said(|lane, label| unsafe { lane.add(label.add(32 + lane.thread() as usize), [1.0]) });
    let expected =
        "warp 0: lane 0 adds at offset 128 of label, which the launch before reaches, without waiting for that";
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn what_the_launch_before_leaves_alone_is_free() {
    let found = said(|lane, label| {
        // SAFETY: there are so many floats.
        unsafe {
            let own = label.add(64 + lane.thread() as usize);
            lane.store(own, lane.load::<1>(label.add(32)));
        }
        lane.wait_for_launch_before();
    });
    assert_eq!(found, None);
}

#[test]
fn both_may_combine_by_one_operator() {
    let second = |combine: fn(EmulatedLane, *mut f32)| {
        let (_values, memory, label) = array(128);
        // SAFETY: there are so many floats.
        launch_in(&memory, 32, &|lane| unsafe { lane.add(label, [1.0]) }).unwrap();
        early(&memory, &|lane| {
            combine(lane, label);
            lane.wait_for_launch_before();
        })
    };
    // SAFETY: there are so many floats, and the emulator stops what goes wrong.
    assert_eq!(second(|lane, label| unsafe { lane.add(label, [1.0]) }), None);
    // SAFETY: as above.
    let least = second(|lane, label| unsafe { lane.min(label, [1.0]) });
    assert!(least.is_some_and(|found| found.contains("at offset 0 of label, which the launch before reaches")));
}

#[test]
fn a_lane_that_has_not_waited_is_found_after_others_have() {
    let found = said(|lane, label| {
        if lane.lane() != 3 {
            lane.wait_for_launch_before();
        }
        // SAFETY: there are so many floats, and the emulator stops what goes wrong.
        unsafe { lane.load::<1>(label.add(lane.thread() as usize)) };
    });
    assert!(found.unwrap().starts_with("warp 0: lane 3 loads at offset 12"));
}

#[test]
fn who_never_waits_lets_the_next_launch_begin_too_early() {
    assert_eq!(said(|_, _| {}).unwrap(), "no lane waits for the launch before");
}

/// The launch before the one before may be under way as long as that may.
#[test]
fn a_launch_waits_for_all_that_may_be_under_way() {
    let (_values, memory, label) = array(128);
    // SAFETY: there are so many floats, and the emulator stops what goes wrong.
    let store = |lane: EmulatedLane| unsafe { lane.store(label.add(lane.thread() as usize), [1.0]) };
    launch_in(&memory, 32, &store).unwrap();
    assert_eq!(early(&memory, &|lane| lane.wait_for_launch_before()), None);
    let found = early(&memory, &store);
    assert!(found.is_some_and(|found| found.contains("which the launch before reaches")));
    // After a launch that begins when all before it has ended there is nothing to wait for.
    launch_in(&memory, 32, &|_| {}).unwrap();
    assert_eq!(early(&memory, &|lane| (store(lane), lane.wait_for_launch_before()).1), None);
}
