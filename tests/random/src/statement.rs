//! Statements: what functions do.

use crate::expression::{Access, Expression};

/// How a variable or a property is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// `=`
    Assign,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `|=`
    Or,
    /// `&=`
    And,
    /// `^=`
    Exclusive,
}

/// How contributions to an end of an edge or to the graph are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `+=`
    Sum,
    /// `-=`
    Difference,
    /// `*=`
    Product,
    /// `.min_with(x)`
    Min,
    /// `.max_with(x)`
    Max,
    /// `.mean_with(x)`
    Mean,
    /// `.softmax_add(score, x)`
    Softmax,
    /// `.log_sum_exp_with(x)`
    LogSum,
    /// `|=`
    Or,
    /// `&=`
    And,
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// `for i in 0..n`
    For,
    /// `while i < n`
    While,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `let name = value;`
    Let {
        /// The variable.
        name: String,
        /// Whether it may be changed.
        is_mutable: bool,
        /// What it starts with.
        value: Expression,
    },
    /// `name += value;`
    Set {
        /// The variable.
        name: String,
        /// How it is changed.
        change: Change,
        /// By what.
        value: Expression,
    },
    /// `d.p[v][f] += value;`
    Write {
        /// The property, at the function's own edge or vertex.
        access: Access,
        /// How it is changed.
        change: Change,
        /// By what.
        value: Expression,
    },
    /// `d.p[e.dst][f].min_with(value);`
    Reduce {
        /// The property, at an end of the edge or of the graph.
        access: Access,
        /// How it is combined.
        reduction: Reduction,
        /// How much it weighs, in a softmax.
        score: Option<Expression>,
        /// With what.
        value: Expression,
    },
    /// `if condition { then } else { otherwise }`
    If {
        /// What decides.
        condition: Expression,
        /// Where it holds.
        then: Vec<Statement>,
        /// Where it does not; there is no `else` if it is empty.
        otherwise: Vec<Statement>,
    },
    /// A loop of a constant number of rounds.
    Repeat {
        /// How it is written.
        form: Loop,
        /// The name of the round's number, which is a `u32`.
        round: String,
        /// How many rounds.
        count: u32,
        /// Each round.
        body: Vec<Statement>,
    },
    /// `break;`
    Break,
    /// `return value;`
    Return(Expression),
}

impl Reduction {
    /// What two reductions must have in common to go into one property.
    pub fn operator(self) -> Self {
        if self == Self::Difference { Self::Sum } else { self }
    }

    /// Whether a total is more than a float while it is computed. It rounds.
    pub fn has_state(self) -> bool {
        matches!(self, Self::Mean | Self::Softmax | Self::LogSum)
    }
}

impl Statement {
    /// The expressions directly in this statement.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Let { value, .. } | Self::Set { value, .. } | Self::Write { value, .. } => vec![value],
            Self::Reduce { score, value, .. } => score.iter().chain([value]).collect(),
            Self::Return(value) => vec![value],
            Self::If { condition, .. } => vec![condition],
            Self::Repeat { .. } | Self::Break => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Let { value, .. } | Self::Set { value, .. } | Self::Write { value, .. } => vec![value],
            Self::Reduce { score, value, .. } => score.iter_mut().chain([value]).collect(),
            Self::Return(value) => vec![value],
            Self::If { condition, .. } => vec![condition],
            Self::Repeat { .. } | Self::Break => Vec::new(),
        }
    }

    /// The lists of statements in this one.
    pub fn blocks(&self) -> Vec<&Vec<Self>> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Repeat { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Self>> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Repeat { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}
