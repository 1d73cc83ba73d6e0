//! Central differences in double precision, which know nothing of derivatives.

/// How far a value is moved.
const STEP: f64 = 1e-6;
/// How far single precision may be off, of the greatest entry.
const TOLERANCE: f64 = 2e-4;

/// The gradient of `loss` at `point`.
pub fn gradient(point: &[f32], loss: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut moved: Vec<f64> = point.iter().copied().map(f64::from).collect();
    (0..point.len())
        .map(|at| {
            let own = moved[at];
            moved[at] = own + STEP;
            let above = loss(&moved);
            moved[at] = own - STEP;
            let below = loss(&moved);
            moved[at] = own;
            (above - below) / (2.0 * STEP)
        })
        .collect()
}

/// Asserts that derived adjoints are what differences say.
#[track_caller]
pub fn agree(what: &str, found: impl IntoIterator<Item = f32>, expected: &[f64]) {
    let found: Vec<f32> = found.into_iter().collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    let greatest = expected.iter().fold(0.01, |greatest, value| f64::max(greatest, value.abs()));
    assert!(expected.iter().any(|value| value.abs() > 1e-3), "{what}: nothing depends on it");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (f64::from(*found) - expected).abs();
        assert!(off <= TOLERANCE * greatest, "{what}, entry {at}: {found} instead of {expected}");
    }
}
