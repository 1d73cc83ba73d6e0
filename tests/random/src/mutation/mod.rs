//! Illegal programs: each is a legal one in which one rule is broken.

mod data;
mod edge;
mod fold;
mod function;
mod line;
mod signature;
mod vertex;

use crate::dice::Dice;
use crate::name::{Name, Style};
use crate::program::Program;

/// How many programs each rule is broken in, and how many are looked at for that.
const PROGRAMS: usize = 8;
const SEEDS: u64 = 600;

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

/// A rule and how it is broken: the source of a program that does so, or nothing where this one has nothing to break it with.
pub struct Mutation {
    /// The rule, in a word or two.
    pub rule: &'static str,
    /// Who has to refuse it.
    pub refusal: Refusal,
    /// What the message has to say, among other things.
    pub message: &'static str,
    breaks: Box<dyn Fn(&Program, &mut Dice) -> Option<String>>,
}

impl Mutation {
    fn new(
        rule: &'static str,
        message: &'static str,
        breaks: impl Fn(&Program, &mut Dice) -> Option<String> + 'static,
    ) -> Self {
        Self { rule, refusal: Refusal::Macro, message, breaks: Box::new(breaks) }
    }

    /// The same, refused by another part of the compiler.
    fn by(self, refusal: Refusal) -> Self {
        Self { refusal, ..self }
    }

    /// A program in which the rule is broken, if this one has something to break it with.
    pub fn apply(&self, program: &Program, dice: &mut Dice) -> Option<Illegal> {
        let source = (self.breaks)(program, dice)?;
        Some(Illegal { rule: self.rule, refusal: self.refusal, message: self.message, source })
    }
}

/// Programs that somebody has to refuse: for each rule the first ones in which it can be broken.
pub fn programs(refusal: Refusal) -> Vec<Illegal> {
    let drawn: Vec<Program> = (0..SEEDS).map(|seed| Program::of(&Name::new(Style::Plain, seed))).collect();
    let rules = all().into_iter().filter(|mutation| mutation.refusal == refusal);
    rules.flat_map(|mutation| broken(&mutation, &drawn)).collect()
}

fn broken(mutation: &Mutation, drawn: &[Program]) -> Vec<Illegal> {
    let illegal = drawn.iter().filter_map(|program| mutation.apply(program, &mut Dice::new(program.name.seed)));
    let illegal: Vec<Illegal> = illegal.take(PROGRAMS).collect();
    assert!(!illegal.is_empty(), "there is no program to break \"{}\" in", mutation.rule);
    illegal
}

/// Every rule.
pub fn all() -> Vec<Mutation> {
    [edge::mutations(), vertex::mutations(), function::mutations(), signature::mutations(), data::mutations(), fold::mutations()]
        .into_iter()
        .flatten()
        .collect()
}
