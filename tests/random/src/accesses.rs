//! What functions access, as the reference says that the compiler sees it.

use std::collections::BTreeMap;

use crate::expression::{Access, Expression, Place};
use crate::program::Function;
use crate::statement::{Change, Reduction, Statement};

/// What a function reads and writes: sets of properties, one bit each.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// At `e.src`.
    pub reads_source: u64,
    /// At `e.dst`.
    pub reads_destination: u64,
    /// At `e.rev`.
    pub reads_reverse: u64,
    /// At the function's own edge or vertex, before it is written on every path.
    pub reads_own: u64,
    /// At the function's own edge or vertex, on some path.
    pub writes: u64,
    /// At a vertex, or of a row of a table, that the function computes.
    pub gathers: u64,
    /// Into an end of the edge.
    pub reduces: u64,
    /// Into the source, of those.
    pub reduces_source: u64,
    /// Of the whole graph.
    pub reads_graph: u64,
    /// Into totals of the graph.
    pub adds: u64,
    /// How each of those and of what is reduced is combined first.
    pub operators: BTreeMap<usize, Reduction>,
    /// The own properties that were first met by an assignment on every path.
    certain: u64,
    /// Whether a `return` may have left.
    has_left: bool,
}

impl Accesses {
    /// The accesses of a function.
    pub fn of(function: &Function) -> Self {
        let mut accesses = Self::default();
        accesses.statements(&function.statements, true);
        accesses.expression(&function.result, true);
        accesses
    }

    fn statements(&mut self, statements: &[Statement], is_certain: bool) {
        statements.iter().for_each(|statement| self.statement(statement, is_certain));
    }

    fn statement(&mut self, statement: &Statement, is_certain: bool) {
        statement.expressions().into_iter().for_each(|value| self.expression(value, is_certain));
        match statement {
            Statement::Write { access, change, .. } => self.write(*access, *change, is_certain),
            Statement::Reduce { access, reduction, .. } => self.reduce(*access, *reduction),
            Statement::Return(_) => self.has_left = true,
            _ => {}
        }
        statement.blocks().into_iter().for_each(|block| self.statements(block, false));
    }

    fn reduce(&mut self, Access { property, place }: Access, reduction: Reduction) {
        match place {
            Place::Graph => self.adds |= 1 << property,
            _ => self.reduces |= 1 << property,
        }
        self.reduces_source |= u64::from(place == Place::Source) << property;
        self.operators.entry(property).or_insert(reduction.operator());
    }

    fn write(&mut self, access: Access, change: Change, is_certain: bool) {
        let bit = 1 << access.property;
        let is_first = (self.reads_own | self.writes) & bit == 0;
        if change == Change::Assign && is_certain && !self.has_left && is_first {
            self.certain |= bit;
        }
        if self.certain & bit == 0 {
            self.reads_own |= bit;
        }
        self.writes |= bit;
    }

    fn expression(&mut self, expression: &Expression, is_certain: bool) {
        if let Expression::Read(access) = expression {
            self.read(*access);
        }
        if let Expression::Gather(property, _) = expression {
            self.gathers |= 1 << property;
        }
        if let Expression::Block(statements, _) = expression {
            self.statements(statements, is_certain);
        }
        expression.parts().into_iter().for_each(|part| self.expression(part, is_certain));
    }

    fn read(&mut self, Access { property, place }: Access) {
        let bit = 1 << property;
        match place {
            Place::Source => self.reads_source |= bit,
            Place::Destination => self.reads_destination |= bit,
            Place::Reverse => self.reads_reverse |= bit,
            Place::Edge | Place::Vertex => self.reads_own |= bit & !self.certain,
            Place::Graph => self.reads_graph |= bit,
        }
    }

    /// What is written of the function's own edge or vertex on every path, before it is read.
    pub fn certain(&self) -> u64 {
        self.certain
    }

    /// Those of this and another function.
    pub fn union(mut self, other: &Self) -> Self {
        self.reads_source |= other.reads_source;
        self.reads_destination |= other.reads_destination;
        self.reads_reverse |= other.reads_reverse;
        self.reads_own |= other.reads_own;
        self.gathers |= other.gathers;
        self.writes |= other.writes;
        self.reduces |= other.reduces;
        self.reduces_source |= other.reduces_source;
        self.reads_graph |= other.reads_graph;
        self.adds |= other.adds;
        other.operators.iter().for_each(|(property, operator)| {
            self.operators.entry(*property).or_insert(*operator);
        });
        self
    }
}
