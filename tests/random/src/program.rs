//! Programs: a structure of properties, functions, and a fold of them.

use crate::accesses::Accesses;
use crate::cut;
use crate::expression::{Expression, Place};
use crate::generator;
use crate::name::Name;
use crate::property::Property;
use crate::rules::any_statement;
use crate::statement::{Reduction, Statement};

/// An edge or a vertex function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is an edge function.
    pub is_edge: bool,
    /// Whether it has a feature; without, it works on scalars alone.
    pub has_feature: bool,
    /// What it does.
    pub statements: Vec<Statement>,
    /// What it returns.
    pub result: Expression,
}

/// How many features of a row a lane has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerLane {
    /// Four at most, without being asked.
    Default,
    /// So many at most.
    Number(u32),
    /// All of them.
    All,
}

/// A fold of all functions of a program.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The functions by number, in the parts that a `;` ends.
    pub parts: Vec<Vec<usize>>,
    /// Whether each function is a part of its own.
    pub is_unfolded: bool,
    /// Whether edge functions run along the edges of active sources alone.
    pub is_active: bool,
    /// The compiled widths.
    pub widths: Vec<usize>,
    /// How many features of a row a lane has.
    pub per_lane: PerLane,
}

/// A run of edge functions, then one of vertex functions, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The edge functions.
    pub edges: Vec<usize>,
    /// The vertex functions.
    pub vertices: Vec<usize>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is made from.
    pub name: Name,
    /// Whether its data is generic over the number of features.
    pub has_features: bool,
    /// The fields of its data.
    pub properties: Vec<Property>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Its fold.
    pub fold: Fold,
}

impl Function {
    /// The end of its edge that it reduces into, if it does. What it adds to totals of the graph comes together at the destination, unless all else does
    /// so at the source.
    pub fn end(&self) -> Option<Place> {
        let accesses = Accesses::of(self);
        match accesses {
            _ if !self.is_edge || accesses.reduces | accesses.adds == 0 => None,
            Accesses { reduces_source: 0, .. } => Some(Place::Destination),
            _ => Some(Place::Source),
        }
    }

    /// Whether it may return false: it has a `return`, or does not end in `true`.
    pub fn may_stop(&self) -> bool {
        let leaves = |statement: &Statement| matches!(statement, Statement::Return(_));
        !self.result.is_true() || any_statement(&self.statements, &leaves)
    }
}

impl Program {
    /// The program of a name. Panics if there are no such cuts.
    pub fn of(name: &Name) -> Self {
        let mut program = generator::draw(name);
        for cut in &name.cuts {
            let cuts = cut::cuts(&program);
            program = cuts.into_iter().nth(*cut).unwrap_or_else(|| panic!("{name} cannot be cut so"));
        }
        program.name = name.clone();
        program
    }

    /// The stages of the fold: it is cut at each `;`, where an edge function follows a vertex function, and where edge functions begin to reduce into the
    /// other end.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages = Vec::new();
        for part in &self.fold.parts {
            let pieces: Vec<&[usize]> =
                if self.fold.is_unfolded { part.chunks(1).collect() } else { vec![part.as_slice()] };
            pieces.into_iter().for_each(|piece| self.cut(piece, &mut stages));
        }
        stages
    }

    fn cut(&self, functions: &[usize], stages: &mut Vec<Stage>) {
        stages.push(Stage::default());
        for function in functions {
            let is_edge = self.functions[*function].is_edge;
            if is_edge && stages.last().is_some_and(|stage| !stage.vertices.is_empty() || self.turns(stage, *function))
            {
                stages.push(Stage::default());
            }
            let stage = stages.last_mut().expect("one was pushed");
            if is_edge { stage.edges.push(*function) } else { stage.vertices.push(*function) }
        }
    }

    /// The stages that an edge function ends because it reduces into the other end.
    pub fn turns_without_semicolon(&self) -> Vec<Stage> {
        let mut ended = Vec::new();
        for part in &self.fold.parts {
            let mut stages = Vec::new();
            self.cut(part, &mut stages);
            ended.extend(stages.windows(2).filter(|pair| pair[0].vertices.is_empty()).map(|pair| pair[0].clone()));
        }
        ended
    }

    /// Whether a function reduces into the other end than those of a stage.
    fn turns(&self, stage: &Stage, function: usize) -> bool {
        let end = self.functions[function].end();
        self.end(stage).is_some_and(|before| end.is_some_and(|end| end != before))
    }

    /// The end that the edge functions of a stage reduce into, if they do.
    pub fn end(&self, stage: &Stage) -> Option<Place> {
        stage.edges.iter().find_map(|edge| self.functions[*edge].end())
    }

    /// Whether edge functions reduce into the sources of their edges by this operator.
    pub fn reduces_outward(&self, reduction: Reduction) -> bool {
        self.functions.iter().map(Accesses::of).any(|accesses| {
            let operators = accesses.operators.iter();
            operators.into_iter().any(|(property, of)| accesses.reduces_source >> property & 1 == 1 && *of == reduction)
        })
    }

    /// How functions add to a property of the graph, if they do.
    pub fn added(&self, property: usize) -> Option<Reduction> {
        let mut functions = self.functions.iter().map(Accesses::of);
        functions.find(|it| it.adds >> property & 1 == 1).map(|it| it.operators[&property])
    }

    /// The functions in the order of the fold, as runs of one kind; `true` for edge functions.
    pub fn runs(&self) -> Vec<(bool, Vec<usize>)> {
        let stages = self.stages().into_iter();
        stages
            .flat_map(|stage| [(true, stage.edges), (false, stage.vertices)])
            .filter(|(_, run)| !run.is_empty())
            .collect()
    }

    /// Whether the graph must have a reverse edge for each edge.
    pub fn needs_reverse(&self) -> bool {
        self.functions.iter().any(|function| Accesses::of(function).reads_reverse != 0)
    }

    /// Whether its rows are heads.
    pub fn has_heads(&self) -> bool {
        self.properties.iter().any(|property| property.element.is_of_heads())
    }

    /// Whether any property has more than one float: without one, a fold runs with one feature alone, however wide it is compiled.
    pub fn has_rows(&self) -> bool {
        self.properties.iter().any(|property| !property.element.is_scalar())
    }

    /// The widest compiled width.
    pub fn widest(&self) -> usize {
        self.fold.widths.last().copied().unwrap_or(1)
    }
}
