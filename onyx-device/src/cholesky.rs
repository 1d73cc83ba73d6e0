//! A system of equations of which each lane of a block has a row: Cholesky's factorization without its roots, column by column.
//!
//! Rows stay in registers while they change, and turn to the left by one column with each step, so that the pivot's column is the first one. That column is
//! done: it goes to shared memory, where it is the factor, and from where all later rows are changed by it. What is right of a row's own diagonal is never
//! needed, since the matrix is symmetric, so that the warps of the first rows are done with few columns.

use crate::block::Block;
use crate::joined::Joined;
use crate::linear::reciprocal;
use crate::machine::Machine;
use crate::unrolled::{each, steps};

/// How many columns of a row change together, and what the columns of the factor are padded to.
const CHUNK: usize = 16;
/// The floats of one access to shared memory.
const QUAD: usize = 4;
/// The lanes of a warp.
const WARP: u32 = 32;

/// The shared memory of a block of `lanes` lanes, in floats: one of each lane, a right side, a solution, and the factor.
pub const fn shared_floats(lanes: usize) -> usize {
    begin(lanes as u32, lanes as u32) as usize
}

/// Where a column of the factor begins, with its diagonal.
const fn begin(lanes: u32, column: u32) -> u32 {
    const CHUNK: u32 = self::CHUNK as u32;
    let (chunks, rest) = (column / CHUNK, column % CHUNK);
    // Sixteen columns of all lanes, sixteen of sixteen less, and so on.
    let whole = CHUNK * (chunks * lanes - CHUNK * (chunks * chunks.saturating_sub(1) / 2));
    3 * lanes + whole + rest * (lanes - chunks * CHUNK)
}

/// The solution of the equation whose row the lane has. NaN in a lane at least where the matrix is not positive definite. Only `features` rows and columns count.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn solve<M: Block, const K: usize>(machine: Joined<M, K>, row: [f32; K], right: f32, features: u32) -> f32 {
    let mut system = System { machine, row, right, pivot: 0.0, features };
    // An earlier system may still be read.
    machine.meet();
    system.forward();
    system.backward();
    system.right
}

/// A system of equations while it is solved: a lane's part of it.
struct System<M, const K: usize> {
    machine: Joined<M, K>,
    row: [f32; K],
    /// The right side, which becomes the solution.
    right: f32,
    /// The reciprocal of the lane's own pivot.
    pivot: f32,
    features: u32,
}

impl<M: Block, const K: usize> System<M, K> {
    const LANES: u32 = K as u32;
    /// Where right sides lie, and where solutions do.
    const RIGHT: u32 = Self::LANES;
    const SOLUTION: u32 = 2 * Self::LANES;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane(&self) -> u32 {
        self.machine.lane()
    }

