//! What a function keeps in registers: what it loads, what it writes, and what it adds up.

use syn::{Ident, Type};

use crate::check::usage::{Mode, Reduction, Use};
use crate::parse::access::{Access, Place};

/// A value that is loaded before the function is computed.
#[derive(Clone, Debug)]
pub struct Load {
    /// The first access to it.
    pub access: Access,
}

/// A property of the function's own edge or vertex that it writes.
#[derive(Clone, Debug)]
pub struct Register {
    /// The first access to it.
    pub access: Access,
    /// Whether it starts with the value that was there.
    pub is_loaded: bool,
}

/// A property that is reduced into at an end of the edge.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The first access to it.
    pub access: Access,
    /// How contributions are combined.
    pub reduction: Reduction,
    /// The operator, if it is one of the user's.
    pub operator: Option<Type>,
    /// Whether the weights of contributions are the same for all features, so that they are kept once.
    pub is_shared: bool,
}

/// Where an access finds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Among the loads.
    Load(usize),
    /// Among the registers.
    Register(usize),
    /// Among the sums.
    Sum(usize),
}

/// The registers of a function.
#[derive(Debug, Default)]
pub struct Plan {
    /// What is loaded.
    pub loads: Vec<Load>,
    /// What is written.
    pub registers: Vec<Register>,
    /// What is added up.
    pub sums: Vec<Sum>,
    /// What is read at an index that the function computes: the first access of each kind.
    pub gathers: Vec<Access>,
    /// What is added to at such an index: the first access of each kind.
    pub adds: Vec<Access>,
    /// The matrices of the graph that vertices' rows are multiplied by, where they lie: the first access to each.
    pub multiplied: Vec<Access>,
}

impl Plan {
    /// The plan of a function with these uses, in the order of evaluation. The contributions to `apart` weigh differently for different features, the
    /// matrices `multiplied` are not loaded.
    pub fn new(uses: &[Use], apart: &[Ident], multiplied: Vec<Access>) -> Self {
        let mut plan = Self { multiplied, ..Self::default() };
        uses.iter().filter(|usage| usage.writes()).for_each(|usage| plan.add_register(usage, uses));
        uses.iter().for_each(|usage| plan.add_sum(usage, apart));
        let added = uses.iter().filter(|usage| matches!(usage.mode, Mode::Add(_)));
        added.for_each(|usage| keep(&mut plan.adds, &usage.access));
        uses.iter().filter(|usage| usage.reads()).for_each(|usage| plan.add_load(&usage.access));
        plan
    }

    fn add_register(&mut self, usage: &Use, uses: &[Use]) {
        if self.registers.iter().any(|known| same(&known.access, &usage.access)) {
            return;
        }
        let first = uses.iter().find(|other| same(&other.access, &usage.access)).unwrap_or(usage);
        let is_loaded = first.mode != Mode::Assign || !first.is_certain;
        self.registers.push(Register { access: first.access.clone(), is_loaded });
        if is_loaded {
            self.loads.push(Load { access: first.access.clone() });
        }
    }

    fn add_sum(&mut self, usage: &Use, apart: &[Ident]) {
        if let Mode::Reduce(reduction) = usage.mode
            && !self.sums.iter().any(|known| same(&known.access, &usage.access))
        {
            let access = usage.access.clone();
            let is_shared = access.is_row && reduction.weighs() && !apart.contains(&access.property);
            self.sums.push(Sum { access, reduction, operator: usage.operator.clone(), is_shared });
        }
    }

    fn add_load(&mut self, access: &Access) {
        if access.is_computed() {
            return keep(&mut self.gathers, access);
        }
        let is_written = self.registers.iter().any(|known| same(&known.access, access));
        if !is_written && !self.is_multiplied(access) && self.load_of(access).is_none() {
            self.loads.push(Load { access: access.clone() });
        }
    }

    /// The load of an access.
    pub fn load_of(&self, access: &Access) -> Option<usize> {
        self.loads.iter().position(|known| same(&known.access, access))
    }

