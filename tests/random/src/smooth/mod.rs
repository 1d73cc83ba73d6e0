//! Random programs whose gradient is asked for: a function of edges that reduces, one of vertices that takes what has come, and
//! where edges add to a table as well, another one that reads it.
//!
//! A function is a list of steps, each of which computes a value from earlier ones (`step`). A program is drawn from a seed (`generator`), printed as Rust
//! source for one of two structures that all programs share (`source`), and computed in double precision (`meaning`), so that central differences say what its gradient is.

mod generator;
mod input;
mod meaning;
mod source;
mod step;

pub use self::input::{COLUMNS, INPUTS, Input, KINDS, Owner, Width};
pub use self::meaning::{Shape, Values};
pub use self::step::{Function, Place, Reduction, Step};

/// What edges bring to the rows of a table, which vertices read afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// How rows are reduced.
    pub by: Reduction,
    /// The value.
    pub value: usize,
    /// Whose row it is.
    pub place: Place,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is drawn from.
    pub seed: u64,
    /// Whether it is one of a head.
    pub has_heads: bool,
    /// What each edge computes.
    pub edge: Function,
    /// Whether it reduces into the source of the edge.
    pub is_outward: bool,
    /// How its row is reduced, and which value is.
    pub total: (Reduction, usize),
    /// The score, where the reduction has one.
    pub score: usize,
    /// How its number is reduced, and which value is.
    pub level: (Reduction, usize),
    /// What edges bring to a table, if they do.
    pub pool: Option<Pool>,
    /// What each vertex computes, and the value that it leaves.
    pub vertex: (Function, usize),
}

impl Program {
    /// The numbers of the inputs that what the program leaves depends on.
    pub fn asked(&self) -> Vec<usize> {
        let (vertex, out) = &self.vertex;
        let live = vertex.live(&[*out]);
        let is_live = |step: &Step| (0..vertex.steps.len()).any(|at| live[at] && vertex.steps[at] == *step);
        let mut roots = Vec::new();
        if is_live(&Step::Total) {
            roots.push(self.total.1);
            roots.extend((self.total.0 == Reduction::Softmax).then_some(self.score));
        }
        roots.extend(is_live(&Step::Level).then_some(self.level.1));
        roots.extend(self.pool.map(|pool| pool.value));
        let inputs = vertex.inputs(&live).into_iter().chain(self.edge.inputs(&self.edge.live(&roots)));
        let mut inputs: Vec<usize> = inputs.collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }
}
