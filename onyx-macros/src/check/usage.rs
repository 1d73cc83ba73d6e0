//! What a function does with its properties, and whether it may.

use syn::{BinOp, Expr, ExprMethodCall, GenericArgument, Ident, Type};

use crate::errors::Errors;
use crate::message;
use crate::parse::access::{Access, Place};
use crate::parse::function::Kind;

/// What is done with the value of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is read.
    Read,
    /// It is replaced.
    Assign,
    /// It is read and replaced: `*=`.
    Update,
    /// Something is combined into it, at an end of an edge.
    Reduce(Reduction),
    /// Something is combined into a row of a table.
    Add(Reduction),
}

/// How contributions to an end of an edge are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `+=` and `-=`
    Sum,
    /// `*=`
    Product,
    /// `.min_with(x)`
    Min,
    /// `.max_with(x)`
    Max,
    /// `|=`
    BitOr,
    /// `&=`
    BitAnd,
    /// `.mean_with(x)`
    Mean,
    /// `.softmax_add(score, x)`
    Softmax,
    /// `.log_sum_exp_with(x)`
    LogSum,
    /// `.combine_with::<Operator>(state)`
    Own,
}

impl Reduction {
    /// The operator's name in the device crate.
    pub fn operator(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Product => "Product",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::BitOr => "BitOr",
            Self::BitAnd => "BitAnd",
            Self::Mean => "Mean",
            Self::Softmax => "Softmax",
            Self::LogSum => "LogSum",
            Self::Own => "StateOperator",
        }
    }

    /// How it is written.
    pub fn written(self) -> &'static str {
        match self {
            Self::Sum => "+=",
            Self::Product => "*=",
            Self::Min => ".min_with(..)",
            Self::Max => ".max_with(..)",
            Self::BitOr => "|=",
            Self::BitAnd => "&=",
            Self::Mean => ".mean_with(..)",
            Self::Softmax => ".softmax_add(..)",
            Self::LogSum => ".log_sum_exp_with(..)",
            Self::Own => ".combine_with::<..>(..)",
        }
    }

    /// The reduction that a method of this name is.
    pub fn of_method(name: &Ident) -> Option<Self> {
        match name.to_string().as_str() {
            "min_with" => Some(Self::Min),
            "max_with" => Some(Self::Max),
            "mean_with" => Some(Self::Mean),
            "softmax_add" => Some(Self::Softmax),
            "log_sum_exp_with" => Some(Self::LogSum),
            "combine_with" => Some(Self::Own),
            _ => None,
        }
    }

    /// Whether a total is more than a float: a state of a few.
    pub fn has_state(self) -> bool {
        matches!(self, Self::Mean | Self::Softmax | Self::LogSum | Self::Own)
    }

    /// Whether it is of bits, which integers have.
    pub fn is_of_bits(self) -> bool {
        matches!(self, Self::BitOr | Self::BitAnd)
    }

    /// Whether the weights of its contributions are the same for all features where their scores are.
    pub fn weighs(self) -> bool {
        matches!(self, Self::Mean | Self::Softmax)
    }

    /// What is said where it is used elsewhere than at a destination.
    pub fn elsewhere(self) -> &'static str {
        if self.has_state() { message::STATE_ELSEWHERE } else { message::BOUND_ELSEWHERE }
    }
}

/// One access in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Use {
    /// What is accessed.
    pub access: Access,
    /// How.
    pub mode: Mode,
    /// By which operator, if it is one of the user's.
    pub operator: Option<Type>,
    /// Whether every feature passes here.
    pub is_certain: bool,
}

impl Use {
    /// Whether this use needs the value that was there.
    pub fn reads(&self) -> bool {
        matches!(self.mode, Mode::Read | Mode::Update)
    }

    /// Whether this use changes the value of the function's own edge or vertex.
    pub fn writes(&self) -> bool {
        matches!(self.mode, Mode::Assign | Mode::Update)
    }
}

/// The mode of an assignment, or the message that refuses it.
pub fn mode_of(access: &Access, how: How<'_>) -> Result<Mode, &'static str> {
    match (access.place, how) {
        (Place::Reverse, _) => Err(message::WRITE_REVERSE),
        (Place::Computed, _) => Err(message::WRITE_COMPUTED),
        (Place::Row, How::Plain) => Err(message::WRITE_ROW),
        (Place::Row, how) => reduction(how).and_then(added).map(Mode::Add),
        (Place::Graph, How::Bound(reduction)) if reduction.has_state() => Err(reduction.elsewhere()),
        (Place::Graph, How::Plain) if access.is_row => Err(message::WRITE_GRAPH_ROW),
        (Place::Graph, _) => Err(message::WRITE_PARAMETER),
        (Place::Destination, How::Plain) => Err(message::ASSIGN_DESTINATION),
        (Place::Source, How::Plain) => Err(message::ASSIGN_SOURCE),
        (Place::Destination | Place::Source, how) => match reduction(how)? {
            reduction if access.is_row && reduction.is_of_bits() => Err(message::BITS_OF_FEATURES),
            reduction => Ok(Mode::Reduce(reduction)),
        },
        (_, How::Plain) => Ok(Mode::Assign),
        (_, How::Compound(_)) => Ok(Mode::Update),
        (_, How::Bound(reduction)) => Err(reduction.elsewhere()),
    }
}

/// How contributions to a row of a table are combined, or the message that says that they are not.
fn added(reduction: Reduction) -> Result<Reduction, &'static str> {
    match reduction {
        Reduction::Sum | Reduction::Min | Reduction::Max => Ok(reduction),
        _ => Err(message::WRITE_ROW),
    }
}