    /// Where an access of the body finds its value.
    pub fn slot(&self, access: &Access) -> Slot {
        let register = self.registers.iter().position(|known| same(&known.access, access));
        let sum = || self.sums.iter().position(|known| same(&known.access, access)).map(Slot::Sum);
        let load = || self.load_of(access).map(Slot::Load);
        // A sum is never read, so an access that is neither written nor added to is loaded.
        register.map(Slot::Register).or_else(sum).or_else(load).unwrap_or(Slot::Load(0))
    }

    /// The properties that are loaded at `place`.
    pub fn loaded_at(&self, place: Place) -> Vec<&Ident> {
        distinct(self.loads.iter().map(|load| &load.access).filter(|access| access.place == place))
    }

    /// The matrices that make features of rows of another width.
    pub fn matrices(&self) -> Vec<&Ident> {
        self.loads.iter().filter_map(|load| load.access.matrix.as_ref()).collect()
    }

    /// The matrices that rows are multiplied by where they lie.
    pub fn multiplied(&self) -> Vec<&Ident> {
        distinct(self.multiplied.iter())
    }

    /// Whether an access is to one of them.
    pub fn is_multiplied(&self, access: &Access) -> bool {
        self.multiplied.iter().any(|known| same(known, access))
    }

    /// The properties that are read at an index that the function computes.
    pub fn gathered(&self) -> Vec<&Ident> {
        distinct(self.gathers.iter())
    }

    /// The properties that are added to at such an index.
    pub fn added(&self) -> Vec<&Ident> {
        distinct(self.adds.iter())
    }

    /// Whether the function computes an index.
    pub fn computes_indices(&self) -> bool {
        !(self.gathers.is_empty() && self.adds.is_empty())
    }

    /// The properties that are written.
    pub fn written(&self) -> Vec<&Ident> {
        distinct(self.registers.iter().map(|register| &register.access))
    }

    /// The end of its edge that an edge function reduces into, if it does.
    pub fn reduced_end(&self) -> Option<Place> {
        self.sums.first().map(|sum| sum.access.place)
    }

    /// The properties that are reduced into.
    pub fn reduced(&self) -> Vec<&Ident> {
        distinct(self.sums.iter().map(|sum| &sum.access))
    }

    /// The properties that are reduced into in one way.
    pub fn reduced_by(&self, reduction: Reduction) -> Vec<&Ident> {
        distinct(self.sums.iter().filter(|sum| sum.reduction == reduction).map(|sum| &sum.access))
    }

    /// Every property with the way it is reached, once each: the first access of its kind.
    pub fn places(&self) -> Vec<&Access> {
        let loads = self.loads.iter().map(|load| &load.access);
        let registers = self.registers.iter().map(|register| &register.access);
        let sums = self.sums.iter().map(|sum| &sum.access);
        let mut found: Vec<&Access> = Vec::new();
        for access in loads.chain(registers).chain(sums).chain(&self.gathers).chain(&self.adds).chain(&self.multiplied)
        {
            if !found.iter().any(|known| same_place(known, access)) {
                found.push(access);
            }
        }
        found
    }

    /// The number of an access among [`Plan::places`].
    pub fn place_of(&self, access: &Access) -> usize {
        self.places().iter().position(|known| same_place(known, access)).unwrap_or_default()
    }
}

/// Keeps the first access of each kind.
fn keep(accesses: &mut Vec<Access>, access: &Access) {
    if !accesses.iter().any(|known| same(known, access)) {
        accesses.push(access.clone());
    }
}

fn distinct<'a>(accesses: impl Iterator<Item = &'a Access>) -> Vec<&'a Ident> {
    let mut found: Vec<&Ident> = Vec::new();
    for access in accesses {
        if !found.contains(&&access.property) {
            found.push(&access.property);
        }
    }
    found
}

fn same(a: &Access, b: &Access) -> bool {
    a.property == b.property && a.place == b.place && a.is_row == b.is_row && a.matrix == b.matrix
}

/// Whether two accesses reach memory in the same way: every vertex is reached alike.
fn same_place(a: &Access, b: &Access) -> bool {
    a.property == b.property && a.is_row == b.is_row && a.matrix == b.matrix && form(a.place) == form(b.place)
}

fn form(place: Place) -> u8 {
    match place {
        Place::Source | Place::Destination | Place::Vertex | Place::Computed => 0,
        Place::Edge | Place::Reverse => 1,
        Place::Graph => 2,
        Place::Row => 3,
    }
}
