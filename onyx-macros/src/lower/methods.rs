//! Methods of floats that the standard library has and `core` lacks.

/// Those that `onyx_device::math` has.
pub const MATH_METHODS: &[&str] = &[
    "sqrt", "exp", "exp2", "ln", "log2", "powi", "powf", "sin", "cos", "sin_cos", "tan", "tanh", "floor", "ceil",
    "round", "trunc", "fract", "mul_add",
];

/// Those that it has not.
pub const STANDARD_METHODS: &[&str] = &[
    "round_ties_even",
    "abs_sub",
    "div_euclid",
    "rem_euclid",
    "log",
    "log10",
    "cbrt",
    "hypot",
    "asin",
    "acos",
    "atan",
    "atan2",
    "exp_m1",
    "ln_1p",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
];
