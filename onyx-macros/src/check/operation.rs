//! Collaborative operations: which calls they are, and whether every feature reaches them.

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    BinOp, Expr, ExprBinary, ExprBlock, ExprCall, ExprClosure, ExprForLoop, ExprIf, ExprLoop, ExprMatch, ExprWhile,
    Ident, Stmt, Token,
};

use crate::errors::Errors;
use crate::message;
use crate::parse::access::{bare, projection};
use crate::parse::function::Function;

/// A call that works across the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `sum(x)`
    Sum,
    /// `product(x)`
    Product,
    /// `min(x)`
    Min,
    /// `max(x)`
    Max,
    /// `normalize(x)`
    Normalize,
    /// `norm2(x)`
    Norm2,
    /// `softmax(x)`
    Softmax,
    /// `log_sum_exp(x)`
    LogSumExp,
    /// `argmax(x)`
    Argmax,
    /// `dot(a, b)`
    Dot,
    /// `any(condition)`
    Any,
    /// `all(condition)`
    All,
    /// `broadcast(x, i)`
    Broadcast,
    /// `outer(a, b)`
    Outer,
    /// `matvec(m, x)`
    Matvec,
    /// `max_matvec(m, x)`
    MaxMatvec,
    /// `log_matvec(m, x)`
    LogMatvec,
    /// `log_max_matvec(m, x)`
    LogMaxMatvec,
    /// `transpose_matvec(m, x)`
    TransposeMatvec,
    /// `solve(m, b)`
    Solve,
    /// `inverse(m)`
    Inverse,
    /// `diagonal(x)`
    Diagonal,
}

/// The type of an argument that is a row of a matrix.
pub const ROW: &str = "Row";

/// Every operation by its name, which is that of the method of `Group`, too.
const OPERATIONS: &[(&str, Operation)] = &[
    ("sum", Operation::Sum),
    ("product", Operation::Product),
    ("min", Operation::Min),
    ("max", Operation::Max),
    ("normalize", Operation::Normalize),
    ("norm2", Operation::Norm2),
    ("softmax", Operation::Softmax),
    ("log_sum_exp", Operation::LogSumExp),
    ("argmax", Operation::Argmax),
    ("dot", Operation::Dot),
    ("any", Operation::Any),
    ("all", Operation::All),
    ("broadcast", Operation::Broadcast),
    ("outer", Operation::Outer),
    ("matvec", Operation::Matvec),
    ("max_matvec", Operation::MaxMatvec),
    ("log_matvec", Operation::LogMatvec),
    ("log_max_matvec", Operation::LogMaxMatvec),
    ("transpose_matvec", Operation::TransposeMatvec),
    ("solve", Operation::Solve),
    ("inverse", Operation::Inverse),
    ("diagonal", Operation::Diagonal),
];

impl Operation {
    fn of(name: &Ident) -> Option<Self> {
        OPERATIONS.iter().find(|(known, _)| name == known).map(|(_, operation)| *operation)
    }

    /// The types of its arguments.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Any | Self::All => &["bool"],
            Self::Dot | Self::Outer => &["f32", "f32"],
            Self::Matvec | Self::MaxMatvec | Self::TransposeMatvec | Self::Solve => &[ROW, "f32"],
            Self::LogMatvec | Self::LogMaxMatvec => &[ROW, "f32"],
            Self::Inverse => &[ROW],
            Self::Broadcast => &["f32", "u32"],
            _ => &["f32"],
        }
    }

    /// Whether the result is the same for all features.
    pub fn is_uniform(self) -> bool {
        !matches!(self, Self::Normalize | Self::Softmax) && !self.is_of_matrices()
    }

    /// Whether its result makes each row of a matrix where that is used.
    pub fn has_rows(self) -> bool {
        matches!(self, Self::Outer | Self::Diagonal)
    }

    /// Whether it multiplies a matrix with logarithms.
    pub fn is_logarithmic(self) -> bool {
        matches!(self, Self::LogMatvec | Self::LogMaxMatvec)
    }

    /// Whether it takes or makes rows of a matrix.
    pub fn is_of_matrices(self) -> bool {
        use Operation::{Diagonal, Inverse, LogMatvec, LogMaxMatvec, Matvec, MaxMatvec, Outer, Solve, TransposeMatvec};
        matches!(self, Outer | Matvec | MaxMatvec | LogMatvec | LogMaxMatvec | TransposeMatvec | Solve)
            || matches!(self, Inverse | Diagonal)
    }
}

/// Whether an operation has this name.
pub fn is_operation(name: &str) -> bool {
    OPERATIONS.iter().any(|(known, _)| *known == name)
}

/// The arguments of a call.
pub type Arguments = Punctuated<Expr, Token![,]>;

/// The operation that an expression calls, given the names that variables shadow.
pub fn called<'a>(expression: &'a Expr, shadowed: &[Ident]) -> Option<(Operation, &'a Ident, &'a Arguments)> {
    match expression {
        Expr::Call(call) => called_by(call, shadowed),
        _ => None,
    }
}

