//! The properties of a structure, and sets of them: one bit each, by position.

use syn::ext::IdentExt;
use syn::{Field, GenericArgument, Ident, ItemStruct, PathArguments};

use crate::lower::total::{contributions_to, shown};
use crate::parse::function::last_segment;

/// What a property has a value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The whole graph: a number.
    Parameter,
    /// The whole graph: the number of the iteration.
    IterationNumber,
    /// Each vertex: a number.
    VertexScalar,
    /// Each head of each vertex: a number.
    VertexHeads,
    /// Each vertex: a row of features.
    VertexFeatures,
    /// Each vertex: a matrix.
    VertexMatrix,
    /// Each edge: a number.
    EdgeScalar,
    /// Each head of each edge: a number.
    EdgeHeads,
    /// Each edge: a row of features.
    EdgeFeatures,
    /// Each edge: a matrix.
    EdgeMatrix,
    /// The whole graph: a matrix, which functions may add to.
    GraphMatrix,
    /// The whole graph: a number, which functions may add to.
    GraphScalar,
    /// The whole graph: a row of features, which functions may add to.
    GraphFeatures,
    /// The whole graph: rows of features, which functions name by their number and may add to.
    Table,
    /// Each vertex: a row of another width.
    VertexInputs,
    /// Each edge: a row of another width.
    EdgeInputs,
    /// The whole graph: a matrix that makes features of rows of another width.
    Projection,
}

/// The name of each element's type, and of the element in a description.
const ELEMENTS: [(&str, &str, Element); 17] = [
    ("Parameter", "parameter", Element::Parameter),
    ("IterationNumber", "iteration_number", Element::IterationNumber),
    ("VertexScalar", "vertex_scalar", Element::VertexScalar),
    ("VertexHeads", "vertex_heads", Element::VertexHeads),
    ("VertexFeatures", "vertex_features", Element::VertexFeatures),
    ("VertexMatrix", "vertex_matrix", Element::VertexMatrix),
    ("EdgeScalar", "edge_scalar", Element::EdgeScalar),
    ("EdgeHeads", "edge_heads", Element::EdgeHeads),
    ("EdgeFeatures", "edge_features", Element::EdgeFeatures),
    ("EdgeMatrix", "edge_matrix", Element::EdgeMatrix),
    ("GraphMatrix", "graph_matrix", Element::GraphMatrix),
    ("GraphScalar", "graph_scalar", Element::GraphScalar),
    ("GraphFeatures", "graph_features", Element::GraphFeatures),
    ("Table", "table", Element::Table),
    ("VertexInputs", "vertex_inputs", Element::VertexInputs),
    ("EdgeInputs", "edge_inputs", Element::EdgeInputs),
    ("Projection", "projection", Element::Projection),
];

impl Element {
    /// The element whose type has this name.
    pub fn of_type(name: &Ident) -> Option<Self> {
        ELEMENTS.iter().find(|(known, ..)| name == known).map(|(.., element)| *element)
    }

    /// What a description calls it.
    pub fn described(self) -> &'static str {
        ELEMENTS.iter().find(|(.., element)| *element == self).map_or("", |(_, described, _)| described)
    }

    /// Whether it is a matrix.
    pub fn is_matrix(self) -> bool {
        matches!(self, Self::VertexMatrix | Self::EdgeMatrix | Self::GraphMatrix)
    }

    /// Whether it is rows of another width than the functions' features, or a matrix of as many columns.
    pub fn is_of_inputs(self) -> bool {
        matches!(self, Self::VertexInputs | Self::EdgeInputs | Self::Projection)
    }

    /// Whether it has a number for each head.
    pub fn is_of_heads(self) -> bool {
        matches!(self, Self::VertexHeads | Self::EdgeHeads)
    }

    /// Whether it has one number for all heads, which a function of one head may not write.
    pub fn is_of_all_heads(self) -> bool {
        matches!(self, Self::VertexScalar | Self::EdgeScalar)
    }

    /// Whether it has a number for each feature.
    pub fn has_features(self) -> bool {
        matches!(self, Self::VertexFeatures | Self::EdgeFeatures | Self::GraphFeatures | Self::Table)
    }

    /// What has the contributions to it, if it is a total.
    pub fn contributions(self) -> Option<Self> {
        match self {
            Self::GraphScalar => Some(Self::VertexScalar),
            Self::GraphFeatures => Some(Self::VertexFeatures),
            Self::GraphMatrix => Some(Self::VertexMatrix),
            Self::Table => Some(Self::Table),
            // What is multiplied is a row of features a vertex.
            Self::VertexInputs | Self::Projection => Some(Self::VertexFeatures),
            _ => None,
        }
    }
}

/// The type of a property's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Number {
    /// A float.
    #[default]
    F32,
    /// An integer of four bytes.
    U32,
    /// An integer of one byte.
    U8,
    /// A float of two bytes.
    F16,
    /// The same, whose greatest number stands for what is beyond.
    SaturatingF16,
    /// A float of two bytes, with the range of one of four.
    Bf16,
}

impl Number {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::F32, Self::U32, Self::U8, Self::F16, Self::SaturatingF16, Self::Bf16];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U32 => "u32",
            Self::U8 => "u8",
            Self::F16 => "f16",
            Self::SaturatingF16 => "saturating_f16",
            Self::Bf16 => "bf16",
        }
    }

    /// The type of this name.
    pub fn of_name(name: &Ident) -> Option<Self> {
        Self::ALL.into_iter().find(|number| name == number.name())
    }

    /// Whether it is a float of two bytes.
    pub fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::SaturatingF16 | Self::Bf16)
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::U32 | Self::U8)
    }
}

