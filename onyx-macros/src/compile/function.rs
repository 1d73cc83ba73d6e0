//! A function of a fold.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Ident, Stmt};

use crate::check::infinity;
use crate::check::operation::Operation;
use crate::compile::accesses::Accesses;
use crate::compile::flow::Flow;
use crate::compile::property::Properties;
use crate::compile::total::Total;
use crate::expand::function::Lowered;
use crate::lower::region::Region;
use crate::parse::access::Place;
use crate::parse::fold::Listed;
use crate::parse::function::Kind;

/// A function of a fold, and what it does.
#[derive(Clone, Debug)]
pub struct FoldFunction {
    /// Its name, as the fold has it.
    pub name: String,
    /// What it is called in the generated code.
    pub alias: Ident,
    /// The values of its compile-time parameters.
    pub switches: Vec<bool>,
    /// Where the fold names it.
    pub span: Span,
    /// What it is called for.
    pub kind: Kind,
    /// What it accesses.
    pub accesses: Accesses,
    /// The totals of the graph that it adds to.
    pub totals: Vec<Total>,
    /// The end of its edge that it reduces into, if it does.
    pub reduced_end: Option<Place>,
    /// Whether it may return false, and so stop the functions after it.
    pub may_stop: bool,
    /// Whether it may make an infinity on purpose.
    pub may_make_infinity: bool,
    /// Where what it stores and returns comes from, as a vertex function.
    pub flow: Flow,
    /// What it does with more than its own feature.
    pub beyond: BeyondFeature,
    /// Whether it is the first of the fold, a `;` stands before it, or it reduces into another end than those before it.
    pub is_first: bool,
    /// Whether it is that for the last of these reasons.
    pub turns: bool,
}

/// What a function does with more than its own feature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeyondFeature {
    /// The first collaborative operation that it calls.
    pub operation: Option<String>,
    /// Whether it may return false for some features and true for others.
    pub differs: bool,
}

impl FoldFunction {
    /// The function that a fold lists, once it is lowered.
    pub fn new(listed: &Listed, is_first: bool, lowered: &Lowered, properties: &Properties) -> Self {
        let function = &lowered.function;
        Self {
            name: listed.name(),
            alias: listed.alias.clone(),
            switches: listed.switches.clone(),
            span: listed.path.span(),
            kind: function.kind,
            accesses: Accesses::of(function.kind, &lowered.plan, properties),
            totals: Total::of(lowered, properties),
            reduced_end: lowered.plan.reduced_end(),
            may_stop: function.may_stop(),
            may_make_infinity: infinity::may_make_one(function),
            flow: Flow::of(&lowered.flow, properties),
            beyond: BeyondFeature::of(lowered),
            is_first,
            turns: false,
        }
    }

    /// Whether it is an edge function.
    pub fn is_edge(&self) -> bool {
        self.kind == Kind::Edge
    }
}

impl BeyondFeature {
    fn of(lowered: &Lowered) -> Self {
        let function = &lowered.function;
        let returns_any = returns_any(lowered);
        let call = lowered.regions.iter().find_map(|region| region.call.as_ref()).filter(|_| !returns_any);
        Self {
            operation: call.map(|call| call.name.to_string()),
            differs: function.may_stop() && (!lowered.is_uniform || returns_any),
        }
    }
}

/// Whether the only operation is an `any` whose result the function returns: the same as to return its argument, which differs.
fn returns_any(lowered: &Lowered) -> bool {
    let [Region { call: Some(call), .. }, last] = lowered.regions.as_slice() else { return false };
    call.operation == Operation::Any && matches!(last.statements.as_slice(), [Stmt::Expr(Expr::Verbatim(_), None)])
}
