//! Numbers of the interpreter: a value, and how far a run of single floats may be from it.
//!
//! What a single float holds without rounding has no error, and so has what is made of such values as long as it is held as well: there a
//! run must agree exactly. Elsewhere errors are carried along as usual, and a run must be as near as they say.

/// How far the result of one operation of single floats may be from the true one, relative to it.
const ROUNDING: f64 = 1.2e-7;
/// The same for exponentials and logarithms, on whatever machine.
const ELEMENTARY: f64 = 2.0e-6;

/// A number and its error.
#[derive(Clone, Copy, Debug)]
pub struct Float {
    /// The number.
    pub value: f64,
    /// How far a run may be from it.
    pub error: f64,
}

impl Float {
    /// Nothing.
    pub const ZERO: Self = Self { value: 0.0, error: 0.0 };

    /// A number that a single float holds; where it does not, the nearest one.
    pub fn new(value: f64) -> Self {
        Self { value, error: 0.0 }.rounded(ROUNDING)
    }

    /// A whole number, which need not be one that a single float holds.
    pub fn of_whole(number: u32) -> Self {
        Self { value: f64::from(number), error: 0.0 }
    }

    /// The whole number that this is.
    pub fn whole(self) -> u32 {
        let number = self.value as u32;
        assert!(self.is_exact() && f64::from(number) == self.value, "{self:?} is no whole number");
        number
    }

    /// Whether a run must have exactly this number.
    pub fn is_exact(self) -> bool {
        self.error == 0.0
    }

    /// The number after the rounding of an operation.
    fn rounded(self, relative: f64) -> Self {
        let is_held = f64::from(self.value as f32) == self.value || self.value.is_nan();
        if self.error == 0.0 && is_held {
            return self;
        }
        Self { error: self.error + relative * self.value.abs(), ..self }
    }

    /// A number that is known but for `error`, after roundings.
    pub fn inexact(value: f64, error: f64) -> Self {
        Self { value, error: error + ELEMENTARY * value.abs() + f64::MIN_POSITIVE }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, error: self.error + other.error }.rounded(ROUNDING)
    }

    /// The other sign.
    pub fn negated(self) -> Self {
        Self { value: -self.value, ..self }
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        let error = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Self { value: self.value * other.value, error: if error.is_nan() { 0.0 } else { error } }.rounded(ROUNDING)
    }

    /// The quotient.
    pub fn divided_by(self, other: Self) -> Self {
        let value = self.value / other.value;
        let rest = (other.value.abs() - other.error).max(f64::MIN_POSITIVE);
        let error = (self.error + value.abs() * other.error) / rest;
        Self { value, error: if error.is_nan() { 0.0 } else { error } }.rounded(ROUNDING)
    }

    /// The value without its sign.
    pub fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    /// The lesser.
    pub fn least(self, other: Self) -> Self {
        let error = self.error.max(other.error);
        Self { value: self.value.min(other.value), error }
    }

    /// The greater.
    pub fn greatest(self, other: Self) -> Self {
        self.negated().least(other.negated()).negated()
    }

    /// The square root of a number that is not negative.
    pub fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let error = if self.error == 0.0 { 0.0 } else { self.error / value.max(self.error.sqrt()) };
        Self { value, error }.rounded(ROUNDING)
    }

    /// The exponential.
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        Self::inexact(value, value * self.error.exp_m1())
    }

    /// The logarithm of a number that is not near zero.
    pub fn ln(self) -> Self {
        Self::inexact(self.value.ln(), self.error / (self.value - self.error).max(f64::MIN_POSITIVE) + ROUNDING)
    }

    /// A function that no near number may decide: what it does is the same for a run.
    pub fn exactly(self, of: impl Fn(f64) -> f64) -> Self {
        assert!(self.is_exact(), "{self:?} decides: the generator lets only exact numbers do so");
        Self::new(of(self.value))
    }

    /// A comparison, which no error may decide.
    pub fn compared(self, other: Self, of: impl Fn(&f64, &f64) -> bool) -> bool {
        let is_clear = (self.value - other.value).abs() > self.error + other.error;
        let is_exact = self.is_exact() && other.is_exact();
        assert!(is_exact || is_clear, "{self:?} and {other:?} are too near to one another to be compared");
        of(&self.value, &other.value)
    }

    /// Whether a run's result agrees.
    pub fn agrees(self, found: impl Into<f64>) -> bool {
        let found = found.into();
        found == self.value || !self.is_exact() && (found - self.value).abs() <= 2.0 * self.error
    }
}
