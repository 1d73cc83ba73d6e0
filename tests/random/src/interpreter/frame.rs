//! One function on one edge or vertex, for all features side by side.

use crate::expression::{Access, Expression, Place, Whole};
use crate::float::Float;
use crate::interpreter::expression::whole;
use crate::interpreter::place::{places, value};
use crate::network::Edge;
use crate::program::{Function, Program};
use crate::state::State;
use crate::statement::{Change, Reduction, Statement};
use crate::total::Contribution;
use crate::value::Value;

/// What a function runs on.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// An edge.
    Edge(Edge),
    /// A vertex.
    Vertex(usize),
}

/// Takes one float of a contribution to an end of the edge or to the graph: its property, which float, and what is combined.
pub(super) type Contribute<'a> = &'a mut dyn FnMut(usize, usize, Contribution);

/// What one feature has combined.
struct Combined {
    property: usize,
    reduction: Reduction,
    lane: usize,
    score: Float,
    value: Value,
}

/// A function under way. Each feature has its own copy of everything; one of a scalar has the same in all of them.
pub(super) struct Frame<'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) at: At,
    pub(super) features: usize,
    /// How many features the function runs for: one if it has none.
    pub(super) lanes: usize,
    /// All that there was before the stage.
    stage: &'a State,
    /// What was there before the function, for reads elsewhere than at its own edge or vertex.
    pub(super) before: Vec<(Access, Vec<Value>)>,
    /// By property: what the function's own edge or vertex has.
    own: Vec<Option<Vec<Value>>>,
    pub(super) variables: Vec<(String, Vec<Value>)>,
    /// What was combined into an end of the edge, and into totals of the graph.
    contributions: Vec<Combined>,
    /// By feature: whether it has not returned.
    is_here: Vec<bool>,
    /// By feature: what it has returned.
    results: Vec<bool>,
    is_written: Vec<bool>,
}

impl<'a> Frame<'a> {
    /// A function before its first statement.
    pub(super) fn new(program: &'a Program, function: usize, at: At, stage: &'a State, state: &State) -> Self {
        let function = &program.functions[function];
        let lanes = if function.has_feature { state.features } else { 1 };
        let mut frame = Self {
            program,
            function,
            at,
            features: state.features,
            lanes,
            stage,
            before: Vec::new(),
            own: vec![None; program.properties.len()],
            variables: Vec::new(),
            contributions: Vec::new(),
            is_here: vec![true; lanes],
            results: vec![false; lanes],
            is_written: vec![false; program.properties.len()],
        };
        frame.load(state);
        frame
    }

    /// Copies all that the function may read.
    fn load(&mut self, state: &State) {
        for (property, descriptor) in self.program.properties.iter().enumerate() {
            for (place, number) in places(self.at, descriptor.element) {
                let floats = state.of(descriptor.element, property, number);
                let values = (0..self.lanes).map(|lane| value(descriptor, floats, lane, self.features)).collect();
                if matches!(place, Place::Edge | Place::Vertex) {
                    self.own[property] = Some(values);
                } else {
                    self.before.push((Access { property, place }, values));
                }
            }
        }
    }

    /// Runs the function, and stores what it has written. Returns what it has, for any of its features.
    pub(super) fn run(mut self, state: &mut State, contribute: Contribute<'_>) -> bool {
        let function = self.function;
        let all = vec![true; self.lanes];
        self.statements(&function.statements, &all);
        let results = self.evaluate(&function.result);
        for lane in (0..self.lanes).filter(|lane| self.is_here[*lane]) {
            self.results[lane] = results[lane].flag();
        }
        self.contribute(contribute);
        self.store(state);
        self.results.contains(&true)
    }

