//! What rows are stored as where edges read them.

use std::fmt;
use std::str::FromStr;

/// What rows are stored as where edges read them. Whatever it is, sums, weights and gradients are `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Four bytes.
    #[default]
    F32,
    /// Two bytes: 11 significant bits, up to 65,504.
    F16,
    /// Two bytes: 8 significant bits, and the range of an `f32`.
    Bf16,
}

impl FromStr for Storage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "f32" => Ok(Self::F32),
            "f16" => Ok(Self::F16),
            "bf16" => Ok(Self::Bf16),
            _ => Err(format!("unknown storage \"{text}\": there are f32, f16 and bf16")),
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        })
    }
}
