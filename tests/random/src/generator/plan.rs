//! Plans the properties of a program.

use crate::dice::Dice;
use crate::generator::draft::{Draft, Planned, Position, Role};
use crate::generator::shape::Kind;
use crate::name::Style;
use crate::property::{Element, Lasting, Precision, Property, Start};
use crate::statement::Reduction;

impl Draft {
    fn add(&mut self, role: Role, element: Element, lasting: Lasting, start: Start) -> &mut Planned {
        let word = match role {
            Role::Constant => "constant",
            Role::Label => "label",
            Role::Kept => "kept",
            Role::Growing => "growing",
            Role::Message => "message",
            Role::Total(_) => "total",
            Role::Whole(_) => "whole",
            Role::Scratch => "scratch",
        };
        let name = format!("{word}{}", self.properties.len());
        let property = Property { name, element, lasting, precision: Precision::Single, start };
        let planned = Planned { property, role, is_rough: false, writers: Vec::new(), reducers: Vec::new() };
        self.properties.push(planned);
        self.properties.last_mut().expect("one was pushed")
    }

    /// A constant that is planned for a style alone.
    pub(super) fn add_constant(&mut self, element: Element, start: Start) {
        self.add(Role::Constant, element, Lasting::Untracked, start);
    }

    /// A vertex's or an edge's property with features, or a scalar.
    fn element(&self, is_of_vertex: bool, dice: &mut Dice) -> Element {
        let rows = match self.style {
            Style::Integers => 35,
            Style::Gathers => 55,
            _ => 70,
        };
        let is_row = self.shape.has_features && dice.chance(rows);
        let is_matrix = is_row && self.shape.has_matrices && dice.chance(35);
        match (is_of_vertex, is_row, is_matrix) {
            (true, _, true) => Element::VertexMatrix,
            (true, true, _) => Element::VertexFeatures,
            (true, false, _) if self.shape.has_heads => Element::VertexHeads,
            (true, false, _) => Element::VertexScalar,
            (false, _, true) => Element::EdgeMatrix,
            (false, true, _) => Element::EdgeFeatures,
            (false, false, _) if self.shape.has_heads => Element::EdgeHeads,
            (false, false, _) => Element::EdgeScalar,
        }
    }

    fn start(element: Element, dice: &mut Dice) -> Start {
        if element.is_matrix() {
            Start::Units
        } else {
            dice.weighted(&[(4, Start::Dense), (2, Start::Sparse), (1, Start::Units)])
        }
    }

    pub(super) fn plan_constants(&mut self, dice: &mut Dice) {
        let mut elements = vec![self.element(true, dice), Element::Parameter];
        if self.has(true) {
            elements.push(self.element(false, dice));
            elements.push(Element::EdgeScalar);
        }
        if self.shape.has_matrices {
            elements.push(Element::GraphMatrix);
        }
        // A vertex that counts iterations is never settled.
        if !self.is_settling && dice.chance(30) {
            elements.push(Element::Iteration);
        }
        if self.style == Style::Tables {
            elements.extend([Element::Table; 2]);
        }
        if self.style == Style::Inputs {
            elements.extend([Element::VertexInputs; 2]);
            elements.extend(self.has(true).then_some(Element::EdgeInputs));
            elements.push(Element::Lift);
        }
        if self.shape.has_heads {
            elements.extend([Element::VertexHeads, Element::VertexScalar, Element::Table]);
            elements.extend(self.has(true).then_some(Element::EdgeHeads));
        }
        if self.style == Style::Integers {
            elements.extend([Element::VertexScalar; 2]);
            elements.extend(self.has(true).then_some(Element::EdgeScalar));
        }
        if self.style == Style::Gathers {
            elements.extend([Element::VertexScalar; 2]);
            elements.extend(
                self.shape.has_features.then_some([Element::VertexFeatures, Element::Table]).into_iter().flatten(),
            );
        }
        if self.style == Style::Totals {
            elements.push(Element::GraphScalar);
            elements.extend(self.shape.has_features.then_some(Element::GraphFeatures));
        }
        for element in elements {
            let is_drawn = !matches!(element, Element::Iteration | Element::Lift);
            let start = if is_drawn { Self::start(element, dice) } else { Start::Zero };
            self.add(Role::Constant, element, Lasting::Untracked, start);
        }
    }

    /// Whether there are edge functions, or vertex functions.
    pub(super) fn has(&self, is_edge: bool) -> bool {
        self.positions.iter().any(|position| position.is_edge == is_edge)
    }

    /// Stages with functions of a kind, some of them, at least one.
    fn some_stages(&self, is_edge: bool, dice: &mut Dice) -> Vec<usize> {
        let mut stages: Vec<usize> =
            self.positions.iter().filter(|position| position.is_edge == is_edge).map(|it| it.stage).collect();
        stages.dedup();
        let one = *dice.pick(&stages);
        stages.into_iter().filter(|stage| *stage == one || dice.chance(50)).collect()
    }

