//! What an iteration does, as data: which arrays change places, which totals begin, what is launched and on how much. The order stands here alone; a
//! device executes it step by step.

mod launch;
mod outline;
mod planner;
mod work;

pub(crate) use self::launch::{Launch, Tiles, heads_beside};
pub(crate) use self::outline::Outline;
pub(crate) use self::work::{Part, Work};
use crate::engine::EdgeLimits;
use crate::error::RunError;
use crate::options::Direction;
use crate::schedule::{Job, Kernel, Unit};

/// The kernels that go along edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    pub(crate) incoming: Kernel,
    pub(crate) outgoing: Kernel,
}

/// What a device does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// The current and the previous arrays of these properties change places.
    Exchange(u64),
    /// The totals of these properties begin: nothing that is in them is read from here on.
    Begin(u64),
    /// A kernel runs. All that was launched before it is done, but where it [may begin](Kernel::may_begin_before_end_of) before the launch before it has ended.
    Launch(Launch),
    /// The rows that the edges of this stage read of frequent sources are packed.
    Pack(usize),
    /// The totals of the graph that this stage adds to are added up.
    AddUp(usize),
    /// The run ends if a total is below its bound.
    Stop,
    /// The batch ends if too few or too many edges are active.
    Limit(EdgeLimits),
}

impl Step {
    /// The kernel that it launches, and nothing besides.
    fn kernel(&self) -> Option<Kernel> {
        match self {
            Self::Launch(launch) => Some(launch.kernel),
            Self::Pack(_) => Some(Kernel::Pack),
            _ => None,
        }
    }
}

/// An iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    steps: Vec<Step>,
}

/// What executes plans.
pub(crate) trait Executor {
    /// Exchanges the current and the previous arrays of these properties.
    fn exchange(&mut self, properties: u64);
    /// Takes note that the totals of these properties begin.
    fn begin(&mut self, _totals: u64) {}
    /// Takes note whether the next launch may begin before the one before it has ended.
    fn overlap(&mut self, _may_overlap: bool) {}
    /// Runs a kernel.
    fn launch(&mut self, launch: Launch) -> Result<(), RunError>;
    /// Packs the rows that the edges of this stage read of frequent sources.
    fn pack(&mut self, _stage: usize) -> Result<(), RunError> {
        Ok(())
    }
    /// Adds up the totals of the graph that this stage adds to.
    fn add_up(&mut self, stage: usize) -> Result<(), RunError>;
    /// Ends the run where the total that it was asked for is below its bound.
    fn stop(&mut self) -> Result<(), RunError>;
    /// Ends the batch where the number of active edges is not within the limits.
    fn limit(&mut self, _limits: EdgeLimits) -> Result<(), RunError> {
        Ok(())
    }
}

impl Plan {
    /// An iteration of a fold in one direction. Launches of nothing are left out, and so are exchanges of nothing.
    pub(crate) fn new(fold: Outline<'_>, direction: Direction, along: Along, work: &Work) -> Self {
        Self { steps: planner::steps(fold, direction, along, work) }
    }

    /// Does everything, in order.
    pub(crate) fn execute(&self, executor: &mut impl Executor) -> Result<(), RunError> {
        let mut before = None;
        self.steps.iter().try_for_each(|step| {
            let kernel = step.kernel();
            executor.overlap(kernel.zip(before).is_some_and(|(kernel, before)| kernel.may_begin_before_end_of(before)));
            before = kernel;
            match *step {
                Step::Exchange(properties) => executor.exchange(properties),
                Step::Begin(totals) => executor.begin(totals),
                Step::Launch(launch) => executor.launch(launch)?,
                Step::Pack(stage) => executor.pack(stage)?,
                Step::AddUp(stage) => executor.add_up(stage)?,
                Step::Stop => executor.stop()?,
                Step::Limit(limits) => executor.limit(limits)?,
            }
            Ok(())
        })
    }

    /// The same in a batch that ends where the number of active edges is not within the limits, if it has any.
    pub(crate) fn within(mut self, limits: Option<EdgeLimits>) -> Self {
        self.steps.extend(limits.map(Step::Limit));
        self
    }

    /// The same after another iteration of the batch, where that has left nothing of cut rows to be cleared.
    pub(crate) fn again(&self, fold: Outline<'_>, work: &Work) -> Self {
        let (begin_again, nothing_to_clear) = (fold.leaves_cleared(work), fold.leaves_apart(work));
        let is_dropped = |step: &Step| match step {
            Step::Begin(_) => begin_again,
            Step::Launch(launch) => launch.kernel == Kernel::Clear && (begin_again || nothing_to_clear),
            _ => false,
        };
        Self { steps: self.steps.iter().filter(|step| !is_dropped(step)).copied().collect() }
    }

    /// The same where nobody asks what the iteration leaves active, and the next one begins with all. Marks may stay as the last iteration has left them: a stage that reads those of
    /// vertices follows another one of vertex functions, which has stored all of them.
    pub(crate) fn once(self) -> Self {
        let is_kept = |step: &Step| !matches!(step, Step::Launch(launch) if launch.kernel == Kernel::Activate);
        Self { steps: self.steps.into_iter().filter(is_kept).collect() }
    }

    /// Whether it writes what is active.
    pub(crate) fn activates(&self) -> bool {
        let activates = |launch: &Launch| {
            let row = launch.kernel.row();
            matches!(row.job, Job::Activate | Job::Update) || row.job == Job::Pull && row.unit == Unit::Word
        };
        self.steps.iter().any(|step| matches!(step, Step::Launch(launch) if activates(launch)))
    }

    /// The properties whose current and previous arrays change places in an iteration.
    pub(crate) fn exchanges(&self) -> u64 {
        self.steps.iter().fold(0, |exchanges, step| match step {
            Step::Exchange(properties) => exchanges | properties,
            _ => exchanges,
        })
    }

    /// The properties whose arrays are in each other's place after so many iterations.
    pub(crate) fn exchanged(&self, iterations: usize) -> u64 {
        let once = self.steps.iter().fold(0, |exchanged, step| match step {
            Step::Exchange(properties) => exchanged ^ properties,
            _ => exchanged,
        });
        if iterations % 2 == 1 { once } else { 0 }
    }
}

#[cfg(test)]
mod tests;
