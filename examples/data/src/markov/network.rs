//! A pairwise Markov network in memory.

use std::collections::HashMap;

use super::error::NetworkError;
use super::table::{self, Table};

/// More states than this are taken for a mistake.
const GREATEST_STATES: usize = 1 << 16;

/// Two variables that depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The variable of the table's rows, always less than `second`.
    pub first: u32,
    /// The variable of its columns.
    pub second: u32,
    /// The table's number.
    pub table: u32,
}

/// Variables with a product of unary factors each, and pairs of them with a table, which several pairs may share.
///
/// Potentials are kept as logarithms, so that no product of them is too small for a float: only what is 0 is minus infinity.
///
/// Invariants: a pair of variables is there once at most; each variable and each table has a greatest potential of 1; what they were divided
/// by is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkovNetwork {
    offsets: Vec<usize>,
    log_unary: Vec<f64>,
    pairs: Vec<Pair>,
    tables: Vec<Table>,
    /// The number of each pair.
    numbers: HashMap<(u32, u32), u32>,
    log_scale: f64,
}

impl MarkovNetwork {
    /// A network without factors, of one variable for each number of states.
    ///
    /// # Errors
    /// A variable has no state, or too many; or they do not fit into memory.
    pub fn new(states: &[usize]) -> Result<Self, NetworkError> {
        let impossible = |states: &usize| *states == 0 || *states > GREATEST_STATES;
        if let Some(variable) = states.iter().position(impossible) {
            return Err(NetworkError::States { variable, states: states[variable], limit: GREATEST_STATES });
        }
        let mut offsets = vec![0];
        offsets.extend(states.iter().scan(0, |end, states| {
            *end += states;
            Some(*end)
        }));
        let log_unary = zeros(states.len(), *offsets.last().unwrap_or(&0))?;
        let (pairs, tables, numbers) = (Vec::new(), Vec::new(), HashMap::new());
        Ok(Self { offsets, log_unary, pairs, tables, numbers, log_scale: 0.0 })
    }

    /// The number of variables.
    pub fn variable_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of states of a variable.
    pub fn states(&self, variable: usize) -> usize {
        self.offsets[variable + 1] - self.offsets[variable]
    }

    /// The greatest number of states that a variable has, 0 without variables.
    pub fn greatest_states(&self) -> usize {
        (0..self.variable_count()).map(|variable| self.states(variable)).max().unwrap_or(0)
    }

    /// Where each variable's states begin among the states of all, and where the last one's end.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The logarithm of the product of a variable's unary factors and its evidence: the greatest is 0.
    pub fn log_unary(&self, variable: usize) -> &[f64] {
        &self.log_unary[self.offsets[variable]..self.offsets[variable + 1]]
    }

    /// The pairs.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The pair of two variables, in either order, if they depend on each other.
    pub fn pair(&self, one: u32, other: u32) -> Option<Pair> {
        Some(self.pairs[self.pair_number(one, other)?])
    }

    /// The place of that pair in [`pairs`](Self::pairs).
    pub fn pair_number(&self, one: u32, other: u32) -> Option<usize> {
        self.numbers.get(&(one.min(other), one.max(other))).map(|&number| number as usize)
    }

    /// The product of a pair's factors, up to a factor: the greatest is 1.
    pub fn table(&self, pair: Pair) -> &Table {
        &self.tables[pair.table as usize]
    }

    /// The one table that all pairs have and that is the same from either end, if there is one.
    pub fn shared_table(&self) -> Option<&Table> {
        let table = self.pairs.first()?.table;
        let is_shared = self.pairs.iter().all(|pair| pair.table == table);
        Some(&self.tables[table as usize]).filter(|table| is_shared && table.is_symmetric())
    }

    /// Whether a pair of states is impossible.
    pub fn has_zeros(&self) -> bool {
        self.pairs.iter().any(|&pair| self.table(pair).logarithms().contains(&f64::NEG_INFINITY))
    }

    /// Multiplies everything by a constant, which changes no marginal.
    ///
    /// # Errors
    /// It is no potential, or 0.
    pub fn multiply(&mut self, constant: f64) -> Result<(), NetworkError> {
        self.log_scale += table::logarithms(&[constant], 1)?[0];
        Ok(())
    }

    /// Multiplies a variable by a unary factor.
    ///
    /// # Errors
    /// The variable is not there, the potentials do not fit it, or no state of it is left possible.
    pub fn multiply_unary(&mut self, variable: usize, potentials: &[f64]) -> Result<(), NetworkError> {
        self.check_variable(variable)?;
        let logarithms = table::logarithms(potentials, self.states(variable))?;
        self.multiply_log_unary(variable, &logarithms)
    }

    /// Multiplies a variable by a unary factor whose potentials are given as logarithms.
    ///
    /// # Errors
    /// As [`multiply_unary`](Self::multiply_unary).
    pub fn multiply_log_unary(&mut self, variable: usize, logarithms: &[f64]) -> Result<(), NetworkError> {
        self.check_variable(variable)?;
        table::check(logarithms, self.states(variable))?;
        let mut product: Vec<f64> = logarithms.iter().zip(self.log_unary(variable)).map(|(a, b)| a + b).collect();
        self.log_scale += table::rescale(&mut product).ok_or(NetworkError::NoState(variable))?;
        self.log_unary[self.offsets[variable]..self.offsets[variable + 1]].copy_from_slice(&product);
        Ok(())
    }

