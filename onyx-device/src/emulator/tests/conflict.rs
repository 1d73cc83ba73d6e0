//! Lanes that are in each other's way.

use super::*;
use crate::gather::{Misses, Noted, Number, Reach, number_of};

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
        stores_last.contains("lane 31 stores at offset 0 of label, where lane 0 of warp 0 has added"),
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

#[test]
fn a_load_of_what_another_lane_stores_is_reported() {
    // SAFETY: the emulator stops the second lane.
    let body = |lane: EmulatedLane, label: *mut f32| unsafe {
        match lane.thread() {
            0 => lane.store(label, [1.0]),
            63 => _ = lane.load::<1>(label),
            _ => {}
        }
    };
    assert!(conflicts(64, body));
    let found = in_every_order(64, body);
    let said: Vec<String> = found.into_iter().flatten().map(|mistake| mistake.to_string()).collect();
    let loads = "warp 1: lane 31 loads at offset 0 of label, where lane 0 of warp 0 has stored without meeting it";
    let stores = "warp 0: lane 0 stores at offset 0 of label, where lane 31 of warp 1 has loaded without meeting it";
    assert_eq!(said[..2], [loads, stores]);
}

/// What lane 0 does, then what lane 1 does, with a meeting in between or without.
fn first_then_second(
    meeting: bool,
    first: impl Fn(EmulatedLane, *mut f32),
    second: impl Fn(EmulatedLane, *mut f32),
) -> bool {
    conflicts(32, |lane, label| {
        if lane.lane() == 0 {
            first(lane, label);
        }
        if meeting {
            lane.synchronize(u32::MAX);
        }
        if lane.lane() == 1 {
            second(lane, label);
        }
    })
}

#[test]
fn only_equal_marks_one_operator_and_swaps_need_no_meeting() {
    type Does = fn(EmulatedLane, *mut f32);
    // SAFETY: the emulator stops the second lane.
    let all: [(&str, Does); 10] = unsafe {
        [
            ("load", |lane, at| _ = lane.load::<1>(at)),
            ("load a mark", |lane, at| _ = lane.load_mark(at.cast())),
            ("store", |lane, at| lane.store(at, [1.0])),
            ("mark 0", |lane, at| lane.store_mark(at.cast(), 0)),
            ("mark 1", |lane, at| lane.store_mark(at.cast(), 1)),
            ("add", |lane, at| lane.add(at, [1.0])),
            ("multiply", |lane, at| lane.multiply(at, [1.0])),
            ("lower", |lane, at| lane.min(at, [1.0])),
            ("raise", |lane, at| lane.max(at, [1.0])),
            ("swap", |lane, at| _ = lane.compare_and_swap(at.cast(), 0, 1)),
        ]
    };
    for (first, does_first) in all {
        for (second, does_second) in all {
            let is_legal =
                first.starts_with("load") && second.starts_with("load") || first == second && first != "store";
            assert_eq!(first_then_second(false, does_first, does_second), !is_legal, "{first}, {second}");
            assert!(!first_then_second(true, does_first, does_second), "{first}, {second} after a meeting");
        }
    }
}

#[test]
fn shuffles_and_ballots_order_no_memory() {
    let hands_on = |exchange: fn(EmulatedLane)| {
        // SAFETY: the emulator stops the second lane.
        conflicts(32, move |lane, label| unsafe {
            if lane.lane() == 0 {
                lane.store(label, [1.0]);
            }
            exchange(lane);
            if lane.lane() == 1 {
                lane.load::<1>(label);
            }
        })
    };
    assert!(hands_on(|lane| _ = lane.ballot(u32::MAX, true)));
    assert!(hands_on(|lane| _ = lane.shuffle_xor(u32::MAX, 1.0, 1)));
    assert!(hands_on(|lane| _ = lane.shuffle_from(u32::MAX, 1, 0)));
    assert!(hands_on(|lane| lane.synchronize(1 << lane.lane())));
    assert!(!hands_on(|lane| lane.synchronize(0xff << (lane.lane() & !7))));
}

#[test]
fn a_store_must_come_after_every_load() {
    let stores_after = |members: u32| {
        // SAFETY: the emulator stops the lane that stores.
        conflicts(32, move |lane, label| unsafe {
            if lane.lane() < 8 {
                lane.load::<1>(label);
            }
            if members >> lane.lane() & 1 == 1 {
                lane.synchronize(members);
            }
            if lane.lane() == 0 {
                lane.store(label, [1.0]);
            }
        })
    };
    assert!(stores_after(0x7f) && stores_after(1) && !stores_after(0xff) && !stores_after(u32::MAX));
}

