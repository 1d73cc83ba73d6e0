//! What a function does with its properties, and whether it may.

use syn::{BinOp, Expr};

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
    /// Something is added to it: `+=` and `-=` into the destination of an edge.
    Reduce,
}

/// One access in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Use {
    /// What is accessed.
    pub access: Access,
    /// How.
    pub mode: Mode,
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

/// The mode of a plain assignment (`operator` none) or a compound one, or the message that refuses it.
pub fn mode_of(access: &Access, operator: Option<&BinOp>) -> Result<Mode, &'static str> {
    match (access.place, operator) {
        (Place::Source, _) => Err(message::WRITE_SOURCE),
        (Place::Graph, _) => Err(message::WRITE_PARAMETER),
        (Place::Destination, None) => Err(message::ASSIGN_DESTINATION),
        (Place::Destination, Some(BinOp::AddAssign(_) | BinOp::SubAssign(_))) => Ok(Mode::Reduce),
        (Place::Destination, Some(_)) => Err(message::OTHER_REDUCTION),
        (_, None) => Ok(Mode::Assign),
        (_, Some(_)) => Ok(Mode::Update),
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

/// The left side of a plain or compound assignment, and the operator of the latter.
pub fn assignment(expression: &Expr) -> Option<(&Expr, Option<&BinOp>, &Expr)> {
    match expression {
        Expr::Assign(assign) => Some((&assign.left, None, &assign.right)),
        Expr::Binary(binary) if compound(&binary.op) => Some((&binary.left, Some(&binary.op), &binary.right)),
        _ => None,
    }
}

/// Refuses reads, at whatever place, of properties that an edge function reduces.
pub fn check_reduced(kind: Kind, uses: &[Use], errors: &mut Errors) {
    let is_reduced = |access: &Access| {
        uses.iter().any(|other| other.mode == Mode::Reduce && other.access.property == access.property)
    };
    for access in uses.iter().filter(|usage| usage.reads()).map(|usage| &usage.access) {
        if kind == Kind::Edge && matches!(access.place, Place::Source | Place::Destination) && is_reduced(access) {
            errors.push(&access.property, message::read_reduced(&access.property));
        }
    }
}
