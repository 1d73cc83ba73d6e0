//! What lanes do to memory, and what of it several lanes may do at once.

/// What a lane does to memory. Lanes that have not met may load one address, or do the same of [`Access::is_shared`] there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Load,
    /// Reads what nothing writes during the launch.
    LoadConstant,
    /// Writes.
    Store,
    /// Writes a mark of this value.
    Mark(u8),
    /// Adds atomically.
    Add,
    /// Multiplies atomically.
    Multiply,
    /// Lowers atomically to a minimum.
    Lower,
    /// Raises atomically to a maximum.
    Raise,
    /// Sets bits atomically.
    Or,
    /// Clears bits atomically.
    And,
    /// Stores atomically if something is there.
    Swap,
}

impl Access {
    /// Whether nothing is written.
    pub(super) fn is_load(self) -> bool {
        matches!(self, Self::Load | Self::LoadConstant)
    }

    /// Whether what was there before takes part in what is read or written.
    pub(super) fn needs_value(self) -> bool {
        !matches!(self, Self::Store | Self::Mark(_))
    }

    /// Whether several lanes may do the same at once: leave equal marks, combine atomically by one operator, or compare and swap.
    pub fn is_shared(self) -> bool {
        !matches!(self, Self::Load | Self::LoadConstant | Self::Store)
    }

    /// The verb, as in "lane 3 loads".
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Load | Self::LoadConstant => "loads",
            Self::Store => "stores",
            Self::Mark(_) => "marks",
            Self::Add => "adds",
            Self::Multiply => "multiplies",
            Self::Lower => "lowers",
            Self::Raise => "raises",
            Self::Or => "ors",
            Self::And => "ands",
            Self::Swap => "swaps",
        }
    }

    /// The verb, as in "lane 3 has loaded".
    pub(super) fn done(self) -> &'static str {
        match self {
            Self::Load | Self::LoadConstant => "loaded",
            Self::Store => "stored",
            Self::Mark(_) => "marked",
            Self::Add => "added",
            Self::Multiply => "multiplied",
            Self::Lower => "lowered",
            Self::Raise => "raised",
            Self::Or => "ored",
            Self::And => "anded",
            Self::Swap => "swapped",
        }
    }
}
