//! The four variants of the thesis.

use std::fmt;

/// With or without feature-awareness and change-driven computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Features across lanes, four in each access; otherwise one thread an edge, one feature in each.
    pub is_feature_aware: bool,
    /// Only what has changed is propagated.
    pub is_change_driven: bool,
}

impl Variant {
    /// All four; the first is what the others are compared with.
    pub const ALL: [Self; 4] =
        [Self::of(false, false), Self::of(true, false), Self::of(false, true), Self::of(true, true)];

    const fn of(is_feature_aware: bool, is_change_driven: bool) -> Self {
        Self { is_feature_aware, is_change_driven }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_feature_aware { "FA" } else { "NFA" })?;
        f.write_str(if self.is_change_driven { "/CD" } else { "/NCD" })
    }
}
