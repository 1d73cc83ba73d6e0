//! Running belief propagation on a Markov network.

use ndarray::{ArrayViewMut, Dimension};
use onyx_device::logarithmic::LEAST_FINITE;
use onyx_device::{Fold, FoldOf};
use onyx_runtime::{Data, Observer, Options, Report, ResidentGraph, RunError, RunFold, Session};

use super::{
    BeliefPropagation, STEP, flood, flood_greatest, update, update_greatest, update_shared, update_shared_greatest,
};
use crate::error::AlgorithmError;
use crate::input::{check_setting, check_tolerance};
use crate::markov::directed::Potentials;
use crate::markov::serial::{Domain, Question, Settings};
use crate::markov::{Beliefs, DirectedNetwork, MarkovNetwork, Messages, NetworkError};

/// Along which edges messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Those of variables that have heard something new. Not for damped messages, which move on each time they are sent.
    Changed,
}

impl Scope {
    /// The one that messages of some `damping` need.
    pub fn of(damping: f64) -> Self {
        if damping > 0.0 { Self::All } else { Self::Changed }
    }
}

/// What keeps getting less likely around a loop, without ever being impossible, is left alone from here on.
const FAINT: f32 = -100.0;

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What is believed of each variable: its distribution, or where the most probable states were asked for its max-marginal.
    pub beliefs: Beliefs,
    /// The most probable state of each variable, if those were asked for.
    pub assignment: Option<Vec<usize>>,
    /// How it was found, and whether the run came to rest.
    pub report: Report,
}

/// What is known of each variable of a network, computed where the session is.
///
/// # Errors
/// The network has no variables, too many states, or potentials of 0 that contradict each other; a setting is out of its range, or the run fails.
pub fn belief_propagation(
    session: &Session,
    network: &MarkovNetwork,
    settings: &Settings,
) -> Result<Answer, AlgorithmError> {
    if network.variable_count() == 0 {
        return Err(AlgorithmError::NoVertices { algorithm: "belief propagation" });
    }
    let directed = DirectedNetwork::new(network, width(network, None)?)?;
    let mut propagation = Propagation::new(session, &directed, settings, Scope::of(settings.damping))?;
    let options = Options::new().iterations(settings.iterations);
    let report = propagation.run(&options, &mut |_| std::ops::ControlFlow::Continue(()))?;
    let places = Messages::new(network);
    let messages = propagation.messages(&places)?;
    let assignment = (settings.question == Question::Assignment).then(|| places.assignment(&messages));
    Ok(Answer { beliefs: places.beliefs(&messages)?, assignment, report })
}

/// The most states that a variable may have.
pub fn greatest_states() -> usize {
    widest(flood)
}

fn widest<F: Fold>(_fold: F) -> usize {
    F::WIDTHS.last().copied().unwrap_or(0)
}

/// The room for a variable's states: what is asked for, or what the network needs.
///
/// # Errors
/// A variable has more states than there is room for, or more room is asked for than there is.
pub fn width(network: &MarkovNetwork, asked: Option<usize>) -> Result<usize, NetworkError> {
    let (needed, limit) = (network.greatest_states(), greatest_states());
    let variable = || (0..network.variable_count()).find(|&variable| network.states(variable) == needed).unwrap_or(0);
    match asked.unwrap_or(needed.max(1)) {
        _ if needed > limit => Err(NetworkError::TooWide { variable: variable(), states: needed, limit }),
        width if width > limit || width == 0 => Err(NetworkError::Room { width, limit }),
        width if width < needed => Err(NetworkError::Width { variable: variable(), states: needed, width }),
        width => Ok(width),
    }
}

/// Does something with the fold that answers the question of a propagation along its scope.
macro_rules! with_fold {
    ($propagation:ident, $fold:ident => $done:expr) => {{
        let is_shared = matches!($propagation.network.potentials, Potentials::Shared(_));
        match ($propagation.question, $propagation.scope, is_shared) {
            (Question::Marginals, Scope::All, _) => with_fold!(flood as $fold => $done),
            (Question::Assignment, Scope::All, _) => with_fold!(flood_greatest as $fold => $done),
            (Question::Marginals, Scope::Changed, false) => with_fold!(update as $fold => $done),
            (Question::Assignment, Scope::Changed, false) => with_fold!(update_greatest as $fold => $done),
            (Question::Marginals, Scope::Changed, true) => with_fold!(update_shared as $fold => $done),
            (Question::Assignment, Scope::Changed, true) => with_fold!(update_shared_greatest as $fold => $done),
        }
    }};
    ($one:ident as $fold:ident => $done:expr) => {{
        let $fold = $one;
        $done
    }};
}

/// Messages of a network while they are sent, in a session's memory.
#[derive(Debug)]
pub struct Propagation<'a> {
    network: &'a DirectedNetwork,
    graph: ResidentGraph<'a>,
    data: Data<BeliefPropagation>,
    question: Question,
    scope: Scope,
}