    fn contribute(&self, contribute: Contribute<'_>) {
        // A scalar is contributed once, though every feature does so.
        let is_row = |combined: &Combined| self.program.properties[combined.property].element.is_row();
        for combined in self.contributions.iter().filter(|combined| combined.lane == 0 || is_row(combined)) {
            let Combined { property, reduction, lane, score, value } = combined;
            let floats = value.floats();
            let first = lane * floats.len();
            for (column, number) in floats.into_iter().enumerate() {
                contribute(*property, first + column, Contribution { reduction: *reduction, score: *score, number });
            }
        }
    }

    fn store(&self, state: &mut State) {
        for (property, descriptor) in
            self.program.properties.iter().enumerate().filter(|(index, _)| self.is_written[*index])
        {
            let number = match self.at {
                At::Edge(edge) => edge.number,
                At::Vertex(vertex) => vertex,
            };
            let values = self.own[property].as_ref().expect("it was written");
            let nearest = |float: Float| Float { value: descriptor.precision.nearest(float.value), ..float };
            let floats: Vec<Float> = values.iter().flat_map(Value::floats).map(nearest).collect();
            let to = state.of_mut(descriptor.element, property, number);
            if !descriptor.element.is_row() {
                let first = floats[0].value;
                assert!(
                    floats.iter().all(|float| float.value == first),
                    "{} differs between features",
                    descriptor.name
                );
            }
            let length = to.len();
            to.copy_from_slice(&floats[..length]);
        }
    }

    /// What a property has at a place, by feature.
    pub(super) fn read(&self, access: Access) -> Vec<Value> {
        if matches!(access.place, Place::Edge | Place::Vertex) {
            return self.own[access.property].clone().expect("a property of the function's own edge or vertex");
        }
        let found = self.before.iter().find(|(known, _)| *known == access);
        found.expect("a property that is there").1.clone()
    }

    /// What a property had before the stage, for one feature of a vertex or of a row of a table.
    pub(super) fn elsewhere(&self, property: usize, number: usize, lane: usize) -> Value {
        let descriptor = &self.program.properties[property];
        let floats = self.stage.floats(descriptor.element);
        let count = self.stage.values[property].len() / floats;
        assert!(number < count, "{} is read at {number}, and there are {count}", descriptor.name);
        value(descriptor, self.stage.of(descriptor.element, property, number), lane, self.features)
    }

    /// What a variable has, by feature.
    pub(super) fn variable(&self, name: &str) -> Vec<Value> {
        let found = self.variables.iter().rev().find(|(known, _)| known == name);
        found.unwrap_or_else(|| panic!("{name} is declared")).1.clone()
    }

    /// Runs statements for the features of a mask. Returns those that have not broken out of the loop around them.
    pub(super) fn statements(&mut self, statements: &[Statement], mask: &[bool]) -> Vec<bool> {
        let mut stays = mask.to_vec();
        for statement in statements {
            let mask: Vec<bool> = stays.iter().zip(&self.is_here).map(|(stays, is_here)| *stays && *is_here).collect();
            stays = both(&stays, &self.statement(statement, &mask), &mask);
        }
        stays
    }

    /// Statements whose variables end with them.
    fn block(&mut self, statements: &[Statement], mask: &[bool]) -> Vec<bool> {
        let depth = self.variables.len();
        let stays = self.statements(statements, mask);
        self.variables.truncate(depth);
        stays
    }

    /// Runs a statement for the features of a mask. Returns which of them have not broken out of a loop.
    fn statement(&mut self, statement: &Statement, mask: &[bool]) -> Vec<bool> {
        match statement {
            Statement::Let { name, value, .. } => {
                let values = self.evaluate(value);
                self.variables.push((name.clone(), values));
            }
            Statement::Set { name, change, value } => self.set(name, *change, value, mask),
            Statement::Write { access, change, value } => self.write(access.property, *change, value, mask),
            Statement::Reduce { access, reduction, score, value } => {
                self.reduce(access.property, *reduction, score.as_ref(), value, mask);
            }
            Statement::If { condition, then, otherwise } => return self.choose(condition, then, otherwise, mask),
            Statement::Repeat { round, count, body, .. } => self.repeat(round, *count, body, mask),
            Statement::Break => return vec![false; self.lanes],
            Statement::Return(value) => self.leave(value, mask),
        }
        mask.to_vec()
    }

