//! What functions read, write and reduce, as sets of properties.

use crate::check::usage::Reduction;
use crate::compile::property::Properties;
use crate::lower::plan::Plan;
use crate::parse::access::Place;
use crate::parse::function::Kind;

/// What a function accesses, or several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Read at an edge's source.
    pub reads_source: u64,
    /// Read at an edge's destination.
    pub reads_destination: u64,
    /// Read at the edge itself.
    pub reads_edge: u64,
    /// Read at the edge that runs the other way.
    pub reads_reverse: u64,
    /// Read of the whole graph.
    pub reads_graph: u64,
    /// Read at an index that the function computes.
    pub gathers: u64,
    /// The contributions to tables of the graph that it adds to.
    pub adds: u64,
    /// Written at the edge itself.
    pub writes_edge: u64,
    /// Reduced into an end of an edge, by whatever operator.
    pub reduces: u64,
    /// Those of them that are reduced by a product.
    pub multiplies: u64,
    /// Those of them that are reduced by a minimum.
    pub lowers: u64,
    /// Those of them that are reduced by a maximum.
    pub raises: u64,
    /// Those of them that are reduced by `|=`.
    pub sets_bits: u64,
    /// Those of them that are reduced by `&=`.
    pub clears_bits: u64,
    /// Those of them that are reduced by a mean.
    pub averages: u64,
    /// Those of them that are reduced by a softmax-weighted sum.
    pub weighs: u64,
    /// Those of them that are reduced by the logarithm of a sum of exponentials.
    pub log_sums: u64,
    /// Those of them that are reduced by an operator of the user's.
    pub own: u64,
    /// Read by a vertex function.
    pub reads: u64,
    /// Written by a vertex function.
    pub writes: u64,
}

impl Accesses {
    /// What a function with this plan accesses.
    pub fn of(kind: Kind, plan: &Plan, properties: &Properties) -> Self {
        let loaded = |place| properties.set(plan.loaded_at(place));
        let reduced = |reduction| properties.set(plan.reduced_by(reduction));
        let (gathers, adds) = (properties.set(plan.gathered()), properties.set(plan.added()));
        let reads_graph = loaded(Place::Graph) | properties.set(plan.matrices()) | properties.set(plan.multiplied());
        match kind {
            Kind::Edge => Self {
                reads_source: loaded(Place::Source),
                reads_destination: loaded(Place::Destination),
                reads_edge: loaded(Place::Edge),
                reads_reverse: loaded(Place::Reverse),
                reads_graph,
                gathers,
                adds,
                writes_edge: properties.set(plan.written()),
                reduces: properties.set(plan.reduced()),
                multiplies: reduced(Reduction::Product),
                lowers: reduced(Reduction::Min),
                raises: reduced(Reduction::Max),
                sets_bits: reduced(Reduction::BitOr),
                clears_bits: reduced(Reduction::BitAnd),
                averages: reduced(Reduction::Mean),
                weighs: reduced(Reduction::Softmax),
                log_sums: reduced(Reduction::LogSum),
                own: reduced(Reduction::Own),
                ..Self::default()
            },
            Kind::Vertex => {
                let reads = loaded(Place::Vertex);
                Self { reads, reads_graph, gathers, adds, writes: properties.set(plan.written()), ..Self::default() }
            }
        }
    }

    /// The accesses of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            reads_source: self.reads_source | other.reads_source,
            reads_destination: self.reads_destination | other.reads_destination,
            reads_edge: self.reads_edge | other.reads_edge,
            reads_reverse: self.reads_reverse | other.reads_reverse,
            reads_graph: self.reads_graph | other.reads_graph,
            gathers: self.gathers | other.gathers,
            adds: self.adds | other.adds,
            writes_edge: self.writes_edge | other.writes_edge,
            reduces: self.reduces | other.reduces,
            multiplies: self.multiplies | other.multiplies,
            lowers: self.lowers | other.lowers,
            raises: self.raises | other.raises,
            sets_bits: self.sets_bits | other.sets_bits,
            clears_bits: self.clears_bits | other.clears_bits,
            averages: self.averages | other.averages,
            weighs: self.weighs | other.weighs,
            log_sums: self.log_sums | other.log_sums,
            own: self.own | other.own,
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
        }
    }

    /// The accesses of all.
    pub fn union_of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::default(), Self::union)
    }

    /// The properties that both reduce, by different operators.
    pub fn differently_reduced(self, other: Self) -> u64 {
        let pairs = self.operators().into_iter().zip(other.operators());
        self.reduces & other.reduces & pairs.fold(0, |differs, (one, two)| differs | (one ^ two))
    }

    /// What is reduced by each operator but sums.
    fn operators(self) -> [u64; 9] {
        let bits = (self.sets_bits, self.clears_bits);
        [self.multiplies, self.lowers, self.raises, bits.0, bits.1, self.averages, self.weighs, self.log_sums, self.own]
    }

    /// What is reduced by a minimum or a maximum, of numbers or of each bit.
    pub fn bounds(self) -> u64 {
        self.lowers | self.raises | self.sets_bits | self.clears_bits
    }

    /// What is reduced by an operator of which memory has the result alone.
    pub fn states(self) -> u64 {
        self.averages | self.weighs | self.log_sums | self.own
    }

    /// What edge functions read at the end of their edge where their stage's vertex functions do not run: the source, unless the stage is
    /// reversed.
    pub fn reads_far(self, is_reversed: bool) -> u64 {
        if is_reversed { self.reads_destination } else { self.reads_source }
    }

    /// All places of which a total of the graph may be read: rows of another width are so at vertices.
    pub fn reads_totals(self) -> u64 {
        self.reads_graph | self.gathers | self.reads | self.reads_ends()
    }

    /// What edge functions read at an end of their edge.
    pub fn reads_ends(self) -> u64 {
        self.reads_source | self.reads_destination
    }
}
