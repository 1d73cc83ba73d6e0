//! The laws of operators on states: nothing is neutral, and neither order nor grouping is seen.

use super::{LogSum, Mean, Softmax, StateOperator};
use crate::state::State;

const NUMBERS: [f32; 7] = [0.0, -3.5, 1.25, f32::NEG_INFINITY, 1e30, 88.9, f32::INFINITY];

fn is_same(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-5 * a.abs().max(1.0)
}

fn has_laws<O: StateOperator>(states: &[O::State]) {
    for &a in states {
        let alone = O::finish(O::combine(a, O::IDENTITY));
        assert!(is_same(alone, O::finish(a)) && is_same(O::finish(O::combine(O::IDENTITY, a)), alone));
        for (&b, &c) in states.iter().flat_map(|b| states.iter().map(move |c| (b, c))) {
            let total = O::finish(O::combine(O::combine(a, b), c));
            assert!(is_same(total, O::finish(O::combine(a, O::combine(b, c)))), "{total}");
            assert!(is_same(total, O::finish(O::combine(c, O::combine(b, a)))), "{total}");
        }
    }
}

#[test]
fn states_are_combined_in_any_order() {
    let finite = || NUMBERS.iter().filter(|number| number.abs() < 100.0);
    has_laws::<Mean>(&finite().map(|x| Mean::contribution(*x)).collect::<Vec<_>>());
    has_laws::<LogSum>(&NUMBERS.map(LogSum::contribution));
    let pairs = NUMBERS.iter().flat_map(|score| finite().map(move |x| Softmax::contribution(*score, *x)));
    has_laws::<Softmax>(&pairs.map(Softmax::admitted).collect::<Vec<_>>());
}

/// Contributions that are weighed together come to what they come to one by one, whether scores rise, fall, jump or are infinite; or to something that is not finite, where scores are not or
/// rise far, so that they are weighed one by one.
#[test]
fn contributions_are_weighed_together_as_alone() {
    let rows: [[f32; 4]; 7] = [
        [0.0, 3.0, -40.0, 16.0],
        [70.0, 3.0, -40.0, -200.0],
        [-100.0, 0.0, 100.0, 99.0],
        [f32::NEG_INFINITY, -1e30, f32::NEG_INFINITY, -1e30],
        [1.0, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY],
        [f32::NEG_INFINITY; 4],
        [5.0, f32::NAN, 60.0, 1.0],
    ];
    for (first, second) in rows.iter().flat_map(|first| rows.iter().map(move |second| (first, second))) {
        let (mut together, mut alone) = (Softmax::IDENTITY, Softmax::IDENTITY);
        for scores in [first, second] {
            let (weights, each) = Softmax::weigh(together.with_first(0.0), *scores);
            together = weights.with_first(together[0]);
            for (position, (score, weight)) in scores.iter().zip(each).enumerate() {
                let contribution = Softmax::contribution(*score, position as f32 - 1.5);
                together[0] += weight * contribution[0];
                alone = Softmax::combine(alone, Softmax::admitted(contribution));
            }
        }
        let is_finite = together[0].is_finite() && Softmax::has_finite_weights(together);
        let settled = Softmax::settled(together);
        assert!(!is_finite || settled[2] <= 65536.0, "{first:?}, {second:?}: {settled:?}");
        let alone = Softmax::finish(alone);
        for together in [together, settled].map(Softmax::finish) {
            assert!(!is_finite || is_same(together, alone), "{first:?}, {second:?}: {together}, not {alone}");
        }
        let greatest = |scores: &[f32; 4]| scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let rises_far = greatest(second) > greatest(first) + 80.0;
        let mut scores = first.iter().chain(second);
        assert!(is_finite || rises_far || scores.any(|score| !score.is_finite()), "{first:?}, {second:?}");
    }
}

#[test]
fn nothing_has_the_total_that_the_reference_says() {
    let nothing = [Mean::finish(Mean::IDENTITY), Softmax::finish(Softmax::IDENTITY), LogSum::finish(LogSum::IDENTITY)];
    assert_eq!(nothing, [0.0, 0.0, f32::NEG_INFINITY]);
    let hidden = Softmax::admitted(Softmax::contribution(f32::NEG_INFINITY, f32::NAN));
    assert_eq!(Softmax::finish(Softmax::combine(hidden, Softmax::contribution(-1e30, 2.0))), 2.0);
}

#[test]
fn what_is_no_number_stays() {
    let nan = Softmax::combine(Softmax::contribution(f32::NAN, 1.0), Softmax::contribution(0.0, 1.0));
    let later = Softmax::combine(nan, Softmax::contribution(1e30, 1.0));
    assert!(Softmax::finish(nan).is_nan() && Softmax::finish(later).is_nan());
    let nan = LogSum::combine(LogSum::contribution(1e30), LogSum::contribution(f32::NAN));
    assert!(LogSum::finish(nan).is_nan() && LogSum::finish(LogSum::combine(nan, nan)).is_nan());
}
