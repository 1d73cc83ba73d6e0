//! Recognises accesses to properties: `d.label[e.src][f]`, `d.rank[v]`, `d.label[Vertex(i)]`, `d.relation[i][f]`, `d.alpha`,
//! `matvec(d.weight[f], d.input[v][..])`.

use quote::ToTokens;
use syn::{Error, Expr, ExprCall, ExprField, ExprIndex, Ident, Member};

use crate::message;
use crate::parse::element::{computed_with, number};
use crate::parse::function::{Kind, Names};

/// Whose value is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// `e.src`
    Source,
    /// `e.dst`
    Destination,
    /// `e`
    Edge,
    /// `e.rev`
    Reverse,
    /// `v`
    Vertex,
    /// The whole graph's: a parameter or a matrix.
    Graph,
    /// `Vertex(i)`: a vertex that the function computes.
    Computed,
    /// `i`: a row of a table of the graph, which the function computes.
    Row,
}

impl Place {
    /// The same place, as the reverse edge names it.
    pub fn turned(self) -> Self {
        match self {
            Self::Source => Self::Destination,
            Self::Destination => Self::Source,
            Self::Edge => Self::Reverse,
            Self::Reverse => Self::Edge,
            other => other,
        }
    }
}

/// One access, as the user wrote it.
#[derive(Clone, Debug)]
pub struct Access {
    /// The property.
    pub property: Ident,
    /// Whose value.
    pub place: Place,
    /// Whether it is one feature of a row, or one row of a matrix: `[f]`.
    pub is_row: bool,
    /// What the function computes of where it is: `i` of `Vertex(i)`, or of `[i][f]`.
    pub index: Option<Box<Expr>>,
    /// The matrix that makes features of the property's rows, which are of another width.
    pub matrix: Option<Ident>,
}

impl Access {
    /// Whether the function computes whose value it is.
    pub fn is_computed(&self) -> bool {
        self.index.is_some()
    }
}

/// What is evaluated inside of an access, if anything is.
pub fn evaluated(recognised: &Result<Access, Error>) -> Option<&Expr> {
    recognised.as_ref().ok()?.index.as_deref()
}

/// The access that `expression` is, an error if it is a wrong one, nothing if it does not start at the data.
pub fn recognise(expression: &Expr, kind: Kind, names: &Names) -> Option<Result<Access, Error>> {
    if let Expr::Call(call) = bare(expression)
        && let Some((matrix, row)) = projection(call)
    {
        return Some(projected(matrix, row, kind, names));
    }
    let (field, indices) = peel(expression)?;
    if !is_name(&field.base, &names.data) {
        return None;
    }
    Some(classify(field, &indices, kind, names))
}

/// The matrix and the row of `matvec(d.weight[f], d.input[v][..])`: a product that is read as one feature of a property.
pub fn projection(call: &ExprCall) -> Option<(&Expr, &ExprIndex)> {
    let is_product = matches!(bare(&call.func), Expr::Path(path) if path.path.is_ident("matvec"));
    match (call.args.first(), call.args.get(1).map(bare)) {
        (Some(matrix), Some(Expr::Index(row))) if is_product && call.args.len() == 2 && is_all(&row.index) => {
            Some((matrix, row))
        }
        _ => None,
    }
}

/// The access to the row of which an expression takes all numbers: `d.input[v][..]`.
pub fn whole_row(expression: &Expr, kind: Kind, names: &Names) -> Option<Access> {
    let Expr::Index(row) = bare(expression) else { return None };
    let access = recognise(&row.expr, kind, names).filter(|_| is_all(&row.index))?.ok()?;
    (!access.is_row && !access.is_computed()).then(|| Access { is_row: true, ..access })
}

/// Whether an index is `..`.
fn is_all(index: &Expr) -> bool {
    matches!(bare(index), Expr::Range(range) if range.start.is_none() && range.end.is_none())
}

/// The feature that a matrix makes of a whole row.
fn projected(matrix: &Expr, row: &ExprIndex, kind: Kind, names: &Names) -> Result<Access, Error> {
    let matrix = match recognise(matrix, kind, names) {
        Some(Ok(Access { property, place: Place::Graph, is_row: true, .. })) => property,
        _ => return Err(Error::new_spanned(matrix, message::PROJECTION)),
    };
    match recognise(&row.expr, kind, names) {
        Some(Ok(access)) if !access.is_row && !access.is_computed() && access.place != Place::Graph => {
            Ok(Access { is_row: true, matrix: Some(matrix), ..access })
        }
        Some(Err(error)) => Err(error),
        _ => Err(Error::new_spanned(row, message::PROJECTED)),
    }
}

/// Whether an expression is a plain name.
pub fn is_name(expression: &Expr, name: &Ident) -> bool {
    matches!(bare(expression), Expr::Path(path) if path.path.is_ident(name))
}

/// An expression without parentheses around it.
pub fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        _ => expression,
    }
}