    pub(super) fn plan_of_vertices(&mut self, dice: &mut Dice) {
        if !self.has(false) {
            return;
        }
        for _ in 0..dice.between(1, 2) {
            let (element, stages) = (self.element(true, dice), self.some_stages(false, dice));
            // Whether a row has changed cannot be asked.
            let element = if self.is_settling && element.is_matrix() { Element::VertexFeatures } else { element };
            let start = if element.is_matrix() {
                Start::Units
            } else {
                dice.weighted(&[(3, Start::Dense), (3, Start::Sparse), (2, Start::Zero)])
            };
            let may_be_rough = !self.is_propagation();
            let planned = self.add(Role::Label, element, Lasting::Tracked, start);
            planned.writers = stages;
            planned.is_rough = may_be_rough && dice.chance(10);
        }
        for _ in 0..dice.between(1, 2) {
            let (element, stages) = (self.element(true, dice), self.some_stages(false, dice));
            let start = Self::start(element, dice);
            let planned = self.add(Role::Kept, element, Lasting::Untracked, start);
            planned.writers = stages;
            planned.is_rough = dice.chance(20);
        }
        if self.style == Style::History || dice.chance(30) {
            let element = match self.shape.has_features && dice.chance(50) {
                true => Element::VertexFeatures,
                false if self.shape.has_heads => Element::VertexHeads,
                false => Element::VertexScalar,
            };
            let stages = self.some_stages(false, dice);
            self.add(Role::Growing, element, Lasting::Untracked, Start::Zero).writers = stages;
        }
    }

    pub(super) fn plan_messages(&mut self, dice: &mut Dice) {
        let count = if self.is_propagation() || !self.has(true) { 0 } else { dice.below(3) };
        for _ in 0..count {
            let (element, stages) = (self.element(false, dice), self.some_stages(true, dice));
            let start = Self::start(element, dice);
            let planned = self.add(Role::Message, element, Lasting::Untracked, start);
            planned.writers = stages;
            planned.is_rough = dice.chance(15);
        }
    }

    pub(super) fn plan_totals(&mut self, dice: &mut Dice) {
        for position in self.positions.clone() {
            // A push of active sources takes no totals before its last stage.
            let is_early = self.shape.kind == Kind::Pushed && position.stage + 1 < self.shape.stages.len();
            if position.is_edge && !is_early {
                let count = dice.weighted(&[(6, 1), (3, 2), (usize::from(!position.is_last), 0)]);
                (0..count).for_each(|_| self.plan_total(position, dice));
            }
        }
    }

    fn plan_total(&mut self, position: Position, dice: &mut Dice) {
        let known = self
            .properties
            .iter_mut()
            .find(|planned| matches!(planned.role, Role::Total(_)) && !planned.writers.contains(&position.stage));
        if let Some(known) = known
            && dice.chance(20)
        {
            known.writers.push(position.stage);
            known.reducers.push(position.number);
            return;
        }
        let element = self.element(true, dice);
        let bounds = if self.is_propagation() { 0 } else { 2 };
        let reduction = dice.weighted(&[
            (6, Reduction::Sum),
            (3, Reduction::Product),
            (bounds, Reduction::Min),
            (bounds, Reduction::Max),
        ]);
        let is_state = self.style == Style::States && dice.chance(75);
        let reduction = match is_state {
            _ if element.is_matrix() => Reduction::Sum,
            true => *dice.pick(&[Reduction::Mean, Reduction::Softmax, Reduction::LogSum]),
            false => reduction,
        };
        let planned = self.add(Role::Total(reduction), element, Lasting::Untracked, Start::Zero);
        planned.writers.push(position.stage);
        planned.reducers.push(position.number);
        planned.is_rough = !element.is_matrix() && dice.chance(12) || reduction.has_state();
    }

    /// Plans totals of the graph: each has one function that adds to it.
    pub(super) fn plan_wholes(&mut self, dice: &mut Dice) {
        for position in self.positions.clone() {
            let count = dice.weighted(&[(4, 0), (5, 1), (2, 2)]);
            (0..count).for_each(|_| self.plan_whole(position, dice));
        }
    }

    fn plan_whole(&mut self, position: Position, dice: &mut Dice) {
        let is_row = self.shape.has_features && dice.chance(60);
        let element = if is_row { Element::GraphFeatures } else { Element::GraphScalar };
        // What edges push is corrected by changes.
        let bounds = if self.is_propagation() && position.is_edge { 0 } else { 2 };
        let reduction = dice.weighted(&[(6, Reduction::Sum), (bounds, Reduction::Min), (bounds, Reduction::Max)]);
        let start = Self::start(element, dice);
        let planned = self.add(Role::Whole(reduction), element, Lasting::Untracked, start);
        planned.writers.push(position.stage);
        planned.reducers.push(position.number);
        planned.is_rough = dice.chance(12);
    }

    pub(super) fn plan_scratch(&mut self, dice: &mut Dice) {
        let runs = self.positions.last().map_or(0, |last| last.run + 1);
        for run in 0..runs {
            let members: Vec<Position> =
                self.positions.iter().copied().filter(|position| position.run == run).collect();
            if members.len() > 1 && dice.chance(60) {
                let mut element = self.element(!members[0].is_edge, dice);
                if element.is_matrix() {
                    element = if members[0].is_edge { Element::EdgeFeatures } else { Element::VertexFeatures };
                }
                // Each head has registers of its own, whatever the type.
                if element.is_of_heads() && dice.chance(40) {
                    element = if members[0].is_edge { Element::EdgeScalar } else { Element::VertexScalar };
                }
                let planned = self.add(Role::Scratch, element, Lasting::Scratch, Start::Zero);
                planned.writers = members.iter().map(|member| member.number).collect();
                planned.is_rough = dice.chance(15);
            }
        }
    }

    /// Has features in half precision, where nothing is reduced into them and nothing that rounds comes to them.
    pub(super) fn plan_halves(&mut self, dice: &mut Dice) {
        let may = |planned: &&mut Planned| {
            let has_features = matches!(planned.property.element, Element::VertexFeatures | Element::EdgeFeatures);
            has_features && !planned.is_rough && !matches!(planned.role, Role::Total(_) | Role::Scratch)
        };
        for planned in self.properties.iter_mut().filter(may) {
            planned.property.precision =
                dice.weighted(&[(4, Precision::Half), (4, Precision::Brain), (1, Precision::Single)]);
        }
    }
}
