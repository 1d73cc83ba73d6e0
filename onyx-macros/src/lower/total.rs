//! Totals of the graph: `d.loss += x` is a contribution of the function's vertex, or of its edge to the edge's destination.
//!
//! The contributions to `loss` are a property of their own, which has a value for each vertex. In an edge function they are reduced at `e.dst`, or at `e.src` if it reduces there. In a
//! vertex function the vertex's own begins as that of nothing and is combined with what the function adds. After the stage the runtime adds them up.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall, Ident, Stmt, parse_quote, parse_quote_spanned};

use crate::check::usage::{Assignment, Reduction, assignment, reduction};
use crate::lower::product::{Factor, Product};
use crate::parse::access::{Access, Place, bare, recognise};
use crate::parse::function::{Function, Kind, Names};

/// What the name of the property begins with that has the contributions to a total.
const PREFIX: &str = "__total_";

/// The property that has the contributions to the total `name`.
pub fn contributions(name: &Ident) -> Ident {
    Ident::new(&contributions_to(&name.to_string()), name.span())
}

/// The same, as a text.
pub fn contributions_to(name: &str) -> String {
    format!("{PREFIX}{}", name.trim_start_matches("r#"))
}

/// The total that a property has the contributions to, if it is such a property.
pub fn total_of(property: &Ident) -> Option<Ident> {
    let name = property.to_string();
    name.strip_prefix(PREFIX).map(|name| Ident::new(name, property.span()))
}

/// What the user calls a property: one that has the contributions to a total is called as that.
pub fn shown(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// A text in which properties are called what the user calls them.
pub fn in_words(text: &str) -> String {
    text.replace(PREFIX, "")
}

/// A total that a function adds to, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The property.
    pub total: Ident,
    /// How contributions are combined.
    pub reduction: Reduction,
    /// What contributions are multiplied by before.
    pub by: Option<Factor>,
}

/// Puts contributions in place of what the function adds to totals. Returns the totals.
pub fn put_contributions(function: &mut Function) -> Vec<Added> {
    let mut body = function.body.clone();
    let end = if reduces_at_source(function) { "src" } else { "dst" };
    let mut walk = Walk { kind: function.kind, names: &function.names, end, totals: Vec::new() };
    walk.visit_block_mut(&mut body);
    let totals = walk.totals;
    if function.kind == Kind::Vertex {
        begin(&mut body, &function.names, &totals);
    }
    function.body = body;
    let added = |Noted { access, reduction, by }| Added { total: access.property, reduction, by };
    totals.into_iter().map(added).collect()
}

/// Whether an edge function reduces into the source of its edge, where its contributions are, too, then.
fn reduces_at_source(function: &Function) -> bool {
    let mut reduced = Reduced { function, at_source: false };
    reduced.visit_block(&function.body);
    reduced.at_source
}

struct Reduced<'a> {
    function: &'a Function,
    at_source: bool,
}

impl<'ast> Visit<'ast> for Reduced<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        let Function { kind, names, .. } = self.function;
        let found = assignment(expression);
        let product = found.and_then(|found| Product::of(&found, *kind, names));
        let access = found.and_then(|found| recognise(found.left, *kind, names)?.ok());
        self.at_source |= access.is_some_and(|access| access.place == Place::Source);
        self.at_source |= product.is_some_and(|product| product.end == Place::Source);
        visit::visit_expr(self, expression);
    }
}

struct Walk<'a> {
    kind: Kind,
    names: &'a Names,
    /// The end of an edge at which its contributions are.
    end: &'static str,
    /// The totals.
    totals: Vec<Noted>,
}

/// A total that was found: the first access to it, how contributions are combined, and what they are multiplied by before.
struct Noted {
    access: Access,
    reduction: Reduction,
    by: Option<Factor>,
}

