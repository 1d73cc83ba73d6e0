//! The properties that hold adjoints: `x_gradient` of `x`, declared by the user beside it.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{GenericArgument, Ident, ItemStruct, PathArguments, Type};

use crate::compile::property::{Element, Number, Properties, Property};
use crate::errors::Errors;
use crate::message;
use crate::parse::function::last_segment;

/// What a property's adjoint is called.
pub fn name(property: &Ident) -> Ident {
    Ident::new(&format!("{}_gradient", property.unraw()), property.span())
}

/// What holds a part of an adjoint that comes from several places.
pub fn part(property: &Ident) -> Ident {
    Ident::new(&format!("{}_gradient_part", property.unraw()), property.span())
}

/// What holds how many edges share the adjoint of a mean, a minimum or a maximum, or how many factors of a product are zero.
pub fn count(property: &Ident) -> Ident {
    Ident::new(&format!("{}_gradient_count", property.unraw()), property.span())
}

/// What holds the product of all factors but those that are zero.
pub fn rest(property: &Ident) -> Ident {
    Ident::new(&format!("{}_gradient_rest", property.unraw()), property.span())
}

/// What holds the dot product of a row and its adjoint.
pub fn dot(property: &Ident) -> Ident {
    Ident::new(&format!("{}_gradient_dot", property.unraw()), property.span())
}

/// Whether a property may have a gradient.
pub fn is_possible(property: &Property) -> bool {
    let is_read_alone = matches!(property.element, Element::IterationNumber | Element::EdgeInputs);
    !is_read_alone && !property.number.is_integer()
}

/// What an adjoint has a value for. What all heads have in common gets a part of each head, since none adds to another's.
fn element_of(element: Element, has_heads: bool) -> Element {
    match element {
        Element::Parameter => Element::GraphScalar,
        Element::VertexScalar if has_heads => Element::VertexHeads,
        Element::EdgeScalar if has_heads => Element::EdgeHeads,
        element => element,
    }
}

/// Whether all heads have it in common, and no property has a number of it for each.
pub fn is_shared(property: &Property, properties: &Properties) -> bool {
    properties.have_heads() && matches!(property.element, Element::Parameter | Element::GraphScalar)
}

/// The properties that hold adjoints, as they are looked for in the structure.
pub struct Declared<'a> {
    /// The structure.
    pub structure: &'a ItemStruct,
    /// Its properties.
    pub properties: &'a Properties,
    /// Where the gradient is asked for.
    pub at: Span,
    /// The names that are missing, with what is to be said of them.
    missing: Vec<(String, String)>,
}

impl<'a> Declared<'a> {
    /// Those of a structure.
    pub fn new(structure: &'a ItemStruct, properties: &'a Properties, at: Span) -> Self {
        Self { structure, properties, at, missing: Vec::new() }
    }

    /// The properties whose adjoints are declared.
    pub fn adjoints(&self) -> u64 {
        let names = self.structure.fields.iter().filter_map(|field| field.ident.as_ref());
        let is_declared = |name: &&Ident| self.properties.bit(&self::name(name)) != 0;
        self.properties.set(names.filter(is_declared))
    }

    /// Reports what is missing.
    pub fn report(self, errors: &mut Errors) {
        self.missing.into_iter().for_each(|(_, text)| errors.push_at(self.at, text));
    }

    /// Notes that `name` is missing if the structure has no property of this name that is like `of`.
    pub fn require(&mut self, of: &Ident, name: &Ident) {
        let found = self.properties.0.iter().find(|property| name == &property.name);
        let like = self.properties.0.iter().find(|property| of.unraw() == property.name.as_str());
        let (Some(like), false) = (like, self.missing.iter().any(|(known, _)| name == known)) else { return };
        let element = element_of(like.element, self.properties.have_heads());
        let is_right = found.is_some_and(|found| found.element == element && is_plain(found));
        if !is_right {
            let text = if like.element.is_of_inputs() {
                message::gradient_missing_alike(of, name, &self.structure.ident)
            } else {
                message::gradient_missing(of, name, self.kind(of), &self.structure.ident)
            };
            self.missing.push((name.to_string(), text));
        }
    }

    /// Notes that `name`, the dot product of `of` and its adjoint, is no plain scalar of the vertices, or of their heads where there are some.
    pub fn require_dot(&mut self, of: &Ident, name: &Ident) {
        let element = element_of(Element::VertexScalar, self.properties.have_heads());
        let is_right = |found: &&Property| name == &found.name && found.element == element && is_plain(found);
        if !self.properties.0.iter().any(|found| is_right(&found)) {
            let kind = if element == Element::VertexHeads { "VertexHeads" } else { "VertexScalar" };
            self.missing.push((name.to_string(), message::gradient_dot(of, name, kind)));
        }
    }

    /// The type of a property, without what says how long it lasts.
    fn kind(&self, of: &Ident) -> String {
        let field = self
            .structure
            .fields
            .iter()
            .find(|field| field.ident.as_ref().is_some_and(|name| name.unraw() == of.unraw()));
        let kind = field.map(|field| plain(&field.ty)).unwrap_or_default();
        match kind.as_str() {
            "Parameter" => "GraphScalar".to_owned(),
            "VertexScalar" if self.properties.have_heads() => "VertexHeads".to_owned(),
            "EdgeScalar" if self.properties.have_heads() => "EdgeHeads".to_owned(),
            _ => kind,
        }
    }
}

/// Whether a property may hold an adjoint: it is not tracked, and has whole floats. Whether one that does not last is read in its own stage alone, the derived fold is asked as any other.
fn is_plain(property: &Property) -> bool {
    !property.is_tracked && property.number == Number::F32
}

fn plain(of: &Type) -> String {
    let Some(segment) = last_segment(of) else { return String::new() };
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return segment.ident.to_string() };
    let lasts = |argument: &GenericArgument| {
        let name = argument.to_token_stream().to_string();
        // An adjoint is a total, of whole floats.
        ["Tracked", "Untracked", "Scratch", "f16"].iter().any(|word| name.ends_with(word))
    };
    let kept: Vec<String> = arguments
        .args
        .iter()
        .filter(|argument| !lasts(argument))
        .map(|argument| argument.to_token_stream().to_string())
        .collect();
    if kept.is_empty() { segment.ident.to_string() } else { format!("{}<{}>", segment.ident, kept.join(", ")) }
}
