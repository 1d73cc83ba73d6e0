//! Numbers that tests start from, and whether others are near to them.

/// A number, positive or negative, of at most one.
pub fn number(at: usize) -> f64 {
    ((at * 37 + at / 101) % 129) as f64 / 64.0 - 1.0
}

/// Whether floats are near to what a model has.
pub fn near(what: &str, found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let is_near = (f64::from(*found) - expected).abs() <= 1e-3 * expected.abs().max(1.0);
        assert!(is_near || f64::from(*found) == *expected, "{what} {at} is {found}, and {expected} in f64");
    }
}
