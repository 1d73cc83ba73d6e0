//! What a block computes together, in the emulator.

use core::cell::RefCell;

use super::Joined;
use crate::emulator::{Blocks, EmulatedLane, Launch, Order};
use crate::group::Group;
use crate::machine::Machine;
use crate::row::Row;

const K: usize = 64;
const FEATURES: usize = 51;

type Block = Group<Joined<EmulatedLane, K>, K, 1>;

/// What each lane of a block finds, which is of all features but padding.
fn found(order: Order, find: impl Fn(Block) -> f32) -> Vec<f32> {
    let all = RefCell::new(vec![f32::NAN; K]);
    let body = |lane: EmulatedLane| {
        let machine = Joined::<_, K>(lane);
        let value = find(Group::of(machine, FEATURES as u32));
        all.borrow_mut()[machine.lane() as usize] = value;
    };
    let shared_floats = crate::cholesky::shared_floats(K);
    let blocks = Blocks::of_tiles(1, 1, K as u32 / 32, shared_floats);
    Launch { memory: None, blocks, order, is_over: false, begins_early: false }.run(&body).unwrap();
    all.into_inner()[..FEATURES].to_vec()
}

fn in_all_orders(expected: &[f32], find: impl Fn(Block) -> f32) {
    for order in [Order::Forward, Order::Reversed, Order::Random(5)] {
        for (found, expected) in found(order, &find).iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-3 * expected.abs().max(1.0), "{found} and {expected}");
        }
    }
}

/// A matrix that is not symmetric, and a vector; padding holds what must not count.
fn entry(row: usize, column: usize) -> f32 {
    let near = if row == column { 9.0 } else { 0.0 };
    if row < FEATURES && column < FEATURES { ((row * 5 + column * 3) % 7) as f32 / 7.0 + near } else { 1e6 }
}

fn value(row: usize) -> f32 {
    if row < FEATURES { ((row * 11) % 13) as f32 / 4.0 - 1.0 } else { -1e6 }
}

fn row(group: Block) -> [Row<K>; 1] {
    let own = group.feature(0) as usize;
    [Row::from_columns(|column| entry(own, column))]
}

fn own(group: Block) -> [f32; 1] {
    [value(group.feature(0) as usize)]
}

#[test]
fn what_lanes_compute_together_is_of_the_whole_block() {
    let values = || (0..FEATURES).map(value);
    let all = |value: f32| vec![value; FEATURES];
    in_all_orders(&all(values().sum()), |group| group.sum(own(group)));
    in_all_orders(&all(values().fold(f32::INFINITY, f32::min)), |group| group.min(own(group)));
    let greatest = values().fold(f32::NEG_INFINITY, f32::max);
    in_all_orders(&all(values().position(|value| value == greatest).unwrap() as f32), |group| {
        group.argmax(own(group)) as f32
    });
    in_all_orders(&all(value(44)), |group| group.broadcast(own(group), [44]));
    for (feature, expected) in [(50, 1.0), (51, 0.0)] {
        let at = move |group: Block| [group.feature(0) == feature];
        in_all_orders(&all(expected), move |group| f32::from(u8::from(group.any(at(group)))));
    }
    in_all_orders(&all(1.0), |group| f32::from(u8::from(group.agreed(group.lane() < 3))));
    in_all_orders(&all(0.0), |group| f32::from(u8::from(group.agreed(group.lane() > 2))));
    in_all_orders(&all(value(0)), |group| group.shared(own(group)[0]));
}

#[test]
fn operations_on_matrices_are_those_of_a_warp() {
    let each = |of: &dyn Fn(usize) -> f32| (0..FEATURES).map(of).collect::<Vec<f32>>();
    let sum = |of: &dyn Fn(usize) -> f32| (0..FEATURES).map(of).sum::<f32>();
    let product = each(&|row| sum(&|column| entry(row, column) * value(column)));
    in_all_orders(&product, |group| group.matvec(row(group), own(group))[0]);
    let transposed = each(&|column| sum(&|row| entry(row, column) * value(row)));
    in_all_orders(&transposed, |group| group.transpose_matvec(row(group), own(group))[0]);
    let square = sum(&|row| value(row) * value(row));
    let outer = each(&|row| value(row) * square);
    in_all_orders(&outer, |group| {
        let matrix: [Row<K>; 1] = [group.outer(own(group), own(group)).row(0)];
        group.matvec(matrix, own(group))[0]
    });
    // A matrix times its inverse is the identity.
    let symmetric = |group: Block| {
        let (own, diagonal) = (group.feature(0) as usize, group.diagonal::<K>([60.0]));
        [Row::from_columns(|column| entry(own, column) + entry(column, own)) + diagonal.row(0)]
    };
    in_all_orders(&each(&value), |group| {
        let inverse = group.inverse(symmetric(group));
        group.matvec(symmetric(group), group.matvec(inverse, own(group)))[0]
    });
    in_all_orders(&each(&value), |group| {
        let right = group.matvec(symmetric(group), own(group));
        group.solve(symmetric(group), right)[0]
    });
}
