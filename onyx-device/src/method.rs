//! Methods of floats that `core` does not have, asked of whatever a user calls them on.
//!
//! `x.sin()` in a user function is lowered to `Of(&x).value().sin()`. Which `value` that is, the type of `x` decides: of an `f32` it has the methods
//! of [`Float`]; of an `f64`, which folds do not know, those of [`Double`], which refuse; of any other type it is the value itself, so that its own
//! method is called.

use crate::math;

/// What a method is called on.
#[derive(Clone, Copy, Debug)]
pub struct Of<T>(pub T);

/// An `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Float(f32);

/// An `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Double;

impl Of<&f32> {
    /// The float.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> Float {
        Float(*self.0)
    }
}

/// The floats that are found if there is no plain one.
pub trait OtherFloat {
    /// What has the methods.
    type Value;

    /// It.
    fn value(self) -> Self::Value;
}

impl OtherFloat for Of<&&f32> {
    type Value = Float;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(self) -> Float {
        Float(**self.0)
    }
}

impl OtherFloat for Of<&&mut f32> {
    type Value = Float;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(self) -> Float {
        Float(**self.0)
    }
}

impl OtherFloat for Of<&f64> {
    type Value = Double;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(self) -> Double {
        Double
    }
}

/// Whatever is no float.
pub trait NoFloat {
    /// What has the methods.
    type Value;

    /// It.
    fn value(self) -> Self::Value;
}

impl<'a, T> NoFloat for &Of<&'a T> {
    type Value = &'a T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(self) -> &'a T {
        self.0
    }
}

/// What has the functions of [`math`].
#[diagnostic::on_unimplemented(
    message = "an Onyx function computes with `f32`: an `f64` has no `sqrt`, `exp`, `sin` and their like there",
    label = "write it for an `f32`, such as `(x as f32).sqrt()`"
)]
pub trait Single {}

macro_rules! methods {
    ($($(#[$documentation:meta])* $name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)+) => {
        impl Float {
            $(
                $(#[$documentation])*
                #[cfg_attr(not(debug_assertions), inline(always))]
                pub fn $name(self $(, $argument: $kind)*) -> $result {
                    math::$name(self.0 $(, $argument)*)
                }
            )+
        }

        /// The methods of an `f64`, all of which are refused where they are called.
        #[allow(non_camel_case_types)]
        pub trait Refused: Sized {
            $(
                $(#[$documentation])*
                fn $name<$($argument),*>(self $(, _: $argument)*) -> f64
                where
                    Self: Single,
                {
                    f64::NAN
                }
            )+
        }

        impl Refused for Double {}
    };
}

methods! {
    /// [`math::sqrt`]
    sqrt() -> f32;
    /// [`math::exp`]
    exp() -> f32;
    /// [`math::exp2`]
    exp2() -> f32;
    /// [`math::ln`]
    ln() -> f32;
    /// [`math::log2`]
    log2() -> f32;
    /// [`math::powi`]
    powi(power: i32) -> f32;
    /// [`math::powf`]
    powf(power: f32) -> f32;
    /// [`math::sin`]
    sin() -> f32;
    /// [`math::cos`]
    cos() -> f32;
    /// [`math::sin_cos`]
    sin_cos() -> (f32, f32);
    /// [`math::tan`]
    tan() -> f32;
    /// [`math::tanh`]
    tanh() -> f32;
    /// [`math::floor`]
    floor() -> f32;
    /// [`math::ceil`]
    ceil() -> f32;
    /// [`math::round`]
    round() -> f32;
    /// [`math::trunc`]
    trunc() -> f32;
    /// [`math::fract`]
    fract() -> f32;
    /// [`math::mul_add`]
    mul_add(b: f32, c: f32) -> f32;
}

macro_rules! absent {
    ($($name:ident($($argument:ident),*) $missing:ident $message:literal;)+) => {
        $(
            #[doc = concat!("A float that has `", stringify!($name), "`: none.")]
            #[diagnostic::on_unimplemented(
                message = $message,
                label = "there are `sqrt`, `exp`, `exp2`, `ln`, `log2`, `powi`, `powf`, `sin`, `cos`, `sin_cos`, `tan`, `tanh`, `floor`, `ceil`, \
                         `round`, `trunc`, `fract` and `mul_add`"
            )]
            pub trait $missing {}
        )+

        /// The methods that need the standard library, all of which are refused where they are called.
        #[allow(non_camel_case_types)]
        pub trait Absent: Sized {
            $(
                #[doc = concat!("No float has `", stringify!($name), "` without the standard library.")]
                fn $name<$($argument),*>(self $(, _: $argument)*) -> f32
                where
                    Self: $missing,
                {
                    f32::NAN
                }
            )+
        }

        impl Absent for Float {}

        impl Absent for Double {}
    };
}

absent! {
    round_ties_even() RoundTiesEven "`round_ties_even` needs the standard library, which a GPU has not";
    abs_sub(other) AbsSub "`abs_sub` needs the standard library, which a GPU has not";
    div_euclid(other) DivEuclid "`div_euclid` needs the standard library, which a GPU has not";
    rem_euclid(other) RemEuclid "`rem_euclid` needs the standard library, which a GPU has not";
    log(base) Log "`log` needs the standard library, which a GPU has not";
    log10() Log10 "`log10` needs the standard library, which a GPU has not";
    cbrt() Cbrt "`cbrt` needs the standard library, which a GPU has not";
    hypot(other) Hypot "`hypot` needs the standard library, which a GPU has not";
    asin() Asin "`asin` needs the standard library, which a GPU has not";
    acos() Acos "`acos` needs the standard library, which a GPU has not";
    atan() Atan "`atan` needs the standard library, which a GPU has not";
    atan2(other) Atan2 "`atan2` needs the standard library, which a GPU has not";
    exp_m1() ExpM1 "`exp_m1` needs the standard library, which a GPU has not";
    ln_1p() Ln1p "`ln_1p` needs the standard library, which a GPU has not";
    sinh() Sinh "`sinh` needs the standard library, which a GPU has not";
    cosh() Cosh "`cosh` needs the standard library, which a GPU has not";
    asinh() Asinh "`asinh` needs the standard library, which a GPU has not";
    acosh() Acosh "`acosh` needs the standard library, which a GPU has not";
    atanh() Atanh "`atanh` needs the standard library, which a GPU has not";
}

#[cfg(test)]
mod tests {
    use super::{NoFloat as _, Of, OtherFloat as _};

    /// A number that is not rounded to whole ones.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Fraction(u32, u32);

    impl Fraction {
        fn floor(&self) -> u32 {
            self.0 / self.1
        }

        fn round(self) -> Self {
            Self(self.floor(), 1)
        }
    }

    #[test]
    fn floats_have_the_methods_of_this_crate() {
        let (x, y) = (2.0_f32, &mut 2.5_f32);
        assert_eq!(Of(&x).value().powi(3), 8.0);
        assert_eq!(Of(&&x).value().floor(), 2.0);
        assert_eq!(Of(&y).value().floor(), 2.0);
        assert_eq!(Of(&2.5).value().trunc(), 2.0);
        let square = |x| Of(&x).value().powi(2);
        assert_eq!(square(3.0), 9.0);
    }

    #[test]
    fn other_types_keep_their_own() {
        let fraction = Fraction(7, 2);
        assert_eq!(Of(&fraction).value().floor(), 3);
        assert_eq!(Of(&fraction).value().round(), Fraction(3, 1));
    }
}