/// How an assignment combines contributions, or the message that says that it does not.
pub fn reduction(how: How<'_>) -> Result<Reduction, &'static str> {
    match how {
        How::Compound(BinOp::AddAssign(_) | BinOp::SubAssign(_)) => Ok(Reduction::Sum),
        How::Compound(BinOp::MulAssign(_)) => Ok(Reduction::Product),
        How::Compound(BinOp::BitOrAssign(_)) => Ok(Reduction::BitOr),
        How::Compound(BinOp::BitAndAssign(_)) => Ok(Reduction::BitAnd),
        How::Plain | How::Compound(_) => Err(message::OTHER_REDUCTION),
        How::Bound(reduction) => Ok(reduction),
    }
}

/// The operator of a compound assignment.
pub fn compound(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// How an assignment changes its left side.
#[derive(Clone, Copy, Debug)]
pub enum How<'a> {
    /// `=`
    Plain,
    /// `+=` and its like
    Compound(&'a BinOp),
    /// `.min_with(x)` and its like
    Bound(Reduction),
}

impl How<'_> {
    /// Whether it is the call of a method.
    pub fn is_bound(self) -> bool {
        matches!(self, Self::Bound(_))
    }
}

/// What changes a variable or a property.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// What is changed.
    pub left: &'a Expr,
    /// How.
    pub how: How<'a>,
    /// The operator of `combine_with`.
    pub operator: Option<&'a Type>,
    /// How much it weighs: the first argument of `softmax_add`.
    pub score: Option<&'a Expr>,
    /// By what.
    pub right: &'a Expr,
}

impl<'a> Assignment<'a> {
    fn of(left: &'a Expr, how: How<'a>, right: &'a Expr) -> Self {
        Self { left, how, operator: None, score: None, right }
    }
}

/// The assignment that an expression is.
pub fn assignment(expression: &Expr) -> Option<Assignment<'_>> {
    match expression {
        Expr::Assign(assign) => Some(Assignment::of(&assign.left, How::Plain, &assign.right)),
        Expr::Binary(binary) if compound(&binary.op) => {
            Some(Assignment::of(&binary.left, How::Compound(&binary.op), &binary.right))
        }
        Expr::MethodCall(call) => bound(call),
        _ => None,
    }
}

/// `d.least[e.dst][f].min_with(x)`
fn bound(call: &ExprMethodCall) -> Option<Assignment<'_>> {
    let reduction = Reduction::of_method(&call.method)?;
    let mut arguments = call.args.iter();
    let score = if reduction == Reduction::Softmax { Some(arguments.next()?) } else { None };
    let operator = if reduction == Reduction::Own { Some(operator(call)?) } else { None };
    let right = arguments.next().filter(|_| arguments.len() == 0)?;
    Some(Assignment { operator, score, ..Assignment::of(&call.receiver, How::Bound(reduction), right) })
}

/// The operator that a call of `combine_with` names.
fn operator(call: &ExprMethodCall) -> Option<&Type> {
    let arguments = &call.turbofish.as_ref()?.args;
    match arguments.first()? {
        GenericArgument::Type(operator) if arguments.len() == 1 => Some(operator),
        _ => None,
    }
}

/// Refuses properties that a function reduces by two operators.
pub fn check_operators(uses: &[Use], errors: &mut Errors) {
    for (position, usage) in uses.iter().enumerate() {
        let Mode::Reduce(reduction) = usage.mode else { continue };
        let first = uses[..position].iter().find_map(|other| match other.mode {
            Mode::Reduce(first) if other.access.property == usage.access.property => Some((first, &other.operator)),
            _ => None,
        });
        let other = first.filter(|first| *first != (reduction, &usage.operator));
        if let Some((first, _)) = other {
            let property = &usage.access.property;
            errors.push(property, message::two_operators(property, first.written(), reduction.written()));
        }
    }
}

/// Refuses reductions into the other end than the first one's.
pub fn check_ends(uses: &[Use], errors: &mut Errors) {
    let reduced = || uses.iter().filter(|usage| matches!(usage.mode, Mode::Reduce(_))).map(|usage| &usage.access);
    let first = reduced().next().map(|access| access.place);
    for access in reduced().filter(|access| Some(access.place) != first) {
        errors.push(&access.property, message::both_ends(&access.property));
    }
}

/// Refuses reads, at whatever place, of properties that an edge function reduces.
pub fn check_reduced(kind: Kind, uses: &[Use], errors: &mut Errors) {
    let is_reduced = |access: &Access| {
        uses.iter().any(|other| matches!(other.mode, Mode::Reduce(_)) && other.access.property == access.property)
    };
    for access in uses.iter().filter(|usage| usage.reads()).map(|usage| &usage.access) {
        if kind == Kind::Edge && matches!(access.place, Place::Source | Place::Destination) && is_reduced(access) {
            errors.push(&access.property, message::read_reduced(&access.property));
        }
    }
}

/// Refuses reads at the reverse edge of properties that the function writes at its own edge.
pub fn check_reversed(uses: &[Use], errors: &mut Errors) {
    let is_written = |access: &Access| {
        uses.iter().any(|other| {
            other.writes() && other.access.place == Place::Edge && other.access.property == access.property
        })
    };
    let reversed = uses.iter().map(|usage| &usage.access).filter(|access| access.place == Place::Reverse);
    for access in reversed.filter(|access| is_written(access)) {
        errors.push(&access.property, message::read_reversed(&access.property));
    }
}
