//! What the compiler made of a fold, as a text in the PTX: `cargo xtask explain` reads it.
//!
//! One line for the module that the fold stands in, `module PATH`, and one for its place, `place FILE:LINE`; one line for each property,
//! `property NAME ELEMENT tracked|untracked|scratch`, and one for each function, `function NAME edge|vertex` with the
//! number of its stage's kernels, `stage=NUMBER`, and the sets of properties that it accesses, `SET=NAME,NAME`. Last, `changes derived`, `changes asked`, or
//! `changes none` with the reason.

use crate::changes::ChangeObstacle;
use crate::property::{Descriptor, Element};
use crate::stage::{self, Member};

/// How long a description may be; the rest is cut off.
const CAPACITY: usize = 16 * 1024;

/// Where a fold is declared.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The path of its module, from the crate on.
    pub module: &'static str,
    /// The file, as the compiler names it.
    pub file: &'static str,
    /// The line.
    pub line: u32,
}

/// Whether a fold is change-driven.
#[derive(Clone, Copy, Debug)]
pub struct Changes {
    /// What keeps it from being so, if anything does.
    pub obstacle: Option<ChangeObstacle>,
    /// Whether a person has asked for it all the same.
    pub is_overruled: bool,
    /// Whether its edges are those of active sources.
    pub is_active: bool,
}

/// A description that is put together at compile time.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Description {
    /// The description of a fold, which `changes` says of whether it is change-driven.
    pub const fn of(origin: Origin, properties: &[Descriptor], functions: &[Member], changes: Changes) -> Self {
        let mut description = Self { bytes: [0; CAPACITY], length: 0 };
        description.origin(origin);
        let mut index = 0;
        while index < properties.len() {
            description.property(&properties[index]);
            index += 1;
        }
        index = 0;
        while index < functions.len() {
            description.function(properties, &functions[index], stage::entry_of(functions, index));
            index += 1;
        }
        description.changes(changes);
        description
    }

    /// How many bytes it has.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The first `N` bytes.
    pub const fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        let mut at = 0;
        while at < N && at < CAPACITY {
            bytes[at] = self.bytes[at];
            at += 1;
        }
        bytes
    }

    const fn push(&mut self, part: &str) {
        let part = part.as_bytes();
        let mut at = 0;
        while at < part.len() && self.length < CAPACITY {
            self.bytes[self.length] = part[at];
            self.length += 1;
            at += 1;
        }
    }

    const fn origin(&mut self, origin: Origin) {
        self.push("module ");
        self.push(origin.module);
        self.push("\nplace ");
        self.push(origin.file);
        self.push(":");
        self.number(origin.line as usize);
        self.push("\n");
    }

    const fn property(&mut self, property: &Descriptor) {
        self.push("property ");
        self.push(property.name);
        self.push(match property.element {
            Element::Parameter => " parameter",
            Element::Iteration => " iteration_number",
            Element::VertexScalar => " vertex_scalar",
            Element::VertexFeatures => " vertex_features",
            Element::EdgeScalar => " edge_scalar",
            Element::EdgeFeatures => " edge_features",
            Element::VertexMatrix => " vertex_matrix",
            Element::EdgeMatrix => " edge_matrix",
            Element::GraphMatrix => " graph_matrix",
        });
        self.push(match (property.tracked, property.scratch) {
            (true, _) => " tracked\n",
            (false, true) => " scratch\n",
            (false, false) => " untracked\n",
        });
    }

    const fn function(&mut self, properties: &[Descriptor], function: &Member, entry: usize) {
        self.push("function ");
        self.push(function.name);
        self.push(if function.is_edge { " edge stage=" } else { " vertex stage=" });
        self.number(entry);
        if function.is_edge {
            self.set(properties, " reads_source=", function.edge.reads_source);
            self.set(properties, " reads_destination=", function.edge.reads_destination);
            self.set(properties, " reads_edge=", function.edge.reads_edge);
            self.set(properties, " reads_reverse=", function.edge.reads_reverse);
            self.set(properties, " writes_edge=", function.edge.writes_edge);
            self.set(properties, " reduces=", function.edge.reduces);
            self.set(properties, " multiplies=", function.edge.multiplies);
            self.set(properties, " bounds=", function.edge.lowers | function.edge.raises);
        } else {
            self.set(properties, " reads=", function.vertex.reads);
            self.set(properties, " writes=", function.vertex.writes);
        }
        self.push("\n");
    }

    const fn changes(&mut self, changes: Changes) {
        self.push("changes ");
        match changes {
            Changes { is_active: true, .. } => self.push("none its edges are those of active sources"),
            Changes { obstacle: None, .. } => self.push("derived"),
            Changes { is_overruled: true, .. } => self.push("asked"),
            Changes { obstacle: Some(obstacle), .. } => {
                self.push("none ");
                let (pieces, mut at) = (obstacle.pieces(), 0);
                while at < pieces.len() {
                    self.push(pieces[at]);
                    at += 1;
                }
            }
        }
        self.push("\n");
    }

    const fn number(&mut self, number: usize) {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        if number >= 10 {
            self.number(number / 10);
        }
        self.push(DIGITS[number % 10]);
    }

    const fn set(&mut self, properties: &[Descriptor], name: &str, bits: u64) {
        self.push(name);
        let mut rest = bits;
        while rest != 0 {
            self.push(properties[rest.trailing_zeros() as usize].name);
            rest &= rest - 1;
            self.push(if rest == 0 { "" } else { "," });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Changes, Description, Origin};
    use crate::access::{EdgeAccess, VertexAccess};
    use crate::changes::Flow;
    use crate::property::{Descriptor, Element};
    use crate::stage::Member;
    use crate::tile::Across;

    const PROPERTIES: [Descriptor; 2] = [
        Descriptor { name: "label", element: Element::VertexFeatures, tracked: true, scratch: false },
        Descriptor { name: "sum", element: Element::VertexFeatures, tracked: false, scratch: false },
    ];

    const ORIGIN: Origin = Origin { module: "ranks::fast", file: "src/fast.rs", line: 120 };

    const SPREAD: Member = Member {
        name: "spread",
        is_edge: true,
        edge: EdgeAccess { reads_source: 1, reduces: 2, ..EdgeAccess::NONE },
        vertex: VertexAccess::NONE,
        may_stop: false,
        may_make_infinity: false,
        flow: Flow::NONE,
        across: Across::NONE,
        is_first: true,
        entry: 12,
    };

    const ABSORB: Member = Member {
        name: "absorb",
        is_edge: false,
        edge: EdgeAccess::NONE,
        vertex: VertexAccess { reads: 3, writes: 1 },
        is_first: false,
        ..SPREAD
    };

    #[test]
    fn properties_and_functions_have_a_line_each() {
        const CHANGES: Changes = Changes { obstacle: None, is_overruled: false, is_active: false };
        const DESCRIPTION: Description = Description::of(ORIGIN, &PROPERTIES, &[SPREAD, ABSORB], CHANGES);
        let text = DESCRIPTION.bytes::<{ DESCRIPTION.length() }>();
        let expected = "module ranks::fast\nplace src/fast.rs:120\n\
                        property label vertex_features tracked\nproperty sum vertex_features untracked\n\
                        function spread edge stage=12 reads_source=label reads_destination= reads_edge= reads_reverse= writes_edge= reduces=sum multiplies= bounds=\n\
                        function absorb vertex stage=12 reads=label,sum writes=label\nchanges derived\n";
        assert_eq!(core::str::from_utf8(&text), Ok(expected));
    }
}
