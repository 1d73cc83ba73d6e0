//! What an emulated kernel can do wrong.

use std::error::Error;
use std::fmt;

use super::{Access, Order, Place};
use crate::agreement::{Disagreement, Form, Shared};

/// What a lane waits at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An exchange of values between two lanes.
    Shuffle,
    /// A look at the value of any lane.
    ShuffleFrom,
    /// A vote.
    Ballot,
    /// A wait, for memory.
    Synchronization,
    /// A wait for the whole block.
    Barrier,
}

/// A launch that was stopped: by what, and in which order its lanes ran, so that it can be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmulatorError {
    /// What went wrong.
    pub mistake: Mistake,
    /// The order of lanes, warps and blocks.
    pub order: Order,
}

/// Lanes that do not meet, or get in each other's way, or reach what they must not. On a GPU this is a hang, or worse, a wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Some lanes wait for others that will not arrive.
    Missing {
        /// The number of the warp in the launch.
        warp: u64,
        /// What the lanes wait at.
        operation: Operation,
        /// The lanes that the operation names, one bit each.
        members: u32,
        /// Those of them that wait.
        waiting: u32,
        /// Those of them that have returned from the kernel.
        returned: u32,
    },
    /// Some lanes of a block wait at its barrier for others that have returned.
    Left {
        /// The number of the block in the launch.
        block: u64,
        /// How many lanes wait.
        waiting: usize,
        /// The number in the launch of the first warp of which lanes have returned.
        warp: u64,
        /// Those lanes, one bit each.
        returned: u32,
    },
    /// An access that reads what holds nothing: shared memory that no lane of the block has stored, or an array that was to be stored first.
    Empty {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// Where.
        place: Place,
    },
    /// A lane calls an operation whose members it is not among.
    Outsider {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it calls.
        operation: Operation,
        /// The lanes that the operation names, one bit each.
        members: u32,
    },
    /// A lane reads a lane in a shuffle that is not among its members.
    Unheard {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// The lane whose value it wants.
        from: u32,
        /// The lanes that the operation names, one bit each.
        members: u32,
    },
    /// An access that lies in no array, or not in one alone.
    Outside {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// How many bytes it reaches.
        bytes: usize,
        /// Where, from the nearest array.
        place: Place,
    },
    /// An access of several elements at once that is not aligned to its size.
    Misaligned {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// How many bytes it reaches.
        bytes: usize,
        /// What the address must be a multiple of.
        alignment: usize,
        /// Where.
        place: Place,
    },
    /// A lane writes although the run is over, so that the launch must leave all as it is.
    Late {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// Where.
        place: Place,
    },
    /// A lane reaches what the launch before writes, or writes what that reaches, before it has waited for that.
    Early {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// Where.
        place: Place,
    },
    /// No lane waits for the launch before, so that the next launch may begin before that has ended.
    NeverWaits,
    /// Two lanes write one address, or one reads what the other writes, in no order; or a lane writes what any has loaded as constant.
    Conflict {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// What it does.
        access: Access,
        /// The warp and the lane whose access was in the way: the earlier one in this order.
        other: (u64, u32),
        /// What that did.
        by: Access,
        /// Where.
        place: Place,
    },
    /// A function gave two features different values of what has one for all of them.
    Differs {
        /// The number of the warp in the launch.
        warp: u64,
        /// The lane.
        lane: u32,
        /// Which function, of what, and the values.
        disagreement: Disagreement,
    },
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, shared, form, first, feature, other } = *self;
        let shown = |bits: u32| match form {
            Form::Float => format!("{:?}", f32::from_bits(bits)),
            Form::Integer => bits.to_string(),
            Form::Truth => (bits != 0).to_string(),
        };
        let what = match shared {
            Shared::Scalar(property) => format!("gives `{property}`, which has one value for all features,"),
            Shared::Index => "broadcasts feature".to_owned(),
            Shared::Outcome => "returns".to_owned(),
        };
        let (first, other) = (shown(first), shown(other));
        write!(
            f,
            "`{function}` {what} {first} for feature 0 and {other} for feature {feature}: a plain function that it calls does not give \
             the same for the same arguments"
        )
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.array {
            "" => write!(f, "address {:#x}", self.offset),
            array => write!(f, "offset {} of {array}", self.offset),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shuffle | Self::ShuffleFrom => "shuffle",
            Self::Ballot => "ballot",
            Self::Synchronization => "synchronization",
            Self::Barrier => "barrier",
        })
    }
}