    fn reduce(
        &mut self,
        property: usize,
        reduction: Reduction,
        score: Option<&Expression>,
        value: &Expression,
        mask: &[bool],
    ) {
        let scores = score.map(|score| self.evaluate(score));
        let score = |lane: usize| scores.as_ref().map_or(Float::ZERO, |scores| scores[lane].float());
        let values = self.evaluate(value).into_iter().enumerate().filter(|(lane, _)| mask[*lane]);
        let combined = values.map(|(lane, value)| Combined { property, reduction, lane, score: score(lane), value });
        self.contributions.extend(combined);
    }

    fn set(&mut self, name: &str, change: Change, value: &Expression, mask: &[bool]) {
        let values = self.evaluate(value);
        let found = self.variables.iter_mut().rev().find(|(known, _)| known == name);
        let (_, old) = found.expect("the variable is declared");
        update(old, change, &values, mask);
    }

    fn write(&mut self, property: usize, change: Change, value: &Expression, mask: &[bool]) {
        let values = self.evaluate(value);
        let own = self.own[property].as_mut().expect("a property of the function's own edge or vertex");
        update(own, change, &values, mask);
        self.is_written[property] = true;
    }

    fn choose(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        mask: &[bool],
    ) -> Vec<bool> {
        let holds: Vec<bool> = self.evaluate(condition).iter().map(Value::flag).collect();
        let of = |wanted: bool| mask.iter().zip(&holds).map(|(is_here, holds)| *is_here && *holds == wanted).collect();
        let (yes, no): (Vec<bool>, Vec<bool>) = (of(true), of(false));
        let (yes, no) = (self.block(then, &yes), self.block(otherwise, &no));
        yes.iter().zip(&no).map(|(yes, no)| *yes || *no).collect()
    }

    fn repeat(&mut self, round: &str, count: u32, body: &[Statement], mask: &[bool]) {
        let mut stays = mask.to_vec();
        for number in 0..count {
            self.variables.push((round.to_string(), vec![Value::Count(number); self.lanes]));
            stays = self.block(body, &stays);
            self.variables.pop();
        }
    }

    fn leave(&mut self, value: &Expression, mask: &[bool]) {
        let values = self.evaluate(value);
        for lane in (0..self.lanes).filter(|lane| mask[*lane]) {
            self.results[lane] = values[lane].flag();
            self.is_here[lane] = false;
        }
    }
}

/// Which features go on after a statement that ran for those of a mask.
fn both(before: &[bool], after: &[bool], mask: &[bool]) -> Vec<bool> {
    (0..before.len()).map(|lane| if mask[lane] { after[lane] } else { before[lane] }).collect()
}

fn update(old: &mut [Value], change: Change, values: &[Value], mask: &[bool]) {
    for ((old, value), _) in old.iter_mut().zip(values).zip(mask).filter(|(_, is_here)| **is_here) {
        *old = match change {
            Change::Assign => value.clone(),
            _ if old.is_whole() => changed(old, change, value),
            Change::Add => old.zip(value, Float::plus),
            Change::Subtract => old.zip(&value.map(Float::negated), Float::plus),
            Change::Multiply => old.zip(value, Float::times),
            Change::Or | Change::And | Change::Exclusive => unreachable!("floats have no bits to combine"),
        };
    }
}

/// What comes of a whole number. Sums that are too great would end a run, and so none is.
fn changed(old: &Value, change: Change, value: &Value) -> Value {
    match change {
        Change::Add => {
            let sum = old.whole().checked_add(value.whole()).expect("sums of whole numbers are small");
            old.like(sum)
        }
        Change::Or => whole(Whole::Or, old, value),
        Change::And => whole(Whole::And, old, value),
        Change::Exclusive => whole(Whole::Exclusive, old, value),
        _ => unreachable!("{change:?} is not drawn of whole numbers"),
    }
}
