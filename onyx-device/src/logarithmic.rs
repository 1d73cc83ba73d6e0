//! Matrices of factors times vectors of logarithms, also where no float holds a factor or a product.
//!
//! A factor is 1 at most. From 2^-120 on it stands in the matrix as it is, below that as its logarithm, which is less than 0 ([`factor`]). Sums
//! are first made of floats; where what these lose may count in a sum, all of them are made once more of logarithms.

use crate::elementary;
use crate::group::Group;
use crate::log_products::LogProducts;
use crate::machine::Machine;
use crate::math::{exp, ln};
use crate::row::Row;
use crate::unrolled::{array, each, steps};

/// The logarithm of 2^-120, below which a factor or a share has no float: near it products would have none.
const LEAST_LOGARITHM: f32 = -83.177_66;
/// 2^-86: of 128 terms that are each wrong by 2^-120, no more than the last bit of a sum from here on is wrong.
pub(crate) const LEAST_SUM: f32 = f32::from_bits(41 << 23);
/// The least logarithm that is told from others: sums of them stay far within the range of floats.
pub const LEAST_FINITE: f64 = -1e10;
/// How many sums are made side by side, so that they become vector instructions.
const PARTS: usize = 4;

/// The entry of a matrix that stands for the factor e^`logarithm`, which is 1 at most; minus infinity is that of the factor 0. Finite logarithms
/// below [`LEAST_FINITE`] are taken for that.
#[cfg(not(target_arch = "nvptx64"))]
pub fn factor(logarithm: f64) -> f32 {
    let is_small = logarithm < f64::from(LEAST_LOGARITHM) && logarithm > f64::NEG_INFINITY;
    if is_small { logarithm.max(LEAST_FINITE) as f32 } else { libm::exp(logarithm) as f32 }
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// The logarithm of the share that the sum of `factor · e^x` over a row has in all such sums; minus infinity only where each term is 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn log_matvec<const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        self.log_product::<false, K>(matrix, x)
    }

    /// As [`log_matvec`](Group::log_matvec), with the greatest term of a row in place of the sum.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn log_max_matvec<const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        self.log_product::<true, K>(matrix, x)
    }

    /// What does not depend on the features' number comes first, for all features, so that the host makes vector instructions of it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn log_product<const GREATEST: bool, const K: usize>(self, matrix: [Row<K>; V], x: [f32; V]) -> [f32; V] {
        match const { M::LOG_PRODUCTS } {
            LogProducts::Alone => {}
            LogProducts::Noted => {
                each::<V>(|index| self.machine().note_log_product::<GREATEST, K>(index, &matrix[index], x[index]));
                return x;
            }
            LogProducts::Given => return array(|index| self.machine().log_product(index)),
        }
        let x: [f32; V] = array(|index| if self.is_live(index) { x[index] } else { f32::NEG_INFINITY });
        let greatest = self.joined::<true>(x);
        let shift = if greatest.is_finite() { greatest } else { 0.0 };
        let x: [f32; V] = array(|index| x[index] - shift);
        let shares = self.everywhere::<K>(array(|index| share(x[index])));
        let totals: [f32; V] = array(|index| total::<GREATEST, K>(&matrix[index], &shares));
        let totals: [f32; V] = array(|index| if self.is_live(index) { totals[index] } else { 0.0 });
        let is_lost =
            |index: usize| totals[index] < LEAST_SUM && self.is_live(index) && is_possible(&matrix[index], &shares);
        let (mut any_small, mut any_lost) = (false, false);
        each::<V>(|index| any_small |= totals[index] < LEAST_SUM);
        if any_small {
            each::<V>(|index| any_lost |= is_lost(index));
        }
        if self.any_lane(any_lost) {
            return self.of_logarithms::<GREATEST, K>(&matrix, x);
        }
        let sum = self.joined::<false>(totals);
        let sum = if sum == 0.0 { 1.0 } else { sum };
        // The logarithm of 1 is 0. A choice after the logarithms would keep the host from making vector instructions of them.
        let shares: [f32; V] = array(|index| if self.is_live(index) { totals[index] / sum } else { 1.0 });
        array(|index| elementary::ln(shares[index]))
    }

    /// The sum of all values, or the greatest. What padding has takes part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn joined<const GREATEST: bool>(self, values: [f32; V]) -> f32 {
        let own = if V < PARTS {
            let mut own = values[0];
            each::<V>(|index| own = if index > 0 { joined::<GREATEST>(own, values[index]) } else { own });
            own
        } else {
            let mut parts = array::<f32, PARTS>(|part| values[part]);
            steps::<V, PARTS>(|first| {
                if first > 0 {
                    each::<PARTS>(|part| parts[part] = joined::<GREATEST>(parts[part], values[first + part]));
                }
            });
            across::<GREATEST>(parts)
        };
        self.exchange(own, joined::<GREATEST>)
    }

    /// The same, slowly. The host keeps it out of the way of what comes nearly always.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), cold, inline(never))]
    fn of_logarithms<const GREATEST: bool, const K: usize>(self, matrix: &[Row<K>; V], x: [f32; V]) -> [f32; V] {
        let logarithms = self.everywhere::<K>(x);
        let totals = if const { M::LANES == 1 } {
            array(|index| log_total::<GREATEST, K>(&matrix[index], &logarithms))
        } else {
            log_totals::<GREATEST, K, V>(*matrix, logarithms)
        };
        let sum = self.log_sum_exp(totals);
        let log_share = |total: f32| if total == f32::NEG_INFINITY { total } else { total - sum };
        array(|index| if self.is_live(index) { log_share(totals[index]) } else { 0.0 })
    }
}