impl fmt::Display for EmulatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in {}", self.mistake, self.order)
    }
}

impl Error for EmulatorError {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.clone() {
            Self::Missing { warp, operation, members, waiting, returned } => {
                let verb = if waiting.count_ones() == 1 { "waits" } else { "wait" };
                write!(f, "warp {warp}: {} {verb} at a {operation} of {}, but ", Lanes(waiting), Lanes(members))?;
                let elsewhere = members & !waiting & !returned;
                if returned & members != 0 {
                    let verb = if (returned & members).count_ones() == 1 { "has" } else { "have" };
                    write!(f, "{} {verb} returned", Lanes(returned & members))
                } else {
                    let verb = if elsewhere.count_ones() == 1 { "is" } else { "are" };
                    write!(f, "{} {verb} at another operation", Lanes(elsewhere))
                }
            }
            Self::Left { block, waiting, warp, returned } => {
                let verb = if returned.count_ones() == 1 { "has" } else { "have" };
                let returned = Lanes(returned);
                write!(
                    f,
                    "block {block}: {waiting} lanes wait at its barrier, but {returned} of warp {warp} {verb} returned"
                )
            }
            Self::Empty { warp, lane, access, place } => {
                let verb = access.verb();
                write!(f, "warp {warp}: lane {lane} {verb} at {place}, where no lane has stored")
            }
            Self::Late { warp, lane, access, place } => {
                let verb = access.verb();
                write!(f, "warp {warp}: lane {lane} {verb} at {place}, although the run is over")
            }
            Self::Early { warp, lane, access, place } => {
                let (verb, other) = (access.verb(), if access.is_load() { "writes" } else { "reaches" });
                write!(
                    f,
                    "warp {warp}: lane {lane} {verb} at {place}, which the launch before {other}, without waiting for that"
                )
            }
            Self::NeverWaits => f.write_str("no lane waits for the launch before"),
            Self::Outsider { warp, lane, operation, members } => {
                write!(
                    f,
                    "warp {warp}: lane {lane} calls a {operation} of {}, in which it takes no part",
                    Lanes(members)
                )
            }
            Self::Unheard { warp, lane, from, members } => {
                let members = Lanes(members);
                write!(
                    f,
                    "warp {warp}: lane {lane} reads lane {from} in a shuffle of {members}, in which that takes no part"
                )
            }
            Self::Differs { warp, lane, disagreement } => write!(f, "warp {warp}: lane {lane}: {disagreement}"),
            Self::Outside { warp, lane, access, bytes, place } => {
                let (verb, length) = (access.verb(), place.length);
                write!(
                    f,
                    "warp {warp}: lane {lane} {verb} {bytes} bytes at {place}, which has {length} bytes: an out-of-bounds row"
                )
            }
            Self::Misaligned { warp, lane, access, bytes, alignment, place } => {
                let verb = access.verb();
                write!(
                    f,
                    "warp {warp}: lane {lane} {verb} {bytes} bytes at {place}, which is no multiple of {alignment}: a misaligned row"
                )
            }
            Self::Conflict { warp, lane, access, other, by, place } => {
                let (verb, done) = (access.verb(), by.done());
                let (other_warp, other) = other;
                let how = match (access, by) {
                    (Access::LoadConstant, _) => "in the same launch, although it loads what nothing may write",
                    (_, Access::LoadConstant) => "what nothing may write in the same launch",
                    _ => "without meeting it",
                };
                write!(
                    f,
                    "warp {warp}: lane {lane} {verb} at {place}, where lane {other} of warp {other_warp} has {done} {how}"
                )
            }
        }
    }
}

/// A set of lanes, written as ranges.
struct Lanes(u32);

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.count_ones() == 1 { "lane " } else { "lanes " })?;
        let mut rest = u64::from(self.0);
        let mut separator = "";
        while rest != 0 {
            let first = rest.trailing_zeros();
            let length = (rest >> first).trailing_ones();
            write!(f, "{separator}{first}")?;
            if length > 1 {
                write!(f, "-{}", first + length - 1)?;
            }
            rest &= !(((1 << length) - 1) << first);
            separator = ", ";
        }
        Ok(())
    }
}
