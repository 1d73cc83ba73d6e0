//! Which acts have to wait for which.

use bitvec::vec::BitVec;

use super::effects::Effects;

/// The part of the cache that an act may reach and still be beside another one where one of both gathers. Without a bound, steps on large graphs took up to 1.4 times as
/// long (`docs/performance.md`).
const PART: u64 = 4;

/// For each act the earlier ones that it has to wait for, but for those that others of them wait for. One that gathers and another one follow each other as well, if they would take a
/// cache of so many bytes from each other.
pub(super) fn order(effects: &[Effects], cache: u64) -> Vec<Vec<usize>> {
    let are_large: Vec<bool> = effects.iter().map(|effects| effects.bytes() > cache / PART).collect();
    let waits = |number: usize, earlier: usize| {
        let (one, other) = (&effects[number], &effects[earlier]);
        let need_cache = are_large[number] && are_large[earlier] && (one.gathers() || other.gathers());
        need_cache || one.collide(other)
    };
    let mut before: Vec<BitVec> = Vec::with_capacity(effects.len());
    let mut order = Vec::with_capacity(effects.len());
    for number in 0..effects.len() {
        let (mut all, mut direct) = (BitVec::repeat(false, number), Vec::new());
        for earlier in (0..number).rev() {
            if !all[earlier] && waits(number, earlier) {
                direct.push(earlier);
                all.set(earlier, true);
                before[earlier].iter_ones().for_each(|waited| all.set(waited, true));
            }
        }
        before.push(all);
        order.push(direct);
    }
    order
}

/// The acts that none waits for.
pub(super) fn last(order: &[Vec<usize>]) -> Vec<usize> {
    let mut is_last = vec![true; order.len()];
    order.iter().flatten().for_each(|waited| is_last[*waited] = false);
    (0..order.len()).filter(|number| is_last[*number]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Large enough for what reaches single bytes.
    const CACHE: u64 = 1000;

    fn effects(reads: &[u64], writes: &[u64]) -> Effects {
        let read = reads.iter().fold(Effects::default(), |effects, at| effects.reading(*at..*at + 1));
        writes.iter().fold(read, |effects, at| effects.writing(*at..*at + 1))
    }

    #[test]
    fn what_shares_nothing_does_not_wait() {
        let [activations, gradient, input, learned] = [1, 2, 3, 4];
        let acts = [
            effects(&[activations], &[gradient]),
            effects(&[gradient, activations], &[learned]),
            effects(&[gradient], &[input]),
            effects(&[input], &[activations]),
        ];
        // The last one overwrites what the first two read.
        assert_eq!(order(&acts, CACHE), [vec![], vec![0], vec![0], vec![2, 1]]);
        assert_eq!(last(&order(&acts, CACHE)), [3]);
        assert_eq!(last(&order(&acts[..3], CACHE)), [1, 2]);
    }

    #[test]
    fn what_nobody_knows_waits_for_all_and_is_waited_for() {
        let acts = [effects(&[1], &[]), effects(&[2], &[]), Effects::UNKNOWN, effects(&[3], &[]), effects(&[4], &[])];
        assert_eq!(order(&acts, CACHE), [vec![], vec![], vec![1, 0], vec![2], vec![2]]);
        assert!(order(&[], CACHE).is_empty() && last(&[]).is_empty());
    }

    #[test]
    fn what_would_take_the_cache_from_each_other_follows_each_other() {
        let (small, large) = (0..5, [100..126, 200..226, 300..326]);
        let reading = |addresses: &std::ops::Range<u64>| Effects::default().reading(addresses.clone());
        let acts = [reading(&large[0]), reading(&small), reading(&large[1]), reading(&small), reading(&large[2])];
        let gathering = acts.clone().map(|act| act.gathering(true));
        assert_eq!(order(&gathering, 100), [vec![], vec![], vec![0], vec![], vec![2]]);
        assert!(order(&gathering, 104).iter().all(Vec::is_empty));
        // Who goes through memory once loses nothing.
        assert!(order(&acts, 100).iter().all(Vec::is_empty));
        let [first, _, second, _, third] = acts;
        assert_eq!(order(&[first, second.gathering(true), third], 100), [vec![], vec![0], vec![1]]);
    }

    /// The acts that have run when act `number` begins, if each begins as soon as it may.
    fn waited(order: &[Vec<usize>], number: usize) -> Vec<bool> {
        let mut all = vec![false; order.len()];
        for earlier in &order[number] {
            all[*earlier] = true;
            waited(order, *earlier).iter().zip(&mut all).for_each(|(is, all)| *all |= is);
        }
        all
    }

    proptest! {
        #[test]
        fn acts_that_collide_are_in_order_and_none_is_waited_for_twice(
            acts in prop::collection::vec((prop::collection::vec(0_u64..6, 0..3), prop::collection::vec(0_u64..6, 0..3)), 0..9),
        ) {
            let acts: Vec<Effects> = acts.iter().map(|(reads, writes)| effects(reads, writes)).collect();
            let order = order(&acts, CACHE);
            for number in 0..acts.len() {
                let waited_for = waited(&order, number);
                for earlier in (0..number).filter(|earlier| acts[number].collide(&acts[*earlier])) {
                    prop_assert!(waited_for[earlier]);
                }
                for earlier in &order[number] {
                    prop_assert!(acts[number].collide(&acts[*earlier]));
                    let others = order[number].iter().filter(|other| *other != earlier);
                    prop_assert!(others.into_iter().all(|other| !waited(&order, *other)[*earlier]));
                }
            }
        }
    }
}
