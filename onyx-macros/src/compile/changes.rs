//! Change-driven runs: whether a fold may leave vertices out, and what stands in the way.
//!
//! A vertex is left out while its functions have returned false and none of its sources is active. That changes nothing if running them once
//! more on the same totals would store and return the same: what they store and return comes from totals, from what the fold does not
//! write, and from the vertex's own earlier values only where false says that those have not changed.

use std::fmt;

use crate::compile::accesses::Accesses;
use crate::compile::flow::Stored;
use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;
use crate::parse::access::Place;

/// Why a fold cannot leave vertices out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The fold has several stages.
    Stages,
    /// An edge function reduces into the source of its edge.
    Reversed(String),
    /// A function reads at an index that it computes, or adds there.
    Gathers(String),
    /// No edge function reads at the source what a vertex function writes.
    NothingChanges,
    /// An edge function reads a property at the source that is written and not tracked.
    Untracked(String),
    /// An edge function reads or reduces a property at the destination that a vertex function writes.
    Destination(String),
    /// An edge function writes a property of its edge.
    Edge(String),
    /// An edge function reduces a property by a minimum or a maximum.
    Bound(String),
    /// An edge function sets or clears bits of a property.
    Bits(String),
    /// An edge function reduces a property by an operator of which memory has the result alone.
    State(String),
    /// A function uses the number of the iteration.
    Iteration(String),
    /// What a vertex function stores comes from an own earlier value that may have changed where false is returned.
    Stored {
        /// The function.
        function: String,
        /// What it stores.
        property: String,
        /// What that comes from.
        source: String,
    },
    /// What a vertex function returns comes from such a value.
    Returned {
        /// The function.
        function: String,
        /// What the return value comes from.
        source: String,
    },
    /// A vertex function may return false although what the neighbors read has changed.
    Unsaid {
        /// The function.
        function: String,
        /// What may have changed.
        property: String,
    },
}

impl Reason {
    /// Whether a person who knows better may ask for changes all the same, by `edges = changed`: the rest can be done, but was not shown.
    pub fn may_be_overruled(&self) -> bool {
        matches!(self, Self::Stored { .. } | Self::Returned { .. } | Self::Unsaid { .. })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stages => write!(f, "the fold has several stages"),
            Self::Reversed(function) => {
                write!(
                    f,
                    "`{function}` reduces into the source of its edge, and changes are propagated to destinations"
                )
            }
            Self::Gathers(function) => {
                write!(
                    f,
                    "`{function}` reaches a vertex or a row that it computes, and changes are propagated along edges alone"
                )
            }
            Self::NothingChanges => {
                write!(f, "the edge functions read nothing at the source that the fold's vertex functions write")
            }
            Self::Untracked(name) => write!(f, "`{name}` is read at the source and written, and is not `Tracked`"),
            Self::Destination(name) => {
                write!(
                    f,
                    "`{name}` is read or reduced at the destination by an edge function, and written by a vertex function"
                )
            }
            Self::Edge(name) => write!(f, "an edge function writes `{name}` of its edge"),
            Self::Bound(name) => {
                write!(f, "`{name}` is reduced by a minimum or maximum, which cannot take a change back")
            }
            Self::Bits(name) => write!(f, "`{name}` is reduced by `|=` or `&=`, which cannot take a change back"),
            Self::State(name) => write!(
                f,
                "`{name}` is reduced by an operator of which the result alone is kept, so that no change can be taken back"
            ),
            Self::Iteration(function) => write!(f, "`{function}` uses the number of the iteration"),
            Self::Stored { function, property, source } => write!(
                f,
                "`{function}` stores `{property}` from the vertex's own earlier `{source}`, and its return value does not say whether that has \
                 changed, as `any(new != d.{source}[v][f])` would"
            ),
            Self::Returned { function, source } => write!(
                f,
                "`{function}` returns what comes from the vertex's own earlier `{source}`, and does not say whether that has changed, as \
                 `any(new != d.{source}[v][f])` would"
            ),
            Self::Unsaid { function, property } => write!(
                f,
                "neighbors read `{property}`, and what `{function}` returns does not say whether that has changed, as \
                 `any(new != d.{property}[v][f])` would"
            ),
        }
    }
}

