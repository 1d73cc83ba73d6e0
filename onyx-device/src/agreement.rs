//! Values that must be the same for all features of an edge or a vertex: what a scalar property is given, which feature is broadcast, and what a
//! function returns where the macros have found that to be so.
//!
//! The macros refuse what they can see. What they cannot see, such as a plain function that counts its calls, the emulator reports. Elsewhere
//! nothing is compared, and the value of the first feature is taken.

use crate::group::Group;
use crate::local::Local;
use crate::machine::Machine;
use crate::unrolled::each;

/// What must have one value for all features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// The scalar property of this name.
    Scalar(&'static str),
    /// Which feature a `broadcast` takes.
    Index,
    /// What the function returns.
    Outcome,
}

/// Two features of one edge or vertex have different values of what must have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The function that computed them.
    pub function: &'static str,
    /// What must have one value.
    pub shared: Shared,
    /// What the bits stand for.
    pub form: Form,
    /// The bits of the first feature's value.
    pub first: u32,
    /// Another feature.
    pub feature: u32,
    /// The bits of its value.
    pub other: u32,
}

/// What a value's bits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A float.
    Float,
    /// An integer.
    Integer,
    /// A truth value.
    Truth,
}

/// A value that is compared by its bits.
pub trait Bits: Copy {
    /// What they stand for.
    const FORM: Form;

    /// The bits.
    fn bits(self) -> u32;

    /// The value of these bits.
    fn from_bits(bits: u32) -> Self;
}

impl Bits for f32 {
    const FORM: Form = Form::Float;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bits(self) -> u32 {
        self.to_bits()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits)
    }
}

impl Bits for u32 {
    const FORM: Form = Form::Integer;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bits(self) -> u32 {
        self
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_bits(bits: u32) -> Self {
        bits
    }
}

impl Bits for u8 {
    const FORM: Form = Form::Integer;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bits(self) -> u32 {
        u32::from(self)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_bits(bits: u32) -> Self {
        bits as u8
    }
}

impl Bits for bool {
    const FORM: Form = Form::Truth;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bits(self) -> u32 {
        u32::from(self)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_bits(bits: u32) -> Self {
        bits != 0
    }
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Notes the value of the lane's feature `index`, where the machine compares.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn note<T: Bits>(self, values: &mut Local<T, V>, index: usize, value: T) {
        if M::COMPARES {
            values.set(index, value);
        }
    }

    /// Where the machine compares, the lanes of the group meet, and report a feature whose value is not that of the first.
    ///
    /// # Safety
    /// The values of the lane's first feature and of those that the user asked for are set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn agree<T: Bits>(self, values: &Local<T, V>, function: &'static str, shared: Shared) {
        if M::COMPARES {
            // SAFETY: the caller's.
            unsafe { self.compare(values, function, shared) };
        }
    }

    /// Compares the lane's values with that of the first lane's first feature.
    ///
    /// # Safety
    /// As [`Group::agree`].
    unsafe fn compare<T: Bits>(self, values: &Local<T, V>, function: &'static str, shared: Shared) {
        // SAFETY: the caller's.
        let own = unsafe { values.get(0) }.bits();
        let leader = self.machine().lane() - self.lane();
        let first = if L == 1 { own } else { self.machine().shuffle_from(self.members(), own, leader) };
        each::<V>(|index| {
            if self.is_live(index) {
                // SAFETY: the caller's.
                let other = unsafe { values.get(index) }.bits();
                let feature = self.feature(index);
                if other != first {
                    let form = T::FORM;
                    self.machine().disagree(Disagreement { function, shared, form, first, feature, other });
                }
            }
        });
    }
}