/// A possible state keeps a share, however small; NaN stays NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn share(logarithm: f32) -> f32 {
    let share = exp(if logarithm < LEAST_LOGARITHM { LEAST_LOGARITHM } else { logarithm });
    if logarithm == f32::NEG_INFINITY { 0.0 } else { share }
}

/// Two terms as one. A comparison in place of `max`, which is several instructions on the host.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn joined<const GREATEST: bool>(one: f32, other: f32) -> f32 {
    match GREATEST {
        false => one + other,
        true if one > other => one,
        true => other,
    }
}

/// The terms of a row whose factors are floats.
#[cfg_attr(not(debug_assertions), inline(always))]
fn total<const GREATEST: bool, const K: usize>(row: &Row<K>, shares: &Row<K>) -> f32 {
    let term = |column: usize| {
        let factor = row.values[column];
        (if factor > 0.0 { factor } else { 0.0 }) * shares.values[column]
    };
    if K < PARTS {
        let mut total = 0.0;
        each::<K>(|column| total = joined::<GREATEST>(total, term(column)));
        return total;
    }
    let mut parts = [0.0; PARTS];
    steps::<K, PARTS>(|first| each::<PARTS>(|part| parts[part] = joined::<GREATEST>(parts[part], term(first + part))));
    across::<GREATEST>(parts)
}

/// All parts as one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn across<const GREATEST: bool>(parts: [f32; PARTS]) -> f32 {
    joined::<GREATEST>(joined::<GREATEST>(parts[0], parts[1]), joined::<GREATEST>(parts[2], parts[3]))
}

/// Whether any term of a row is above 0, be it one that no float holds.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_possible<const K: usize>(row: &Row<K>, shares: &Row<K>) -> bool {
    let mut is_possible = false;
    each::<K>(|column| is_possible |= row.values[column] != 0.0 && shares.values[column] > 0.0);
    is_possible
}

/// The logarithm of all terms of a row.
#[cfg_attr(not(debug_assertions), inline(always))]
fn log_total<const GREATEST: bool, const K: usize>(row: &Row<K>, logarithms: &Row<K>) -> f32 {
    let mut terms = Terms::NONE;
    each::<K>(|column| terms.add::<GREATEST>(row.values[column], logarithms.values[column]));
    terms.logarithm::<GREATEST>()
}

