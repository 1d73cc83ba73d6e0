//! What the macros cannot see: a plain function that gives another value each time. The emulator reports it, elsewhere the first feature's value
//! is taken.

use std::cell::Cell;

use onyx_device::prelude::*;

use super::lowered::{Data, VERTICES, on_cpu, on_emulator};

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// How often this thread has called it.
pub fn count() -> f32 {
    CALLS.set(CALLS.get() + 1);
    CALLS.get() as f32
}

#[vertex_fn]
fn store<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.y[v][f] = d.x[v][f];
    d.q[v] = count();
    true
}

#[vertex_fn]
fn choose<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.p[v] = broadcast(d.x[v][f], count() as u32);
    true
}

#[vertex_fn]
fn decide<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.y[v][f] = d.x[v][f];
    (count() as u32).is_multiple_of(2)
}

#[test]
fn two_values_of_a_scalar_are_reported() {
    for found in [on_emulator::<store, 1, 4>(3), on_emulator::<store, 2, 2>(3), on_emulator::<store, 4, 1>(3)] {
        let text = found.unwrap_err().to_string();
        assert!(text.contains("`store` gives `q`, which has one value for all features, "), "{text}");
        assert!(text.contains("for feature 0 and ") && text.contains("a plain function that it calls"), "{text}");
    }
}

#[test]
fn two_indices_of_a_broadcast_are_reported() {
    for found in [on_emulator::<choose, 1, 4>(2), on_emulator::<choose, 2, 2>(2), on_emulator::<choose, 4, 1>(2)] {
        let text = found.unwrap_err().to_string();
        assert!(text.contains("`choose` broadcasts feature ") && text.contains("for feature 1"), "{text}");
    }
}

#[test]
fn two_outcomes_are_reported() {
    for found in [on_emulator::<decide, 1, 4>(4), on_emulator::<decide, 2, 2>(4), on_emulator::<decide, 4, 1>(4)] {
        let text = found.unwrap_err().to_string();
        assert!(text.contains("`decide` returns ") && text.contains("for feature 0 and "), "{text}");
    }
}

#[test]
fn padding_is_not_compared() {
    assert!(on_emulator::<store, 1, 4>(1).is_ok() && on_emulator::<store, 4, 1>(1).is_ok());
    assert!(on_emulator::<choose, 2, 2>(1).is_ok() && on_emulator::<decide, 2, 2>(1).is_ok());
}

thread_local! {
    static LAST: Cell<f32> = const { Cell::new(0.0) };
}

/// Keeps a value for [`recall`], and hands it on.
fn keep(value: f32) -> f32 {
    LAST.set(value);
    value
}

/// What was kept last: another value for each feature, which the macros cannot see.
fn recall() -> f32 {
    LAST.get()
}

#[vertex_fn]
fn number<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.y[v][f] = keep(f.index() as f32 + 10.0);
    d.q[v] = recall();
    true
}

#[test]
fn the_first_feature_decides() {
    for features in [1, 3, 4] {
        assert_eq!(on_cpu::<number>(features).q, [10.0; VERTICES], "{features} features");
    }
    assert_eq!(on_emulator::<number, 1, 4>(1).unwrap().q, [10.0; VERTICES]);
}
