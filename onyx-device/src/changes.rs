//! Change-driven runs: whether a fold may leave vertices out, and what stands in the way.
//!
//! A vertex is left out while its functions have returned false and none of its sources is active. That changes nothing if running them once
//! more on the same totals would store and return the same: what they store and return comes from totals, from what the fold does not
//! write, and from the vertex's own earlier values only where false says that those have not changed.

use core::fmt;

use crate::access::EdgeAccess;
use crate::message::Text;
use crate::property::{Descriptor, Element};
use crate::stage::Member;

/// Where the new value of one property of a vertex comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The property's position in the data.
    pub property: u32,
    /// The properties whose values at the start of the function the new value depends on, one bit each.
    pub sources: u64,
    /// Those of them that it depends on by additions and multiplications alone.
    pub linear: u64,
    /// If false says the change of the value by that of others: what it is computed from beside them.
    pub rests_on: u64,
    /// Whether the function stores the property on every path.
    pub is_certain: bool,
}

/// Where what a vertex function stores and returns comes from, and what its return value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// What it stores.
    pub stores: &'static [Stored],
    /// The properties that its return value depends on.
    pub returned: u64,
    /// The properties among those that it stores that have changed within a tolerance at most where it returns false.
    pub covers: u64,
    /// Whether it returns true on every path.
    pub always_true: bool,
}

impl Flow {
    /// Nothing is stored, and true returned.
    pub const NONE: Self = Self { stores: &[], returned: 0, covers: 0, always_true: true };
}