/// One property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it has a value for.
    pub element: Element,
    /// Whether it keeps its previous value.
    pub is_tracked: bool,
    /// Whether it lives in registers.
    pub is_scratch: bool,
    /// The type of its numbers.
    pub number: Number,
}

impl Property {
    /// The property that has the contributions to it, if it is a total.
    fn contributions(&self) -> Option<Self> {
        let element = self.element.contributions().filter(|_| self.shown() == self.name)?;
        let (name, number) = (contributions_to(&self.name), Number::F32);
        Some(Self { name, element, is_tracked: false, is_scratch: false, number })
    }

    /// Its name; that of the total if it has the contributions to one.
    fn shown(&self) -> &str {
        shown(&self.name)
    }
}

/// The properties of a structure, in order; after them, those that have the contributions to totals.
#[derive(Clone, Debug)]
pub struct Properties(pub Vec<Property>);

impl Properties {
    /// The properties of a structure; none if one of them is of no known type, which is reported where the structure is.
    pub fn of(item: &ItemStruct) -> Option<Self> {
        let mut properties: Vec<Property> = item.fields.iter().map(property).collect::<Option<_>>()?;
        let contributions: Vec<Property> = properties.iter().filter_map(Property::contributions).collect();
        properties.extend(contributions);
        Some(Self(properties))
    }

    /// Of each property that has the contributions to a total: its position, and the total's.
    pub fn totals(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_total = |(_, property): &(usize, &Property)| property.contributions().is_some();
        let totals = self.0.iter().enumerate().filter(is_total).map(|(index, _)| index);
        let first = self.0.len() - totals.clone().count();
        totals.enumerate().map(move |(number, total)| (first + number, total))
    }

    /// The bit of the property with this name; no bit if there is none, which the compiler reports where it is accessed.
    pub fn bit(&self, name: &Ident) -> u64 {
        let name = name.unraw().to_string();
        self.0.iter().position(|property| property.name == name).map_or(0, |index| 1 << index)
    }

    /// The bits of several properties.
    pub fn set<'a>(&self, names: impl IntoIterator<Item = &'a Ident>) -> u64 {
        names.into_iter().fold(0, |set, name| set | self.bit(name))
    }

    /// The first property of a set.
    pub fn first(&self, set: u64) -> Option<&str> {
        self.0.get(set.trailing_zeros() as usize).map(Property::shown)
    }

    /// The name of a property, as the user knows it.
    pub fn shown(&self, index: usize) -> &str {
        self.0.get(index).map_or("", Property::shown)
    }

    /// The names of all properties of a set, between commas.
    pub fn names(&self, set: u64) -> String {
        let names = self.0.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1);
        names.map(|(_, property)| property.shown()).collect::<Vec<_>>().join(",")
    }

    /// The tracked properties.
    pub fn tracked(&self) -> u64 {
        self.where_is(|property| property.is_tracked)
    }

    /// The scratch properties.
    pub fn scratch(&self) -> u64 {
        self.where_is(|property| property.is_scratch)
    }

    /// The properties of integers, of which nothing has a gradient.
    pub fn integers(&self) -> u64 {
        self.where_is(|property| property.number.is_integer())
    }

    /// Whether a property's numbers are floats of four bytes.
    pub fn is_single(&self, name: &Ident) -> bool {
        let bit = self.bit(name);
        self.where_is(|property| property.number == Number::F32) & bit == bit
    }

    /// The names of the matrices.
    pub fn matrices(&self) -> Vec<String> {
        let matrices = self.0.iter().filter(|property| property.element.is_matrix());
        matrices.map(|property| property.name.clone()).collect()
    }

    /// The matrices, as a set.
    pub fn all_matrices(&self) -> u64 {
        self.where_is(|property| property.element.is_matrix())
    }

    /// Whether rows are heads, each of which runs by itself.
    pub fn have_heads(&self) -> bool {
        self.0.iter().any(|property| property.element.is_of_heads())
    }

    /// The properties with one number for all heads, but for scratch, which each head has in its own registers.
    pub fn of_all_heads(&self) -> u64 {
        self.where_is(|property| property.element.is_of_all_heads() && !property.is_scratch)
    }

    /// The number of the iteration.
    pub fn iteration(&self) -> u64 {
        self.where_is(|property| property.element == Element::IterationNumber)
    }

    /// The properties of which something holds.
    pub fn where_is(&self, holds: impl Fn(&Property) -> bool) -> u64 {
        self.0.iter().enumerate().fold(0, |set, (index, property)| set | u64::from(holds(property)) << index)
    }
}

fn property(field: &Field) -> Option<Property> {
    let segment = last_segment(&field.ty)?;
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    };
    let lasts = |word: &str| {
        arguments.iter().any(|argument| {
            matches!(argument, GenericArgument::Type(kind) if last_segment(kind).is_some_and(|kind| kind.ident == word))
        })
    };
    Some(Property {
        name: field.ident.as_ref()?.unraw().to_string(),
        element: Element::of_type(&segment.ident)?,
        is_tracked: lasts("Tracked"),
        is_scratch: lasts("Scratch"),
        number: Number::ALL.into_iter().find(|number| lasts(number.name())).unwrap_or_default(),
    })
}
