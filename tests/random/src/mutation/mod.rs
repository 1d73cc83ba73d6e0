//! Illegal programs: each is a legal one in which one rule is broken.

mod data;
mod edge;
mod fold;
mod function;
mod gather;
mod integer;
mod line;
mod signature;
mod total;
mod vertex;

use std::collections::BTreeMap;

use crate::dice::Dice;
use crate::name::{Name, Style};
use crate::program::Program;

/// How many programs are looked at for one that a rule can be broken in.
const SEEDS: usize = 600;

/// Which part of the compiler has to refuse a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A macro, with a message of its own.
    Macro,
    /// The types of properties and functions.
    Types,
    /// The legality of the fold, an assertion at compile time.
    Fold,
}

/// A program that breaks one rule.
#[derive(Clone, Debug)]
pub struct Illegal {
    /// The rule, in a word or two.
    pub rule: &'static str,
    /// Who has to refuse it.
    pub refusal: Refusal,
    /// What the message has to say, among other things.
    pub message: &'static str,
    /// The program.
    pub source: String,
}

type Breaks = dyn Fn(&Program, &mut Dice) -> Option<String>;

/// A rule and how it is broken: the source of a program that does so, or nothing where this one has nothing to break it with.
pub struct Mutation {
    /// The rule, in a word or two.
    pub rule: &'static str,
    /// Who has to refuse it.
    pub refusal: Refusal,
    /// Of which style the programs are that it is broken in.
    pub style: Style,
    /// What the message has to say, among other things.
    pub message: &'static str,
    breaks: Box<Breaks>,
}

impl Mutation {
    fn new(
        rule: &'static str,
        message: &'static str,
        breaks: impl Fn(&Program, &mut Dice) -> Option<String> + 'static,
    ) -> Self {
        Self { rule, refusal: Refusal::Macro, style: Style::Plain, message, breaks: Box::new(breaks) }
    }

    /// The same, refused by another part of the compiler.
    fn by(self, refusal: Refusal) -> Self {
        Self { refusal, ..self }
    }

    /// The same, in programs of another style.
    fn of(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// A program in which the rule is broken, if this one has something to break it with.
    pub fn apply(&self, program: &Program, dice: &mut Dice) -> Option<Illegal> {
        let source = (self.breaks)(program, dice)?;
        Some(Illegal { rule: self.rule, refusal: self.refusal, message: self.message, source })
    }
}

/// Programs that somebody has to refuse: for each rule the first `count` in which it can be broken.
pub fn programs(refusal: Refusal, count: usize) -> Vec<Illegal> {
    let mut drawn = BTreeMap::new();
    let rules = all().into_iter().filter(|mutation| mutation.refusal == refusal);
    rules.flat_map(|mutation| broken(&mutation, count, &mut drawn)).collect()
}

/// Breaks a rule in the programs that are drawn already, and draws more as they are needed.
fn broken(mutation: &Mutation, count: usize, drawn: &mut BTreeMap<u64, Vec<Program>>) -> Vec<Illegal> {
    let drawn = drawn.entry(mutation.style as u64).or_default();
    let mut apply = |seed: usize| {
        if seed == drawn.len() {
            drawn.push(Program::of(&Name::new(mutation.style, seed as u64)));
        }
        mutation.apply(&drawn[seed], &mut Dice::new(seed as u64))
    };
    let illegal: Vec<Illegal> = (0..SEEDS).filter_map(&mut apply).take(count).collect();
    assert!(!illegal.is_empty(), "there is no program to break \"{}\" in", mutation.rule);
    illegal
}

/// Every rule.
pub fn all() -> Vec<Mutation> {
    [
        edge::mutations(),
        vertex::mutations(),
        function::mutations(),
        signature::mutations(),
        data::mutations(),
        fold::mutations(),
        integer::mutations(),
        gather::mutations(),
        total::mutations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