/// Takes `base.member[a][b]` apart into the field and its indices, in order.
fn peel(expression: &Expr) -> Option<(&ExprField, Vec<&Expr>)> {
    match bare(expression) {
        Expr::Field(field) => Some((field, Vec::new())),
        Expr::Index(ExprIndex { expr, index, .. }) => {
            let (field, mut indices) = peel(expr)?;
            indices.push(index);
            Some((field, indices))
        }
        _ => None,
    }
}

fn classify(field: &ExprField, indices: &[&Expr], kind: Kind, names: &Names) -> Result<Access, Error> {
    let Member::Named(property) = &field.member else {
        return Err(Error::new_spanned(field, message::PROPERTY_NAME));
    };
    if let Some(all) = indices.iter().find(|index| is_all(index)) {
        return Err(Error::new_spanned(all, message::WHOLE_ROW));
    }
    let (place, index, is_row) = match indices {
        [] => (Place::Graph, None, false),
        [feature] if is_feature(feature, names) => (Place::Graph, None, true),
        [element] => {
            let (place, index) = element_of(element, kind, names)?;
            (place, index, false)
        }
        [element, feature] => {
            let (place, index) = match element_of(element, kind, names) {
                Err(_) if is_number(element, names) => (Place::Row, Some(*element)),
                known => known?,
            };
            check_feature(feature, names)?;
            (place, index, true)
        }
        [_, _, further, ..] => return Err(Error::new_spanned(further, message::FEATURE_FIRST)),
    };
    Ok(Access { property: property.clone(), place, is_row, index: index.cloned().map(Box::new), matrix: None })
}

fn is_feature(index: &Expr, names: &Names) -> bool {
    names.feature.as_ref().is_some_and(|feature| is_name(index, feature))
}

fn check_feature(index: &Expr, names: &Names) -> Result<(), Error> {
    match &names.feature {
        None => Err(Error::new_spanned(index, message::NO_FEATURE)),
        Some(feature) if is_name(index, feature) => Ok(()),
        Some(_) => Err(Error::new_spanned(index, message::OTHER_FEATURE)),
    }
}

/// Whose value an index names, and what is computed of it.
fn element_of<'e>(index: &'e Expr, kind: Kind, names: &Names) -> Result<(Place, Option<&'e Expr>), Error> {
    if is_feature(index, names) {
        return Err(Error::new_spanned(index, message::FEATURE_FIRST));
    }
    if let Some(number) = vertex_number(index) {
        return Ok((Place::Computed, Some(number)));
    }
    if let Some((_, place)) = stand_in(index, names) {
        return Err(Error::new_spanned(index, message::stand_in(index.to_token_stream(), place)));
    }
    if let Some(element) = computed_with(index, &names.element) {
        return Err(Error::new_spanned(index, message::no_number(&element, &number(&element, kind))));
    }
    let place = match kind {
        Kind::Vertex => is_name(index, &names.element).then_some(Place::Vertex),
        Kind::Edge => edge_place(index, names),
    };
    let message = if kind == Kind::Vertex { message::OTHER_VERTEX } else { message::OTHER_ELEMENT };
    place.map(|place| (place, None)).ok_or_else(|| Error::new_spanned(index, message))
}

/// Whether an index that names no edge or vertex may be the number of a row.
fn is_number(index: &Expr, names: &Names) -> bool {
    let of_element = |base: &Expr| is_name(base, &names.element);
    if stand_in(index, names).is_some() || computed_with(index, &names.element).is_some() {
        return false;
    }
    match bare(index) {
        Expr::Field(field) => match &field.member {
            Member::Named(name) => !of_element(&field.base) && !["src", "dst", "rev"].iter().any(|end| name == end),
            Member::Unnamed(_) => true,
        },
        index => !is_feature(index, names) && !of_element(index),
    }
}

/// The variable that an index is, if it stands for an edge or a vertex, and what it stands for.
fn stand_in<'n>(index: &Expr, names: &'n Names) -> Option<&'n (Ident, String)> {
    names.stand_ins.iter().find(|(name, _)| is_name(index, name))
}

/// The number of a vertex that is named by it: `i` of `Vertex(i)`.
fn vertex_number(index: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = bare(index) else { return None };
    let Expr::Path(path) = bare(&call.func) else { return None };
    let is_vertex = path.path.segments.last().is_some_and(|last| last.ident == "Vertex");
    call.args.first().filter(|_| is_vertex && call.args.len() == 1)
}

fn edge_place(index: &Expr, names: &Names) -> Option<Place> {
    if is_name(index, &names.element) {
        return Some(Place::Edge);
    }
    match bare(index) {
        Expr::Field(ExprField { base, member: Member::Named(end), .. }) if is_name(base, &names.element) => {
            match end.to_string().as_str() {
                "src" => Some(Place::Source),
                "dst" => Some(Place::Destination),
                "rev" => Some(Place::Reverse),
                _ => None,
            }
        }
        _ => None,
    }
}
