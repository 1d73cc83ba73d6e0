//! When pushes pay: what they take, and what turning to them takes, beside pulls.

use std::time::Duration;

use onyx_device::FoldFacts;
use onyx_device::property::{Descriptor, Element};
use onyx_device::stage::StageAccess;

use crate::bins::bytes_of;
use crate::schedule::rule::{Facts, Processor};

/// A pull goes along so many edges in the time that it takes to go along one by a push, which evaluates it twice and adds atomically (`docs/measurements/sparse-pushes-h200.csv`).
const PULLED_WHILE_ONE_IS_PUSHED: f64 = 20.0;
/// So long the launches of a push take longer than those of a pull.
const PUSH: Duration = Duration::from_micros(16);
/// A pull reaches so many bytes for each multiprocessor in the time that the launches of a push take longer than its own, whatever is active: 16 us on an H200, where a push with hardly
/// anything active takes 22 (`docs/measurements/sparse-h200.csv`), at 3 TB/s, a guess.
const BYTES_A_PUSH: u64 = 360 << 10;
/// The same for turning to pushes and back: a pull that keeps its sums is a batch, and so is what confirms at the end that nothing is left, which is a pull more. 120 us without that,
/// a guess that agrees with `docs/measurements/pushes-pay-h200.csv`.
const BYTES_A_TURN: u64 = 2816 << 10;
/// The number of a neighbor, and where the edge's own properties lie.
const INDEX_BYTES: u64 = 4;

/// What pushes take on a device, in edges: as many as a pull goes along in that time. Nothing where that is not known, or where launches take no time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PushCosts {
    /// Of each push, whatever is active.
    push: f64,
    /// Of turning to pushes and back, but for the pull more.
    turn: f64,
    /// Of a pull.
    pull: f64,
}

impl PushCosts {
    /// Those of a fold whose rows have so many floats.
    pub(crate) fn new(fold: &FoldFacts, floats: usize, facts: &Facts) -> Self {
        let bytes = facts.neighbor + edge_bytes(fold, floats);
        let Processor { multiprocessors, .. } = facts.processor;
        let edges = |bytes_each: u64| (multiprocessors * bytes_each) as f64 / bytes as f64;
        let pull = if multiprocessors == 0 { 0.0 } else { facts.statistics.edges as f64 };
        Self { push: edges(BYTES_A_PUSH), turn: edges(BYTES_A_TURN), pull }
    }

    /// How long a pull of so many edges takes, where the device is known.
    pub(crate) fn time(&self, edges: f64) -> Option<Duration> {
        (self.push > 0.0).then(|| PUSH.mul_f64(edges / self.push))
    }

    #[cfg(test)]
    pub(crate) fn of(push: f64, turn: f64) -> Self {
        Self { push, turn, pull: 0.0 }
    }

    /// The same where each iteration is asked for, so that turning takes nothing.
    pub(crate) fn one_by_one(self) -> Self {
        Self { turn: 0.0, ..self }
    }

    /// How many edges pulls would go along in the time that a push saves, of `edges` of which so many are active.
    pub(crate) fn saved(&self, edges: f64, active: f64) -> f64 {
        edges - PULLED_WHILE_ONE_IS_PUSHED * active - self.push
    }

    /// Below how many active edges a push takes less time than a pull of `edges`.
    pub(crate) fn least(&self, edges: f64) -> f64 {
        (edges - self.push) / PULLED_WHILE_ONE_IS_PUSHED
    }

    /// Whether so many iterations of pushes, each of which saves so much, save what turning to them and back takes.
    pub(crate) fn pay(&self, iterations: f64, saved: f64) -> bool {
        saved > 0.0 && iterations * saved >= self.turn + self.pull
    }

    /// What a push has to save, in words.
    pub(crate) fn describe(&self) -> Option<String> {
        let pulls = |edges: f64| edges / self.pull.max(1.0);
        (self.turn > 0.0).then(|| {
            let (push, turn) = (pulls(self.push), pulls(self.turn + self.pull));
            format!("the launches of a push take as long as {push:.2} pulls, and turning to pushes and back as long as {turn:.1}")
        })
    }
}

/// How many bytes a stage reads of an edge itself, and writes, at most: with the neighbor's number.
fn edge_bytes(fold: &FoldFacts, floats: usize) -> u64 {
    let bytes = |stage: &StageAccess| {
        let reached = |properties: u64| bytes_of(fold, properties, |property| numbers(property, floats));
        INDEX_BYTES + reached(stage.edges.reads_edge | stage.edges.reads_reverse) + reached(stage.edges.writes_edge)
    };
    fold.stages.iter().map(bytes).max().unwrap_or(INDEX_BYTES)
}

/// How many numbers an edge has of a property. A row of another width counts as one of this.
fn numbers(property: &Descriptor, floats: usize) -> usize {
    match property.element {
        Element::EdgeScalar | Element::EdgeHeads => 1,
        Element::EdgeFeatures | Element::EdgeInputs => floats,
        Element::EdgeMatrix => floats * floats,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use onyx_device::Fold;
    use onyx_device::prelude::*;

    use super::*;
    use crate::decider::Decider;
    use crate::graph::GraphBuilder;
    use crate::options::Options;
    use crate::schedule::Form;

    #[graph_data]
    struct Weighed<const K: usize> {
        weight: EdgeScalar,
        x: VertexFeatures<K>,
        sum: VertexFeatures<K>,
    }

    #[edge_fn]
    fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Weighed<K>) -> bool {
        d.sum[e.dst][f] += d.weight[e] * d.x[e.src][f];
        true
    }

    foldmap! { weighed<const K: usize>(Weighed<K>) = [weigh]; features = [1, 4] }

    #[test]
    fn costs_are_as_many_edges_as_have_so_many_bytes() {
        let graph = GraphBuilder::new().edges(vec![(0, 1)]).build().unwrap();
        let costs = |width, multiprocessors| {
            let processor = Processor { multiprocessors, cache: 0 };
            let decider = Decider::new(weighed::FACTS, &graph, Form::narrow(width), &Options::default(), processor);
            decider.push_costs()
        };
        // Its neighbor's number and row, and the weight.
        let of =
            |bytes: f64| PushCosts { push: 132.0 * 368_640.0 / bytes, turn: 132.0 * 2_883_584.0 / bytes, pull: 1.0 };
        assert_eq!([costs(1, 132), costs(4, 132), costs(4, 0)], [of(12.0), of(24.0), PushCosts::default()]);
        assert_eq!(costs(4, 0).describe(), None);
        let words = costs(4, 132).describe().unwrap();
        assert!(words.ends_with("and turning to pushes and back as long as 15859713.0"), "{words}");
    }

    #[test]
    fn a_push_saves_what_a_pull_takes_but_for_its_launches_and_what_is_active() {
        let costs = PushCosts::of(200.0, 3000.0);
        assert_eq!(
            [costs.saved(1000.0, 0.0), costs.saved(1000.0, 10.0), costs.saved(1000.0, 50.0)],
            [800.0, 600.0, -200.0]
        );
        assert_eq!(costs.saved(1000.0, costs.least(1000.0)), 0.0);
        assert!(costs.pay(5.0, 600.0) && !costs.pay(4.9, 600.0) && !costs.pay(f64::INFINITY, -1.0));
        let free = PushCosts::default();
        assert!(free.pay(1.0, free.saved(1000.0, 49.0)) && !free.pay(1.0, free.saved(1000.0, 50.0)));
    }
}
