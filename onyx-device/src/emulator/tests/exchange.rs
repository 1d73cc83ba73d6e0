//! Shuffles and ballots.

use std::sync::Mutex;

use super::*;

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
    assert_eq!(
        error.mistake.to_string(),
        "warp 0: lanes 0-4, 6-31 wait at a ballot of lanes 0-31, but lane 5 has returned"
    );
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
        error.mistake.to_string(),
        "warp 0: lane 0 waits at a shuffle of lanes 0-31, but lanes 1-31 are at another operation"
    );
}

#[test]
fn a_lane_that_names_no_part_in_its_own_operation_is_reported() {
    let error = launch(32, &|lane| {
        lane.ballot(1, true);
    })
    .unwrap_err();
    assert_eq!(error.mistake.to_string(), "warp 0: lane 1 calls a ballot of lane 0, in which it takes no part");
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
        error.mistake.to_string(),
        "warp 0: lane 0 reads lane 16 in a shuffle of lanes 0-7, in which that takes no part"
    );
}

#[test]
fn a_look_at_a_lane_outside_of_the_members_is_reported() {
    let said = |body: &dyn Fn(EmulatedLane)| launch(32, body).unwrap_err().mistake.to_string();
    let error = said(&|lane| {
        if lane.lane() < 8 {
            lane.shuffle_from(0xff, 1, lane.lane() + 1);
        }
    });
    assert_eq!(error, "warp 0: lane 7 reads lane 8 in a shuffle of lanes 0-7, in which that takes no part");
    let error = said(&|lane| {
        lane.shuffle_from(u32::MAX, 1, lane.lane() + 1);
    });
    assert_eq!(error, "warp 0: lane 31 reads lane 32 in a shuffle of lanes 0-31, in which that takes no part");
}

#[test]
fn a_ballot_is_no_synchronization() {
    let error = launch(32, &|lane| {
        if lane.lane() < 16 {
            lane.synchronize(u32::MAX);
        } else {
            lane.ballot(u32::MAX, true);
        }
    })
    .unwrap_err();
    assert_eq!(
        error.mistake.to_string(),
        "warp 0: lanes 0-15 wait at a synchronization of lanes 0-31, but lanes 16-31 are at another operation"
    );
}

#[test]
fn a_lane_that_is_kept_meets_nobody_after_its_kernel() {
    let kept = std::cell::Cell::new(None);
    launch(32, &|lane| kept.set(Some(lane))).unwrap();
    let met = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| kept.get().unwrap().synchronize(1)));
    let message = *met.unwrap_err().downcast::<&str>().unwrap();
    assert_eq!(message, "a lane meets others while its kernel runs, not after that");
}
