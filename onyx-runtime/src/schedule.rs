//! Schedules: how edges and vertices come to groups of lanes, and what is known of each kernel.
//!
//! A new one is a file in `onyx_device::schedule`, a line in `compile/schedule.rs` of `onyx-macros`, which says which folds have a use for it, and a row in
//! `table.rs`. Where a user may ask for it, it has a name here, too.

mod kernel;
pub(crate) mod rule;
pub(crate) mod table;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

pub(crate) use self::kernel::Form;
#[cfg(feature = "emulator")]
pub(crate) use self::table::kernels;
pub(crate) use self::table::{Choice, Job, Kernel, Reads, Team, Unit, WARP_LANES, When};

/// The names by which a user asks for schedules.
macro_rules! names {
    ($($(#[$about:meta])* $schedule:ident = $name:literal;)*) => {
        /// How edges come to groups of lanes on a GPU and in the emulator. A schedule of one direction leaves the other direction's to be chosen.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Schedule {
            $($(#[$about])* $schedule,)*
        }

        impl Schedule {
            /// Every schedule.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$schedule),*];

            /// Its name.
            const fn name(self) -> &'static str {
                match self {
                    $(Self::$schedule => $name,)*
                }
            }
        }
    };
}

names! {
    /// By the degrees, the features, the active edge fraction and the device.
    #[default]
    Auto = "auto";
    /// Both directions: rows cut into groups of bounded size.
    NeighborGroup = "neighbor_group";
    /// Pull: a block for neighbor groups that follow each other, whose totals of one row meet in shared memory.
    GroupsPerBlock = "groups_per_block";
    /// Pull: a warp for each vertex.
    VertexPerWarp = "vertex_per_warp";
    /// Pull: a block for each vertex.
    VertexPerBlock = "vertex_per_block";
    /// Pull: a block for each vertex whose edges add up a matrix, with a row of it in each lane.
    MatrixPerBlock = "matrix_per_block";
    /// Pull: a warp for each 32 vertices, whose edges its groups of lanes take side by side.
    WordPerWarp = "word_per_warp";
    /// Pull: all stages of a fold by one kernel, a block for some whole graphs of a batch. On the CPU a thread.
    GraphPerBlock = "graph_per_block";
    /// Pull: a group of lanes for each edge.
    EdgeFlat = "edge_flat";
    /// Push: a warp for each word of the active set.
    WarpWord = "warp_word";
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|schedule| schedule.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let (last, first) = names.split_last().unwrap_or((&"", &[]));
            format!("unknown schedule \"{text}\": there are {} and {last}", first.join(", "))
        })
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_answered_with_all_names() {
        let all = "auto, neighbor_group, groups_per_block, vertex_per_warp, vertex_per_block, matrix_per_block, word_per_warp, graph_per_block, edge_flat and warp_word";
        assert_eq!("none".parse::<Schedule>(), Err(format!("unknown schedule \"none\": there are {all}")));
        assert!(Schedule::ALL.iter().all(|schedule| schedule.to_string().parse() == Ok(*schedule)));
    }

    #[test]
    fn what_may_be_asked_for_is_a_kernel_of_one_direction_at_least() {
        for schedule in Schedule::ALL.into_iter().filter(|schedule| *schedule != Schedule::Auto) {
            let of = |job| Kernel::asked(job, schedule).is_some();
            assert!(of(Job::Pull) || of(Job::Push), "{schedule} is a name of nothing");
        }
    }
}
