//! The history of an address against a list of all that was done there.

use super::clocks::{Clocks, Moment};
use super::history::{History, Now};
use super::moments::Slots;
use super::turns::Turns;
use super::*;

const LANES: u64 = 6;
const ACCESSES: [Access; 8] = [
    Access::Load,
    Access::Load,
    Access::LoadConstant,
    Access::Store,
    Access::Mark(0),
    Access::Mark(1),
    Access::Add,
    Access::Raise,
];

/// Whether an access is in the way of one before it, of which it has heard or not.
fn is_in_the_way(earlier: Access, later: Access, has_heard: bool) -> bool {
    let is_constant = earlier == Access::LoadConstant || later == Access::LoadConstant;
    let are_loads = earlier.is_load() && later.is_load();
    let are_alike = earlier == later && later.is_shared();
    !are_loads && (is_constant || !has_heard && !are_alike)
}

/// Random accesses and meetings of two blocks until one access is in the way of another; how many there were.
fn run(seed: u64) -> usize {
    let (mut turns, mut clocks, mut slots) =
        (Turns::new(Order::Random(seed)), Clocks::new(LANES as usize), Slots::default());
    let (mut history, mut all) = (History::default(), Vec::<(Moment, Access)>::new());
    // Most of the programs have no constants, which would end them soon, and few stores.
    let kinds = if turns.below(4) == 0 { ACCESSES.len() as u64 } else { 7 };
    for step in 0..60 {
        if step == 30 {
            clocks.start(1);
            slots.clear();
        }
        let lane = turns.below(LANES) as usize;
        if turns.below(3) > 0 {
            let with = (turns.below(1 << LANES) | turns.below(1 << LANES)) as usize | 1 << lane;
            clocks.meet((0..LANES as usize).filter(|member| with >> member & 1 == 1));
            continue;
        }
        let access = ACCESSES[(turns.below(kinds) + 3) as usize % ACCESSES.len()];
        let expected =
            all.iter().any(|(moment, earlier)| is_in_the_way(*earlier, access, clocks.is_before(*moment, lane)));
        let found = history.add(access, &mut Now { lane, clocks: &clocks, slots: &mut slots });
        assert_eq!(found.is_err(), expected, "seed {seed}, step {step}: {access:?} by {lane} after {all:?}");
        if let Err(conflict) = found {
            let is_one = |(moment, earlier): &(Moment, Access)| *moment == conflict.other && *earlier == conflict.by;
            assert!(all.iter().any(is_one), "seed {seed}: {conflict:?} is not among {all:?}");
            return all.len();
        }
        all.push((clocks.now(lane), access));
    }
    all.len()
}

#[test]
fn a_history_knows_what_a_list_of_all_accesses_knows() {
    let lengths: Vec<usize> = (0..20_000).map(run).collect();
    let long = lengths.iter().filter(|length| **length > 6).count();
    assert!(long > 1000, "only {long} programs come far");
}