impl Walk<'_> {
    /// The total that an assignment adds to, and how.
    fn total(&self, of: &Assignment<'_>) -> Option<(Access, Reduction)> {
        let access = recognise(of.left, self.kind, self.names)?.ok()?;
        let reduction = reduction(of.how).ok()?;
        let is_known = matches!(reduction, Reduction::Sum | Reduction::Min | Reduction::Max);
        (is_known && matches!(access.place, Place::Graph | Place::Row)).then_some((access, reduction))
    }

    fn note(&mut self, access: &Access, reduction: Reduction, by: Option<Factor>) {
        let same =
            |known: &Noted| known.access.property == access.property && known.reduction == reduction && known.by == by;
        if !self.totals.iter().any(same) {
            self.totals.push(Noted { access: access.clone(), reduction, by });
        }
    }

    /// The contribution in place of a product that is added, if an expression does so.
    fn contribution(&mut self, expression: &Expr) -> Option<Expr> {
        let Expr::Binary(binary) = expression else { return None };
        let found = assignment(expression)?;
        reduction(found.how).ok().filter(|reduction| *reduction == Reduction::Sum)?;
        let Product { total, by, end, value } = Product::of(&found, self.kind, self.names)?;
        self.note(&total, Reduction::Sum, Some(by));
        let end = if end == Place::Source { "src" } else { "dst" };
        let mut value = value.clone();
        self.visit_expr_mut(&mut value);
        let (left, operator) = (place(&total, (self.kind, end), self.names, total.property.span()), &binary.op);
        Some(parse_quote_spanned!(binary.span()=> #left #operator #value))
    }
}

/// Where the contributions of the function's own element lie, `d.__total_loss[v]`; of a table those to the same row.
fn place(access: &Access, (kind, end): (Kind, &str), names: &Names, at: Span) -> Expr {
    let (data, element, property) = (&names.data, &names.element, contributions(&access.property));
    if let (Some(index), Some(feature)) = (&access.index, &names.feature) {
        return parse_quote_spanned!(at=> #data.#property[#index][#feature]);
    }
    let whose: Expr = match kind {
        Kind::Edge => {
            let end = Ident::new(end, at);
            parse_quote_spanned!(at=> #element.#end)
        }
        Kind::Vertex => parse_quote_spanned!(at=> #element),
    };
    match names.feature.as_ref().filter(|_| access.is_row) {
        Some(feature) => parse_quote_spanned!(at=> #data.#property[#whose][#feature]),
        None => parse_quote_spanned!(at=> #data.#property[#whose]),
    }
}

/// Lets the contributions of a vertex begin as those of nothing.
fn begin(body: &mut Block, names: &Names, totals: &[Noted]) {
    let start = |Noted { access, reduction, .. }: &Noted| -> Stmt {
        let place = place(access, (Kind::Vertex, ""), names, access.property.span());
        match reduction {
            Reduction::Min => parse_quote!(#place = f32::INFINITY;),
            Reduction::Max => parse_quote!(#place = f32::NEG_INFINITY;),
            _ => parse_quote!(#place = 0.0;),
        }
    };
    let of_graph = totals.iter().filter(|noted| !noted.access.is_computed());
    body.stmts.splice(0..0, of_graph.map(start));
}

impl VisitMut for Walk<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Some(contribution) = self.contribution(expression) {
            *expression = contribution;
            return;
        }
        let found = assignment(expression).and_then(|found| Some((self.total(&found)?, found.how.is_bound())));
        let Some(((access, reduction), is_bound)) = found else {
            return visit_mut::visit_expr_mut(self, expression);
        };
        self.note(&access, reduction, None);
        let place = place(&access, (self.kind, self.end), self.names, access.property.span());
        match expression {
            Expr::MethodCall(call) if is_bound => *expression = self.bound(place, call, reduction),
            Expr::Binary(binary) => {
                self.visit_expr_mut(&mut binary.right);
                *binary.left = place;
            }
            _ => {}
        }
    }
}

impl Walk<'_> {
    /// `d.highest.max_with(x)`: at a vertex the greater of both is stored.
    fn bound(&mut self, place: Expr, call: &mut ExprMethodCall, reduction: Reduction) -> Expr {
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        *call.receiver = place.clone();
        let is_of_table = matches!(recognise(&place, self.kind, self.names), Some(Ok(access)) if access.is_computed());
        if self.kind == Kind::Edge || is_of_table {
            return Expr::MethodCall(call.clone());
        }
        let method = Ident::new(if reduction == Reduction::Min { "min" } else { "max" }, call.method.span());
        let value = call.args.first().map(bare);
        parse_quote_spanned!(call.span()=> #place = #place.#method(#value))
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::{ItemFn, parse_quote};

    use super::*;
    use crate::errors::Errors;
    use crate::parse::function;

    /// The body of a function with its contributions, and the totals.
    fn put(kind: Kind, item: &ItemFn) -> (String, Vec<String>) {
        let mut function = function::parse(kind, item, &mut Errors::default()).unwrap();
        let totals = put_contributions(&mut function);
        let body = function.body.to_token_stream().to_string();
        (body, totals.iter().map(|added| format!("{} {}", added.total, added.reduction.written())).collect())
    }

    #[test]
    fn an_edge_adds_at_its_destination() {
        let (body, totals) = put(
            Kind::Edge,
            &parse_quote! {
                fn f<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
                    if d.weight[e] > 0.0 { d.loss += d.weight[e]; }
                    d.bias[f] -= d.x[e.src][f];
                    d.highest.max_with(d.weight[e]);
                    d.sum[e.dst][f] += d.bias[f];
                    true
                }
            },
        );
        assert_eq!(totals, ["loss +=", "bias +=", "highest .max_with(..)"]);
        assert!(body.contains("d . __total_loss [e . dst] += d . weight [e]"), "{body}");
        assert!(body.contains("d . __total_bias [e . dst] [f] -= d . x [e . src] [f]"), "{body}");
        assert!(body.contains("d . __total_highest [e . dst] . max_with (d . weight [e])"), "{body}");
        assert!(body.contains("+= d . bias [f]"), "{body}");
    }

    #[test]
    fn an_edge_that_reduces_into_its_source_adds_there() {
        let (body, _) = put(
            Kind::Edge,
            &parse_quote! {
                fn f(e: Edge, d: &mut Data) -> bool {
                    d.loss += d.weight[e];
                    if d.weight[e] > 0.0 { d.degree[e.src] += 1.0; }
                    true
                }
            },
        );
        assert!(body.contains("d . __total_loss [e . src] += d . weight [e]"), "{body}");
    }

    #[test]
    fn the_contribution_of_a_vertex_begins_as_nothing() {
        let (body, totals) = put(
            Kind::Vertex,
            &parse_quote! {
                fn f<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
                    d.loss += d.error[v];
                    d.loss += 1.0;
                    d.least.min_with(d.error[v]);
                    true
                }
            },
        );
        assert_eq!(totals, ["loss +=", "least .min_with(..)"]);
        let begin = "d . __total_loss [v] = 0.0 ; d . __total_least [v] = f32 :: INFINITY ;";
        assert!(body.starts_with(&format!("{{ {begin}")), "{body}");
        assert!(body.contains("d . __total_least [v] = d . __total_least [v] . min (d . error [v])"), "{body}");
    }

    #[test]
    fn a_product_with_a_row_of_another_width_leaves_what_is_multiplied() {
        let item: ItemFn = parse_quote! {
            fn f<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
                d.loss += d.weight[e];
                d.weights[f] -= outer(d.x[e.src][f], d.input[e.src][..]);
                d.inputs[e.src][..] += transpose_matvec(d.weights[f], 2.0 * d.x[e.dst][f]);
                true
            }
        };
        let mut function = function::parse(Kind::Edge, &item, &mut Errors::default()).unwrap();
        let totals = put_contributions(&mut function);
        let body = function.body.to_token_stream().to_string();
        assert!(body.contains("d . __total_loss [e . src] += d . weight [e]"), "{body}");
        assert!(body.contains("d . __total_weights [e . src] [f] -= d . x [e . src] [f]"), "{body}");
        assert!(body.contains("d . __total_inputs [e . src] [f] += 2.0 * d . x [e . dst] [f]"), "{body}");
        let by: Vec<Option<(String, bool)>> =
            totals.iter().map(|added| added.by.as_ref().map(|by| (by.property.to_string(), by.is_row))).collect();
        assert_eq!(by, [None, Some(("input".to_owned(), true)), Some(("weights".to_owned(), false))]);
    }
}
