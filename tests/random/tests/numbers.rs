//! Numbers that a single float holds are exact, and others carry an error that covers what single floats do.

use onyx_random::float::Float;
use onyx_random::limits::{bound, tame};
use onyx_random::statement::Reduction;
use onyx_random::total::{Contribution, Sum, Total};

#[test]
fn what_a_single_float_holds_is_exact() {
    let (one, eighth) = (Float::new(1.0), Float::new(0.125));
    for exact in [one.plus(eighth), one.times(eighth), eighth.negated().abs(), one.least(eighth)] {
        assert!(exact.is_exact(), "{exact:?}");
    }
    assert!(!Float::new(0.1).is_exact());
    assert!(!Float::new(f64::from(1 << 24)).plus(one).is_exact());
    assert!(!one.divided_by(Float::new(3.0)).is_exact());
}

#[test]
fn errors_cover_what_single_floats_do() {
    let values = [0.1, 0.7, 1.3, 2.9];
    let (mut float, mut single) = (Float::new(1.0), 1.0_f32);
    for value in values {
        float = float.times(Float::new(value)).plus(Float::new(0.3)).exp().ln().sqrt();
        single = (single * value as f32 + 0.3).exp().ln().sqrt();
        assert!(float.agrees(single), "{float:?} {single}");
        assert!(float.error < 1e-4, "{float:?}");
    }
}

#[test]
fn exact_numbers_agree_with_themselves_alone() {
    assert!(Float::new(0.5).agrees(0.5) && !Float::new(0.5).agrees(0.500_000_06));
    assert!(Float::new(f64::INFINITY).agrees(f32::INFINITY));
    assert!(Float::new(-0.0).agrees(0.0));
}

#[test]
fn sums_are_exact_where_no_order_rounds() {
    let grains = |count: usize, grain: f64| Sum::of((0..count).map(|_| Float::new(grain)));
    assert!(grains(1000, 0.125).is_exact());
    assert!(!Sum::of([Float::new(f64::from(1 << 23)), Float::new(0.125)]).is_exact());
}

#[test]
fn products_of_powers_of_two_are_exact_in_range() {
    let product = |factor: f64, count: usize| {
        let mut total = Total::nothing(Reduction::Product);
        (0..count).for_each(|_| total.combine(Contribution::new(Reduction::Product, Float::new(factor))));
        total.total()
    };
    assert!(product(2.0, 100).is_exact() && product(-1.0, 100).is_exact() && product(1.5, 20).is_exact());
    assert!(!product(2.0, 130).is_exact() && !product(1.5, 30).is_exact());
}

#[test]
fn minima_of_nothing_are_infinite() {
    assert_eq!(Total::nothing(Reduction::Min).total().value, f64::INFINITY);
    assert_eq!(Total::nothing(Reduction::Max).total().value, f64::NEG_INFINITY);
}

/// What contributions of these scores and numbers come to.
fn total(reduction: Reduction, contributions: &[(f64, f64)]) -> Float {
    let mut total = Total::nothing(reduction);
    for (score, number) in contributions {
        total.combine(Contribution { score: Float::new(*score), ..Contribution::new(reduction, Float::new(*number)) });
    }
    total.total()
}

#[test]
fn totals_with_states_are_what_the_reference_says() {
    let near = |found: Float, expected: f64| {
        assert!((found.value - expected).abs() < 1e-12, "{found:?} {expected}");
        assert!(!found.is_exact() && found.error < 1e-4, "{found:?}");
    };
    near(total(Reduction::Mean, &[(0.0, 1.0), (0.0, 2.5), (0.0, -2.0)]), 0.5);
    // Shares of a half, a quarter and a quarter.
    let half = std::f64::consts::LN_2;
    let scores = [(half + 1.0, 4.0), (1.0, 8.0), (1.0, -4.0)];
    assert!((total(Reduction::Softmax, &scores).value - 3.0).abs() < 1e-6);
    near(total(Reduction::LogSum, &[(0.0, 0.0), (0.0, 0.0)]), half);
    near(total(Reduction::LogSum, &[(0.0, 2.0)]), 2.0);
}

