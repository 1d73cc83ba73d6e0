//! The types of numbers in memory, as the runtime sees them.

/// A type of number in memory, as the runtime sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// `f32`
    F32,
    /// `u32`
    U32,
    /// `u8`
    U8,
    /// [`struct@crate::half::f16`]
    F16,
    /// [`struct@crate::half::saturating_f16`]
    SaturatingF16,
    /// [`struct@crate::half::bf16`]
    Bf16,
}

impl Number {
    /// How many bytes one has.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 | Self::U32 => 4,
            Self::F16 | Self::SaturatingF16 | Self::Bf16 => 2,
            Self::U8 => 1,
        }
    }

    /// Whether it is a float of two bytes.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::SaturatingF16 | Self::Bf16)
    }

    /// Whether it is an integer, which is never NaN, infinite or rounded.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::U32 | Self::U8)
    }

    /// How it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U32 => "u32",
            Self::U8 => "u8",
            Self::F16 => "f16",
            Self::SaturatingF16 => "saturating_f16",
            Self::Bf16 => "bf16",
        }
    }
}