/// What keeps the fold of these functions, of `stages` stages, from being change-driven; none if vertices may be left out.
///
/// `scratch_in_memory` are the scratch properties that have memory.
pub fn obstacle(
    properties: &Properties,
    members: &[FoldFunction],
    stages: usize,
    scratch_in_memory: u64,
) -> Option<Reason> {
    if stages != 1 {
        return Some(Reason::Stages);
    }
    let of_edges =
        reversed(members).or_else(|| gathering(members)).or_else(|| of_edges(properties, members, scratch_in_memory));
    of_edges.or_else(|| iteration_in_edges(properties, members)).or_else(|| of_vertices(properties, members))
}

fn all(members: &[FoldFunction]) -> Accesses {
    Accesses::union_of(members.iter().map(|member| member.accesses))
}

/// The edge function, if any, that reduces into the source.
fn reversed(members: &[FoldFunction]) -> Option<Reason> {
    let member = members.iter().find(|member| member.reduced_end == Some(Place::Source))?;
    Some(Reason::Reversed(member.name.clone()))
}

/// The function, if any, that reaches an index that it computes: other vertices than its edges lead to, or a row of a table.
fn gathering(members: &[FoldFunction]) -> Option<Reason> {
    let member = members.iter().find(|member| member.accesses.gathers | member.accesses.adds != 0)?;
    Some(Reason::Gathers(member.name.clone()))
}

/// What the edge functions do that cannot be done for changes alone.
fn of_edges(properties: &Properties, members: &[FoldFunction], scratch_in_memory: u64) -> Option<Reason> {
    let accesses = all(members);
    let changing = accesses.reads_source & accesses.writes;
    if changing == 0 {
        return Some(Reason::NothingChanges);
    }
    type About = fn(String) -> Reason;
    let checks: [(u64, About); 6] = [
        (changing & !properties.tracked(), Reason::Untracked),
        ((accesses.reads_destination | accesses.reduces) & accesses.writes, Reason::Destination),
        (accesses.writes_edge & !(properties.scratch() & !scratch_in_memory), Reason::Edge),
        (accesses.lowers | accesses.raises, Reason::Bound),
        (accesses.sets_bits | accesses.clears_bits, Reason::Bits),
        (accesses.states(), Reason::State),
    ];
    checks.into_iter().find_map(|(found, obstacle)| Some(obstacle(properties.first(found)?.to_owned())))
}

/// The edge function, if any, that uses the number of the iteration, by which what it adds changes although nothing is active.
fn iteration_in_edges(properties: &Properties, members: &[FoldFunction]) -> Option<Reason> {
    let reads = |member: &&FoldFunction| member.is_edge() && member.accesses.reads_graph & properties.iteration() != 0;
    members.iter().find(reads).map(|member| Reason::Iteration(member.name.clone()))
}

/// What the vertex functions keep from one iteration to the next without saying so.
fn of_vertices(properties: &Properties, members: &[FoldFunction]) -> Option<Reason> {
    let walk = Walk::of(properties, members);
    if walk.always_true { None } else { walk.find(properties, members) }
}

/// The untracked properties that vertex functions store, read again later, and do not say the change of: where such a function returns
/// false, it must not store anything new there.
pub fn watched(properties: &Properties, members: &[FoldFunction]) -> u64 {
    let walk = Walk::of(properties, members);
    let stored = bits(walk.kept).fold(0, |stored, index| stored | walk.stored[index]);
    (walk.returned | stored) & walk.kept & walk.unsaid & !properties.tracked()
}

/// The most properties that a structure has.
const MOST_PROPERTIES: usize = 64;

/// The positions of the properties of a set.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..MOST_PROPERTIES).filter(move |index| set >> index & 1 == 1)
}

/// What is known of the functions so far.
struct Walk {
    /// What the fold's vertex functions write to memory.
    kept: u64,
    /// What neighbors read of that.
    shown: u64,
    /// What changes without the vertex functions: totals, and the number of the iteration.
    moving: u64,
    /// For each property, whose values at the start of the iteration its value comes from by now.
    sources: [u64; MOST_PROPERTIES],
    /// What stopped earlier functions, or did not.
    progress: u64,
    /// What has been written by now.
    written: u64,
    /// For each property, what is stored in it comes from, and the last function that stores it.
    stored: [u64; MOST_PROPERTIES],
    stored_by: [usize; MOST_PROPERTIES],
    /// What the functions return comes from, and the last function.
    returned: u64,
    returned_by: usize,
    /// The properties of which a later function may return false although they have changed, and the function.
    unsaid: u64,
    unsaid_by: [usize; MOST_PROPERTIES],
    always_true: bool,
}

