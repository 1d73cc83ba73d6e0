//! The orders of lanes, warps and blocks.

use std::cell::RefCell;

use super::*;

/// The threads of two blocks of two warps in the order in which they come out of a ballot.
fn turns(order: Order) -> Vec<u64> {
    let (_values, memory, _) = array(64);
    let turns = RefCell::new(Vec::new());
    let blocks = Blocks::of_tiles(2, 1, 2, 0);
    let body = |lane: EmulatedLane| {
        lane.ballot(u32::MAX, true);
        turns.borrow_mut().push(lane.thread());
    };
    Launch { memory: Some(&memory), blocks, order, is_over: false, begins_early: false }.run(&body).unwrap();
    turns.into_inner()
}

#[test]
fn lanes_warps_and_blocks_take_turns_in_order() {
    let forward: Vec<u64> = (0..128).collect();
    assert_eq!(turns(Order::Forward), forward);
    assert_eq!(turns(Order::Reversed), forward.iter().rev().copied().collect::<Vec<_>>());
    let mut random = turns(Order::Random(1));
    assert_eq!(random, turns(Order::Random(1)));
    assert!(random != turns(Order::Random(2)) && random != forward);
    let is_mixed = |lanes: &[u64]| lanes.windows(2).filter(|pair| pair[0] / 32 != pair[1] / 32).count() > 4;
    assert!(is_mixed(&random), "the warps of a block take turns");
    random.sort_unstable();
    assert_eq!(random, forward);
}

#[test]
fn an_error_names_the_order() {
    let said = |order| {
        let (_values, memory, label) = array(64);
        let launch = Launch {
            memory: Some(&memory),
            blocks: Blocks::of_threads(32),
            order,
            is_over: false,
            begins_early: false,
        };
        // SAFETY: the emulator stops the second lane.
        launch.run(&|lane| unsafe { lane.store(label, [1.0]) }).unwrap_err().to_string()
    };
    let [forward, reversed, random] = [Order::Forward, Order::Reversed, Order::Random(7)].map(said);
    assert!(forward.starts_with("warp 0: lane 1 stores") && forward.ends_with("without meeting it, in forward order"));
    assert!(reversed.starts_with("warp 0: lane 30 stores") && reversed.ends_with(", in reversed order"), "{reversed}");
    assert!(random.ends_with(", in the random order of seed 7") && random == said(Order::Random(7)), "{random}");
}

#[test]
fn groups_agree_in_every_order() {
    for order in ORDERS {
        let (_values, memory, label) = array(64);
        let launch = Launch {
            memory: Some(&memory),
            blocks: Blocks::of_threads(64),
            order,
            is_over: false,
            begins_early: false,
        };
        // SAFETY: each lane has a float of its own.
        let body = |lane: EmulatedLane| unsafe {
            let group = Group::<_, 8, 1>::of(lane, 8);
            let sum: f32 = (0..lane.lane() / 8 + 1).map(|_| group.sum([lane.thread() as f32])).sum();
            lane.store(label.add(lane.thread() as usize), [sum]);
        };
        launch.run(&body).unwrap();
        for thread in 0..64 {
            let first = thread / 8 * 8;
            let expected = (first..first + 8).sum::<usize>() * (thread % 32 / 8 + 1);
            // SAFETY: the launch is over.
            assert_eq!(unsafe { label.add(thread).read() }, expected as f32, "{order}");
        }
    }
}