#[test]
fn lanes_that_have_added_may_be_met_together() {
    let reads = |members: u32| {
        // SAFETY: the emulator stops the lane that loads.
        conflicts(32, move |lane, label| unsafe {
            lane.add(label, [1.0]);
            if members >> lane.lane() & 1 == 1 {
                lane.synchronize(members);
            }
            if lane.lane() == 0 {
                lane.load::<1>(label);
            }
        })
    };
    assert!(reads(0xffff) && !reads(u32::MAX));
}

#[test]
fn a_mark_of_another_value_must_come_after_all_others() {
    let marks = |second: u32| {
        // SAFETY: the emulator stops a lane that goes wrong.
        conflicts(32, move |lane, label| unsafe {
            if lane.lane() < 2 {
                lane.store_mark(label.cast(), 1);
                lane.synchronize(3);
            }
            // Lane 0 has met lane 1, lane 2 has not.
            if lane.lane() == 0 || lane.lane() == second {
                lane.store_mark(label.cast(), 0);
            }
        })
    };
    assert!(!marks(1) && marks(2));
}

#[test]
fn what_is_loaded_as_constant_is_never_written() {
    // SAFETY: the emulator stops the lane that goes wrong.
    let loads_first = mistake(32, |lane, label| unsafe {
        lane.load_u32(label.cast());
        lane.synchronize(u32::MAX);
        if lane.lane() == 5 {
            lane.store(label, [1.0]);
        }
    });
    let expected = "warp 0: lane 5 stores at offset 0 of label, where lane 0 of warp 0 has loaded what nothing may write in the same launch";
    assert_eq!(loads_first, expected);
    // SAFETY: as above.
    let stores_first = mistake(32, |lane, label| unsafe {
        if lane.lane() == 5 {
            lane.add_u64(label.cast(), 1);
            lane.load_u64(label.cast());
        }
    });
    let expected = "warp 0: lane 5 loads at offset 0 of label, where lane 5 of warp 0 has added in the same launch, although it loads what nothing may write";
    assert_eq!(stores_first, expected);
}

#[test]
fn bytes_are_parts_of_words() {
    // SAFETY: the emulator stops the lane that goes wrong.
    let byte_first = mistake(32, |lane, label| unsafe {
        match lane.lane() {
            0 => lane.store_mark(label.cast::<u8>().add(6), 1),
            1 => _ = lane.add_u64(label.cast(), 1),
            _ => {}
        }
    });
    assert!(byte_first.contains("lane 1 adds at offset 6 of label, where lane 0 of warp 0 has marked"), "{byte_first}");
    // SAFETY: as above.
    let word_first = mistake(32, |lane, label| unsafe {
        match lane.lane() {
            0..2 => _ = lane.load::<2>(label),
            2 => lane.store_mark(label.cast::<u8>().add(6), 1),
            _ => {}
        }
    });
    assert!(
        word_first.contains("lane 2 marks at offset 6 of label, where lane 0 of warp 0 has loaded"),
        "{word_first}"
    );
}

#[test]
fn a_read_at_a_computed_vertex_of_what_another_lane_writes_is_reported() {
    // SAFETY: the emulator stops the lane that reads.
    let error = mistake(32, |lane, label| unsafe {
        let (own, group) = (lane.lane(), Group::<_, 1, 1>::of(lane, 1));
        lane.store(label.add(own as usize), [1.0]);
        let found = Misses::default().bounded(0, (own + 31) % 32, 32);
        let _ = found.scalar(group, label.add(found.number as usize));
    });
    assert!(error.contains("loads at offset") && error.contains("has stored without meeting it"), "{error}");
}

#[test]
fn an_index_out_of_range_reaches_no_memory_and_is_noted_once() {
    let (_values, mut memory, label) = array(64);
    let mut noted = Noted::default();
    memory.add("noted", (&raw const noted).addr(), size_of::<Noted>());
    let reach = Reach { vertices: 64, noted: &raw mut noted };
    // SAFETY: what is out of range is not read.
    let body = |lane: EmulatedLane| unsafe {
        let (misses, group) = (Misses::default(), Group::<_, 1, 1>::of(lane, 1));
        let index = if lane.lane().is_multiple_of(2) { u32::MAX - lane.lane() } else { lane.lane() };
        let found = misses.bounded(3, index, reach.vertices);
        let value = found.scalar(group, label.add(found.number as usize));
        assert!(lane.lane() % 2 == 1 || value == 0.0);
        misses.report(group, reach, Number::Vertex(lane.lane()), number_of("look"));
    };
    launch_in(&memory, 32, &body).unwrap();
    let Number::Vertex(vertex) = noted.element() else { panic!("{noted:?}") };
    let (index, function) = (u32::MAX - vertex, number_of("look"));
    assert_eq!((noted.count, noted.property, noted.index, noted.function), (16, 3, index, function));
}