impl Walk {
    fn of(properties: &Properties, members: &[FoldFunction]) -> Self {
        let accesses = all(members);
        let kept = accesses.writes & !properties.scratch();
        let mut walk = Self::new(kept, accesses.reads_source & kept, accesses.reduces | properties.iteration());
        let vertices = members.iter().enumerate().filter(|(_, member)| !member.is_edge());
        vertices.for_each(|(index, member)| walk.function(member, index));
        walk
    }

    fn new(kept: u64, shown: u64, moving: u64) -> Self {
        Self {
            kept,
            shown,
            moving,
            sources: std::array::from_fn(|index| 1 << index),
            progress: 0,
            written: 0,
            stored: [0; MOST_PROPERTIES],
            stored_by: [0; MOST_PROPERTIES],
            returned: 0,
            returned_by: 0,
            unsaid: 0,
            unsaid_by: [0; MOST_PROPERTIES],
            always_true: true,
        }
    }

    /// Whose values at the start of the iteration the values of these properties come from by now.
    fn origins(&self, properties: u64) -> u64 {
        bits(properties).fold(0, |origins, index| origins | self.sources[index])
    }

    /// Adds one vertex function, number `index` of the fold.
    fn function(&mut self, member: &FoldFunction, index: usize) {
        let (flow, writes) = (&member.flow, member.accesses.writes);
        let (mut sources, mut covers) = (self.sources, flow.covers);
        for Stored { property, sources: from, is_certain, rests_on, .. } in &flow.stores {
            if rests_on & (self.written | self.moving) != 0 {
                covers &= !property;
            }
            let new = self.origins(*from) | self.progress;
            let is_certain = *is_certain && self.progress == 0;
            for property in bits(*property) {
                self.stored[property] |= new;
                self.stored_by[property] = index;
                sources[property] = if is_certain { new } else { sources[property] | new };
            }
        }
        // A later function does not see how an earlier one has changed a value.
        self.leave_unsaid(self.written | writes & !covers, flow.always_true, index);
        self.returned |= self.origins(flow.returned);
        self.returned_by = index;
        self.progress |= if flow.always_true { 0 } else { self.origins(flow.returned) };
        self.sources = sources;
        self.written |= writes;
        self.always_true &= flow.always_true;
    }

    /// Notes that function number `index` may return false although these have changed.
    fn leave_unsaid(&mut self, properties: u64, always_true: bool, index: usize) {
        if !always_true {
            bits(properties).for_each(|property| self.unsaid_by[property] = index);
            self.unsaid |= properties;
        }
    }

    /// The first obstacle.
    fn find(&self, properties: &Properties, members: &[FoldFunction]) -> Option<Reason> {
        bits(self.kept)
            .find_map(|index| self.find_stored(properties, members, index))
            .or_else(|| self.find_returned(properties, members))
            .or_else(|| self.find_unsaid(properties, members))
    }

    fn find_stored(&self, properties: &Properties, members: &[FoldFunction], index: usize) -> Option<Reason> {
        let (stored, function) = (self.stored[index], members[self.stored_by[index]].name.clone());
        if stored & properties.iteration() != 0 {
            return Some(Reason::Iteration(function));
        }
        let source = properties.first(stored & self.kept & self.unsaid)?.to_owned();
        Some(Reason::Stored { function, property: properties.0[index].name.clone(), source })
    }

    fn find_returned(&self, properties: &Properties, members: &[FoldFunction]) -> Option<Reason> {
        let function = members[self.returned_by].name.clone();
        if self.returned & properties.iteration() != 0 {
            return Some(Reason::Iteration(function));
        }
        let source = properties.first(self.returned & self.kept & self.unsaid)?.to_owned();
        Some(Reason::Returned { function, source })
    }

    fn find_unsaid(&self, properties: &Properties, members: &[FoldFunction]) -> Option<Reason> {
        let unsaid = self.shown & self.unsaid;
        let property = properties.first(unsaid)?.to_owned();
        let function = members[self.unsaid_by[unsaid.trailing_zeros() as usize]].name.clone();
        Some(Reason::Unsaid { function, property })
    }
}