#[test]
fn totals_with_states_of_nothing_are_exact() {
    let nothing = [Reduction::Mean, Reduction::Softmax, Reduction::LogSum].map(|of| total(of, &[]));
    assert!(nothing.iter().all(|total| total.is_exact()));
    assert_eq!(nothing.map(|total| total.value), [0.0, 0.0, f64::NEG_INFINITY]);
}

/// The same by single floats, one contribution after the other.
fn single(contributions: &[(f64, f64)]) -> [f32; 2] {
    let (mut sum, mut greatest, mut shares) = (0.0_f32, f32::NEG_INFINITY, 0.0_f32);
    for (score, number) in contributions.iter().map(|(score, number)| (*score as f32, *number as f32)) {
        let next = greatest.max(score);
        let (old, new) = ((greatest - next).exp(), (score - next).exp());
        (sum, shares, greatest) = (sum * old + number * new, shares * old + new, next);
    }
    [sum / shares, greatest + shares.ln()]
}

#[test]
fn errors_of_shares_cover_what_single_floats_do() {
    let rising =
        |count: usize| (0..count).map(|at| (0.07 * at as f64 - 3.0, 3.3 - 0.1 * at as f64)).collect::<Vec<_>>();
    for mut contributions in [rising(1), rising(2), rising(90)] {
        for _ in 0..2 {
            let scores: Vec<(f64, f64)> = contributions.iter().map(|(score, _)| (0.0, *score)).collect();
            let [share, log_sum] = single(&contributions);
            let totals = [total(Reduction::Softmax, &contributions), total(Reduction::LogSum, &scores)];
            assert!(totals[0].agrees(share) && totals[1].agrees(log_sum), "{totals:?} {share} {log_sum}");
            assert!(totals.iter().all(|total| total.error < 5e-3), "{totals:?}");
            contributions.reverse();
        }
    }
}

#[test]
fn a_contribution_more_or_less_is_seen() {
    let all: Vec<(f64, f64)> = (0..80).map(|at| (f64::from(at % 7) * 0.5, f64::from(at % 5) - 2.0)).collect();
    for reduction in [Reduction::Mean, Reduction::Softmax, Reduction::LogSum] {
        let whole = total(reduction, &all);
        assert!(!whole.agrees(total(reduction, &all[1..]).value as f32), "{reduction:?} {whole:?}");
    }
}

#[test]
fn totals_of_whole_numbers_are_modulo_2_to_the_32() {
    let total = |reduction: Reduction, numbers: &[u32]| {
        let mut total = Total::nothing_whole(reduction);
        numbers.iter().for_each(|number| total.combine(Contribution::new(reduction, Float::of_whole(*number))));
        total.total().whole()
    };
    assert_eq!(total(Reduction::Sum, &[u32::MAX, 1, 5]), 5);
    assert_eq!(total(Reduction::Difference, &[1, 2]), u32::MAX - 2);
    assert_eq!(total(Reduction::Min, &[7, u32::MAX]), 7);
    assert_eq!(total(Reduction::Max, &[7, u32::MAX]), u32::MAX);
    assert_eq!(total(Reduction::Or, &[0b0101, 0b0011]), 0b0111);
    assert_eq!(total(Reduction::And, &[0b0101, 0b0011]), 0b0001);
    let nothing = [Reduction::Sum, Reduction::Min, Reduction::Max, Reduction::Or, Reduction::And];
    assert_eq!(nothing.map(|reduction| total(reduction, &[])), [0, u32::MAX, 0, 0, u32::MAX]);
}

#[test]
fn tame_numbers_are_small_multiples_of_an_eighth() {
    for (value, expected) in [(0.3, 0.25), (-0.3, -0.25), (4.0, 0.0), (5.125, 1.125), (f64::INFINITY, 3.875)] {
        assert_eq!(tame(value), expected, "{value}");
    }
    assert_eq!((bound(7.0), bound(-7.0), bound(0.1)), (4.0, -4.0, 0.1));
}