    /// Multiplies a pair by a factor: the potential of states (a, b) of (`first`, `second`) is `potentials[a * states of second + b]`.
    ///
    /// # Errors
    /// A variable is not there, both are one, the potentials do not fit them, or no joint state of them is left possible.
    pub fn multiply_pair(&mut self, first: usize, second: usize, potentials: &[f64]) -> Result<(), NetworkError> {
        self.check_pair(first, second)?;
        let (rows, columns) = (self.states(first), self.states(second));
        self.multiply_table(first, second, Table::new(rows, columns, potentials)?)
    }

    /// Multiplies a pair by a factor whose potentials are given as logarithms, in the same order.
    ///
    /// # Errors
    /// As [`multiply_pair`](Self::multiply_pair).
    pub fn multiply_log_pair(&mut self, first: usize, second: usize, logarithms: &[f64]) -> Result<(), NetworkError> {
        self.check_pair(first, second)?;
        let (rows, columns) = (self.states(first), self.states(second));
        self.multiply_table(first, second, Table::of_logarithms(rows, columns, logarithms)?)
    }

    fn multiply_table(&mut self, first: usize, second: usize, scaled: (Table, f64)) -> Result<(), NetworkError> {
        let (table, scale) = scaled;
        self.log_scale += scale;
        if first < second { self.add(first, second, table) } else { self.add(second, first, table.transposed()) }
    }

    /// Joins pairs of variables by one table, which is stored once; each pair is (first, second), the table's rows are the first's states.
    ///
    /// # Errors
    /// As [`multiply_pair`](Self::multiply_pair).
    pub fn join(&mut self, pairs: &[(u32, u32)], table: &Table) -> Result<(), NetworkError> {
        let transposed = table.transposed();
        let [forth, back] = self.numbers_of(table, &transposed);
        for &(first, second) in pairs {
            let (a, b) = (first as usize, second as usize);
            self.check_pair(a, b)?;
            let (expected, found) = (self.states(a) * self.states(b), table.logarithms().len());
            if (self.states(a), self.states(b)) != (table.rows(), table.columns()) {
                return Err(NetworkError::TableSize { expected, found });
            }
            let ends = (first.min(second), first.max(second));
            let (number, table) = if first < second { (forth, table) } else { (back, &transposed) };
            if self.numbers.contains_key(&ends) {
                self.add(ends.0 as usize, ends.1 as usize, table.clone())?;
            } else {
                self.insert(ends, number);
            }
        }
        Ok(())
    }

    /// Stores a table that pairs are to share, and its other side where that differs.
    fn numbers_of(&mut self, table: &Table, transposed: &Table) -> [u32; 2] {
        let forth = self.tables.len() as u32;
        self.tables.push(table.clone());
        if table == transposed {
            return [forth, forth];
        }
        self.tables.push(transposed.clone());
        [forth, forth + 1]
    }

    /// Multiplies the pair of `first` < `second` by a table.
    fn add(&mut self, first: usize, second: usize, table: Table) -> Result<(), NetworkError> {
        let ends = (first as u32, second as u32);
        let number = self.tables.len() as u32;
        let Some(&pair) = self.numbers.get(&ends) else {
            self.tables.push(table);
            self.insert(ends, number);
            return Ok(());
        };
        // The table that is there may be shared, so the product is a new one.
        let there = self.pairs[pair as usize];
        let product = self.table(there).multiplied(&table);
        let (product, scale) = product.ok_or(NetworkError::NoJointState(first, second))?;
        self.log_scale += scale;
        self.tables.push(product);
        self.pairs[pair as usize].table = number;
        Ok(())
    }

    fn insert(&mut self, ends: (u32, u32), table: u32) {
        self.numbers.insert(ends, self.pairs.len() as u32);
        self.pairs.push(Pair { first: ends.0, second: ends.1, table });
    }

    /// Observes a variable: every other state of it gets the potential 0.
    ///
    /// # Errors
    /// The variable or the state is not there, or the state is impossible.
    pub fn observe(&mut self, variable: usize, state: usize) -> Result<(), NetworkError> {
        self.check_variable(variable)?;
        let states = self.states(variable);
        if state >= states {
            return Err(NetworkError::UnknownState { variable, state, states });
        }
        let clamp: Vec<f64> = (0..states).map(|other| if other == state { 0.0 } else { f64::NEG_INFINITY }).collect();
        self.multiply_log_unary(variable, &clamp)
    }

    /// The logarithm of the product of all factors at one state for each variable; `-inf` where one of them is 0.
    pub fn log_score(&self, assignment: &[usize]) -> f64 {
        let unary = assignment.iter().enumerate().map(|(variable, &state)| self.log_unary(variable)[state]);
        let pair =
            |pair: &Pair| self.table(*pair).log(assignment[pair.first as usize], assignment[pair.second as usize]);
        self.log_scale + unary.sum::<f64>() + self.pairs.iter().map(pair).sum::<f64>()
    }

    /// The logarithm of what the potentials were divided by.
    pub fn log_scale(&self) -> f64 {
        self.log_scale
    }

    fn check_variable(&self, variable: usize) -> Result<(), NetworkError> {
        let variables = self.variable_count();
        if variable < variables { Ok(()) } else { Err(NetworkError::UnknownVariable { variable, variables }) }
    }

    fn check_pair(&self, first: usize, second: usize) -> Result<(), NetworkError> {
        self.check_variable(first)?;
        self.check_variable(second)?;
        if first == second { Err(NetworkError::Loop(first)) } else { Ok(()) }
    }
}

/// The logarithms of the unary potentials of variables without factors.
fn zeros(variables: usize, states: usize) -> Result<Vec<f64>, NetworkError> {
    let mut logarithms = Vec::new();
    let bytes = states.saturating_mul(size_of::<f64>());
    logarithms.try_reserve_exact(states).map_err(|_| NetworkError::Memory { variables, states, bytes })?;
    logarithms.resize(states, 0.0);
    Ok(logarithms)
}
