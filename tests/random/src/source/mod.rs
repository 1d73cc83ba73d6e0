//! Programs as Rust source.

mod expression;
mod statement;

use std::fmt::Write;

use crate::expression::{Access, Place};
use crate::program::{Function, PerLane, Program};
use crate::property::{Element, Lasting, Precision, Property};

/// The functions that the programs call, for single floats. They stand once beside the programs.
pub const HELPERS: &str = "\
/// Cuts a number to multiples of an eighth between -4 and 4.
#[inline(always)]
pub fn tame(x: f32) -> f32 {
    ((x * 8.0) as i32 % 32) as f32 * 0.125
}

/// Cuts a number off at -4 and 4; what is no number becomes -4.
#[allow(clippy::manual_clamp)]
#[inline(always)]
pub fn bound(x: f32) -> f32 {
    x.max(-4.0).min(4.0)
}

/// The greater of two numbers.
#[inline(always)]
pub fn greater(x: f32, y: f32) -> f32 {
    if x > y { x } else { y }
}
";

/// A property at a place, as functions write it.
pub fn place(program: &Program, property: usize, place: Place) -> String {
    expression::read(program, Access { property, place })
}

impl Program {
    /// The name of its data.
    pub fn data_name(&self) -> String {
        format!("Data_{}", self.name.identifier())
    }

    /// The name of its fold.
    pub fn fold_name(&self) -> String {
        format!("fold_{}", self.name.identifier())
    }

    /// The structure, the functions and the fold.
    pub fn source(&self) -> String {
        let mut text = self.data();
        self.functions.iter().for_each(|function| text.push_str(&self.function(function)));
        text.push_str(&self.foldmap());
        text
    }

    fn generics(&self) -> &'static str {
        match (self.has_features, self.lift()) {
            (true, Some(_)) => "<const K: usize, const J: usize>",
            (true, None) => "<const K: usize>",
            _ => "",
        }
    }

    fn data_type(&self) -> String {
        let widths = match (self.has_features, self.lift()) {
            (true, Some(_)) => "<K, J>",
            (true, None) => "<K>",
            _ => "",
        };
        format!("{}{widths}", self.data_name())
    }

    /// The matrix of rows of another width, if there is one.
    pub fn lift(&self) -> Option<&Property> {
        self.properties.iter().find(|property| property.element == Element::Lift)
    }

    /// The structure.
    pub fn data(&self) -> String {
        let fields: String = self
            .properties
            .iter()
            .map(|property| format!("    pub {}: {},\n", property.name, type_of(property)))
            .collect();
        format!("#[graph_data]\npub struct {}{} {{\n{fields}}}\n", self.data_name(), self.generics())
    }

    /// One function.
    pub fn function(&self, function: &Function) -> String {
        let kind = if function.is_edge { "edge" } else { "vertex" };
        let feature = if function.has_feature { "f: Feature, " } else { "" };
        let element = if function.is_edge { "e: Edge" } else { "v: Vertex" };
        let mut text = format!(
            "\n#[{kind}_fn]\npub fn {}{}({feature}{element}, d: &mut {}) -> bool {{\n",
            function.name,
            self.generics(),
            self.data_type()
        );
        statement::statements(self, &function.statements, 1, &mut text);
        let _ = writeln!(text, "    {}\n}}", expression::bare(self, &function.result));
        text
    }

    /// The fold.
    pub fn foldmap(&self) -> String {
        let part = |part: &Vec<usize>| {
            part.iter().map(|function| self.functions[*function].name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let parts: Vec<String> = self.fold.parts.iter().map(part).collect();
        let unfolded = if self.fold.is_unfolded { "unfolded " } else { "" };
        format!(
            "\nfoldmap! {{\n    pub {}{}({}) = {unfolded}[{}]{}\n}}\n",
            self.fold_name(),
            self.generics(),
            self.data_type(),
            parts.join("; "),
            self.options()
        )
    }

    fn options(&self) -> String {
        let mut text = String::new();
        if self.has_features {
            let _ = write!(text, "; features = {:?}", self.fold.widths);
        }
        match self.fold.per_lane {
            PerLane::Default => {}
            PerLane::Number(number) => {
                let _ = write!(text, "; features_per_lane = {number}");
            }
            PerLane::All => text.push_str("; features_per_lane = all"),
        }
        if self.fold.is_active {
            text.push_str("; edges = active");
        }
        text
    }
}

fn type_of(property: &Property) -> String {
    let lasting = match property.lasting {
        Lasting::Untracked => None,
        Lasting::Tracked => Some("Tracked"),
        Lasting::Scratch => Some("Scratch"),
    };
    let name = match property.element {
        Element::VertexFeatures => "VertexFeatures",
        Element::VertexScalar => "VertexScalar",
        Element::VertexMatrix => "VertexMatrix",
        Element::VertexHeads => "VertexHeads",
        Element::EdgeFeatures => "EdgeFeatures",
        Element::EdgeScalar => "EdgeScalar",
        Element::EdgeMatrix => "EdgeMatrix",
        Element::EdgeHeads => "EdgeHeads",
        Element::GraphMatrix => "GraphMatrix",
        Element::GraphFeatures => "GraphFeatures",
        Element::GraphScalar => "GraphScalar",
        Element::Table => "Table",
        Element::VertexInputs => "VertexFeatures",
        Element::EdgeInputs => "EdgeFeatures",
        Element::Lift => "GraphMatrix",
        Element::Parameter => "Parameter",
        Element::Iteration => "IterationNumber",
    };
    let width = match property.element {
        Element::Lift => Some("K, J"),
        element if element.is_inputs() => Some("J"),
        element => element.is_row().then_some("K"),
    };
    let precision = match property.precision {
        Precision::Single => None,
        Precision::Half => Some("f16"),
        Precision::Brain => Some("bf16"),
        Precision::Word => Some("u32"),
        Precision::Byte => Some("u8"),
    };
    let arguments: Vec<&str> = width.into_iter().chain(lasting).chain(precision).collect();
    if arguments.is_empty() { name.to_string() } else { format!("{name}<{}>", arguments.join(", ")) }
}