    /// Eliminates one column after the other.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn forward(&mut self) {
        let mut column = 0;
        while column < self.features {
            let at = begin(Self::LANES, column);
            self.leave(column, at);
            self.machine.meet();
            self.eliminate(column, at);
            column += 1;
        }
    }

    /// Leaves the column, which is the first of each row, and its right side. Lanes whose rows are done fill the padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave(&self, column: u32, at: u32) {
        let (lane, is_done) = (self.lane(), self.lane() < column);
        let place = if is_done { Self::LANES + lane - column } else { lane - column };
        let padded = Self::LANES - column / CHUNK as u32 * CHUNK as u32;
        // SAFETY: each place is one lane's, and is written once between two meetings.
        unsafe {
            if place < padded {
                self.machine.store_shared(at + place, [if is_done { 0.0 } else { self.row[0] }]);
            }
            if lane == column {
                self.machine.store_shared(Self::RIGHT + lane, [self.right]);
            }
        }
    }

    /// Takes the column from the lane's row, and turns the row by one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn eliminate(&mut self, column: u32, at: u32) {
        let (lane, last) = (self.lane(), self.lane() | (WARP - 1));
        // SAFETY: the lanes have met since both were written.
        let ([diagonal], [right]) =
            unsafe { (self.machine.load_shared(at), self.machine.load_shared(Self::RIGHT + column)) };
        let pivot = reciprocal(diagonal);
        if lane == column {
            self.pivot = pivot;
        }
        if last <= column {
            return;
        }
        let factor = self.row[0] * pivot;
        if lane > column {
            self.right -= factor * right;
        }
        // The greatest column that a row of the warp needs.
        let reach = last - column;
        steps::<K, CHUNK>(|first| {
            if first as u32 <= reach {
                self.take(first, at, factor);
            }
        });
    }

    /// Takes the part of a column from some columns of the row on, and turns those.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&mut self, first: usize, at: u32, factor: f32) {
        steps::<CHUNK, QUAD>(|quad| {
            // SAFETY: the column is padded, and the lanes have met since it was written.
            let values: [f32; QUAD] = unsafe { self.machine.load_shared(at + (first + quad) as u32) };
            each::<QUAD>(|offset| {
                let from = first + quad + offset;
                if from > 0 {
                    self.row[from - 1] = self.row[from] - factor * values[offset];
                }
            });
        });
    }

    /// Solves what is left, the last warp first, whose solutions are then taken from the equations of the others.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn backward(&mut self) {
        let (warp, mut other) = (self.machine.warp(), Self::LANES / WARP);
        while other > 0 {
            other -= 1;
            let (first, end) = (other * WARP, (other * WARP + WARP).min(self.features));
            if warp == other {
                self.substitute(first, end);
                // SAFETY: the place is this lane's.
                unsafe { self.machine.store_shared(Self::SOLUTION + self.lane(), [self.right]) }
            }
            self.machine.meet();
            if warp < other {
                self.take_solutions(first, end);
            }
        }
    }

    /// Solves the equations of the lane's own warp, the last one first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn substitute(&mut self, first: u32, end: u32) {
        let (lane, mut column) = (self.lane(), end);
        while column > first {
            column -= 1;
            let bits = (self.right * self.pivot).to_bits();
            let solution = f32::from_bits(self.machine.0.shuffle_from(u32::MAX, bits, column % WARP));
            if lane == column {
                self.right = solution;
            }
            if lane < column {
                self.right -= self.factor(column) * solution;
            }
        }
    }

    /// Takes the solutions of another warp from the lane's equation.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_solutions(&mut self, first: u32, end: u32) {
        let mut column = first;
        while column < end {
            // SAFETY: the lanes have met since it was written.
            let [solution] = unsafe { self.machine.load_shared(Self::SOLUTION + column) };
            self.right -= self.factor(column) * solution;
            column += 1;
        }
    }

    /// The factor's float of the lane's column and a later row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factor(&self, row: u32) -> f32 {
        // SAFETY: the lanes have met since it was written.
        let [factor] = unsafe { self.machine.load_shared(begin(Self::LANES, self.lane()) + row - self.lane()) };
        factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::{Blocks, EmulatedLane, Launch, Order};
    use core::cell::RefCell;

    /// What a block finds of a system of `features` equations, whose further rows and columns hold nothing.
    fn solved<const K: usize>(matrix: &[Vec<f64>], right: &[f64], order: Order) -> Vec<f32> {
        let found = RefCell::new(vec![f32::NAN; K]);
        let body = |lane: EmulatedLane| {
            let machine = Joined::<_, K>(lane);
            let own = machine.lane() as usize;
            let mut row = [f32::NAN; K];
            let mine = matrix.get(own).into_iter().flatten();
            row.iter_mut().zip(mine).for_each(|(value, entry)| *value = *entry as f32);
            let right = right.get(own).map_or(f32::NAN, |right| *right as f32);
            // Twice, so that the second one finds what the first has left.
            let first = solve(machine, row, right, matrix.len() as u32);
            let second = solve(machine, row, right, matrix.len() as u32);
            assert_eq!(first.to_bits(), second.to_bits());
            found.borrow_mut()[own] = second;
        };
        let blocks = Blocks::of_tiles(1, 1, K as u32 / WARP, shared_floats(K));
        Launch { memory: None, blocks, order, is_over: false, begins_early: false }.run(&body).unwrap();
        found.into_inner()
    }

    /// A matrix whose diagonal is greater than the rest of its row, and a right side with a known solution.
    fn system(size: usize) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
        let entry = |row: usize, column: usize| ((row * column + row + column) % 11) as f64 / 11.0 - 0.4;
        let diagonal = |row: usize| size as f64 * 0.7 + row as f64 / 3.0;
        let value = |row: usize, column: usize| if row == column { diagonal(row) } else { entry(row, column) };
        let matrix: Vec<Vec<f64>> = (0..size).map(|row| (0..size).map(|column| value(row, column)).collect()).collect();
        let solution: Vec<f64> = (0..size).map(|row| ((row * 7) % 5) as f64 - 1.5).collect();
        let times = |row: &Vec<f64>| row.iter().zip(&solution).map(|(entry, value)| entry * value).sum();
        let right = matrix.iter().map(times).collect();
        (matrix, right, solution)
    }

    fn is_found<const K: usize>(size: usize, order: Order) {
        let (matrix, right, solution) = system(size);
        let found = solved::<K>(&matrix, &right, order);
        for (found, expected) in found.iter().zip(&solution) {
            assert!((f64::from(*found) - expected).abs() < 1e-4, "{found} and {expected}, {size} of {K}");
        }
    }

    #[test]
    fn a_block_finds_the_solution_whatever_the_padding_holds() {
        for order in [Order::Forward, Order::Reversed, Order::Random(3)] {
            [1, 17, 32].into_iter().for_each(|size| is_found::<32>(size, order));
            [1, 31, 33, 50, 64].into_iter().for_each(|size| is_found::<64>(size, order));
        }
        is_found::<128>(128, Order::Forward);
        is_found::<128>(97, Order::Reversed);
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_solution() {
        let (mut matrix, right, _) = system(40);
        matrix[35][35] = -1.0;
        assert!(solved::<64>(&matrix, &right, Order::Forward)[..40].iter().any(|value| value.is_nan()));
    }

    #[test]
    fn the_columns_of_the_factor_follow_each_other() {
        for lanes in [32, 64, 128] {
            assert_eq!(begin(lanes, 0), 3 * lanes);
            for column in 0..lanes {
                let padded = (lanes - column).next_multiple_of(CHUNK as u32);
                assert_eq!(begin(lanes, column + 1) - begin(lanes, column), padded, "{column} of {lanes}");
            }
            assert!(shared_floats(lanes as usize) * 4 <= 48 << 10, "every GPU has so much");
        }
    }
}