/// Why a fold cannot leave vertices out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeObstacle {
    /// The fold has several stages.
    Stages,
    /// No edge function reads at the source what a vertex function writes.
    NothingChanges,
    /// An edge function reads a property at the source that is written and not tracked.
    Untracked(&'static str),
    /// An edge function reads or reduces a property at the destination that a vertex function writes.
    Destination(&'static str),
    /// An edge function writes a property of its edge.
    Edge(&'static str),
    /// An edge function reduces a property by a minimum or a maximum.
    Bound(&'static str),
    /// A function uses the number of the iteration.
    Iteration(&'static str),
    /// What a vertex function stores comes from an own earlier value that may have changed where false is returned.
    Stored {
        /// The function.
        function: &'static str,
        /// What it stores.
        property: &'static str,
        /// What that comes from.
        source: &'static str,
    },
    /// What a vertex function returns comes from such a value.
    Returned {
        /// The function.
        function: &'static str,
        /// What the return value comes from.
        source: &'static str,
    },
    /// A vertex function may return false although what the neighbors read has changed.
    Unsaid {
        /// The function.
        function: &'static str,
        /// What may have changed.
        property: &'static str,
    },
}

/// The most pieces that an obstacle's text has.
const PIECES: usize = 9;

impl ChangeObstacle {
    /// Its text in pieces.
    pub const fn pieces(self) -> [&'static str; PIECES] {
        const fn padded<const N: usize>(pieces: [&'static str; N]) -> [&'static str; PIECES] {
            let (mut all, mut at) = ([""; PIECES], 0);
            while at < N {
                all[at] = pieces[at];
                at += 1;
            }
            all
        }
        match self {
            Self::Stages => padded(["the fold has several stages"]),
            Self::NothingChanges => {
                padded(["the edge functions read nothing at the source that the fold's vertex functions write"])
            }
            Self::Untracked(name) => padded(["`", name, "` is read at the source and written, and is not `Tracked`"]),
            Self::Destination(name) => padded([
                "`",
                name,
                "` is read or reduced at the destination by an edge function, and written by a vertex function",
            ]),
            Self::Edge(name) => padded(["an edge function writes `", name, "` of its edge"]),
            Self::Bound(name) => {
                padded(["`", name, "` is reduced by a minimum or maximum, which cannot take a change back"])
            }
            Self::Iteration(function) => padded(["`", function, "` uses the number of the iteration"]),
            Self::Stored { function, property, source } => padded([
                "`",
                function,
                "` stores `",
                property,
                "` from the vertex's own earlier `",
                source,
                "`, and its return value does not say whether that has changed, as `any(new != d.",
                source,
                "[v][f])` would",
            ]),
            Self::Returned { function, source } => padded([
                "`",
                function,
                "` returns what comes from the vertex's own earlier `",
                source,
                "`, and does not say whether that has changed, as `any(new != d.",
                source,
                "[v][f])` would",
            ]),
            Self::Unsaid { function, property } => padded([
                "neighbors read `",
                property,
                "`, and what `",
                function,
                "` returns does not say whether that has changed, as `any(new != d.",
                property,
                "[v][f])` would",
            ]),
        }
    }

    /// Its text after `before`.
    pub const fn text(self, before: &str) -> Text {
        let (mut text, pieces, mut at) = (Text::new().then(before), self.pieces(), 0);
        while at < PIECES {
            text = text.then(pieces[at]);
            at += 1;
        }
        text
    }

    /// Whether a person who knows better may ask for changes all the same, by `edges = changed`: the rest can be done, but was not shown.
    pub const fn may_be_overruled(self) -> bool {
        matches!(self, Self::Stored { .. } | Self::Returned { .. } | Self::Unsaid { .. })
    }
}

impl fmt::Display for ChangeObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// What keeps the fold of these functions, of `stages` stages, from being change-driven; none if vertices may be left out.
///
/// `spilled` are the scratch properties that have memory.
pub const fn obstacle(
    properties: &[Descriptor],
    members: &[Member],
    stages: usize,
    spilled: u64,
) -> Option<ChangeObstacle> {
    if stages != 1 {
        return Some(ChangeObstacle::Stages);
    }
    match obstacle_of_edges(properties, members, spilled) {
        None => obstacle_of_vertices(properties, members),
        found => found,
    }
}

const fn name(properties: &[Descriptor], set: u64) -> &'static str {
    properties[set.trailing_zeros() as usize].name
}

/// The bits of the properties that `holds` for.
const fn tracked(properties: &[Descriptor]) -> u64 {
    crate::fold::tracked(properties)
}

/// The bits of the number of the iteration.
const fn iteration(properties: &[Descriptor]) -> u64 {
    let (mut bits, mut index) = (0, 0);
    while index < properties.len() {
        bits |= (matches!(properties[index].element, Element::Iteration) as u64) << index;
        index += 1;
    }
    bits
}

/// What all edge functions access, and what all vertex functions write.
const fn accesses(members: &[Member]) -> (EdgeAccess, u64) {
    let (mut edges, mut writes, mut index) = (EdgeAccess::NONE, 0, 0);
    while index < members.len() {
        edges = edges.union(members[index].edge);
        writes |= members[index].vertex.writes;
        index += 1;
    }
    (edges, writes)
}

/// What the edge functions do that cannot be done for changes alone.
const fn obstacle_of_edges(properties: &[Descriptor], members: &[Member], spilled: u64) -> Option<ChangeObstacle> {
    let (edges, writes) = accesses(members);
    let changing = edges.reads_source & writes;
    let untracked = changing & !tracked(properties);
    let destination = (edges.reads_destination | edges.reduces) & writes;
    let kept = edges.writes_edge & !(crate::fold::scratch(properties) & !spilled);
    let bounds = edges.lowers | edges.raises;
    if changing == 0 {
        Some(ChangeObstacle::NothingChanges)
    } else if untracked != 0 {
        Some(ChangeObstacle::Untracked(name(properties, untracked)))
    } else if destination != 0 {
        Some(ChangeObstacle::Destination(name(properties, destination)))
    } else if kept != 0 {
        Some(ChangeObstacle::Edge(name(properties, kept)))
    } else if bounds != 0 {
        Some(ChangeObstacle::Bound(name(properties, bounds)))
    } else {
        iteration_in_edges(properties, members)
    }
}

/// The edge function, if any, that uses the number of the iteration, by which what it adds changes although nothing is active.
const fn iteration_in_edges(properties: &[Descriptor], members: &[Member]) -> Option<ChangeObstacle> {
    let mut index = 0;
    while index < members.len() {
        if members[index].edge.reads_graph & iteration(properties) != 0 {
            return Some(ChangeObstacle::Iteration(members[index].name));
        }
        index += 1;
    }
    None
}

/// What the vertex functions keep from one iteration to the next without saying so.
const fn obstacle_of_vertices(properties: &[Descriptor], members: &[Member]) -> Option<ChangeObstacle> {
    let walk = Walk::of(properties, members);
    if walk.always_true { None } else { walk.find(properties, members) }
}

/// The untracked properties that vertex functions store, read again later, and do not say the change of: where such a function returns
/// false, it must not store anything new there.
pub const fn watched(properties: &[Descriptor], members: &[Member]) -> u64 {
    let walk = Walk::of(properties, members);
    let (mut read, mut index) = (walk.returned, 0);
    while index < properties.len() {
        read |= if walk.kept >> index & 1 == 1 { walk.stored[index] } else { 0 };
        index += 1;
    }
    read & walk.kept & walk.unsaid & !tracked(properties)
}

/// The most properties that a structure has.
const MOST_PROPERTIES: usize = 64;

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
    const fn of(properties: &[Descriptor], members: &[Member]) -> Self {
        let (edges, writes) = accesses(members);
        let kept = writes & !crate::fold::scratch(properties);
        let mut walk = Self::new(kept, edges.reads_source & kept, edges.reduces | iteration(properties));
        let mut index = 0;
        while index < members.len() {
            if !members[index].is_edge {
                walk.function(&members[index], index);
            }
            index += 1;
        }
        walk
    }

    const fn new(kept: u64, shown: u64, moving: u64) -> Self {
        let (mut sources, mut index) = ([0; MOST_PROPERTIES], 0);
        while index < MOST_PROPERTIES {
            sources[index] = 1 << index;
            index += 1;
        }
        Self {
            kept,
            shown,
            moving,
            sources,
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
    const fn origins(&self, properties: u64) -> u64 {
        let (mut origins, mut rest) = (0, properties);
        while rest != 0 {
            origins |= self.sources[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        origins
    }

    /// Adds one vertex function, number `index` of the fold.
    const fn function(&mut self, member: &Member, index: usize) {
        let flow = member.flow;
        let (mut sources, mut covers, mut at) = (self.sources, flow.covers, 0);
        while at < flow.stores.len() {
            let Stored { property, sources: from, is_certain, rests_on, .. } = flow.stores[at];
            covers &= if rests_on & (self.written | self.moving) == 0 { u64::MAX } else { !(1 << property) };
            let (property, new) = (property as usize, self.origins(from) | self.progress);
            self.stored[property] |= new;
            self.stored_by[property] = index;
            let is_certain = is_certain && self.progress == 0;
            sources[property] = if is_certain { new } else { sources[property] | new };
            at += 1;
        }
        // A later function does not see how an earlier one has changed a value.
        self.leave_unsaid(self.written | member.vertex.writes & !covers, flow.always_true, index);
        self.returned |= self.origins(flow.returned);
        self.returned_by = index;
        self.progress |= if flow.always_true { 0 } else { self.origins(flow.returned) };
        self.sources = sources;
        self.written |= member.vertex.writes;
        self.always_true &= flow.always_true;
    }

    /// Notes that function number `index` may return false although these have changed.
    const fn leave_unsaid(&mut self, properties: u64, always_true: bool, index: usize) {
        let properties = if always_true { 0 } else { properties };
        let mut rest = properties;
        while rest != 0 {
            self.unsaid_by[rest.trailing_zeros() as usize] = index;
            rest &= rest - 1;
        }
        self.unsaid |= properties;
    }

    /// The first obstacle.
    const fn find(&self, properties: &[Descriptor], members: &[Member]) -> Option<ChangeObstacle> {
        let mut index = 0;
        while index < properties.len() {
            let found = self.stored[index] & iteration(properties);
            if self.kept >> index & 1 == 1 && found != 0 {
                return Some(ChangeObstacle::Iteration(members[self.stored_by[index]].name));
            }
            let source = self.stored[index] & self.kept & self.unsaid;
            if self.kept >> index & 1 == 1 && source != 0 {
                let function = members[self.stored_by[index]].name;
                let property = properties[index].name;
                return Some(ChangeObstacle::Stored { function, property, source: name(properties, source) });
            }
            index += 1;
        }
        self.find_returned(properties, members)
    }

    const fn find_returned(&self, properties: &[Descriptor], members: &[Member]) -> Option<ChangeObstacle> {
        let function = members[self.returned_by].name;
        if self.returned & iteration(properties) != 0 {
            return Some(ChangeObstacle::Iteration(function));
        }
        let source = self.returned & self.kept & self.unsaid;
        if source != 0 {
            return Some(ChangeObstacle::Returned { function, source: name(properties, source) });
        }
        let unsaid = self.shown & self.unsaid;
        if unsaid == 0 {
            return None;
        }
        let property = unsaid.trailing_zeros() as usize;
        let function = members[self.unsaid_by[property]].name;
        Some(ChangeObstacle::Unsaid { function, property: properties[property].name })
    }
}
