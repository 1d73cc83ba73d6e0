//! The activation of layers: a rectifier, or nothing.

/// `x`, but what is below 0 is multiplied by `slope`: 0 for a rectifier, 1 for no activation.
#[inline]
pub fn rectifier(x: f32, slope: f32) -> f32 {
    if x > 0.0 { x } else { slope * x }
}

/// The derivative of [`rectifier`] by `x`, computed of its value, so that a layer need not keep `x`; none by the slope.
#[inline]
pub fn rectifier_slopes(value: f32, slope: f32) -> [f32; 2] {
    [if value > 0.0 { 1.0 } else { slope }, 0.0]
}