impl<'a> Propagation<'a> {
    /// What a run starts from: all messages alike.
    ///
    /// # Errors
    /// No compiled width holds the states, or a setting is out of its range.
    pub fn new(
        session: &Session,
        network: &'a DirectedNetwork,
        settings: &Settings,
        scope: Scope,
    ) -> Result<Self, AlgorithmError> {
        let Settings { question, damping, domain, tolerance, .. } = *settings;
        check_setting("damping", damping, (0.0..1.0).contains(&damping), "at least 0 and less than 1")?;
        check_tolerance(tolerance as f32)?;
        let graph = session.graph(&network.graph);
        let mut data = session.data(flood, &graph, network.width)?;
        data.set(BeliefPropagation::DAMPING, damping as f32);
        data.set(BeliefPropagation::LOG_NEW, (1.0 - damping).ln() as f32);
        data.set(BeliefPropagation::LOG_OLD, damping.ln() as f32);
        data.set(BeliefPropagation::LOGARITHMIC, if domain == Domain::Logarithmic { 1.0 } else { 0.0 });
        data.set(BeliefPropagation::TOLERANCE, tolerance as f32);
        data.set(BeliefPropagation::LEAST, if network.may_fade { FAINT } else { f32::NEG_INFINITY });
        start(&mut data, network)?;
        place_potentials(&mut data, network, scope)?;
        Ok(Self { network, graph, data, question, scope })
    }

    /// Sends messages until none changes by more than the tolerance, the change of a logarithm.
    ///
    /// # Errors
    /// As [`RunOn::until_settled`](onyx_runtime::RunOn::until_settled).
    pub fn run(&mut self, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        with_fold!(self, fold => self.run_fold(fold, options, observer))
    }

    /// What is decided about a run, and why: one line a decision.
    pub fn explain(&self, options: &Options) -> Vec<String> {
        with_fold!(self, fold => self.data.explain(fold, &self.graph, options))
    }

    fn run_fold<F: FoldOf<BeliefPropagation>>(
        &mut self,
        fold: F,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        fold.on(&self.graph, &mut self.data).observed(observer).until_settled(options)
    }

    /// The messages so far, in the order of `places`.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn messages(&mut self, places: &Messages<'_>) -> Result<Vec<f64>, RunError> {
        let mut messages = places.uniform();
        let rows = self.data.read(BeliefPropagation::MESSAGE)?;
        for (edge, source, destination) in self.network.graph.edges() {
            let Some(place) = places.edge(source, destination) else { continue };
            let entries = places.of_mut(&mut messages, place).iter_mut();
            entries.zip(rows.row(edge)).for_each(|(entry, &logarithm)| *entry = f64::from(logarithm));
        }
        Ok(messages)
    }
}

/// One of the numbers of a prior.
type Part = fn(Prior) -> f32;

/// What a variable knows of one of its states before anything arrives.
#[derive(Clone, Copy, Debug)]
pub struct Prior {
    /// The logarithm of the unary potential, as a multiple that sums of it keep.
    pub known: f32,
    /// The rest of that.
    pub rest: f32,
    /// 2 where the state is impossible.
    pub zeros: f32,
    /// What is believed of the state.
    pub belief: f32,
}

impl Prior {
    /// What the logarithm of a unary potential says.
    pub fn of(logarithm: f64) -> Self {
        let is_possible = logarithm > f64::NEG_INFINITY;
        let logarithm = if is_possible { logarithm.max(LEAST_FINITE) } else { 0.0 };
        let zeros = if is_possible { 0.0 } else { 2.0 };
        let known = ((logarithm / f64::from(STEP)).round() * f64::from(STEP)) as f32;
        let rest = (logarithm - f64::from(known)) as f32;
        Self { known, rest, zeros, belief: super::belief(logarithm as f32, zeros) }
    }
}

/// Sets what is known of the variables, and messages that favor no state.
fn start(data: &mut Data<BeliefPropagation>, network: &DirectedNetwork) -> Result<(), RunError> {
    let parts: [(_, Part); 4] = [
        (BeliefPropagation::KNOWN, |prior| prior.known),
        (BeliefPropagation::KNOWN_REST, |prior| prior.rest),
        (BeliefPropagation::KNOWN_ZEROS, |prior| prior.zeros),
        (BeliefPropagation::BELIEF, |prior| prior.belief),
    ];
    for (key, part) in parts {
        let logarithms = network.log_unary.iter();
        fill(data.view_mut(key)?, logarithms.map(|&logarithm| part(Prior::of(logarithm))));
    }
    fill(data.view_mut(BeliefPropagation::MESSAGE)?, network.uniform_messages());
    Ok(())
}

/// Sets the potentials: once where all edges share them and the fold knows, else of each edge.
fn place_potentials(
    data: &mut Data<BeliefPropagation>,
    network: &DirectedNetwork,
    scope: Scope,
) -> Result<(), RunError> {
    match (&network.potentials, scope) {
        (Potentials::Shared(matrix), Scope::Changed) => {
            fill(data.view_mut(BeliefPropagation::COUPLING)?, matrix.iter().copied());
        }
        (Potentials::Shared(matrix), Scope::All) => {
            fill(data.view_mut(BeliefPropagation::POTENTIAL)?, matrix.iter().copied().cycle());
        }
        (Potentials::OfEdges(matrices), _) => {
            fill(data.view_mut(BeliefPropagation::POTENTIAL)?, matrices.iter().copied());
        }
    }
    Ok(())
}

/// Sets places to values, row after row.
fn fill<D: Dimension>(places: ArrayViewMut<'_, f32, D>, values: impl IntoIterator<Item = f32>) {
    places.into_iter().zip(values).for_each(|(place, value)| *place = value);
}