/// [`called`], of a call. A product with a whole row is a property's feature, of which no other lane knows anything.
pub fn called_by<'a>(call: &'a ExprCall, shadowed: &[Ident]) -> Option<(Operation, &'a Ident, &'a Arguments)> {
    let Expr::Path(path) = bare(&call.func) else { return None };
    if projection(call).is_some() {
        return None;
    }
    let name = path.path.get_ident()?;
    let operation = Operation::of(name).filter(|operation| operation.arguments().len() == call.args.len())?;
    (!shadowed.contains(name)).then_some((operation, name, &call.args))
}

/// The operation whose name is called with another number of arguments, given the names that variables shadow.
fn miscalled<'a>(call: &'a ExprCall, shadowed: &[Ident]) -> Option<(Operation, &'a Ident)> {
    let Expr::Path(path) = bare(&call.func) else { return None };
    let name = path.path.get_ident().filter(|name| !shadowed.contains(name))?;
    let operation = Operation::of(name).filter(|operation| operation.arguments().len() != call.args.len())?;
    Some((operation, name))
}

/// Whether an expression calls an operation, or is such a call.
pub fn calls_operation(expression: &Expr, shadowed: &[Ident]) -> bool {
    let mut calls = Calls { shadowed, found: false };
    calls.visit_expr(expression);
    calls.found
}

struct Calls<'a> {
    shadowed: &'a [Ident],
    found: bool,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        self.found |= called_by(call, self.shadowed).is_some();
        visit::visit_expr_call(self, call);
    }
}

/// The names that a statement declares at its own level.
pub fn declared(statement: &Stmt) -> Vec<(Ident, bool)> {
    let mut names = Names(Vec::new());
    if let Stmt::Local(local) = statement {
        names.visit_pat(&local.pat);
    }
    names.0
}

struct Names(Vec<(Ident, bool)>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push((pattern.ident.clone(), pattern.mutability.is_some()));
        visit::visit_pat_ident(self, pattern);
    }
}

/// Refuses operations that not every feature reaches, and any in a function without features. Returns whether there is an operation.
pub fn check(function: &Function, errors: &mut Errors) -> bool {
    let mut walk = Walk { function, errors, shadowed: Vec::new(), around: None, found: false };
    for statement in &function.body.stmts {
        walk.visit_stmt(statement);
        walk.shadowed.extend(declared(statement).into_iter().map(|(name, _)| name));
    }
    walk.found
}

struct Walk<'a> {
    function: &'a Function,
    errors: &'a mut Errors,
    shadowed: Vec<Ident>,
    /// What is around that not every feature may enter.
    around: Option<&'static str>,
    found: bool,
}

impl Walk<'_> {
    fn inside(&mut self, around: &'static str, walk: impl FnOnce(&mut Self)) {
        let before = self.around;
        self.around = before.or(Some(around));
        walk(self);
        self.around = before;
    }

    fn check_operation(&mut self, name: &Ident) {
        self.found = true;
        if self.function.names.feature.is_none() {
            self.errors.push(name, message::OPERATION_WITHOUT_FEATURE);
        } else if let Some(around) = self.around {
            self.errors.push(name, message::diverging_operation(name, around));
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit::visit_expr_call(self, call);
        if let Some((_, name, _)) = called_by(call, &self.shadowed) {
            self.check_operation(name);
        } else if let Some((operation, name)) = miscalled(call, &self.shadowed) {
            self.errors.push(name, message::operation_arguments(name, operation.arguments().len()));
        }
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        self.visit_expr(&binary.left);
        match binary.op {
            BinOp::And(_) => self.inside("`&&`", |walk| walk.visit_expr(&binary.right)),
            BinOp::Or(_) => self.inside("`||`", |walk| walk.visit_expr(&binary.right)),
            _ => self.visit_expr(&binary.right),
        }
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        self.visit_expr(&choice.cond);
        self.inside("`if`", |walk| {
            walk.visit_block(&choice.then_branch);
            if let Some((_, otherwise)) = &choice.else_branch {
                walk.visit_expr(otherwise);
            }
        });
    }

    fn visit_expr_match(&mut self, choice: &'ast ExprMatch) {
        self.visit_expr(&choice.expr);
        self.inside("`match`", |walk| choice.arms.iter().for_each(|arm| walk.visit_arm(arm)));
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        self.inside("`while`", |walk| visit::visit_expr_while(walk, repeated));
    }

    fn visit_expr_loop(&mut self, repeated: &'ast ExprLoop) {
        self.inside("`loop`", |walk| visit::visit_expr_loop(walk, repeated));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        self.visit_expr(&repeated.expr);
        self.inside("`for`", |walk| walk.visit_block(&repeated.body));
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.inside("closure", |walk| visit::visit_expr_closure(walk, closure));
    }

    fn visit_expr_block(&mut self, block: &'ast ExprBlock) {
        self.inside("block", |walk| visit::visit_expr_block(walk, block));
    }

    fn visit_local_init(&mut self, init: &'ast syn::LocalInit) {
        self.visit_expr(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            self.inside("`else`", |walk| walk.visit_expr(otherwise));
        }
    }
}