/// The same for rows in the registers of a lane. They turn by one column with every step, so that the column is known when this is compiled: with
/// all columns written out, what is seldom needed would be most of every kernel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn log_totals<const GREATEST: bool, const K: usize, const V: usize>(
    mut matrix: [Row<K>; V],
    mut logarithms: Row<K>,
) -> [f32; V] {
    let mut terms = [Terms::NONE; V];
    let mut taken = 0;
    while taken < K {
        each::<V>(|index| terms[index].add::<GREATEST>(matrix[index].values[0], logarithms.values[0]));
        each::<V>(|index| matrix[index] = turned(&matrix[index]));
        logarithms = turned(&logarithms);
        taken += 1;
    }
    array(|index| terms[index].logarithm::<GREATEST>())
}

/// A row whose columns have gone to the left by one, the first to the end.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turned<const K: usize>(row: &Row<K>) -> Row<K> {
    Row::from_columns(|column| row.values[(column + 1) % K])
}

/// Terms so far: the greatest, and their sum as a part of it.
#[derive(Clone, Copy)]
struct Terms {
    greatest: f32,
    sum: f32,
}

impl Terms {
    const NONE: Self = Self { greatest: f32::NEG_INFINITY, sum: 0.0 };

    /// One more, of a factor as [`factor`] writes it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<const GREATEST: bool>(&mut self, factor: f32, logarithm: f32) {
        let term = if factor < 0.0 { factor } else { ln(factor) } + logarithm;
        let top = if term > self.greatest { term } else { self.greatest };
        if !GREATEST && term > f32::NEG_INFINITY {
            self.sum = self.sum * exp(self.greatest - top) + exp(term - top);
        }
        self.greatest = top;
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn logarithm<const GREATEST: bool>(self) -> f32 {
        let Self { greatest, sum } = self;
        if GREATEST || greatest == f32::NEG_INFINITY { greatest } else { greatest + ln(sum) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, factor, log_total, log_totals};
    use crate::cpu::Cpu;
    use crate::group::Group;

    const K: usize = 4;

    /// Both products of a matrix of logarithms by a group of one lane.
    fn products(logarithms: [[f64; K]; K], x: [f32; K], features: u32) -> [[f32; K]; 2] {
        let group = Group::<Cpu, 1, K>::of(Cpu, features);
        let matrix = logarithms.map(|row| Row::<K>::from_columns(|column| factor(row[column])));
        [group.log_matvec(matrix, x), group.log_max_matvec(matrix, x)]
    }

    /// The same in 64-bit floats.
    fn expected(logarithms: [[f64; K]; K], x: [f32; K], features: usize) -> [Vec<f64>; 2] {
        let term = |row: &[f64; K], column: usize| row[column] + f64::from(x[column]);
        let shares = |total: &dyn Fn(&[f64; K]) -> f64| {
            let totals: Vec<f64> = logarithms[..features].iter().map(total).collect();
            let all = log_sum_exp(&totals);
            totals.into_iter().map(|total| total - all).collect()
        };
        let terms = |row: &[f64; K]| (0..features).map(|column| term(row, column)).collect::<Vec<f64>>();
        [
            shares(&|row| log_sum_exp(&terms(row))),
            shares(&|row| terms(row).into_iter().fold(f64::NEG_INFINITY, f64::max)),
        ]
    }

    fn log_sum_exp(terms: &[f64]) -> f64 {
        let greatest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if greatest == f64::NEG_INFINITY {
            return greatest;
        }
        greatest + libm::log(terms.iter().map(|term| libm::exp(term - greatest)).sum())
    }

    fn check(logarithms: [[f64; K]; K], x: [f32; K], features: u32) {
        let found = products(logarithms, x, features);
        for (found, expected) in found.iter().zip(expected(logarithms, x, features as usize)) {
            for (found, expected) in found.iter().zip(expected) {
                let near = (f64::from(*found) - expected).abs() <= 1e-6 * (2.0 + expected.abs());
                assert!(near || f64::from(*found) == expected, "{found} for {expected}: {logarithms:?} {x:?}");
            }
            assert!(found[features as usize..].iter().all(|padding| *padding == 0.0));
        }
    }

    const NONE: f64 = f64::NEG_INFINITY;

    #[test]
    fn factors_stand_as_they_are_or_as_logarithms() {
        assert_eq!([0.0, NONE, -200.0, -83.2].map(factor), [1.0, 0.0, -200.0, -83.2]);
        assert!(factor(-83.1) > 0.0 && factor(-83.1) < 1e-36);
    }

    #[test]
    fn terms_that_floats_hold() {
        check(
            [[0.0, -1.0, -2.0, -3.0], [-1.5, 0.0, -0.5, NONE], [NONE; K], [-60.0, -50.0, -4.0, -0.1]],
            [0.5, -3.0, 2.0, 1.0],
            4,
        );
        check([[0.0, -1.0, 9.0, 9.0], [-1.5, 0.0, 9.0, 9.0], [9.0; K], [9.0; K]], [0.5, -3.0, 80.0, 90.0], 2);
    }

    #[test]
    fn factors_that_no_float_holds() {
        check([[NONE, -700.0, NONE, NONE], [-1e5, NONE, NONE, NONE], [-90.0; K], [NONE; K]], [0.0, 1.0, -2.0, 3.0], 4);
    }

    #[test]
    fn products_that_no_float_holds() {
        let matrix =
            [[NONE, -60.0, NONE, NONE], [-70.0, NONE, NONE, NONE], [0.0, NONE, NONE, NONE], [NONE, NONE, -2.0, -1.0]];
        check(matrix, [0.0, -75.0, -1e6, f32::NEG_INFINITY], 4);
        check(matrix, [f32::NEG_INFINITY, -75.0, -1e6, f32::NEG_INFINITY], 4);
    }

    #[test]
    fn nothing_possible_is_no_number_of_any_kind_but_zero() {
        assert_eq!(products([[0.0; K]; K], [f32::NEG_INFINITY; K], 4), [[f32::NEG_INFINITY; K]; 2]);
        assert_eq!(products([[NONE; K]; K], [0.0; K], 4), [[f32::NEG_INFINITY; K]; 2]);
    }

    /// Two rows that turn, against the same rows one after the other.
    fn check_turning<const K: usize>() {
        let number =
            |seed: usize| f64::from(f32::from_bits((127 << 23) | (seed as u32).wrapping_mul(0x9E37_79B9) >> 9)) - 1.0;
        let factors = |row: usize| Row::<K>::from_columns(|column| factor(-150.0 * number(row * K + column + 1)));
        let logarithms =
            Row::<K>::from_columns(|column| if column == K / 2 { f32::NEG_INFINITY } else { column as f32 });
        let rows = [factors(0), factors(1)];
        let (sums, greatest) =
            (log_totals::<false, K, 2>(rows, logarithms), log_totals::<true, K, 2>(rows, logarithms));
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(sums[index].to_bits(), log_total::<false, K>(row, &logarithms).to_bits());
            assert_eq!(greatest[index].to_bits(), log_total::<true, K>(row, &logarithms).to_bits());
            assert!(sums[index].is_finite() && sums[index] >= greatest[index]);
        }
    }

    #[test]
    fn rows_that_turn_have_the_same_terms() {
        check_turning::<2>();
        check_turning::<4>();
        check_turning::<8>();
        check_turning::<64>();
    }

    #[test]
    fn like_terms_have_the_logarithm_of_their_share() {
        for found in products([[-0.25; K]; K], [-7.0; K], 3) {
            assert!(found[..3].iter().all(|found| (found - (1.0f32 / 3.0).ln()).abs() < 1e-7), "{found:?}");
        }
    }
}
